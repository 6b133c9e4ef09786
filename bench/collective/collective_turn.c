/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/collective/collective_turn.h"

#include <stdlib.h>
#include <time.h>

#include "bench/harness/measure.h"

#define WARM_UP 3
#define TRIES 5
#define PROBE 100000

const char *const collective_kind_names[COLLECTIVE_KINDS] = {"bcast",  "allreduce", "barrier",
                                                             "reduce", "allgather", "alltoall"};

const char *const collective_course_names[COLLECTIVE_COURSES] = {
#define COLLECTIVE_COURSE_NAME(name, word) word,
    COLLECTIVE_COURSE_MAP(COLLECTIVE_COURSE_NAME)
#undef COLLECTIVE_COURSE_NAME
};

struct collective_calls collective_calls_open(const struct collective_ops *ops, unsigned rank,
                                              unsigned size)
{
    return (struct collective_calls){ops, rank, size, malloc(COLLECTIVE_MOST_BYTES),
                                     malloc(COLLECTIVE_MOST_BYTES)};
}

void collective_calls_close(struct collective_calls *calls)
{
    free(calls->sources);
    free(calls->results);
}

static double own_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A computation that asks for no time, since that takes some. */
static void compute(size_t steps)
{
    for (volatile size_t i = 0; i < steps; i++)
        continue;
}

/* How many steps take so long, if nobody disturbs this thread. */
static size_t steps_of(double seconds)
{
    double least = 0;
    for (unsigned i = 0; i < TRIES; i++) {
        double begin = own_time();
        compute(PROBE);
        double time = own_time() - begin;
        least = i == 0 || time < least ? time : least;
    }
    return (size_t)(seconds / least * PROBE);
}

static unsigned root_of(const struct collective_calls *calls, size_t i)
{
    return (unsigned)(i % calls->size);
}

/* ---- One collective ----------------------------------------------------------------------- */

static void overlap(const struct collective_calls *calls, const struct collective_turn *turn,
                    size_t i, size_t steps)
{
    calls->ops->begin(turn, root_of(calls, i));
    compute(steps);
    calls->ops->end();
}

/* The one that has to pass data on to half of the others computes instead. */
static bool is_late(const struct collective_calls *calls, size_t i)
{
    return calls->rank == root_of(calls, i + calls->size / 2);
}

static size_t count_waits(const struct collective_calls *calls, size_t count)
{
    size_t waits = 0;
    for (size_t i = 0; i < count; i++)
        waits += !is_late(calls, i);
    return waits ? waits : 1;
}

static void skew(const struct collective_calls *calls, const struct collective_turn *turn,
                 size_t i, size_t steps, struct collective_times *times)
{
    calls->ops->begin(turn, root_of(calls, i));
    double begin = measure_now();
    if (is_late(calls, i))
        compute(steps);
    calls->ops->end();
    if (!is_late(calls, i))
        times->one += measure_now() - begin;
    calls->ops->meet();
}

static void run_one(const struct collective_calls *calls, const struct collective_turn *turn,
                    size_t i, size_t steps, struct collective_times *times)
{
    switch (turn->course) {
    case COLLECTIVE_BLOCKING:
        calls->ops->block(turn, root_of(calls, i));
        break;
    case COLLECTIVE_OVERLAP:
        overlap(calls, turn, i, steps);
        break;
    case COLLECTIVE_SKEW:
        skew(calls, turn, i, steps, times);
        break;
    default:
        calls->ops->begin(turn, root_of(calls, i));
        calls->ops->end();
    }
}

/* ---- A turn ------------------------------------------------------------------------------- */

/* Every process gives its rank plus one. */
static void fill(const struct collective_calls *calls, const struct collective_turn *turn)
{
    for (size_t i = 0; i < turn->bytes / sizeof(double); i++) {
        calls->sources[i] = calls->rank + 1;
        calls->results[i] = 0;
    }
}

/* In block `block` of as many as there are processes. */
static double expected(const struct collective_calls *calls, enum collective_kind kind,
                       unsigned root, size_t block)
{
    switch (kind) {
    case COLLECTIVE_BCAST:
        return root + 1;
    case COLLECTIVE_ALLGATHER:
    case COLLECTIVE_ALLTOALL:
        return (double)block + 1;
    default:
        return calls->size * (calls->size + 1) / 2.0;
    }
}

static bool is_right(const struct collective_calls *calls, const struct collective_turn *turn)
{
    size_t count = turn->bytes / sizeof(double);
    unsigned root = root_of(calls, turn->count - 1);
    if (turn->kind == COLLECTIVE_BARRIER ||
        (turn->kind == COLLECTIVE_BCAST && calls->rank == root) ||
        (turn->kind == COLLECTIVE_REDUCE && calls->rank != root))
        return true;
    for (size_t i = 0; i < count; i++)
        if (calls->results[i] != expected(calls, turn->kind, root, i * calls->size / count))
            return false;
    return true;
}

/* How long each takes, and how much of that this thread is at work. */
struct span {
    double whole, own;
};

static struct span time_all(const struct collective_calls *calls,
                            const struct collective_turn *turn, size_t steps,
                            struct collective_times *times)
{
    calls->ops->meet();
    double begin = measure_now(), own_begin = own_time();
    for (size_t i = 0; i < turn->count; i++)
        run_one(calls, turn, i, steps, times);
    double whole = measure_now() - begin, own = own_time() - own_begin;
    calls->ops->meet();
    return (struct span){whole / (double)turn->count, own / (double)turn->count};
}

/* The same computations without collectives, by all at the same time: what is meant to take so
 * long may take some percent more, which can be more than a collective does. */
static struct span time_computation(const struct collective_calls *calls,
                                    const struct collective_turn *turn, size_t steps)
{
    calls->ops->meet();
    double begin = measure_now(), own_begin = own_time();
    for (size_t i = 0; i < turn->count; i++)
        compute(steps);
    double whole = measure_now() - begin, own = own_time() - own_begin;
    calls->ops->meet();
    return (struct span){whole / (double)turn->count, own / (double)turn->count};
}

bool collective_turn_run(const struct collective_calls *calls, const struct collective_turn *turn,
                         struct collective_times *times)
{
    size_t steps = steps_of(turn->compute);
    fill(calls, turn);
    calls->ops->open(turn);
    for (size_t i = 0; i < WARM_UP; i++)
        run_one(calls, turn, i, steps, times);
    *times = (struct collective_times){.one = 0};
    struct span span = time_all(calls, turn, steps, times), alone = {.whole = 0};
    if (turn->course == COLLECTIVE_OVERLAP)
        alone = time_computation(calls, turn, steps);
    calls->ops->close();
    times->one = turn->course == COLLECTIVE_SKEW
                     ? times->one / (double)count_waits(calls, turn->count)
                     : span.whole;
    times->busy = span.own - alone.own;
    times->more = span.whole - alone.whole;
    return is_right(calls, turn);
}
