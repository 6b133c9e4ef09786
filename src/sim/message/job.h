/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A graph of messages in virtual time, by the costs of LogGOPS and of the matching by a NIC
 * ([DiG15], section II-B). Whoever wants a CPU or a NIC has it when those who came before have
 * been served; since it is known how long they take, such a line is nothing but the time at which
 * it ends.
 *
 * A message of s bytes by CPUs: the sender's is busy for o + (s-1) O, and after o its NIC for
 * g + (s-1) G, if it is free; L later the first byte is at the target, whose NIC is busy for
 * g + (s-1) G and its CPU for o + (s-1) max(O, G). It can be matched m later. A message by NICs
 * keeps no CPU busy: it can be matched when the last byte has been there for m.
 */
#ifndef WEFT_SIM_MESSAGE_JOB_H
#define WEFT_SIM_MESSAGE_JOB_H

#include "sim/message/graph.h"
#include "sim/message/noise.h"

#define WEFT_SIM_NANOSECOND UINT64_C(1000) /* times are in picoseconds */

struct weft_sim_costs {
    uint64_t latency;       /* L */
    uint64_t overhead;      /* o */
    uint64_t gap;           /* g, between messages */
    uint64_t byte_gap;      /* G */
    uint64_t byte_overhead; /* O */
    uint64_t matching;      /* m */
    uint64_t eager;         /* S: who sends more bytes waits until they have been received */
    uint64_t cores;         /* that the CPUs of all ranks share; 0: each is one */
    struct weft_sim_noise noise;
};

/* Times are in picoseconds. */
struct weft_sim_outcome {
    uint64_t time;       /* when all is complete */
    uint64_t first;      /* when the first rank has done all that it has to do */
    double mean;         /* when ranks have, on average */
    uint64_t messages;   /* that were sent */
    uint64_t bytes;      /* in them */
    uint64_t unexpected; /* messages that came before their receive */
    uint64_t unreceived; /* messages for which there was none */
    uint64_t computing;  /* time of all CPUs, with what disturbed them */
    uint64_t handling;   /* time of all CPUs for messages */
    uint64_t events;
    uint64_t incomplete; /* operations that wait for ever */
    uint32_t stuck;      /* the first of them, or NONE */
};

enum weft_sim_end {
    WEFT_SIM_ENDED,
    WEFT_SIM_END_STUCK,   /* some operations wait for ever */
    WEFT_SIM_END_NEVER,   /* it takes longer than can be counted */
    WEFT_SIM_END_STARVED, /* there was no memory: no outcome */
};

/* `times` may be NULL, or gets the time at which each operation is complete, UINT64_MAX for those
 * that never are. */
enum weft_sim_end weft_sim_job_run(const struct weft_sim_graph *graph,
                                   const struct weft_sim_costs *costs, uint64_t *times,
                                   struct weft_sim_outcome *outcome);

#endif
