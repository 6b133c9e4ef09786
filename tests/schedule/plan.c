/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/plan.h"

#include "base/hash.h"
#include "support/rng.h"

static struct plan_operation *at(struct plan *plan, int number)
{
    return &plan->operations[number];
}

/* ---- Words -------------------------------------------------------------------------------- */

uint64_t plan_word(const struct plan *plan, int operation, unsigned execution)
{
    return weft_hash_mix(weft_hash_mix(plan->seed, (uint64_t)operation), execution) | 1;
}

uint64_t plan_proof(const struct plan *plan, int number, unsigned execution)
{
    const struct plan_operation *operation = &plan->operations[number];
    if (operation->kind == PLAN_RECEIVE)
        return plan_word(plan, operation->partner, execution);
    if (operation->kind == PLAN_COMPUTE)
        return PLAN_UNTOUCHED + plan_word(plan, number, execution);
    return plan_word(plan, number, execution);
}

unsigned plan_words(const struct plan *plan, const struct plan_operation *operation)
{
    if (operation->kind == PLAN_RECEIVE)
        operation = &plan->operations[operation->partner];
    if (operation->is_empty || operation->kind == PLAN_NOP)
        return 0;
    if (operation->kind == PLAN_COMPUTE || operation->saved != PLAN_NONE ||
        operation->overwrite != PLAN_NONE)
        return 1;
    return 1 + operation->proof_count + operation->filler;
}

static bool leaves_proof(const struct plan_operation *operation)
{
    bool is_plain_copy = operation->kind == PLAN_COPY && operation->saved == PLAN_NONE &&
                         operation->overwrite == PLAN_NONE;
    return operation->kind == PLAN_COMPUTE || is_plain_copy ||
           (operation->kind == PLAN_RECEIVE && !operation->is_empty);
}

/* ---- What waits for what ------------------------------------------------------------------ */

static void add_proof(struct plan_operation *operation, int proof)
{
    for (unsigned i = 0; i < operation->proof_count; i++)
        if (operation->proofs[i] == proof)
            return;
    if (operation->proof_count < PLAN_PROOFS)
        operation->proofs[operation->proof_count++] = proof;
}

/* Of one that it waits for: a nop proves what it waits for itself. */
static void add_proofs_of(struct plan *plan, struct plan_operation *operation, int number)
{
    const struct plan_operation *earlier = at(plan, number);
    if (leaves_proof(earlier))
        add_proof(operation, number);
    else if (earlier->kind == PLAN_NOP && !operation->is_any && earlier->is_proven &&
             !(earlier->is_any && earlier->earlier_count > 1))
        for (unsigned i = 0; i < earlier->proof_count; i++)
            add_proof(operation, earlier->proofs[i]);
    else
        operation->is_proven = false;
}

static void find_proofs(struct plan *plan, struct plan_operation *operation)
{
    operation->is_proven = true;
    for (unsigned i = 0; i < operation->earlier_count; i++)
        add_proofs_of(plan, operation, operation->earlier[i]);
}

static void wait_for(struct plan_operation *operation, int earlier)
{
    for (unsigned i = 0; i < operation->earlier_count; i++)
        if (operation->earlier[i] == earlier)
            return;
    operation->earlier[operation->earlier_count++] = earlier;
}

/* Up to three operations of the same node and schedule that are among the first ones. */
static void wait_for_some(struct plan *plan, struct rng *rng, struct plan_operation *operation,
                          unsigned first)
{
    unsigned wish = first ? (unsigned)rng_below(rng, 4) : 0;
    for (unsigned i = 0; i < 8 * wish && operation->earlier_count < wish; i++) {
        int earlier = (int)rng_below(rng, first);
        if (at(plan, earlier)->node == operation->node &&
            at(plan, earlier)->schedule == operation->schedule)
            wait_for(operation, earlier);
    }
    operation->is_any = rng_one_in(rng, 3);
    operation->is_held = rng_one_in(rng, 8);
}

/* ---- Operations --------------------------------------------------------------------------- */

static struct plan_operation draft(enum plan_kind kind, unsigned node, unsigned schedule)
{
    return (struct plan_operation){.kind = kind,
                                   .node = node,
                                   .schedule = schedule,
                                   .partner = PLAN_NONE,
                                   .saved = PLAN_NONE,
                                   .overwrite = PLAN_NONE};
}

static size_t take_words(struct plan *plan, const struct plan_operation *operation, size_t words)
{
    size_t *arena = &plan->arenas[operation->schedule][operation->node];
    size_t place = *arena;
    *arena += words;
    return place;
}

static int add(struct plan *plan, struct plan_operation operation)
{
    find_proofs(plan, &operation);
    operation.number = plan->numbers[operation.schedule][operation.node]++;
    operation.source = take_words(plan, &operation, 1 + operation.filler);
    operation.target =
        take_words(plan, &operation, (size_t)plan_words(plan, &operation) << operation.is_spread);
    plan->operations[plan->count] = operation;
    return (int)plan->count++;
}

/* Adds an operation that writes, and in front of it perhaps one that saves what is there. */
static int add_writer(struct plan *plan, struct rng *rng, struct plan_operation operation,
                      unsigned first)
{
    bool is_saved = rng_one_in(rng, 4) && plan_words(plan, &operation) > 0;
    if (!is_saved)
        return add(plan, operation);
    struct plan_operation saver = draft(PLAN_COPY, operation.node, operation.schedule);
    wait_for_some(plan, rng, &saver, first);
    saver.saved = (int)plan->count + 1;
    int saved = add(plan, saver);
    wait_for(&operation, saved);
    operation.is_any = false;
    return add(plan, operation);
}

/* A send may be complete only when its receive has run: that must not wait for it. */
static void add_message(struct plan *plan, struct rng *rng, unsigned schedule)
{
    unsigned first = plan->count;
    unsigned from = (unsigned)rng_below(rng, plan->nodes);
    unsigned to = (unsigned)rng_below(rng, plan->nodes);
    struct plan_operation send = draft(PLAN_SEND, from, schedule);
    struct plan_operation receive = draft(PLAN_RECEIVE, to, schedule);
    wait_for_some(plan, rng, &send, first);
    send.is_empty = receive.is_empty = rng_one_in(rng, 6);
    send.tag = receive.tag = (uint16_t)rng_below(rng, 3);
    send.filler = (unsigned)rng_magnitude(rng, rng_one_in(rng, 4) ? 1000 : 20);
    int sent = add(plan, send);
    if (rng_one_in(rng, 2))
        wait_for_some(plan, rng, &receive, first);
    receive.partner = sent;
    receive.is_spread = rng_one_in(rng, 2);
    int received = add_writer(plan, rng, receive, first);
    at(plan, sent)->partner = received;
    if (rng_one_in(rng, 3) && !send.is_empty) {
        struct plan_operation over = draft(PLAN_COPY, from, schedule);
        over.overwrite = sent;
        wait_for(&over, sent);
        add(plan, over);
    }
}

static void add_local(struct plan *plan, struct rng *rng, unsigned schedule)
{
    static const enum plan_kind kinds[] = {PLAN_COMPUTE, PLAN_COPY, PLAN_NOP};
    unsigned node = (unsigned)rng_below(rng, plan->nodes);
    struct plan_operation local = draft(kinds[rng_below(rng, 3)], node, schedule);
    wait_for_some(plan, rng, &local, plan->count);
    local.is_spread = local.kind == PLAN_COPY && rng_one_in(rng, 2);
    local.filler = local.kind == PLAN_COPY ? (unsigned)rng_magnitude(rng, 100) : 0;
    if (local.kind == PLAN_NOP)
        add(plan, local);
    else
        add_writer(plan, rng, local, plan->count);
}

void plan_make(struct plan *plan, uint64_t seed, unsigned nodes)
{
    static const size_t eagers[] = {0, 64, 1024, 100000};
    struct rng rng = rng_stream(seed, 0);
    *plan = (struct plan){.seed = seed};
    plan->nodes = 1 + (unsigned)rng_magnitude(&rng, PLAN_NODES - 1);
    if (nodes)
        plan->nodes = nodes;
    plan->schedules = 1 + (unsigned)rng_below(&rng, PLAN_SCHEDULES);
    plan->executions = 1 + (unsigned)rng_below(&rng, 3);
    plan->eager = eagers[rng_below(&rng, sizeof eagers / sizeof *eagers)];
    unsigned wish = 2 * plan->nodes + (unsigned)rng_magnitude(&rng, 100);
    while (plan->count < wish && plan->count + 4 < PLAN_OPERATIONS) {
        unsigned schedule = (unsigned)rng_below(&rng, plan->schedules);
        if (rng_one_in(&rng, 3))
            add_local(plan, &rng, schedule);
        else
            add_message(plan, &rng, schedule);
    }
}
