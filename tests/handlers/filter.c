/* SPDX-License-Identifier: BSD-3-Clause */
#include <weft_handlers.h>

#include "spin/spin.h"

#define RECORDS 5000u
#define QUERY 1
#define ANSWER 2

struct employee {
    char name[24];
    uint64_t number;
    double pay;
};

static void hire(struct employee *employee, uint64_t i)
{
    job_fill(employee->name, sizeof employee->name, (unsigned)i);
    employee->number = i * 7919 % RECORDS;
    employee->pay = (double)i;
}

static void serve(struct job *job)
{
    struct employee *employees = job_memory(job, RECORDS * sizeof *employees);
    struct weft_handler_filter filter;
    ptl_handlers_t handlers;
    for (uint64_t i = 0; i < RECORDS; i++)
        hire(&employees[i], i);
    ok(weft_handler_filter(job->ni, &filter, &handlers));
    post_spin(&handlers, employees, RECORDS * sizeof *employees, .bits = QUERY,
              .options = PTL_ME_OP_PUT);
}

static struct weft_handler_query all_between(uint64_t least, uint64_t most)
{
    return (struct weft_handler_query){.count = RECORDS,
                                       .record_size = sizeof(struct employee),
                                       .field = offsetof(struct employee, number),
                                       .least = least,
                                       .most = most,
                                       .match_bits = ANSWER};
}

/* What comes, all told; the last message is the one with hdr_data. */
static uint64_t ask(struct job *job, const struct weft_handler_query *query,
                    struct employee *answers)
{
    ptl_handle_me_t entry =
        post(answers, RECORDS * sizeof *answers, PTL_ME_OP_PUT, .bits = ANSWER);
    ptl_handle_md_t md = job_md(job, (void *)query, sizeof *query);
    ptl_size_t bytes = 0;
    ptl_event_t event;
    ok(put(md, sizeof *query, .bits = QUERY));
    do {
        event = next_event(job->target_eq, PTL_EVENT_PUT);
        equals(event.remote_offset, event.hdr_data ? 0 : bytes);
        bytes += event.mlength;
    } while (event.hdr_data == 0 && !atomic_load(&job->verdict->failures));
    equals(bytes, (event.hdr_data - 1) * sizeof *answers);
    ok(PtlMEUnlink(entry));
    ok(PtlMDRelease(md));
    return event.hdr_data - 1;
}

/* The records of the range that match, in their order. */
static void check(struct job *job, const struct weft_handler_query *query)
{
    struct employee *answers = job_memory(job, RECORDS * sizeof *answers);
    uint64_t count = ask(job, query, answers), expected = 0, wrong = 0;
    for (uint64_t i = query->begin; i < query->begin + query->count; i++) {
        struct employee employee = {.pay = 0};
        hire(&employee, i);
        if (employee.number < query->least || employee.number > query->most)
            continue;
        wrong += memcmp(&answers[expected++], &employee, sizeof employee) != 0;
    }
    equals(count, expected);
    equals(wrong, 0);
}

BEHAVIOUR("filter: only records that match come back, in their order", SPIN, .ranks = 3)
{
    if (job->target)
        serve(job);
    job_barrier(job);
    if (job->initiator) { /* two at once */
        struct weft_handler_query query = all_between(100, 100);
        check(job, &query);
        query = all_between(1000, 2500);
        check(job, &query);
        query = all_between(0, UINT64_MAX);
        check(job, &query);
        query = all_between(RECORDS, UINT64_MAX);
        check(job, &query);
        query = all_between(0, RECORDS / 2);
        query.begin = 1001;
        query.count = 333;
        check(job, &query);
        no_event(job->target_eq);
    }
    job_barrier(job);
    no_event(job->target_eq);
}

BEHAVIOUR("filter: queries that leave the table, or make no sense, fail", SPIN, .ranks = 2)
{
    if (job->target)
        serve(job);
    job_barrier(job);
    struct weft_handler_query query = all_between(1, 0); /* nothing matches */
    ptl_ni_fail_t fails[6];
    struct weft_handler_query wrong[6];
    for (unsigned i = 0; i < 6; i++) {
        wrong[i] = query;
        fails[i] = i < 2 ? PTL_NI_SEGV : PTL_NI_HANDLER;
    }
    wrong[0].begin = 1;
    wrong[1].begin = UINT64_MAX / 2048;
    wrong[2].record_size = 0;
    wrong[3].record_size = WEFT_HANDLER_RECORD_MAX + 1;
    wrong[4].field = sizeof(struct employee) - 7;
    wrong[5].begin = UINT64_MAX / 2;
    if (job->initiator)
        for (unsigned i = 0; i < 6; i++) {
            ok(put(job_md(job, &wrong[i], sizeof query), sizeof query, .bits = QUERY,
                   .ack = PTL_ACK_REQ));
            next_failure(job->eq, PTL_EVENT_ACK, fails[i]);
        }
    job_barrier(job);
    for (unsigned i = 0; i < 6 && job->target; i++)
        next_failure(job->target_eq, PTL_EVENT_PUT, fails[i]);
    no_event(job->target_eq);
    job_barrier(job);
}
