/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that pass through processes packet by packet. */
#include "schedule/machine.h"

#define COUNT 20000 /* doubles: many packets in every world */

/* From rank 0 to 1 and 2, and from 1 to 3: one that passes on, and two that only receive. */
static int add_stream(weft_schedule *schedule, unsigned rank,
                      const struct weft_schedule_memory *memory)
{
    static const uint32_t sources[] = {0, 0, 0, 1};
    static const uint32_t destinations[][2] = {{1, 2}, {3}};
    static const size_t counts[] = {2, 1, 0, 0};
    return weft_schedule_stream(schedule, memory, sources[rank], 1, counts[rank],
                                rank < 2 ? destinations[rank] : NULL);
}

static bool has_numbers(const double *memory, double first)
{
    for (unsigned i = 0; i < COUNT; i++)
        if (memory[3 * i] != first + i || memory[3 * i + 1] != 0)
            return false;
    return true;
}

/* Rank 0 alone starts, when the others have posted, or all but one. */
static void run_once(struct job *job, weft_schedule *schedule, double *memory, double first,
                     bool is_late)
{
    for (unsigned i = 0; i < COUNT; i++)
        memory[3 * i] = job->rank ? 0 : first + i;
    is_late = is_late && job->rank == 3;
    if (!is_late)
        fine(weft_schedule_post(schedule));
    job_barrier(job);
    yields(is_late ? WEFT_ERR_ARGUMENT : WEFT_ERR_TIMEOUT, weft_schedule_test(schedule));
    equals(memory[0], job->rank ? 0 : first);
    job_barrier(job);
    if (job->rank == 0)
        fine(weft_schedule_start(schedule));
    if (is_late)
        fine(weft_schedule_post(schedule));
    fine(machine_wait(job, schedule));
    holds(has_numbers(memory, first));
}

BEHAVIOUR("a stream passes through processes that have posted it, from layout to layout", ENGINE,
          .ranks = 4)
{
    weft_engine *engine = machine_open(job);
    weft_type *spread = NULL;
    double *memory = job_memory(job, 3 * COUNT * sizeof *memory);
    fine(weft_type_parse("hvector(20000, 1, 24, double)", &spread, NULL));
    fine(weft_type_commit(spread));
    weft_schedule *schedule = machine_schedule(job, engine, 1);
    add_stream(schedule, job->rank,
               &(struct weft_schedule_memory){spread, 1, memory, 0, COUNT * sizeof *memory});
    weft_type_free(spread);
    for (unsigned i = 0; i < 3; i++)
        run_once(job, schedule, memory, 1 + 1000 * i, i == 0);
    weft_schedule_free(schedule);
    machine_close(job, engine);
}

BEHAVIOUR("several streams of a schedule do not meet each other", ENGINE, .ranks = 4)
{
    enum { STREAMS = 5, SIZE = 9000 };
    weft_engine *engine = machine_open(job);
    unsigned char *memory = job_memory(job, STREAMS * SIZE);
    weft_schedule *schedule = machine_schedule(job, engine, 1);
    for (unsigned i = 0; i < STREAMS; i++) {
        if (job->rank == 0)
            job_fill(memory + i * SIZE, SIZE, i);
        add_stream(schedule, job->rank, BYTES(memory + i * SIZE, SIZE));
    }
    fine(weft_schedule_post(schedule));
    fine(weft_schedule_start(schedule));
    fine(machine_wait(job, schedule));
    for (unsigned i = 0; i < STREAMS; i++)
        holds(job_filled(memory + i * SIZE, SIZE, i));
    weft_schedule_free(schedule);
    machine_close(job, engine);
}

/* Ranks 1 and 2 hold what comes before. */
BEHAVIOUR("a stream waits for what its operations come after", ENGINE, .ranks = 4)
{
    enum { SIZE = 90000 };
    weft_engine *engine = machine_open(job);
    unsigned char *memory = job_memory(job, SIZE);
    weft_schedule *schedule = machine_schedule(job, engine, 1);
    bool holds_it = job->rank == 1 || job->rank == 2;
    int before = weft_schedule_nop(schedule);
    fine(weft_schedule_after(schedule, add_stream(schedule, job->rank, BYTES(memory, SIZE)),
                             before));
    if (holds_it)
        fine(weft_schedule_hold(schedule, before));
    for (unsigned i = 0; i < 3; i++) {
        job_fill(memory, SIZE, job->rank ? 100 : i);
        fine(weft_schedule_post(schedule));
        fine(weft_schedule_start(schedule));
        yields(WEFT_ERR_TIMEOUT, weft_schedule_wait(schedule, 20));
        holds(job_filled(memory, SIZE, job->rank ? 100 : i));
        job_barrier(job);
        if (holds_it)
            fine(weft_schedule_release(schedule, before));
        fine(machine_wait(job, schedule));
        holds(job_filled(memory, SIZE, i));
        if (holds_it)
            fine(weft_schedule_hold(schedule, before));
        job_barrier(job);
    }
    weft_schedule_free(schedule);
    machine_close(job, engine);
}

BEHAVIOUR("what handlers do cannot be held", ENGINE, .ranks = 4)
{
    weft_engine *engine = machine_open(job);
    weft_schedule *schedule = machine_schedule(job, engine, 1);
    weft_schedule *other = machine_schedule(job, engine, 2);
    unsigned char byte;
    int last = add_stream(schedule, job->rank, BYTES(&byte, 1));
    yields(WEFT_ERR_ARGUMENT, weft_schedule_hold(schedule, last));
    yields(WEFT_ERR_ARGUMENT, weft_schedule_any(schedule, last));
    yields(WEFT_ERR_ARGUMENT, weft_schedule_follow(schedule, last, other, -1));
    weft_schedule_free(schedule);
    weft_schedule_free(other);
    machine_close(job, engine);
}

BEHAVIOUR("a stream that makes no sense is refused", ENGINE, .ranks = 1)
{
    weft_engine *engine = machine_open(job);
    weft_schedule *schedule = machine_schedule(job, engine, 1);
    const uint32_t self = 0;
    unsigned char byte;
    yields(WEFT_ERR_ARGUMENT, weft_schedule_stream(NULL, BYTES(&byte, 1), 0, 1, 1, &self));
    yields(WEFT_ERR_ARGUMENT, weft_schedule_stream(schedule, NULL, 0, 1, 1, &self));
    yields(WEFT_ERR_ARGUMENT, weft_schedule_stream(schedule, BYTES(&byte, 0), 0, 1, 1, &self));
    yields(WEFT_ERR_ARGUMENT, weft_schedule_stream(schedule, BYTES(&byte, 1), 0, 1, 0, NULL));
    yields(WEFT_ERR_ARGUMENT, weft_schedule_stream(schedule, BYTES(&byte, 1), 0, 1, 65, &self));
    weft_schedule_free(schedule);
    machine_close(job, engine);
}
