/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that die, or give up: whoever waits for them is told, and whoever waits for those. */
#include <weft_collective.h>

#include "schedule/machine.h"

#define DEAD ENGINE, .timeout = 300, .crash = 40, .ranks = 4

/* A message from rank to rank, round the ring, that begins at rank 0. */
static weft_schedule *ring(struct job *job, weft_engine *engine, unsigned char *memory,
                           size_t length)
{
    weft_schedule *schedule = machine_schedule(job, engine, 1);
    unsigned before = (job->rank + job->size - 1) % job->size;
    int receive = weft_schedule_receive(schedule, BYTES(memory, length), before, 1);
    int send = weft_schedule_send(schedule, BYTES(memory, length), (job->rank + 1) % job->size, 1);
    fine(weft_schedule_after(schedule, send, receive));
    fine(weft_schedule_post(schedule));
    fine(weft_schedule_start(schedule));
    return schedule;
}

static void lose_rank_0(struct job *job, size_t length)
{
    weft_engine *engine = machine_open(job);
    unsigned char *memory = job_memory(job, 5000);
    if (job->rank == 0)
        machine_die(job, engine);
    weft_schedule *schedule = ring(job, engine, memory, length);
    yields(WEFT_ERR_PEER, machine_wait(job, schedule));
    yields(WEFT_ERR_PEER, weft_schedule_test(schedule));
    weft_schedule_free(schedule);
    machine_close_alone(job, engine);
}

BEHAVIOUR("a death ends the schedules of all who wait for it, however far", DEAD)
{
    lose_rank_0(job, 100);
}

BEHAVIOUR("a death ends schedules of long messages", DEAD)
{
    lose_rank_0(job, 5000);
}

BEHAVIOUR("a death ends schedules of streams that would pass through it", DEAD)
{
    weft_engine *engine = machine_open(job);
    unsigned char *memory = job_memory(job, 5000);
    const uint32_t after = (job->rank + 1) % job->size;
    if (job->rank == 0)
        machine_die(job, engine);
    weft_schedule *schedule = machine_schedule(job, engine, 1);
    weft_schedule_stream(schedule, BYTES(memory, 5000), job->rank > 1 ? job->rank - 1 : 1, 1, 1,
                         &after);
    fine(weft_schedule_post(schedule));
    fine(weft_schedule_start(schedule));
    yields(WEFT_ERR_PEER, machine_wait(job, schedule));
    weft_schedule_free(schedule);
    machine_close_alone(job, engine);
}

/* Each needs something of rank 0. */
static int add_collective(weft_schedule *schedule, unsigned which, unsigned char *from,
                          unsigned char *to, size_t length)
{
    switch (which) {
    case 0:
        return weft_collective_barrier(schedule, 1);
    case 1:
        return weft_collective_bcast(schedule, WEFT_COLLECTIVE_BINOMIAL, BYTES(to, length), 0, 1);
    case 2:
        return weft_collective_bcast(schedule, WEFT_COLLECTIVE_PIPELINE, BYTES(to, length), 0, 1);
    case 3:
        return weft_collective_bcast(schedule, WEFT_COLLECTIVE_STREAM, BYTES(to, length), 0, 1);
    case 4:
        return weft_collective_allreduce(schedule, WEFT_COLLECTIVE_DOUBLING, PTL_SUM, PTL_UINT8_T,
                                         BYTES(from, length), BYTES(to, length), 1);
    case 5:
        return weft_collective_allreduce(schedule, WEFT_COLLECTIVE_RING, PTL_SUM, PTL_UINT8_T,
                                         BYTES(from, length), BYTES(to, length), 1);
    default:
        return weft_collective_alltoall(schedule, WEFT_COLLECTIVE_LINEAR, BYTES(from, length),
                                        BYTES(to, length), 1);
    }
}

BEHAVIOUR("a death ends every collective that needs the dead, at all others", DEAD)
{
    enum { COLLECTIVES = 7, SIZE = 4000 };
    static const size_t lengths[] = {64, SIZE};
    weft_engine *engine = machine_open(job);
    unsigned char *from = job_memory(job, SIZE), *to = job_memory(job, 2 * COLLECTIVES * SIZE);
    weft_schedule *schedules[2 * COLLECTIVES];
    if (job->rank == 0)
        machine_die(job, engine);
    for (unsigned i = 0; i < 2 * COLLECTIVES; i++) {
        schedules[i] = machine_schedule(job, engine, i);
        fine(add_collective(schedules[i], i / 2, from, to + i * SIZE, lengths[i % 2]));
        fine(weft_schedule_post(schedules[i]));
        fine(weft_schedule_start(schedules[i]));
    }
    for (unsigned i = 0; i < 2 * COLLECTIVES; i++)
        yields(WEFT_ERR_PEER, machine_wait(job, schedules[i]));
    for (unsigned i = 0; i < 2 * COLLECTIVES; i++)
        weft_schedule_free(schedules[i]);
    machine_close_alone(job, engine);
}

BEHAVIOUR("who gives a schedule up ends those of others", ENGINE, .ranks = 4)
{
    weft_engine *engine = machine_open(job);
    unsigned char *memory = job_memory(job, 100);
    weft_schedule *schedule = ring(job, engine, memory, 100);
    if (job->rank == 2)
        yields(WEFT_ERR_TIMEOUT, weft_schedule_wait(schedule, 10));
    else
        yields(WEFT_ERR_PEER, machine_wait(job, schedule));
    weft_schedule_free(schedule);
    machine_close(job, engine);
}

static weft_schedule *volatile unheard; /* the leak checker finds it here */

/* More than the other has room for: the rest would have to be got. */
BEHAVIOUR("what its sender has taken to the grave was not received", ENGINE, .timeout = 300,
          .crash = 40, .ranks = 2)
{
    enum { COUNT = 100, SIZE = 900 };
    weft_engine *engine = machine_open(job);
    unsigned char *memory = job_memory(job, COUNT * SIZE);
    weft_schedule *schedule = machine_schedule(job, engine, 1);
    int guard = weft_schedule_nop(schedule);
    fine(weft_schedule_guard_with(schedule, guard));
    for (unsigned i = 0; i < COUNT; i++)
        if (job->rank)
            weft_schedule_receive(schedule, BYTES(memory + i * SIZE, SIZE), 0, 1);
        else
            weft_schedule_send(schedule, BYTES(memory + i * SIZE, SIZE), 1, 1);
    if (job->rank == 0) {
        unheard = schedule;
        fine(weft_schedule_post(schedule));
        fine(weft_schedule_start(schedule));
        machine_die(job, engine);
    }
    weft_schedule *silence = machine_schedule(job, engine, 2);
    weft_schedule_receive(silence, BYTES(NULL, 0), 0, 1);
    fine(weft_schedule_post(silence));
    yields(WEFT_ERR_PEER, machine_wait(job, silence));
    weft_schedule_free(silence);
    fine(weft_schedule_post(schedule));
    fine(weft_schedule_start(schedule));
    yields(WEFT_ERR_PEER, machine_wait(job, schedule));
    weft_schedule_free(schedule);
    machine_close_alone(job, engine);
}
