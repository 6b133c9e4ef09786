/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/machine.h"

#include <signal.h>
#include <stdio.h>

/* Simulated nodes that crash leave things behind: the leak checker finds them here. */
static weft_engine *living[64];
static weft_schedule *volatile left_behind;

weft_engine *machine_open(struct job *job)
{
    const struct weft_engine_options options = {.eager = EAGER};
    weft_engine *engine = NULL;
    job->logical = true;
    job_open(job);
    fine(weft_engine_open(job->ni, job->rank, job->size, &options, &engine));
    job_gate(job);
    return living[job->rank] = engine;
}

void machine_close_alone(struct job *job, weft_engine *engine)
{
    weft_engine_close(engine);
    living[job->rank] = NULL;
    ok(PtlNIFini(job->ni));
    PtlFini();
}

void machine_close(struct job *job, weft_engine *engine)
{
    job_gate(job);
    weft_engine_close(engine);
    living[job->rank] = NULL;
    job_close(job);
}

weft_schedule *machine_schedule(struct job *job, weft_engine *engine, unsigned number)
{
    weft_schedule *schedule = NULL;
    fine(weft_schedule_create(engine, (uint16_t)number, &schedule));
    return schedule;
}

bool machine_check(struct job *job, int actual, int expected, const char *file, int line,
                   const char *call)
{
    char what[200];
    snprintf(what, sizeof what, "%s gives %s, not %s", call, weft_error_name(actual),
             weft_error_name(expected));
    return job_check(job, actual == expected, file, line, what);
}

int machine_wait(struct job *job, weft_schedule *schedule)
{
    return weft_schedule_wait(schedule, (int)job_patience(job));
}

/* In virtual time the end comes from outside. */
void machine_die(struct job *job, weft_engine *engine)
{
    weft_schedule *never = machine_schedule(job, engine, 99);
    left_behind = never;
    weft_schedule_receive(never, BYTES(NULL, 0), 0, 1);
    fine(weft_schedule_post(never));
    weft_schedule_wait(never, job->world == JOB_SIM ? 100000 : 30);
    raise(SIGKILL);
}
