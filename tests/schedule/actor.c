/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/actor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <weft_schedule.h>

#include "support/rng.h"

#define WORD sizeof(uint64_t)

/* One schedule of a node. */
struct part {
    weft_schedule *schedule;
    uint64_t *arena;
    unsigned execution;
    bool is_posted, is_started;
    bool is_held[PLAN_OPERATIONS];
};

struct actor {
    const struct plan *plan;
    unsigned node;
    struct rng rng;
    ptl_handle_ct_t clock;
    weft_engine *engine;
    struct part parts[PLAN_SCHEDULES];
    char *why;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static void complain(struct actor *actor, const char *format,
                                                           ...)
{
    if (actor->why[0])
        return;
    int used = snprintf(actor->why, actor->size, "node %u: ", actor->node);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(actor->why + used, actor->size - (size_t)used, format, arguments);
    va_end(arguments);
}

static bool is_mine(const struct actor *actor, const struct plan_operation *operation,
                    unsigned schedule)
{
    return operation->node == actor->node && operation->schedule == schedule;
}

/* ---- Memory ------------------------------------------------------------------------------- */

/* A message and a copy take their own word, the proofs, and their filler, from where these lie. */
static weft_type *gather_type(const struct plan *plan, const struct plan_operation *operation)
{
    size_t lengths[PLAN_PROOFS + 2];
    ptrdiff_t places[PLAN_PROOFS + 2];
    unsigned count = 0;
    weft_type *type = NULL;
    lengths[count] = 1;
    places[count++] = (ptrdiff_t)(operation->source * WORD);
    for (unsigned i = 0; i < operation->proof_count; i++) {
        lengths[count] = 1;
        places[count++] = (ptrdiff_t)(plan->operations[operation->proofs[i]].target * WORD);
    }
    lengths[count] = operation->filler;
    places[count++] = (ptrdiff_t)((operation->source + 1) * WORD);
    weft_type_hindexed(count, lengths, places, weft_basic(WEFT_UINT64), &type);
    weft_type_commit(type);
    return type;
}

static struct weft_schedule_memory source_of(const struct actor *actor, const struct part *part,
                                             const struct plan_operation *operation,
                                             weft_type **type)
{
    const struct plan *plan = actor->plan;
    size_t words = plan_words(plan, operation);
    uint64_t *own = part->arena + operation->source;
    if (operation->saved != PLAN_NONE)
        own = part->arena + plan->operations[operation->saved].target;
    if (words <= 1)
        return (struct weft_schedule_memory){.base = own, .length = words * WORD};
    *type = gather_type(plan, operation);
    return (struct weft_schedule_memory){
        .type = *type, .count = 1, .base = part->arena, .length = words * WORD};
}

static struct weft_schedule_memory target_of(const struct actor *actor, const struct part *part,
                                             const struct plan_operation *operation,
                                             weft_type **type)
{
    size_t words = plan_words(actor->plan, operation);
    uint64_t *own = part->arena + operation->target;
    if (operation->overwrite != PLAN_NONE)
        own = part->arena + actor->plan->operations[operation->overwrite].source;
    if (!operation->is_spread || !words)
        return (struct weft_schedule_memory){.base = own, .length = words * WORD};
    weft_type_hvector(words, 1, 2 * WORD, weft_basic(WEFT_UINT64), type);
    weft_type_commit(*type);
    return (struct weft_schedule_memory){
        .type = *type, .count = 1, .base = own, .length = words * WORD};
}

/* ---- Building ----------------------------------------------------------------------------- */

static int create(struct actor *actor, struct part *part, const struct plan_operation *operation)
{
    const struct plan *plan = actor->plan;
    weft_type *from_type = NULL, *to_type = NULL;
    struct weft_schedule_memory from = {0}, to = {0};
    int number = WEFT_ERR_ARGUMENT;
    if (operation->kind != PLAN_RECEIVE && operation->kind != PLAN_NOP)
        from = source_of(actor, part, operation, &from_type);
    if (operation->kind != PLAN_SEND && operation->kind != PLAN_NOP)
        to = target_of(actor, part, operation, &to_type);
    switch (operation->kind) {
    case PLAN_SEND:
        number = weft_schedule_send(part->schedule, &from,
                                    plan->operations[operation->partner].node, operation->tag);
        break;
    case PLAN_RECEIVE:
        number = weft_schedule_receive(part->schedule, &to,
                                       plan->operations[operation->partner].node, operation->tag);
        break;
    case PLAN_COMPUTE:
        number = weft_schedule_compute(part->schedule, PTL_SUM, PTL_UINT64_T, &from, &to);
        break;
    case PLAN_COPY:
        number = weft_schedule_copy(part->schedule, &from, &to);
        break;
    case PLAN_NOP:
        number = weft_schedule_nop(part->schedule);
        break;
    }
    weft_type_free(from_type);
    weft_type_free(to_type);
    return number;
}

static void build(struct actor *actor, unsigned schedule)
{
    const struct plan *plan = actor->plan;
    struct part *part = &actor->parts[schedule];
    part->arena = malloc((plan->arenas[schedule][actor->node] + 1) * WORD);
    weft_schedule_create(actor->engine, (uint16_t)schedule, &part->schedule);
    for (unsigned i = 0; i < plan->count; i++) {
        const struct plan_operation *operation = &plan->operations[i];
        if (!is_mine(actor, operation, schedule))
            continue;
        int number = create(actor, part, operation);
        if (number != operation->number)
            complain(actor, "operation %u cannot be created: %s", i, weft_error_name(number));
        for (unsigned j = 0; j < operation->earlier_count; j++)
            weft_schedule_after(part->schedule, number,
                                plan->operations[operation->earlier[j]].number);
        if (operation->is_any)
            weft_schedule_any(part->schedule, number);
        if (operation->is_held)
            weft_schedule_hold(part->schedule, number);
    }
}

/* ---- One execution ------------------------------------------------------------------------ */

static void fill(struct actor *actor, unsigned schedule)
{
    const struct plan *plan = actor->plan;
    struct part *part = &actor->parts[schedule];
    for (size_t i = 0; i < plan->arenas[schedule][actor->node]; i++)
        part->arena[i] = PLAN_UNTOUCHED;
    for (unsigned i = 0; i < plan->count; i++) {
        const struct plan_operation *operation = &plan->operations[i];
        if (!is_mine(actor, operation, schedule) || operation->kind == PLAN_RECEIVE)
            continue;
        for (unsigned j = 0; j <= operation->filler; j++)
            part->arena[operation->source + j] = plan_word(plan, (int)i, part->execution) + j;
    }
}

static void post(struct actor *actor, unsigned schedule)
{
    const struct plan *plan = actor->plan;
    struct part *part = &actor->parts[schedule];
    fill(actor, schedule);
    for (unsigned i = 0; i < plan->count; i++) {
        const struct plan_operation *operation = &plan->operations[i];
        part->is_held[i] = is_mine(actor, operation, schedule) && operation->is_held;
        if (part->is_held[i])
            weft_schedule_hold(part->schedule, operation->number);
    }
    int error = weft_schedule_post(part->schedule);
    if (error)
        complain(actor, "schedule %u cannot be posted: %s", schedule, weft_error_name(error));
    part->is_posted = true;
}

static uint64_t word_at(const struct part *part, const struct plan_operation *operation,
                        unsigned i)
{
    return part->arena[operation->target + ((size_t)i << operation->is_spread)];
}

/* The proofs that an operation took along, which are of its own end of the message. */
static bool proofs_are_right(const struct actor *actor, const struct part *part, int from,
                             const struct plan_operation *to)
{
    const struct plan *plan = actor->plan;
    const struct plan_operation *taker = &plan->operations[from];
    bool is_any = taker->is_any && taker->earlier_count > 1;
    unsigned proven = 0;
    for (unsigned i = 0; i < taker->proof_count; i++) {
        uint64_t word = word_at(part, to, 1 + i);
        bool is_proof = word == plan_proof(plan, taker->proofs[i], part->execution);
        if (!is_proof && (!is_any || word != PLAN_UNTOUCHED))
            return false;
        proven += is_proof;
    }
    return !is_any || !taker->is_proven || proven > 0;
}

static bool is_filled(const struct actor *actor, const struct part *part, int from,
                      const struct plan_operation *to)
{
    const struct plan_operation *taker = &actor->plan->operations[from];
    uint64_t word = plan_word(actor->plan, from, part->execution);
    if (word_at(part, to, 0) != word)
        return false;
    for (unsigned i = 0; i < taker->filler; i++)
        if (word_at(part, to, 1 + taker->proof_count + i) != word + 1 + i)
            return false;
    return true;
}

static bool is_right(const struct actor *actor, const struct part *part, int number)
{
    const struct plan_operation *operation = &actor->plan->operations[number];
    int from = operation->kind == PLAN_RECEIVE ? operation->partner : number;
    if (plan_words(actor->plan, operation) == 0 || operation->kind == PLAN_SEND ||
        operation->overwrite != PLAN_NONE)
        return true;
    if (operation->saved != PLAN_NONE)
        return word_at(part, operation, 0) == PLAN_UNTOUCHED;
    if (operation->kind == PLAN_COMPUTE)
        return word_at(part, operation, 0) == plan_proof(actor->plan, number, part->execution);
    return is_filled(actor, part, from, operation) &&
           proofs_are_right(actor, part, from, operation);
}

static void finish(struct actor *actor, unsigned schedule)
{
    struct part *part = &actor->parts[schedule];
    for (unsigned i = 0; i < actor->plan->count; i++)
        if (is_mine(actor, &actor->plan->operations[i], schedule) &&
            !is_right(actor, part, (int)i))
            complain(actor, "operation %u of schedule %u is wrong in execution %u", i, schedule,
                     part->execution);
    part->execution++;
    part->is_posted = part->is_started = false;
}

/* ---- Holding ------------------------------------------------------------------------------ */

/* One that is held has left nothing behind. */
static void check_held(struct actor *actor, const struct part *part, unsigned number)
{
    const struct plan_operation *operation = &actor->plan->operations[number];
    if (weft_schedule_state(part->schedule, operation->number) != WEFT_SCHEDULE_POSTED)
        complain(actor, "operation %u runs although it is held", number);
    if (plan_words(actor->plan, operation) && operation->kind != PLAN_SEND &&
        operation->overwrite == PLAN_NONE && word_at(part, operation, 0) != PLAN_UNTOUCHED)
        complain(actor, "operation %u was run although it is held", number);
}

static void release_or_hold(struct actor *actor, struct part *part, unsigned number)
{
    int operation = actor->plan->operations[number].number;
    if (part->is_held[number]) {
        check_held(actor, part, number);
        weft_schedule_release(part->schedule, operation);
        part->is_held[number] = false;
    } else {
        int error = weft_schedule_hold(part->schedule, operation);
        part->is_held[number] = error == WEFT_OK;
        if (error && error != WEFT_ERR_BUSY)
            complain(actor, "operation %u cannot be held: %s", number, weft_error_name(error));
    }
}

/* Says whether some are still held: then nobody may wait for the schedule. */
static bool play_with_held(struct actor *actor, unsigned schedule)
{
    struct part *part = &actor->parts[schedule];
    bool are_held = false;
    for (unsigned i = 0; i < actor->plan->count; i++) {
        const struct plan_operation *operation = &actor->plan->operations[i];
        if (!operation->is_held || !is_mine(actor, operation, schedule))
            continue;
        if (part->is_held[i] ? rng_one_in(&actor->rng, 6) : rng_one_in(&actor->rng, 30))
            release_or_hold(actor, part, i);
        are_held = are_held || part->is_held[i];
    }
    return are_held;
}

/* ---- The node ----------------------------------------------------------------------------- */

static void pass_time(struct actor *actor)
{
    ptl_ct_event_t value;
    for (size_t i = rng_magnitude(&actor->rng, 30); i > 0; i--)
        PtlCTGet(actor->clock, &value);
}

static void advance(struct actor *actor, unsigned schedule)
{
    struct part *part = &actor->parts[schedule];
    if (!part->is_posted) {
        if (rng_one_in(&actor->rng, 3))
            post(actor, schedule);
        return;
    }
    if (!part->is_started && rng_one_in(&actor->rng, 2)) {
        weft_schedule_start(part->schedule);
        part->is_started = true;
    }
    bool are_held = play_with_held(actor, schedule);
    bool may_wait = part->is_started && !are_held;
    int result = weft_schedule_wait(part->schedule, may_wait ? 1 : 0);
    if (result == WEFT_OK)
        finish(actor, schedule);
    else if (result != WEFT_ERR_TIMEOUT)
        complain(actor, "schedule %u ends with %s", schedule, weft_error_name(result));
}

static bool is_done(const struct actor *actor)
{
    for (unsigned i = 0; i < actor->plan->schedules; i++)
        if (actor->parts[i].execution < actor->plan->executions)
            return false;
    return true;
}

static void act(struct actor *actor)
{
    for (unsigned i = 0; i < actor->plan->schedules; i++)
        build(actor, i);
    while (!is_done(actor) && !actor->why[0]) {
        for (unsigned i = 0; i < actor->plan->schedules; i++)
            if (actor->parts[i].execution < actor->plan->executions)
                advance(actor, i);
        pass_time(actor);
    }
    for (unsigned i = 0; i < actor->plan->schedules; i++) {
        weft_schedule_free(actor->parts[i].schedule);
        free(actor->parts[i].arena);
    }
}

static void meet(const struct actor *actor, const struct actor_stage *stage, unsigned times)
{
    ptl_size_t never = 1;
    ptl_ct_event_t value;
    unsigned which;
    atomic_fetch_add(stage->arrived, 1);
    while (atomic_load(stage->arrived) < times * actor->plan->nodes)
        PtlCTPoll(&actor->clock, &never, 1, 1, &value, &which);
}

void actor_run(const struct actor_stage *stage, ptl_handle_ni_t ni, unsigned node, char *why,
               size_t size)
{
    const struct plan *plan = stage->plan;
    const struct weft_engine_options options = {.eager = plan->eager};
    struct actor *actor = calloc(1, sizeof *actor);
    actor->plan = plan;
    actor->node = node;
    actor->rng = rng_stream(plan->seed, 1 + node);
    actor->why = why;
    actor->size = size;
    if (PtlCTAlloc(ni, &actor->clock) != PTL_OK ||
        weft_engine_open(ni, node, plan->nodes, &options, &actor->engine) != WEFT_OK)
        complain(actor, "no engine");
    meet(actor, stage, 1);
    act(actor);
    meet(actor, stage, 2);
    weft_engine_close(actor->engine);
    PtlCTFree(actor->clock);
    free(actor);
}
