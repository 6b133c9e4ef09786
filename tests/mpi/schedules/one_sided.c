/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided communication: each process with the window of another, or with its own. */
#include <stdlib.h>
#include <string.h>

#include "mpi/schedules/known_bugs.h"
#include "mpi/schedules/run.h"

enum { MOST_BYTES = 20000, MOST_CALLS = 3 };

enum what { PUT, GET, ACCUMULATE, WHATS };
enum synchronisation { FENCE, START, LOCK, LOCK_ALL, FLUSH, FLUSH_LOCAL, SYNCHRONISATIONS };

/* What all draw alike. */
struct plan {
    enum what what;
    enum synchronisation way;
    bool is_requested, is_dense, is_shared;
    int calls, rank, size, origin, target;
    MPI_Comm comm;
    MPI_Win window;
};

/* Only windows that are locked have requests. Calls of one epoch must not write to one place, but
 * for those that add up. */
static struct plan draw_plan(const struct run *run, const struct event *event)
{
    struct rng rng = rng_stream((uint64_t)event->other, 77);
    struct plan plan = {.comm = run->crew->comm[event->comm]};
    MPI_Comm_rank(plan.comm, &plan.rank);
    MPI_Comm_size(plan.comm, &plan.size);
    int shift = (int)rng_below(&rng, (size_t)plan.size);
    plan.target = (plan.rank + shift) % plan.size;
    plan.origin = (plan.rank + plan.size - shift) % plan.size;
    plan.what = (enum what)rng_below(&rng, BUG_SUMS && !run->crew->bugs ? ACCUMULATE : WHATS);
    plan.way = (enum synchronisation)rng_below(&rng, SYNCHRONISATIONS);
    plan.is_requested = plan.way >= LOCK && rng_one_in(&rng, 2);
    plan.is_dense = !rng_one_in(&rng, 3);
    plan.calls = plan.what == PUT ? 1 : 1 + (int)rng_below(&rng, MOST_CALLS);
    plan.is_shared = rng_one_in(&rng, 2);
    return plan;
}

/* What a window has, or gets. */
static struct message draw_content(const struct run *run, const struct event *event,
                                   const struct plan *plan, int owner)
{
    struct message message = draw_message(run, event->other, owner, owner, MOST_BYTES);
    if (plan->what != ACCUMULATE && !plan->is_dense)
        return message;
    size_t bytes = message.units * unit_bytes(message.unit);
    message.unit = plan->what == ACCUMULATE ? unit_of_int() : unit_of_one_field(message.unit);
    message.units = message.room = bytes / unit_bytes(message.unit) + 1;
    return message;
}

/* ---- Synchronisation ----------------------------------------------------------------------- */

static MPI_Group group_of(const struct plan *plan, int rank)
{
    MPI_Group all, one;
    MPI_Comm_group(plan->comm, &all);
    MPI_Group_incl(all, 1, &rank, &one);
    MPI_Group_free(&all);
    return one;
}

static int post_and_start(const struct plan *plan)
{
    MPI_Group origin = group_of(plan, plan->origin), target = group_of(plan, plan->target);
    int error = MPI_Win_post(origin, 0, plan->window);
    if (error == MPI_SUCCESS)
        error = MPI_Win_start(target, 0, plan->window);
    MPI_Group_free(&origin);
    MPI_Group_free(&target);
    return error;
}

static int begin(const struct plan *plan)
{
    switch (plan->way) {
    case FENCE:
        return MPI_Win_fence(0, plan->window);
    case START:
        return post_and_start(plan);
    case LOCK:
        return MPI_Win_lock(MPI_LOCK_SHARED, plan->target, 0, plan->window);
    default:
        return MPI_Win_lock_all(0, plan->window);
    }
}

/* After this, the memory of the origin may be used. */
static int flush(const struct plan *plan)
{
    switch (plan->way) {
    case FENCE:
        return MPI_Win_fence(0, plan->window);
    case START:
        return MPI_Win_complete(plan->window);
    case LOCK:
        return MPI_Win_unlock(plan->target, plan->window);
    case LOCK_ALL:
        return MPI_Win_unlock_all(plan->window);
    case FLUSH:
        return MPI_Win_flush(plan->target, plan->window);
    default:
        return MPI_Win_flush_local_all(plan->window);
    }
}

static int end(const struct plan *plan)
{
    if (plan->way == START)
        return MPI_Win_wait(plan->window);
    return plan->way >= FLUSH ? MPI_Win_unlock_all(plan->window) : MPI_SUCCESS;
}

/* ---- Calls --------------------------------------------------------------------------------- */

/* In a window. */
struct place {
    MPI_Aint at;
    int count;
    MPI_Datatype type;
    bool owned; /* the type is ours to free */
};

/* A type may begin far behind what it is used with, and a window has nothing before its memory. */
static struct place place_of(const struct side *side)
{
    struct place place = {side->base - side->memory, side->layout.count, side->layout.type, false};
    if (place.at >= 0)
        return place;
    MPI_Type_create_hindexed(1, &place.count, &place.at, side->layout.type, &place.type);
    MPI_Type_commit(&place.type);
    place.at = 0;
    place.count = 1;
    place.owned = true;
    return place;
}

static int move(const struct plan *plan, struct side *here, const struct place *there)
{
    void *memory = here->address;
    int count = here->count, target = plan->target;
    switch (plan->what) {
    case PUT:
        return MPI_Put(memory, count, here->type, target, there->at, there->count, there->type,
                       plan->window);
    case GET:
        return MPI_Get(memory, count, here->type, target, there->at, there->count, there->type,
                       plan->window);
    default:
        return MPI_Accumulate(memory, count, here->type, target, there->at, there->count,
                              there->type, MPI_SUM, plan->window);
    }
}

static int move_with_request(const struct plan *plan, struct side *here, const struct place *there)
{
    void *memory = here->address;
    int count = here->count, target = plan->target;
    switch (plan->what) {
    case PUT:
        return MPI_Rput(memory, count, here->type, target, there->at, there->count, there->type,
                        plan->window, &here->request);
    case GET:
        return MPI_Rget(memory, count, here->type, target, there->at, there->count, there->type,
                        plan->window, &here->request);
    default:
        return MPI_Raccumulate(memory, count, here->type, target, there->at, there->count,
                               there->type, MPI_SUM, plan->window, &here->request);
    }
}

static void move_all(struct run *run, const struct plan *plan, struct side here[],
                     const struct place *there)
{
    struct side *sides[MOST_CALLS];
    for (int i = 0; i < plan->calls; i++) {
        sides[i] = &here[i];
        here[i].active = plan->is_requested;
        must(run->crew,
             plan->is_requested ? move_with_request(plan, &here[i], there)
                                : move(plan, &here[i], there),
             "a one-sided call");
    }
    if (plan->is_requested)
        finish(run, sides, plan->calls);
    for (int i = 0; i < plan->calls && plan->is_requested; i++)
        must(run->crew, here[i].error, "the end of a one-sided call");
}

/* ---- What is there ------------------------------------------------------------------------- */

/* Sums are of basic types, under their own names: Open MPI 4.1.4 knows no others. */
static void open_side(struct run *run, const struct plan *plan, struct side *side, uint64_t seed,
                      struct need need, char fill)
{
    struct rng rng = {seed};
    side_open(run, side, rng_next(&rng), need, fill);
    while (plan->what == ACCUMULATE && !side->layout.is_plain) {
        side_close(side);
        side_open(run, side, rng_next(&rng), need, fill);
    }
}

static void open_window(struct run *run, const struct plan *plan, struct side *side,
                        const struct message *message)
{
    struct need need = need_to_send(message);
    need.shape = plan->is_dense ? DENSE : ANY;
    open_side(run, plan, side, message->receive_layout, need, RECEIVE_FILL);
}

static void open_origin(struct run *run, const struct plan *plan, struct side *side,
                        const struct message *message)
{
    open_side(run, plan, side, rng_next(&run->rng), need_to_send(message),
              plan->what == GET ? RECEIVE_FILL : SEND_FILL);
    if (plan->what == GET)
        side_blank(side);
    else
        side_write(side, message);
}

static void check_origin(struct run *run, const struct plan *plan, struct side *side,
                         const struct message *message)
{
    if (plan->what == GET)
        side_check_arrived(run, side, message, "MPI_Get");
    else
        side_check(run, side, message, "the origin of MPI_Put or MPI_Accumulate");
}

/* Each call has added the content to what was there: takes it away again, but for one. */
static void take_sums_apart(struct side *side, const struct message *message, int calls)
{
    size_t bytes = message->units * sizeof(unsigned);
    unsigned *sums = (unsigned *)message_content(message), blank;
    unsigned *content = (unsigned *)message_content(message);
    memset(&blank, RECEIVE_FILL, sizeof blank);
    layout_gather(&side->layout, side->base, (char *)sums, bytes);
    for (size_t i = 0; i < message->units; i++)
        sums[i] -= blank + (unsigned)(calls - 1) * content[i];
    layout_scatter(&side->layout, side->base, (char *)sums, bytes);
    free(sums);
    free(content);
}

static void check_window(struct run *run, const struct plan *plan, struct side *side,
                         const struct message *message)
{
    if (plan->what == ACCUMULATE)
        take_sums_apart(side, message, plan->calls);
    side_check_arrived(run, side, message, "a window");
}

/* ---- Windows ------------------------------------------------------------------------------- */

/* Returns the memory of a window that is shared, which has what the side has; NULL for others. */
static char *make_window(const struct run *run, struct plan *plan, struct side *exposed)
{
    char *shared = NULL;
    MPI_Aint size = (MPI_Aint)exposed->size;
    if (!plan->is_shared) {
        must(run->crew,
             MPI_Win_create(exposed->memory, size, 1, MPI_INFO_NULL, plan->comm, &plan->window),
             "MPI_Win_create");
        return NULL;
    }
    must(run->crew,
         MPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, plan->comm, &shared, &plan->window),
         "MPI_Win_allocate_shared");
    memcpy(shared, exposed->memory, exposed->size);
    must(run->crew, MPI_Barrier(plan->comm), "MPI_Barrier before an epoch");
    return shared;
}

/* In memory that is shared, the last call of all others must have come before it is looked at. */
static void free_window(const struct run *run, struct plan *plan, struct side *exposed,
                        const char *shared)
{
    if (shared) {
        must(run->crew, MPI_Barrier(plan->comm), "MPI_Barrier behind an epoch");
        memcpy(exposed->memory, shared, exposed->size);
    }
    must(run->crew, MPI_Win_free(&plan->window), "MPI_Win_free");
}

/* ---- An epoch ------------------------------------------------------------------------------ */

static bool is_possible(const struct run *run, const struct plan *plan)
{
    bool is_of_all = plan->size > 1 && plan->size == run->crew->ranks;
    return is_of_all || !BUG_WINDOW_OF_SOME || run->crew->bugs;
}

void do_one_sided(struct run *run, const struct event *event)
{
    struct plan plan = draw_plan(run, event);
    if (!is_possible(run, &plan))
        return;
    struct message mine = draw_content(run, event, &plan, plan.rank);
    struct message other = draw_content(run, event, &plan, plan.target);
    struct side exposed = {0}, twin = {0}, here[MOST_CALLS] = {0};
    doing(run->crew, "one-sided call %d in %d, %d times, on communicator %d, shared %d", plan.what,
          plan.way, plan.calls, event->comm, plan.is_shared);
    open_window(run, &plan, &exposed, &mine);
    open_window(run, &plan, &twin, &other);
    if (plan.what == GET)
        side_write(&exposed, &mine);
    else
        side_blank(&exposed);
    for (int i = 0; i < plan.calls; i++)
        open_origin(run, &plan, &here[i], &other);
    struct place there = place_of(&twin);
    char *shared = make_window(run, &plan, &exposed);
    must(run->crew, begin(&plan), "the beginning of an epoch");
    move_all(run, &plan, here, &there);
    must(run->crew, flush(&plan), "a synchronisation");
    for (int i = 0; i < plan.calls; i++)
        check_origin(run, &plan, &here[i], &other);
    must(run->crew, end(&plan), "the end of an epoch");
    if (there.owned)
        MPI_Type_free(&there.type);
    free_window(run, &plan, &exposed, shared);
    check_window(run, &plan, &exposed, &mine);
    for (int i = 0; i < plan.calls; i++)
        side_close(&here[i]);
    side_close(&exposed);
    side_close(&twin);
}
