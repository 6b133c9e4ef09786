/* SPDX-License-Identifier: BSD-3-Clause */
/* All that one run of a seed knows: the world, its letters, and the desk of each node. */
#ifndef WEFT_TESTS_CHAOS_LETTERS_OFFICE_H
#define WEFT_TESTS_CHAOS_LETTERS_OFFICE_H

#include "chaos/campaign.h"
#include "chaos/letters/letter.h"
#include "chaos/letters/tally.h"

#define OFFICE_NODES 12u
#define OFFICE_LETTERS 96u
#define OFFICE_TALLIES 2u
#define OFFICE_TABLE 3u
#define OFFICE_EVENTS 8192u
#define OFFICE_TALLY_BITS 0x1000u
#define OFFICE_LIBRARY_BITS 0x2000u
#define OFFICE_HPUS 16u
#define OFFICE_CRASHES 2u

/* What a seed decides before anything runs. */
struct design {
    uint64_t seed;
    struct weft_sim_config world;
    struct weft_portals_crash crashes[OFFICE_CRASHES];
    unsigned crash_count;
    bool has_flow_control;
    bool is_traced;        /* without HPUs, packets have a shorter way where nobody wants traces */
    uint32_t pace;         /* nanoseconds between two steps of a program, at the most */
    unsigned letters;      /* of each pair of nodes, at the most */
    unsigned tally_chance; /* one in so many steps sends to a tally; 0: none */
};

struct design design_draw(uint64_t seed, struct run_wish wish); /* design.c */
void design_print(const struct design *design);

struct desk {
    struct office *office;
    unsigned number;
    struct rng rng;
    ptl_handle_ni_t ni;
    ptl_handle_eq_t queue;     /* of the table, */
    ptl_handle_eq_t own_queue; /* and of what the program sends */
    ptl_handle_md_t md, uniform_md;
    ptl_handle_ct_t counter; /* of all entries */
    ptl_handle_me_t library;
    struct tally tallies[OFFICE_TALLIES];
    uint64_t disabled, enabled; /* how often the table was */
    uint64_t enable_at;         /* 0: it is not disabled */
    uint64_t enabled_at;        /* the last time */
    uint64_t tallies_under_way;
    unsigned tallies_left; /* to send to */
    /* What came of the operations of handlers. */
    uint64_t forwards_ok, forwards_failed, fetches;
    const struct weft_nic *nic;
    const struct weft_nic_pt *table;
    bool is_settled, is_closed;
};

struct office {
    struct run run;
    struct design design;
    struct desk desks[OFFICE_NODES];
    struct letter *letters[OFFICE_LETTERS];
    unsigned letter_count;
    uint64_t told[OFFICE_NODES][OFFICE_NODES];  /* events of tallies without failure: from, to */
    uint64_t acked[OFFICE_NODES][OFFICE_NODES]; /* and the acknowledgements */
    uint64_t sent;
    /* What the trace says of the HPUs of each node. */
    struct watch {
        bool is_busy[OFFICE_HPUS];
        uint64_t free_since[OFFICE_HPUS];
        unsigned running;
    } watches[OFFICE_NODES];
};

struct outcome office_run(const struct design *design, FILE *trace_file);

#define desk_fail(desk, ...) run_fail(&(desk)->office->run, (desk)->number, __VA_ARGS__)

static inline ptl_process_t office_process(unsigned node)
{
    return (ptl_process_t){.phys = {node + 1, WEFT_SIM_PID}};
}

static inline bool desk_is_dead(const struct desk *desk, unsigned node)
{
    return run_is_dead(&desk->office->run, node);
}

/* The program of a node: program.c. */
void program_run(unsigned node, void *office);

/* Entries: post.c. */
void post_open(struct desk *desk);
void post_letters(struct desk *desk); /* those that are due, as far as memory allows */
void post_close(struct desk *desk);

/* Sending: send.c. */
void send_open(struct desk *desk);
void send_step(struct desk *desk);
void send_close(struct desk *desk);
void send_acknowledged(struct desk *desk, struct letter *letter, const ptl_event_t *event);

/* Reads all events, and enables the table again in time: drain.c. */
void drain_all(struct desk *desk);

/* An attempt has ended: its verdict. */
void letter_conclude(struct desk *desk, struct letter *letter, struct report report);

/* What the NICs tell: watch.c. */
void watch_trace(void *office, unsigned node, const struct weft_trace_line *record);

#endif
