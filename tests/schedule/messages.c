/* SPDX-License-Identifier: BSD-3-Clause */
/* Every way that a message of a schedule can take. */
#include "schedule/machine.h"

#define LONG 100000

static const size_t lengths[] = {0, 1, 7, EAGER - 1, EAGER, EAGER + 1, 5000, LONG};
#define LENGTHS (sizeof lengths / sizeof *lengths)

/* Rank 1 sends to rank 0, which has posted its receive, or not yet. */
static void try_message(struct job *job, weft_engine *engine, unsigned number, bool is_early,
                        bool is_held)
{
    unsigned char *memory = job_memory(job, LONG + 1);
    size_t length = lengths[number % LENGTHS];
    weft_schedule *schedule = machine_schedule(job, engine, number);
    memset(memory, 255, LONG + 1);
    if (job->rank == 0) {
        int receive = weft_schedule_receive(schedule, BYTES(memory, length), 1, 3);
        equals(receive, 0);
        if (is_held)
            fine(weft_schedule_hold(schedule, receive));
    } else {
        job_fill(memory, length, number);
        equals(weft_schedule_send(schedule, BYTES(memory, length), 0, 3), 0);
    }
    if (is_early == (job->rank == 1))
        job_barrier(job);
    fine(weft_schedule_post(schedule));
    fine(weft_schedule_start(schedule));
    if (is_early == (job->rank == 0))
        job_barrier(job);
    if (job->rank == 0 && is_held)
        fine(weft_schedule_release(schedule, 0));
    fine(machine_wait(job, schedule));
    holds(job_filled(memory, length, number));
    equals(memory[length], 255);
    weft_schedule_free(schedule);
}

BEHAVIOUR("messages of all lengths, before and after their receives", ENGINE)
{
    weft_engine *engine = machine_open(job);
    for (unsigned i = 0; i < 4 * LENGTHS; i++)
        try_message(job, engine, i, i & LENGTHS, i & 2 * LENGTHS);
    machine_close(job, engine);
}

BEHAVIOUR("each side has a layout of its own", ENGINE)
{
    enum { COUNT = 900 };
    weft_engine *engine = machine_open(job);
    weft_type *pairs = NULL, *spread = NULL;
    double *memory = job_memory(job, 8 * COUNT * sizeof *memory);
    fine(weft_type_parse("vector(450, 2, 3, double)", &pairs, NULL));
    fine(weft_type_parse("hvector(900, 1, 24, double)", &spread, NULL));
    fine(weft_type_commit(pairs));
    fine(weft_type_commit(spread));
    weft_schedule *schedule = machine_schedule(job, engine, 9);
    /* In two parts, one short and one long, cut in the middle of a number. */
    const size_t cut = 804, whole = COUNT * sizeof *memory;
    struct weft_schedule_memory first = {job->rank ? pairs : spread, 1, memory, 0, cut};
    struct weft_schedule_memory second = {job->rank ? pairs : spread, 1, memory, cut, whole - cut};
    for (unsigned i = 0; job->rank && i < COUNT; i++)
        memory[i / 2 * 3 + i % 2] = i;
    if (job->rank) {
        weft_schedule_send(schedule, &first, 0, 1);
        weft_schedule_send(schedule, &second, 0, 1);
    } else {
        weft_schedule_receive(schedule, &first, 1, 1);
        weft_schedule_receive(schedule, &second, 1, 1);
    }
    weft_type_free(pairs);
    weft_type_free(spread);
    fine(weft_schedule_post(schedule));
    fine(weft_schedule_start(schedule));
    fine(machine_wait(job, schedule));
    bool is_right = true;
    for (unsigned i = 0; !job->rank && i < COUNT; i++)
        is_right = is_right && memory[3 * i] == i && memory[3 * i + 1] == 0;
    holds(is_right);
    weft_schedule_free(schedule);
    machine_close(job, engine);
}

BEHAVIOUR("a schedule is posted again and again, as fast as each side can", ENGINE)
{
    enum { TIMES = 40, SIZE = 3000 };
    weft_engine *engine = machine_open(job);
    unsigned char *memory = job_memory(job, SIZE);
    weft_schedule *schedule = machine_schedule(job, engine, 1);
    unsigned other = !job->rank;
    /* Rank 0 sends a short and a long message; an answer comes for the first only. */
    if (job->rank == 0) {
        weft_schedule_send(schedule, BYTES(memory, 100), other, 1);
        weft_schedule_send(schedule, BYTES(memory, SIZE), other, 2);
    } else {
        int shorter = weft_schedule_receive(schedule, BYTES(memory, 100), other, 1);
        int longer = weft_schedule_receive(schedule, BYTES(memory, SIZE), other, 2);
        fine(weft_schedule_after(schedule, longer, shorter));
    }
    for (unsigned i = 0; i < TIMES; i++) {
        if (job->rank == 0)
            job_fill(memory, SIZE, i);
        fine(weft_schedule_post(schedule));
        fine(weft_schedule_start(schedule));
        fine(machine_wait(job, schedule));
        holds(job_filled(memory, SIZE, i));
    }
    weft_schedule_free(schedule);
    machine_close(job, engine);
}

BEHAVIOUR("messages of one tag meet in the order of creation, whichever is sent first", ENGINE)
{
    weft_engine *engine = machine_open(job);
    unsigned char *memory = job_memory(job, 4000);
    weft_schedule *schedule = machine_schedule(job, engine, 1);
    for (unsigned i = 0; i < 2; i++)
        if (job->rank)
            weft_schedule_send(schedule, BYTES(memory + 2000 * i, 2000), 0, 1);
        else
            weft_schedule_receive(schedule, BYTES(memory + 2000 * i, 2000), 1, 1);
    if (job->rank) {
        job_fill(memory, 2000, 1);
        job_fill(memory + 2000, 2000, 2);
        fine(weft_schedule_hold(schedule, 0));
    }
    fine(weft_schedule_post(schedule));
    fine(weft_schedule_start(schedule));
    job_barrier(job);
    if (job->rank) {
        while (weft_schedule_state(schedule, 1) != WEFT_SCHEDULE_COMPLETE)
            yields(WEFT_ERR_TIMEOUT, weft_schedule_wait(schedule, 1));
        fine(weft_schedule_release(schedule, 0));
    }
    fine(machine_wait(job, schedule));
    holds(job_filled(memory, 2000, 1));
    holds(job_filled(memory + 2000, 2000, 2));
    weft_schedule_free(schedule);
    machine_close(job, engine);
}

BEHAVIOUR("more messages come before their receives than there is room for, and none is lost",
          ENGINE)
{
    enum { COUNT = 100, SIZE = 900 }; /* more than 64 of them do not fit */
    weft_engine *engine = machine_open(job);
    unsigned char *memory = job_memory(job, COUNT * SIZE);
    weft_schedule *schedule = machine_schedule(job, engine, 1);
    for (unsigned i = 0; i < COUNT; i++)
        if (job->rank)
            weft_schedule_send(schedule, BYTES(memory + i * SIZE, SIZE), 0, 1);
        else
            weft_schedule_receive(schedule, BYTES(memory + i * SIZE, SIZE), 1, 1);
    for (unsigned time = 0; time < 3; time++) {
        if (job->rank) {
            job_fill(memory, COUNT * SIZE, time);
            fine(weft_schedule_post(schedule));
            fine(weft_schedule_start(schedule));
            while (time == 0 && weft_schedule_state(schedule, COUNT - 1) == WEFT_SCHEDULE_POSTED)
                yields(WEFT_ERR_TIMEOUT, weft_schedule_wait(schedule, 1));
        }
        job_barrier(job);
        if (!job->rank) {
            fine(weft_schedule_post(schedule));
            fine(weft_schedule_start(schedule));
        }
        fine(machine_wait(job, schedule));
        holds(job->rank || job_filled(memory, COUNT * SIZE, time));
        memset(memory, 0, COUNT * SIZE);
    }
    weft_schedule_free(schedule);
    machine_close(job, engine);
}

BEHAVIOUR("who sends a short message does not wait for a receiver that is late", ENGINE)
{
    enum { SIZE = 900 };
    weft_engine *engine = machine_open(job);
    unsigned char *memory = job_memory(job, SIZE);
    weft_schedule *schedule = machine_schedule(job, engine, 1);
    if (job->rank)
        weft_schedule_send(schedule, BYTES(memory, SIZE), 0, 1);
    else
        weft_schedule_receive(schedule, BYTES(memory, SIZE), 1, 1);
    if (job->rank) {
        job_fill(memory, SIZE, 1);
        fine(weft_schedule_post(schedule));
        fine(weft_schedule_start(schedule));
        fine(machine_wait(job, schedule));
        memset(memory, 0, SIZE);
    }
    job_barrier(job);
    if (!job->rank) {
        fine(weft_schedule_post(schedule));
        fine(machine_wait(job, schedule));
        holds(job_filled(memory, SIZE, 1));
    }
    job_barrier(job);
    weft_schedule_free(schedule);
    machine_close(job, engine);
}

static void run_ahead(struct job *job, weft_schedule *schedule, unsigned char *memory,
                      unsigned time)
{
    job_fill(memory, LONG, time);
    fine(weft_schedule_post(schedule));
    fine(weft_schedule_start(schedule));
    fine(machine_wait(job, schedule));
    memset(memory, 0, LONG);
}

static void come_late(struct job *job, weft_schedule *schedule, unsigned char *memory,
                      unsigned time)
{
    fine(weft_schedule_post(schedule));
    fine(machine_wait(job, schedule));
    holds(job_filled(memory, LONG, time));
}

BEHAVIOUR("who sends a long message does not wait for a receiver that is late", ENGINE)
{
    enum { TIMES = 4 };
    weft_engine *engine = machine_open(job);
    unsigned char *memory = job_memory(job, LONG);
    weft_schedule *schedule = machine_schedule(job, engine, 1);
    struct weft_schedule_info info;
    if (job->rank)
        weft_schedule_send(schedule, BYTES(memory, LONG), 0, 1);
    else
        weft_schedule_receive(schedule, BYTES(memory, LONG), 1, 1);
    for (unsigned i = 0; i < TIMES; i++) {
        if (job->rank)
            run_ahead(job, schedule, memory, i);
        job_barrier(job);
        if (!job->rank)
            come_late(job, schedule, memory, i);
        if (i % 2)
            job_barrier(job); /* or the next one overlaps */
    }
    fine(weft_schedule_query(schedule, &info, sizeof info));
    equals(info.lent, job->rank ? TIMES * LONG : 0);
    weft_schedule_free(schedule);
    machine_close(job, engine);
}

BEHAVIOUR("a receiver that is late by two executions is waited for", ENGINE)
{
    weft_engine *engine = machine_open(job);
    unsigned char *memory = job_memory(job, LONG);
    weft_schedule *schedule = machine_schedule(job, engine, 1);
    if (job->rank)
        weft_schedule_send(schedule, BYTES(memory, LONG), 0, 1);
    else
        weft_schedule_receive(schedule, BYTES(memory, LONG), 1, 1);
    if (job->rank) {
        run_ahead(job, schedule, memory, 1);
        job_fill(memory, LONG, 2);
        fine(weft_schedule_post(schedule));
        fine(weft_schedule_start(schedule));
        yields(WEFT_ERR_TIMEOUT, weft_schedule_wait(schedule, 30));
    }
    job_barrier(job);
    for (unsigned time = 1; !job->rank && time <= 2; time++)
        come_late(job, schedule, memory, time);
    fine(machine_wait(job, schedule));
    weft_schedule_free(schedule);
    machine_close(job, engine);
}

/* The receiver is away for longer than anything else waits: in virtual time, where that is free.
 */
BEHAVIOUR("who frees a schedule leaves nothing behind that a late receiver needs", ENGINE)
{
    enum { COUNT = 100, SIZE = 900 };
    weft_engine *engine = machine_open(job);
    unsigned char *memory = job_memory(job, COUNT * SIZE);
    weft_schedule *schedule = machine_schedule(job, engine, 1);
    for (unsigned i = 0; i < COUNT; i++)
        if (job->rank)
            weft_schedule_send(schedule, BYTES(memory + i * SIZE, SIZE), 0, 1);
        else
            weft_schedule_receive(schedule, BYTES(memory + i * SIZE, SIZE), 1, 1);
    if (job->rank) {
        job_fill(memory, COUNT * SIZE, 1);
    } else {
        weft_schedule *away = machine_schedule(job, engine, 2);
        weft_schedule_receive(away, BYTES(NULL, 0), 0, 1);
        fine(weft_schedule_post(away));
        yields(WEFT_ERR_TIMEOUT, weft_schedule_wait(away, job->world == JOB_SIM ? 5000 : 5));
        weft_schedule_free(away);
    }
    fine(weft_schedule_post(schedule));
    fine(weft_schedule_start(schedule));
    fine(machine_wait(job, schedule));
    holds(job_filled(memory, COUNT * SIZE, 1));
    weft_schedule_free(schedule);
    machine_close(job, engine);
}
