/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops that are timed. What has arrived at their end is compared with what was sent. */
#include "bench/harness/measure.h"
#include "bench/pair/side.h"

#define WARM_UP 10 /* one message in so many is not timed, at the beginning */

/* ---- Contents ----------------------------------------------------------------------------- */

static unsigned char byte_at(size_t i, unsigned salt)
{
    return (unsigned char)(i ^ i >> 8 ^ i >> 16 ^ salt);
}

/* Differs from job to job and between the sides. */
static unsigned salt_of(const struct side *side, unsigned sender)
{
    return side->jobs * 2 + sender;
}

void side_fill(struct side *side, size_t size)
{
    for (size_t i = 0; i < size; i++)
        side->source[i] = byte_at(i, salt_of(side, side->rank));
}

void side_check(const struct side *side, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (side->target[i] != byte_at(i, salt_of(side, 1 - side->rank)))
            side_fail("a message arrived with other contents than it was sent with");
}

/* ---- Loops -------------------------------------------------------------------------------- */

static void ping_pong(struct side *side, const struct pair_job *job, size_t count)
{
    const struct side_engine *engine = side_engine(job->engine);
    for (size_t i = 0; i < count; i++) {
        if (side->rank == 0)
            engine->send(side, job->there);
        engine->receive(side, side->rank == 0 ? job->back : job->there, 1);
        if (side->rank == 1)
            engine->send(side, job->back);
    }
}

double side_ping_pong(struct side *side, const struct pair_job *job)
{
    const struct side_engine *engine = side_engine(job->engine);
    side_fill(side, side->rank == 0 ? job->there : job->back);
    if (engine->prepare)
        engine->prepare(side, job);
    side_meet(side);
    ping_pong(side, job, 1 + job->count / WARM_UP);
    double begin = measure_now();
    ping_pong(side, job, job->count);
    double seconds = measure_now() - begin;
    side_check(side, side->rank == 0 ? job->back : job->there);
    if (engine->finish)
        engine->finish(side);
    return side->rank == 0 ? seconds / (double)job->count : 0;
}

/* The receiver answers each window with an empty message, as in the OSU benchmarks. */
static void stream(struct side *side, const struct pair_job *job, size_t windows)
{
    const struct side_engine *engine = side_engine(job->engine);
    for (size_t w = 0; w < windows; w++) {
        if (side->rank == 1) {
            engine->receive(side, job->there, side->shape->window);
            engine->send(side, 0);
            continue;
        }
        for (size_t i = 0; i < side->shape->window; i++)
            engine->send(side, job->there);
        engine->receive(side, 0, 1);
    }
}

double side_stream(struct side *side, const struct pair_job *job)
{
    size_t windows = (job->count + side->shape->window - 1) / side->shape->window;
    if (side->rank == 0)
        side_fill(side, job->there);
    side_meet(side);
    stream(side, job, 1 + windows / WARM_UP);
    double begin = measure_now();
    stream(side, job, windows);
    double seconds = measure_now() - begin;
    if (side->rank == 1)
        side_check(side, job->there);
    return side->rank == 0 ? seconds / (double)(windows * side->shape->window) : 0;
}

static void get(struct side *side, const struct pair_job *job, size_t count)
{
    const struct side_engine *engine = side_engine(job->engine);
    for (size_t i = 0; i < count; i++)
        engine->get(side, job->back);
}

double side_get(struct side *side, const struct pair_job *job)
{
    const struct side_engine *engine = side_engine(job->engine);
    if (engine->can_get && !engine->can_get(side))
        return 0;
    if (side->rank == 1)
        side_fill(side, job->back);
    side_meet(side);
    if (side->rank == 1) {
        engine->attend(side);
        return 0;
    }
    get(side, job, 1 + job->count / WARM_UP);
    double begin = measure_now();
    get(side, job, job->count);
    double seconds = measure_now() - begin;
    side_check(side, job->back);
    engine->send(side, 0);
    return seconds / (double)job->count;
}
