/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random graphs of several schedules on many nodes, and what each operation must leave behind. All
 * follows from a seed. Operations are made in one order, in which all of them could run; a message
 * is sent before it is received there, so no graph can wait for itself.
 *
 * Every operation that writes leaves a word that nobody can guess, its proof. Messages and copies
 * take along the proofs of all that they wait for: if one ran early, old words are found there. A
 * computation adds, so running it twice is seen. Some operations are preceded by a copy of what
 * they will overwrite, and some sends are followed by a copy over what they sent: both must be
 * neither early nor late.
 */
#ifndef WEFT_TESTS_SCHEDULE_PLAN_H
#define WEFT_TESTS_SCHEDULE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAN_NODES 64
#define PLAN_SCHEDULES 3
#define PLAN_OPERATIONS 400
#define PLAN_PROOFS 6
#define PLAN_UNTOUCHED UINT64_C(0xEEEEEEEEEEEEEEEE)

enum plan_kind { PLAN_SEND, PLAN_RECEIVE, PLAN_COMPUTE, PLAN_COPY, PLAN_NOP };

#define PLAN_NONE (-1)

struct plan_operation {
    enum plan_kind kind;
    unsigned node, schedule;
    int number; /* in its schedule */
    int earlier[4];
    unsigned earlier_count;
    bool is_any;
    bool is_held;
    bool is_spread; /* each word that it writes has another behind it */
    bool is_empty;  /* a message without bytes */
    uint16_t tag;
    int partner;   /* the other end of a message */
    int saved;     /* of a copy: whose memory it saves before that is written; or PLAN_NONE */
    int overwrite; /* of a copy: the send whose memory it writes to; or PLAN_NONE */
    int proofs[PLAN_PROOFS];
    unsigned proof_count;
    bool is_proven; /* what it waits for has proofs, all of it */
    unsigned filler;
    size_t source, target; /* words in the arena of its node and schedule */
};

struct plan {
    uint64_t seed;
    unsigned nodes, schedules, executions;
    size_t eager;
    size_t arenas[PLAN_SCHEDULES][PLAN_NODES]; /* words */
    int numbers[PLAN_SCHEDULES][PLAN_NODES];   /* of operations */
    struct plan_operation operations[PLAN_OPERATIONS];
    unsigned count;
};

/* For so many nodes, or as many as the seed says if that is 0. */
void plan_make(struct plan *plan, uint64_t seed, unsigned nodes);

/* The word that an operation brings along in an execution. */
uint64_t plan_word(const struct plan *plan, int operation, unsigned execution);

/* What it leaves in the first word of its target. */
uint64_t plan_proof(const struct plan *plan, int operation, unsigned execution);

/* Words that it writes, or sends. */
unsigned plan_words(const struct plan *plan, const struct plan_operation *operation);

#endif
