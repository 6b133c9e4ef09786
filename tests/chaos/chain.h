/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chains of triggered operations over the counters of several nodes. Which of them fire does not
 * depend on time: counters only grow, so the end is the least fixed point of "a trigger whose
 * threshold is reached adds what it adds". That is compared with what the nodes see; where a node
 * has crashed, with what its neighbours saw of it.
 */
#ifndef WEFT_TESTS_CHAOS_CHAIN_H
#define WEFT_TESTS_CHAOS_CHAIN_H

#include "chaos/scene.h"

#define CHAIN_COUNTERS 3u /* that messages count at, */
#define CHAIN_SET 3u      /* one that is only set, */
#define CHAIN_OWN 4u      /* and one whose triggers its owner cancels half-way */
#define CHAIN_ALL 5u
#define CHAIN_TRIGGERS 160u /* of all nodes */
#define CHAIN_SCRIPT 64u    /* deeds of one node */
#define CHAIN_MDS (CHAIN_COUNTERS + 1)
#define CHAIN_LONG 4096u
#define CHAIN_CELLS (CHAIN_TRIGGERS * 8u)
#define CHAIN_SUM CHAIN_CELLS /* behind the cells; behind it is room for long puts */
#define CHAIN_MEMORY (CHAIN_CELLS + 8u + CHAIN_LONG)

enum chain_kind {
    CHAIN_PUT,
    CHAIN_ATOMIC,
    CHAIN_FETCH,
    CHAIN_SWAP,
    CHAIN_GET,
    CHAIN_INC,
    CHAIN_CTSET
};

struct chain_trigger {
    unsigned number; /* its cell in all memories */
    unsigned node, counter;
    uint64_t threshold;
    bool is_early; /* set before its counter counts: such ones fire in the order of thresholds */
    enum chain_kind kind;
    unsigned target, target_counter;
    uint64_t amount; /* of INC and CTSET, and the data of the others */
    uint64_t length; /* of a put */
    int tells;       /* the counter of this node that its acknowledgement or reply counts at */
    bool wants_ack;

    bool is_set;
    bool must_fire;                  /* by the model */
    unsigned sends, results, events; /* as seen; the last at the target */
};

enum chain_deed { DEED_TRIGGER, DEED_COUNT, DEED_CANCEL };

struct chain_act {
    enum chain_deed deed;
    unsigned which;  /* trigger or counter */
    uint64_t amount; /* of a count */
};

struct chain_node {
    ptl_handle_ni_t ni;
    ptl_handle_eq_t queue;
    ptl_handle_ct_t counters[CHAIN_ALL];
    ptl_handle_me_t entries[CHAIN_COUNTERS];
    ptl_handle_md_t mds[CHAIN_MDS]; /* the last counts nowhere */
    unsigned char *source;          /* CHAIN_MEMORY each */
    unsigned char *landing;
    unsigned char *memories[CHAIN_COUNTERS];
    struct chain_act script[CHAIN_SCRIPT];
    unsigned script_length, script_done;
    uint64_t counted[CHAIN_ALL]; /* by the program */
    bool is_cancelled;
    uint64_t own_when_cancelled;
    uint64_t must_be[CHAIN_COUNTERS]; /* at the end, if nobody crashes */
    /* The last trigger of a counter of a node that arrived here. */
    const struct chain_trigger *last[SCENARIO_NODES][CHAIN_ALL];
};

struct chain {
    struct chain_trigger triggers[CHAIN_TRIGGERS];
    unsigned trigger_count;
    struct chain_node nodes[SCENARIO_NODES];
};

/* ---- The model: chain.c ------------------------------------------------------------------- */

/* Draws all of it; NULL without memory. It lives as long as the scene. */
struct chain *chain_open(struct scene *scene);

bool chain_has_data(const struct chain_trigger *trigger);
bool chain_has_result(const struct chain_trigger *trigger);

/* What a node's counters must be by what it has seen, and whether a trigger must have fired. */
void chain_values(const struct scene *scene, unsigned node, uint64_t values[CHAIN_ALL],
                  bool fired[CHAIN_TRIGGERS]);

/* A packet between two nodes of the chains was taken; then, if it was the first of a message,
 * whether an entry took that, and how long it is. */
void chain_packet(struct pair *pair, unsigned kind, uint64_t bytes);
void chain_match(struct pair *pair, bool is_taken, uint64_t length);

bool chain_is_quiet(const struct scene *scene);
void chain_explain(struct scene *scene);

/* ---- The program: chain_node.c ------------------------------------------------------------ */

void chain_open_node(struct node *node);
void chain_step(struct node *node);
void chain_drain(struct node *node);
void chain_finish(struct node *node);
void chain_close_node(struct node *node);
void chain_gone(struct node *node);

ptl_handle_ni_t program_open_interface(struct node *node, unsigned interface,
                                       const ptl_ni_limits_t *desired, ptl_ni_limits_t *limits);

#endif
