/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules that wait for each other, and versions of solo collectives, which are made of them. */
#include <string.h>

#include <weft_versions.h>

#include "schedule/machine.h"

#define ALONE ENGINE, .ranks = 1

/* One nop, which may be held. */
static weft_schedule *single(struct job *job, weft_engine *engine, unsigned number)
{
    weft_schedule *schedule = machine_schedule(job, engine, number);
    int nop = weft_schedule_nop(schedule);
    equals(nop, 0);
    fine(weft_schedule_hold(schedule, nop));
    return schedule;
}

/* The second schedule waits for the first, or for one operation of it, each time that both are
 * posted; when the first was never posted, it does not wait. */
static void follow_one(struct job *job, weft_engine *engine, int earlier, unsigned number)
{
    weft_schedule *first = single(job, engine, number);
    weft_schedule *second = machine_schedule(job, engine, number + 1);
    int later = weft_schedule_nop(second);
    yields(WEFT_ERR_ARGUMENT, weft_schedule_follow(second, later, second, earlier));
    fine(weft_schedule_follow(second, later, first, earlier));
    yields(WEFT_ERR_ARGUMENT, weft_schedule_any(second, later));
    fine(weft_schedule_post(second));
    fine(weft_schedule_start(second));
    fine(machine_wait(job, second));
    for (unsigned i = 0; i < 3; i++) {
        fine(weft_schedule_hold(first, 0));
        fine(weft_schedule_post(first));
        fine(weft_schedule_start(first));
        fine(weft_schedule_post(second));
        fine(weft_schedule_start(second));
        yields(WEFT_ERR_TIMEOUT, weft_schedule_wait(second, 2));
        equals(weft_schedule_state(second, later), WEFT_SCHEDULE_POSTED);
        fine(weft_schedule_release(first, 0));
        fine(machine_wait(job, second));
        fine(machine_wait(job, first));
    }
    weft_schedule_free(first);
    weft_schedule_free(second);
}

BEHAVIOUR("a schedule waits for another, or for an operation of it", ALONE)
{
    weft_engine *engine = machine_open(job);
    follow_one(job, engine, -1, 1);
    follow_one(job, engine, 0, 3);
    machine_close(job, engine);
}

/* Nothing but its followers needs to know when it has started. */
static void follow_send(struct job *job, weft_engine *engine, int earlier, unsigned number)
{
    unsigned char from[100], to[100];
    weft_schedule *first = machine_schedule(job, engine, number);
    weft_schedule *second = machine_schedule(job, engine, number + 1);
    weft_schedule_send(first, BYTES(from, sizeof from), 0, 1);
    weft_schedule_receive(first, BYTES(to, sizeof to), 0, 1);
    fine(weft_schedule_follow(second, weft_schedule_nop(second), first, earlier));
    for (unsigned i = 0; i < 6; i++) {
        bool is_late = i % 3 == 2;
        job_fill(from, sizeof from, i);
        fine(weft_schedule_post(first));
        if (is_late)
            fine(weft_schedule_start(first));
        if (i % 3) {
            fine(weft_schedule_post(second));
            fine(weft_schedule_start(second));
        }
        if (i % 3 == 1)
            yields(WEFT_ERR_TIMEOUT, weft_schedule_wait(second, 2));
        fine(weft_schedule_start(first));
        fine(machine_wait(job, first));
        holds(job_filled(to, sizeof to, i));
        if (i % 3)
            fine(machine_wait(job, second));
    }
    weft_schedule_free(first);
    weft_schedule_free(second);
}

BEHAVIOUR("a schedule waits for another that only sends at its start", ALONE)
{
    weft_engine *engine = machine_open(job);
    follow_send(job, engine, -1, 1);
    follow_send(job, engine, 0, 3);
    machine_close(job, engine);
}

BEHAVIOUR("receives that are guarded write nothing before their time", ENGINE, .ranks = 2)
{
    weft_engine *engine = machine_open(job);
    weft_schedule *schedule = machine_schedule(job, engine, 1);
    unsigned char *memory = job_memory(job, 100);
    if (job->rank == 0) {
        memset(memory, 7, 100);
        weft_schedule_send(schedule, BYTES(memory, 100), 1, 1);
    } else {
        int guard = weft_schedule_nop(schedule);
        fine(weft_schedule_hold(schedule, guard));
        fine(weft_schedule_guard_with(schedule, guard));
        weft_schedule_receive(schedule, BYTES(memory, 100), 0, 1);
    }
    fine(weft_schedule_post(schedule));
    fine(weft_schedule_start(schedule));
    if (job->rank == 1) {
        yields(WEFT_ERR_TIMEOUT, weft_schedule_wait(schedule, 5));
        equals(memory[0], 0);
        fine(weft_schedule_release(schedule, 0));
    }
    fine(machine_wait(job, schedule));
    equals(memory[99], 7);
    weft_schedule_free(schedule);
    machine_close(job, engine);
}

static void pause_for(struct job *job, unsigned milliseconds)
{
    ptl_handle_ct_t never;
    ptl_size_t one = 1;
    ptl_ct_event_t value;
    unsigned which;
    ok(PtlCTAlloc(job->ni, &never));
    gives(PTL_CT_NONE_REACHED, PtlCTPoll(&never, &one, 1, milliseconds, &value, &which));
    ok(PtlCTFree(never));
}

/* The first comes long before the others have their engines. */
BEHAVIOUR("processes meet, however late the others open their engines", .bare = true,
          .needs = PTL_NI_MATCHING | PTL_NI_PHYSICAL, .ranks = 4)
{
    weft_engine *engine = NULL;
    job->logical = true;
    job_open(job);
    if (job->rank > 0)
        pause_for(job, 20 * job->rank);
    fine(weft_engine_open(job->ni, job->rank, job->size, NULL, &engine));
    for (unsigned i = 0; i < 3; i++)
        fine(weft_engine_meet(engine, (int)job_patience(job)));
    weft_engine_close(engine);
    job_close(job);
}

/* ---- Versions ----------------------------------------------------------------------------- */

#define SLOTS 3
#define ROUNDS 10u

struct sums {
    uint64_t source, result;
};

static int add_allreduce(weft_schedule *schedule, unsigned slot, void *argument)
{
    struct sums *sums = argument;
    (void)slot;
    return weft_collective_allreduce(schedule, WEFT_COLLECTIVE_AUTO, PTL_SUM, PTL_UINT64_T,
                                     BYTES(&sums->source, 8), BYTES(&sums->result, 8), 1);
}

/* Every process starts some of them; all give their rank plus one to all. */
BEHAVIOUR("any process starts the next version, and all take part", ENGINE, .ranks = 4)
{
    weft_engine *engine = machine_open(job);
    struct sums *sums = (struct sums *)job_memory(job, sizeof *sums);
    weft_versions *versions = NULL;
    uint64_t version;
    sums->source = job->rank + 1;
    fine(weft_versions_open(engine, 1, SLOTS, 0, add_allreduce, sums, &versions));
    yields(WEFT_ERR_ARGUMENT, weft_versions_disown(versions));
    yields(WEFT_ERR_ARGUMENT, weft_versions_recycle(versions));
    for (uint64_t i = 0; i < ROUNDS; i++) {
        if (i % job->size == job->rank)
            fine(weft_versions_start(versions, &version));
        fine(weft_versions_wait(versions, i, (int)job_patience(job)));
        fine(weft_versions_own(versions, (int)job_patience(job), &version));
        holds(version > i);
        equals(sums->result, job->size * (job->size + 1) / 2);
        fine(weft_versions_disown(versions));
    }
    equals(weft_versions_complete(versions), ROUNDS);
    job_gate(job);
    weft_versions_close(versions);
    machine_close(job, engine);
}

#define LONG 50000 /* bytes that are got, not sent */

static int add_bcast(weft_schedule *schedule, unsigned slot, void *memory)
{
    (void)slot;
    return weft_collective_bcast(schedule, WEFT_COLLECTIVE_BINOMIAL, BYTES(memory, LONG), 0, 1);
}

/* Rank 3 gets the data from rank 2, and keeps its memory until the others have gone on. */
BEHAVIOUR("who keeps its memory to itself delays nobody else, however long the data is", ENGINE,
          .ranks = 4)
{
    weft_engine *engine = machine_open(job);
    unsigned char *memory = job_memory(job, LONG);
    weft_versions *versions = NULL;
    if (job->rank == 0)
        job_fill(memory, LONG, 1);
    fine(weft_versions_open(engine, 1, SLOTS, 0, add_bcast, memory, &versions));
    if (job->rank == 3)
        fine(weft_versions_own(versions, (int)job_patience(job), NULL));
    job_barrier(job);
    if (job->rank == 0)
        fine(weft_versions_start(versions, NULL));
    if (job->rank != 3)
        fine(weft_versions_wait(versions, 0, (int)job_patience(job)));
    equals(memory[0] == 0, job->rank == 3);
    job_barrier(job);
    if (job->rank == 3)
        fine(weft_versions_disown(versions));
    fine(weft_versions_wait(versions, 0, (int)job_patience(job)));
    holds(job_filled(memory, LONG, 1));
    job_gate(job);
    weft_versions_close(versions);
    machine_close(job, engine);
}

BEHAVIOUR("a process that dies ends versions that wait for it", ENGINE, .timeout = 300,
          .crash = 40, .ranks = 4)
{
    weft_engine *engine = machine_open(job);
    struct sums *sums = (struct sums *)job_memory(job, sizeof *sums);
    weft_versions *versions = NULL;
    if (job->rank == 0)
        machine_die(job, engine);
    fine(weft_versions_open(engine, 1, SLOTS, 0, add_allreduce, sums, &versions));
    fine(weft_versions_start(versions, NULL));
    yields(WEFT_ERR_PEER, weft_versions_wait(versions, 0, (int)job_patience(job)));
    weft_versions_close(versions);
    machine_close_alone(job, engine);
}
