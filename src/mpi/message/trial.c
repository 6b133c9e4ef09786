/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trial is some rounds of turns, one for each way. The first messages of a turn settle what is
 * still on its way from the last; the others are timed. Of the times of a turn the median counts,
 * as a program pauses now and then, and whoever waits for it has less to wait for the next; of the
 * turns of a way the fastest, because what comes from elsewhere only adds to it.
 *
 * A program that begins several messages of a kind and then waits for all of them has most of what
 * they take behind the last: so what is timed is such a batch, from its first message to
 * that of the next, and a message has its part of that. All messages of a batch go one way.
 *
 * When a trial begins and how many messages it has follows from their number, size and pieces
 * alone, and from when the program waits, never from what was measured. So both ends of a stream,
 * and both directions of an exchange, try the same way at the same time: otherwise each would
 * judge its own ways by what the other is doing.
 */
#include "mpi/message/trial.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/median.h"
#include "mpi/state.h"

/* ---- Plans --------------------------------------------------------------------------------- */

struct trial_plan {
    unsigned rounds, settling, timed;
};

static const struct trial_plan plan_of_short = {3, 1, WEFT_MPI_MOST_TIMED},
                               plan_of_long = {2, 1, 3}, plan_of_confirming = {2, 2, 3};
/* A turn of batches is over sooner, if there were so many messages and at least two batches; and a
 * program that never waits has batches, too. */
#define ENOUGH_IN_BATCHES 24u
#define LARGEST_BATCH 4096u
#define LONG 65536u /* bytes, from where on a kind is well known after fewer messages */

/* Until the first trial MPI carries the messages: who has fewer of a kind, as programs have that
 * make a type for each message, must not pay for what was never proved. Long ones go our way at
 * once: few cost much there. Where heaps are shared that is together, which takes some messages
 * until each process has mapped the pages of the other's memory: none of these must count. Between
 * hosts ours may well be the slower way, whatever their length. */
#define WARM_UP 8u
/* Kinds of one program begin their trials apart, so that each is judged for itself: those of two
 * ways one after the other, those of three ways, whose trials are long, by a round. */
#define STARTS 3u
/* A way that took so many times as long as the best gives it its turn: in the last round, and in
 * those before. */
#define HOPELESS 1.5
#define HOPELESS_EARLY 3.0
/* MPI's own way stays unless another is faster by more than what a trial can tell: who is in the
 * way of other people's programs needs a reason. Of short messages it can tell less. */
#define WORTH_IT 0.985
#define WORTH_IT_IF_SHORT 0.95
#define SHORT 16384u /* bytes, below */
/* What is packed takes as much memory again, at both ends, and of 4 MiB it was the fastest way in
 * no cell of bench/mpi/net.sh that was looked at. */
#define MOST_PACKED (4u << 20) /* bytes, below; a power of two, so a kind is of one side */
/* From message to message to copy together is often as fast as to pull, although the data are at
 * their place sooner: the rest of the time goes to the sender's next writes, to lines that the
 * receiver has read. Then sooner is better. */
#define SOONER 0.9
/* To a receiver, packed messages look like MPI's own, so both ends go that way only if the other
 * has surely found the same. And what is packed for a call that is no message may cost where that
 * is not seen. */
#define WORTH_IT_IF_UNSEEN 0.9
/* All the same, one end may have found what the other has not, and then a message takes longer
 * than either way alone. So to pack is tried against MPI's own way twice more, as the two ends
 * then are. As it was found to take less, only that makes it take so many times as long. Who
 * leaves it at the end may leave the other alone with it, who would not notice any more. */
#define CONFIRMED 1.05
#define CONFIRMED_AT_LAST 1.15
/* Messages until the next trial. What was found out while the program began is looked at again
 * soon; then pauses double. */
#define FIRST_PAUSE 128u
#define LEAST_PAUSE 1024u
#define MOST_DOUBLINGS 4u

enum step { STEP_REST, STEP_SETTLED, STEP_TIMED };

/* Within a host what can go by ticket is not packed: a receiver sees a ticket, and does the right
 * thing whatever it has found; but packed bytes that it takes for MPI's it would unpack by MPI,
 * slower than either way. (Buffered sends, and those to somebody who has no part in this, are
 * packed all the same.) Between hosts MPI may be faster with contiguous data than we are with any,
 * by as much as an MPI is slow at packing, so there it is tried. */
static const enum weft_mpi_way ways_within_host[] = {WEFT_MPI_WAY_PULLED, WEFT_MPI_WAY_NATIVE,
                                                     WEFT_MPI_WAY_TOGETHER},
                               ways_between_hosts[] = {WEFT_MPI_WAY_PULLED, WEFT_MPI_WAY_NATIVE,
                                                       WEFT_MPI_WAY_PACKED},
                               ways_without_ticket[] = {WEFT_MPI_WAY_PACKED, WEFT_MPI_WAY_NATIVE};

unsigned weft_mpi_ways(void)
{
    return weft_mpi.has_heaps ? WEFT_MPI_WAYS : WEFT_MPI_WAY_TOGETHER;
}

static bool has_ticket(const struct weft_mpi_choice *choice)
{
    return !choice->is_local && !choice->is_too_short;
}

static const enum weft_mpi_way *ways_of(const struct weft_mpi_choice *choice)
{
    if (!has_ticket(choice))
        return ways_without_ticket;
    return choice->may_be_packed ? ways_between_hosts : ways_within_host;
}

static unsigned number_of_ways(const struct weft_mpi_choice *choice)
{
    if (!has_ticket(choice))
        return 2;
    return choice->may_be_packed ? 3 : weft_mpi_ways() - 1;
}

static const struct trial_plan *plan_of_trial(const struct weft_mpi_choice *choice)
{
    return choice->is_long ? &plan_of_long : &plan_of_short;
}

static unsigned turns_of(const struct weft_mpi_choice *choice)
{
    return plan_of_trial(choice)->rounds * number_of_ways(choice);
}

/* Of ways that a receiver sees, and of calls without another end, nothing is to be confirmed. */
static unsigned confirming_turns_of(const struct weft_mpi_choice *choice)
{
    return choice->may_be_packed && !choice->is_local ? 2 * plan_of_confirming.rounds : 0;
}

static unsigned length_of_turn(const struct trial_plan *plan)
{
    return plan->settling + plan->timed;
}

static unsigned length_of_confirming(const struct weft_mpi_choice *choice)
{
    return confirming_turns_of(choice) * length_of_turn(&plan_of_confirming);
}

static unsigned between_starts(const struct weft_mpi_choice *choice)
{
    unsigned turn = length_of_turn(plan_of_trial(choice));
    if (has_ticket(choice) && choice->may_be_packed)
        return number_of_ways(choice) * turn;
    return turns_of(choice) * turn + length_of_confirming(choice);
}

static bool is_confirming(const struct weft_mpi_choice *choice)
{
    return choice->turns >= turns_of(choice);
}

static const struct trial_plan *plan_of(const struct weft_mpi_choice *choice)
{
    return is_confirming(choice) ? &plan_of_confirming : plan_of_trial(choice);
}

static enum weft_mpi_way best_of(const struct weft_mpi_choice *choice)
{
    const enum weft_mpi_way *ways = ways_of(choice);
    enum weft_mpi_way best = ways[0];
    for (unsigned i = 1; i < number_of_ways(choice); i++)
        if (choice->least[ways[i]] < choice->least[best])
            best = ways[i];
    return best;
}

/* What the next turn of the trial is for. */
static enum weft_mpi_way way_to_try(const struct weft_mpi_choice *choice)
{
    unsigned ways = number_of_ways(choice);
    enum weft_mpi_way way = ways_of(choice)[choice->turns % ways], best = best_of(choice);
    bool is_first = choice->turns < ways;
    bool is_last = choice->turns >= turns_of(choice) - ways;
    bool is_hopeless = !is_first && choice->least[way] > (is_last ? HOPELESS : HOPELESS_EARLY) *
                                                             choice->least[best];
    return is_hopeless ? best : way;
}

/* Whether the next turn that confirms, or the one that was, is MPI's: unless that is far slower.
 */
static bool is_turn_of_mpi(const struct weft_mpi_choice *choice)
{
    const double *least = choice->least;
    return (choice->turns - turns_of(choice)) % 2 &&
           least[WEFT_MPI_WAY_NATIVE] <= HOPELESS * least[choice->chosen];
}

static void begin_turn(struct weft_mpi_choice *choice)
{
    if (!is_confirming(choice))
        choice->way = way_to_try(choice);
    else
        choice->way = is_turn_of_mpi(choice) ? WEFT_MPI_WAY_NATIVE : choice->chosen;
    choice->left = plan_of(choice)->settling;
    choice->step = STEP_SETTLED;
}

static void begin_trial(struct weft_mpi_choice *choice)
{
    choice->turns = 0;
    choice->trials++;
    choice->is_settled = false;
    for (unsigned way = 0; way < WEFT_MPI_WAYS; way++)
        choice->least[way] = 0;
    choice->confirmed[false] = choice->confirmed[true] = 0;
    choice->has_tickets = false;
    choice->misses = 0;
    begin_turn(choice);
}

static unsigned pause_after(unsigned trials)
{
    if (trials == 1)
        return FIRST_PAUSE;
    unsigned doublings = trials - 2;
    return LEAST_PAUSE << (doublings < MOST_DOUBLINGS ? doublings : MOST_DOUBLINGS);
}

static double worth_it(const struct weft_mpi_choice *choice, enum weft_mpi_way way)
{
    if (way == WEFT_MPI_WAY_PACKED)
        return WORTH_IT_IF_UNSEEN;
    return choice->is_short ? WORTH_IT_IF_SHORT : WORTH_IT;
}

/* Of a way that was tried. */
static bool is_worth_it(const struct weft_mpi_choice *choice, enum weft_mpi_way way)
{
    const double *least = choice->least;
    return least[way] > 0 && least[way] < worth_it(choice, way) * least[WEFT_MPI_WAY_NATIVE];
}

static double weight_of(const struct weft_mpi_choice *choice, enum weft_mpi_way way)
{
    return (way == WEFT_MPI_WAY_TOGETHER ? SOONER : 1) * choice->least[way];
}

static enum weft_mpi_way find_way(const struct weft_mpi_choice *choice)
{
    const enum weft_mpi_way *ways = ways_of(choice);
    enum weft_mpi_way found = WEFT_MPI_WAY_NATIVE;
    for (unsigned i = 0; i < number_of_ways(choice); i++)
        if (is_worth_it(choice, ways[i]) && weight_of(choice, ways[i]) < weight_of(choice, found))
            found = ways[i];
    return found;
}

/* After a turn as chosen and one of MPI's, or what the trial has found of MPI if that was far
 * slower. */
static void confirm(struct weft_mpi_choice *choice, bool is_last)
{
    double *confirmed = choice->confirmed;
    double native = confirmed[true] > 0 ? confirmed[true] : choice->least[WEFT_MPI_WAY_NATIVE];
    if (confirmed[false] > (is_last ? CONFIRMED_AT_LAST : CONFIRMED) * native)
        choice->chosen = WEFT_MPI_WAY_NATIVE;
    confirmed[false] = confirmed[true] = 0;
}

static void end_trial(struct weft_mpi_choice *choice)
{
    choice->way = choice->chosen;
    choice->is_settled = choice->chosen == WEFT_MPI_WAY_NATIVE;
    unsigned batch = choice->in_batches / choice->timed;
    choice->left = choice->rest ? choice->rest : pause_after(choice->trials) * batch;
    choice->rest = 0;
    choice->step = STEP_REST;
}

static void end_turn(struct weft_mpi_choice *choice)
{
    double took = weft_median(choice->took, choice->timed);
    double *least = is_confirming(choice) ? &choice->confirmed[is_turn_of_mpi(choice)]
                                          : &choice->least[choice->way];
    if (*least == 0 || took < *least)
        *least = took;
    unsigned tried = turns_of(choice), end = tried + confirming_turns_of(choice);
    if (++choice->turns == tried)
        choice->chosen = find_way(choice);
    else if (is_confirming(choice) && (choice->turns - tried) % 2 == 0)
        confirm(choice, choice->turns == end);
    if (choice->turns == end)
        end_trial(choice);
    else
        begin_turn(choice);
}

static void begin_timing(struct weft_mpi_choice *choice)
{
    choice->since = weft_clock_now();
    choice->timed = 0;
    choice->in_batches = 0;
    choice->left = 1;
    choice->step = STEP_TIMED;
}

static bool is_turn_over(const struct weft_mpi_choice *choice)
{
    return choice->timed == plan_of(choice)->timed ||
           (choice->timed >= 2 && choice->in_batches >= ENOUGH_IN_BATCHES);
}

static void go_on_timing(struct weft_mpi_choice *choice)
{
    uint64_t now = weft_clock_now(), took = (now - choice->since) / choice->batch;
    choice->since = now;
    choice->took[choice->timed++] = took < UINT32_MAX ? (uint32_t)took : UINT32_MAX;
    choice->in_batches += choice->batch;
    choice->left = 1;
    if (is_turn_over(choice))
        end_turn(choice);
}

/* ---- Steps --------------------------------------------------------------------------------- */

static enum weft_mpi_way way_of_long(void)
{
    return weft_mpi.has_heaps ? WEFT_MPI_WAY_TOGETHER : WEFT_MPI_WAY_PULLED;
}

void weft_mpi_trial_prepare(struct weft_mpi_choice *choice, size_t bytes, size_t pieces)
{
    unsigned start = (unsigned)(weft_hash_mix(bytes, pieces) % STARTS);
    choice->is_short = bytes < SHORT;
    choice->is_long = bytes >= LONG;
    choice->may_be_packed = !has_ticket(choice) || (!choice->is_near && bytes < MOST_PACKED);
    bool is_between_hosts = weft_mpi.net && !choice->is_near && !choice->is_local;
    choice->is_settled = !choice->is_long || is_between_hosts;
    choice->way = choice->is_settled ? WEFT_MPI_WAY_NATIVE : way_of_long();
    choice->left = WARM_UP + start * between_starts(choice);
}

static bool is_in_batch(const struct weft_mpi_choice *choice, unsigned waits)
{
    return choice->is_batched && choice->step != STEP_REST && choice->waits == waits &&
           choice->batch < LARGEST_BATCH;
}

void weft_mpi_trial_step(struct weft_mpi_choice *choice, unsigned waits)
{
    if (is_in_batch(choice, waits)) {
        choice->batch++;
        choice->rest -= choice->rest > 1; /* was reckoned without it */
        choice->left = 1;
        return;
    }
    choice->waits = waits;
    switch ((enum step)choice->step) {
    case STEP_SETTLED:
        begin_timing(choice);
        break;
    case STEP_TIMED:
        go_on_timing(choice);
        break;
    default:
        begin_trial(choice);
    }
    choice->batch = 1;
}

bool weft_mpi_trial_is_over(const struct weft_mpi_choice *choice)
{
    return choice->step == STEP_REST;
}

/* The sender has found packing faster, then, or MPI: what is received as bytes shows which. The
 * next trial is when it would have been, since the sender's is. */
static void confirm_that_it_is_packed(struct weft_mpi_choice *choice, unsigned left)
{
    choice->chosen = WEFT_MPI_WAY_PACKED;
    choice->is_settled = false;
    choice->has_tickets = false;
    choice->misses = 0;
    choice->rest = left - length_of_confirming(choice);
    choice->turns = (uint8_t)turns_of(choice);
    begin_turn(choice);
}

void weft_mpi_trial_without_tickets(struct weft_mpi_choice *choice)
{
    unsigned left = choice->left;
    if (choice->chosen != WEFT_MPI_WAY_PULLED && choice->chosen != WEFT_MPI_WAY_TOGETHER)
        return; /* it was posted before the trial was over */
    if (choice->may_be_packed && left > length_of_confirming(choice)) {
        confirm_that_it_is_packed(choice, left);
        return;
    }
    choice->way = choice->chosen = WEFT_MPI_WAY_NATIVE;
    choice->is_settled = true;
}
