/* SPDX-License-Identifier: BSD-3-Clause */
/* All that one run of a seed knows: nodes, operations, and the first thing that went wrong. */
#ifndef WEFT_TESTS_CHAOS_SCENE_H
#define WEFT_TESTS_CHAOS_SCENE_H

#include "chaos/campaign.h"
#include "chaos/op.h"
#include "chaos/scenario.h"
#include "chaos/target.h"

#define SCENE_OPS 8192u
#define SCENE_MDS 6u
#define SCENE_PATTERN 65536u /* bytes that are sent */
#define SCENE_SLOTS 6u       /* replies that a node waits for at a time */
#define SCENE_SLOT 12288u    /* the longest reply */
#define SCENE_GUARD 0xA5     /* fills what nobody may write to */
#define SCENE_SCRATCH 4096u  /* source of volatile descriptors */
#define SCENE_WINDOW 64u     /* packets that a sender may be ahead */

/* Of one process to another, itself included. */
struct pair {
    bool is_chained;  /* used for triggered operations only */
    bool is_mute;     /* not used for others */
    struct op *first; /* issued, in order */
    struct op **end;
    struct op **arrival;             /* the next that must arrive */
    struct op *latest;               /* that has arrived */
    uint32_t sequence;               /* of the first packet that the receiver has not taken, */
    uint64_t came;                   /* bit i: `sequence` + i has come, */
    uint64_t taken;                  /* and was taken */
    uint32_t payloads[SCENE_WINDOW]; /* of those that have come, by sequence */
    uint64_t begun;                  /* bytes in the first packet of a put of the chains */
    uint64_t arriving;               /* bytes of it that have not come yet */
    bool has_failed;                 /* the receiver of this pair takes the sender for dead */
};

struct node {
    struct scene *scene;
    unsigned number;
    struct rng rng;
    ptl_handle_ni_t ni;
    bool is_closed;
    struct target target;
    ptl_handle_eq_t queue; /* for the initiator */
    struct md *mds[SCENE_MDS];
    unsigned char *scratch;
    unsigned char *landing; /* SCENE_SLOTS of SCENE_SLOT, */
    struct layout landing_layout;
    unsigned char *replies; /* and what must be in each */
    bool slot_is_used[SCENE_SLOTS];
    struct op *refused;         /* by flow control: to be sent again */
    struct entry *triggered[2]; /* waits to be appended, and to be unlinked, by `trigger` */
    ptl_handle_ct_t trigger;
    uint64_t trigger_count;
};

struct scene {
    struct run run;
    struct scenario scenario;
    const unsigned char *pattern;
    struct node nodes[SCENARIO_NODES + 1];                     /* the ghost, too */
    struct pair pairs[SCENARIO_NODES + 1][SCENARIO_NODES + 1]; /* from, to */
    struct op *ops[SCENE_OPS];
    unsigned op_count;
    struct chain *chain;
};

/* One run of a scenario: whether all was as it must be. `trace_file` may be NULL. */
struct outcome scene_run(const struct scenario *scenario, FILE *trace_file);

#define scene_fail(scene, node, ...) run_fail(&(scene)->run, node, __VA_ARGS__)

static inline void *scene_make(struct scene *scene, size_t size)
{
    return run_make(&scene->run, size);
}

static inline uint64_t scene_now(const struct scene *scene)
{
    return run_now(&scene->run);
}

bool scene_is_dead(const struct scene *scene, unsigned node);
bool scene_has_crashes(const struct scene *scene);

/* In the terms of an interface. */
ptl_process_t scene_process(const struct scene *scene, unsigned interface, unsigned node);

/* Returns when all nodes that live have come here and, if given, `is_idle` is true of the scene;
 * does `work` now and then meanwhile. */
void scene_wait(struct node *node, unsigned phase, bool (*is_idle)(const struct scene *scene),
                void (*work)(struct node *node));

/* ---- The program of a node ---------------------------------------------------------------- */

void program_run(unsigned node, void *scene); /* program.c */

/* Reads events: at most so many of each queue. drain.c */
void drain_some(struct node *node, unsigned most);
void drain_all(struct node *node);

/* Memory descriptors: bind.c. */
void bind_open(struct node *node);
void bind_again(struct node *node, unsigned which);
void bind_close(struct node *node);

/* One operation, drawn at random: issue.c. */
void issue_random(struct node *node);
void issue_refused_again(struct node *node);

/* Changes of the lists and tables, drawn at random: post.c. */
void post_open(struct node *node);
void post_append(struct node *node);
void post_search(struct node *node);
void post_unlink(struct node *node);
void post_trigger(struct node *node);
void post_fire(struct node *node);
void post_disable(struct node *node);
void post_enable_due(struct node *node);
void post_count(struct node *node);
void post_free(struct node *node);
void post_close(struct node *node);

/* ---- What the NICs tell of packets: wire.c ------------------------------------------------ */

void wire_trace(void *scene, unsigned node, const struct weft_trace_line *record);

#endif
