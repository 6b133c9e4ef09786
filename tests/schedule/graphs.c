/* SPDX-License-Identifier: BSD-3-Clause */
/* States, marks and dependencies, in schedules of one process that sends to itself. */
#include "schedule/machine.h"

#define ALONE ENGINE, .ranks = 1

BEHAVIOUR("operations are created, posted, active and complete", ALONE)
{
    weft_engine *engine = machine_open(job);
    weft_schedule *schedule = machine_schedule(job, engine, 1);
    uint32_t numbers[2] = {5, 7};
    int receive = weft_schedule_receive(schedule, BYTES(NULL, 0), 0, 1);
    int nop = weft_schedule_nop(schedule);
    int sum = weft_schedule_compute(schedule, PTL_SUM, PTL_UINT32_T, BYTES(&numbers[0], 4),
                                    BYTES(&numbers[1], 4));
    int send = weft_schedule_send(schedule, BYTES(NULL, 0), 0, 1);
    fine(weft_schedule_after(schedule, sum, nop));
    fine(weft_schedule_hold(schedule, send));
    equals(weft_schedule_state(schedule, receive), WEFT_SCHEDULE_CREATED);
    yields(WEFT_ERR_ARGUMENT, weft_schedule_start(schedule));
    fine(weft_schedule_post(schedule));
    equals(weft_schedule_state(schedule, receive), WEFT_SCHEDULE_ACTIVE);
    equals(weft_schedule_state(schedule, nop), WEFT_SCHEDULE_POSTED);
    equals(numbers[1], 7);
    fine(weft_schedule_start(schedule));
    while (weft_schedule_state(schedule, sum) != WEFT_SCHEDULE_COMPLETE)
        yields(WEFT_ERR_TIMEOUT, weft_schedule_test(schedule));
    equals(weft_schedule_state(schedule, nop), WEFT_SCHEDULE_COMPLETE);
    equals(weft_schedule_state(schedule, send), WEFT_SCHEDULE_POSTED);
    equals(numbers[1], 12);
    fine(weft_schedule_release(schedule, send));
    fine(machine_wait(job, schedule));
    equals(weft_schedule_state(schedule, receive), WEFT_SCHEDULE_COMPLETE);
    yields(WEFT_ERR_ARGUMENT, weft_schedule_start(schedule));
    weft_schedule_free(schedule);
    machine_close(job, engine);
}

/* One operation that waits for three, which are let go one by one. */
static void let_go_three(struct job *job, weft_engine *engine, bool is_any, unsigned number)
{
    weft_schedule *schedule = machine_schedule(job, engine, number);
    int before[3], after;
    for (unsigned i = 0; i < 3; i++) {
        before[i] = weft_schedule_nop(schedule);
        fine(weft_schedule_hold(schedule, before[i]));
    }
    after = weft_schedule_nop(schedule);
    for (unsigned i = 0; i < 3; i++)
        fine(weft_schedule_after(schedule, after, before[i]));
    if (is_any)
        fine(weft_schedule_any(schedule, after));
    fine(weft_schedule_post(schedule));
    fine(weft_schedule_start(schedule));
    for (unsigned i = 0; i < 3; i++) {
        bool is_complete = is_any && i > 0;
        equals(weft_schedule_state(schedule, after),
               is_complete ? WEFT_SCHEDULE_COMPLETE : WEFT_SCHEDULE_POSTED);
        yields(WEFT_ERR_TIMEOUT, weft_schedule_test(schedule));
        fine(weft_schedule_release(schedule, before[(i + number) % 3]));
    }
    fine(machine_wait(job, schedule));
    weft_schedule_free(schedule);
}

BEHAVIOUR("an operation waits for all, or for any", ALONE)
{
    weft_engine *engine = machine_open(job);
    for (unsigned i = 0; i < 6; i++)
        let_go_three(job, engine, i % 2, i);
    machine_close(job, engine);
}

/* The operation in the middle waits for two others, all of them or any. */
static void hold_again(struct job *job, weft_engine *engine, bool is_any)
{
    weft_schedule *schedule = machine_schedule(job, engine, is_any);
    int first = weft_schedule_nop(schedule), second = weft_schedule_nop(schedule);
    int middle = weft_schedule_nop(schedule);
    fine(weft_schedule_hold(schedule, first));
    fine(weft_schedule_hold(schedule, second));
    fine(weft_schedule_hold(schedule, middle));
    fine(weft_schedule_after(schedule, middle, first));
    fine(weft_schedule_after(schedule, middle, second));
    if (is_any)
        fine(weft_schedule_any(schedule, middle));
    fine(weft_schedule_release(schedule, middle));
    fine(weft_schedule_post(schedule));
    fine(weft_schedule_start(schedule));
    for (unsigned i = 0; i < 3; i++) {
        fine(weft_schedule_hold(schedule, middle));
        fine(weft_schedule_release(schedule, middle));
    }
    fine(weft_schedule_hold(schedule, middle));
    fine(weft_schedule_release(schedule, first));
    fine(weft_schedule_release(schedule, second));
    yields(WEFT_ERR_BUSY, weft_schedule_hold(schedule, second));
    equals(weft_schedule_state(schedule, second), WEFT_SCHEDULE_COMPLETE);
    equals(weft_schedule_state(schedule, middle), WEFT_SCHEDULE_POSTED);
    yields(WEFT_ERR_TIMEOUT, weft_schedule_test(schedule));
    fine(weft_schedule_release(schedule, middle));
    fine(machine_wait(job, schedule));
    weft_schedule_free(schedule);
}

BEHAVIOUR("an operation is held while others complete, unless it has run", ALONE)
{
    weft_engine *engine = machine_open(job);
    hold_again(job, engine, false);
    hold_again(job, engine, true);
    machine_close(job, engine);
}

BEHAVIOUR("a chain of sends to oneself runs in order", ALONE)
{
    enum { LINKS = 30 };
    weft_engine *engine = machine_open(job);
    weft_schedule *schedule = machine_schedule(job, engine, 1);
    uint64_t values[LINKS + 1] = {42};
    int last = -1;
    for (unsigned i = 0; i < LINKS; i++) {
        int send = weft_schedule_send(schedule, BYTES(&values[i], 8), 0, 1);
        int receive = weft_schedule_receive(schedule, BYTES(&values[i + 1], 8), 0, 1);
        if (i)
            fine(weft_schedule_after(schedule, send, last));
        last = receive;
    }
    for (unsigned i = 0; i < 3; i++) {
        values[LINKS] = 0;
        values[0]++;
        fine(weft_schedule_post(schedule));
        fine(weft_schedule_start(schedule));
        fine(machine_wait(job, schedule));
        equals(values[LINKS], 43 + i);
    }
    weft_schedule_free(schedule);
    machine_close(job, engine);
}

BEHAVIOUR("a schedule is complete without optional receives", ALONE)
{
    weft_engine *engine = machine_open(job);
    weft_schedule *schedule = machine_schedule(job, engine, 1);
    char bytes[2] = {1, 2};
    int receives[3];
    weft_schedule_send(schedule, BYTES(NULL, 0), 0, 2);
    for (unsigned i = 0; i < 3; i++) {
        receives[i] = weft_schedule_receive(schedule, BYTES(NULL, 0), 0, (uint16_t)(i + 1));
        fine(weft_schedule_optional(schedule, receives[i]));
    }
    int nop = weft_schedule_nop(schedule);
    for (unsigned i = 0; i < 3; i++)
        fine(weft_schedule_after(schedule, nop, receives[i]));
    fine(weft_schedule_any(schedule, nop));
    int copy = weft_schedule_copy(schedule, BYTES(&bytes[0], 1), BYTES(&bytes[1], 1));
    yields(WEFT_ERR_ARGUMENT, weft_schedule_optional(schedule, copy));
    for (unsigned i = 0; i < 5; i++) {
        fine(weft_schedule_post(schedule));
        equals(weft_schedule_state(schedule, nop), WEFT_SCHEDULE_POSTED);
        fine(weft_schedule_start(schedule));
        fine(machine_wait(job, schedule));
    }
    weft_schedule_free(schedule);
    machine_close(job, engine);
}

BEHAVIOUR("long vectors are computed in their layout", ALONE)
{
    enum { COUNT = 1000 };
    weft_engine *engine = machine_open(job);
    weft_schedule *schedule = machine_schedule(job, engine, 1);
    weft_type *spread = NULL;
    double *from = job_memory(job, COUNT * sizeof *from);
    double *to = job_memory(job, 3 * COUNT * sizeof *to);
    fine(weft_type_parse("hvector(1000, 1, 24, double)", &spread, NULL));
    fine(weft_type_commit(spread));
    for (unsigned i = 0; i < COUNT; i++) {
        from[i] = i;
        to[3 * i] = 1;
    }
    struct weft_schedule_memory target = {spread, 1, to, 0, COUNT * sizeof *from};
    weft_schedule_compute(schedule, PTL_SUM, PTL_DOUBLE, BYTES(from, COUNT * sizeof *from),
                          &target);
    fine(weft_schedule_post(schedule));
    fine(weft_schedule_start(schedule));
    fine(machine_wait(job, schedule));
    bool is_right = true;
    for (unsigned i = 0; i < COUNT; i++)
        is_right = is_right && to[3 * i] == i + 1.0 && to[3 * i + 1] == 0;
    holds(is_right);
    weft_schedule_free(schedule);
    weft_type_free(spread);
    machine_close(job, engine);
}

BEHAVIOUR("wrong arguments are told, and an empty schedule is complete", ALONE)
{
    weft_engine *engine = machine_open(job);
    weft_schedule *schedule = machine_schedule(job, engine, 1);
    char byte = 0;
    yields(WEFT_ERR_ARGUMENT, weft_schedule_wait(schedule, 0));
    yields(WEFT_ERR_ARGUMENT, weft_schedule_send(schedule, BYTES(&byte, 1), 1, 0));
    yields(WEFT_ERR_ARGUMENT, weft_schedule_after(schedule, 0, 0));
    yields(WEFT_ERR_ARGUMENT,
           weft_schedule_compute(schedule, PTL_SUM, PTL_DOUBLE, BYTES(&byte, 1), BYTES(&byte, 1)));
    fine(weft_schedule_post(schedule));
    fine(weft_schedule_wait(schedule, 0));
    yields(WEFT_ERR_ARGUMENT, weft_schedule_nop(schedule));
    fine(weft_schedule_post(schedule));
    fine(weft_schedule_test(schedule));
    weft_schedule_free(schedule);
    machine_close(job, engine);
}
