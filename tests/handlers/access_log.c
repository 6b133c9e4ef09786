/* SPDX-License-Identifier: BSD-3-Clause */
#include <weft_handlers.h>

#include "spin/spin.h"

#define SIZE 20000
#define OPTIONS (PTL_ME_OP_PUT | PTL_ME_OP_GET)

static struct weft_handler_log *attach(struct job *job, void *memory, uint64_t capacity)
{
    struct weft_handler_log *log = job_memory(job, weft_handler_log_size(capacity));
    ptl_handlers_t handlers;
    ok(weft_handler_access_log(job->ni, log, &capacity, &handlers));
    post_spin(&handlers, memory, SIZE, .options = OPTIONS, .bits = 8);
    return log;
}

static void is_logged(struct job *job, const struct weft_handler_access *access,
                      ptl_request_type_t type, ptl_size_t offset, ptl_size_t length)
{
    equals(access->type, type);
    equals(access->match_bits, 8);
    equals(access->offset, offset);
    equals(access->length, length);
    holds(job_same_process(job, access->source, job_process(job, 1)));
}

BEHAVIOUR("access log: every access is written down, and happens as always", SPIN, .ranks = 2)
{
    unsigned char *memory = job_memory(job, SIZE);
    if (job->target) {
        struct weft_handler_log *log = attach(job, memory, 16);
        job_barrier(job);
        equals(next_event(job->target_eq, PTL_EVENT_PUT).mlength, 9000);
        equals(next_event(job->target_eq, PTL_EVENT_GET).mlength, 8000);
        next_event(job->target_eq, PTL_EVENT_ATOMIC);
        next_event(job->target_eq, PTL_EVENT_FETCH_ATOMIC);
        equals(log->count, 4);
        const struct weft_handler_access *accesses = weft_handler_log_accesses(log);
        is_logged(job, &accesses[0], PTL_REQUEST_PUT, 1000, 9000);
        is_logged(job, &accesses[1], PTL_REQUEST_GET, 2000, 8000);
        is_logged(job, &accesses[2], PTL_REQUEST_ATOMIC, 16, 8);
        is_logged(job, &accesses[3], PTL_REQUEST_FETCH_ATOMIC, 16, 8);
        holds(job_filled(memory + 1000, 9000, 6));
        uint64_t sum;
        memcpy(&sum, memory + 16, sizeof sum);
        equals(sum, 10);
    } else {
        uint64_t five = 5, before = 0;
        unsigned char *data = job_memory(job, SIZE);
        ptl_handle_md_t number = job_md(job, &five, 8);
        job_fill(data, SIZE, 6);
        job_barrier(job);
        ok(put(job_md(job, data, SIZE), 9000, .remote_offset = 1000, .bits = 8,
               .ack = PTL_ACK_REQ));
        next_event(job->eq, PTL_EVENT_ACK);
        ok(get(job_md(job, memory, SIZE), 8000, .remote_offset = 2000, .bits = 8));
        next_event(job->eq, PTL_EVENT_REPLY);
        equals(memcmp(memory, data + 1000, 8000), 0);
        ok(atomic(number, 8, .remote_offset = 16, .bits = 8, .ack = PTL_ACK_REQ,
                  .operation = PTL_SUM, .datatype = PTL_UINT64_T));
        next_event(job->eq, PTL_EVENT_ACK);
        ok(fetch(number, 8, .get_md = job_md(job, &before, 8), .remote_offset = 16, .bits = 8,
                 .operation = PTL_SUM, .datatype = PTL_UINT64_T));
        next_event(job->eq, PTL_EVENT_REPLY);
        equals(before, 5);
    }
    job_barrier(job);
}

BEHAVIOUR("access log: many at once have their own places, and who finds none is refused", SPIN,
          .ranks = 4)
{
    enum { EACH = 20, ALL = 3 * EACH, CAPACITY = 50 };
    unsigned char *memory = job_memory(job, SIZE);
    if (job->target) {
        struct weft_handler_log *log = attach(job, memory, CAPACITY);
        unsigned seen[4] = {0}, refused = 0;
        job_barrier(job);
        for (unsigned i = 0; i < ALL; i++) {
            ptl_event_t event = {0};
            unsigned which;
            ok(PtlEQPoll(&job->target_eq, 1, job_patience(job), &event, &which));
            equals(event.type, PTL_EVENT_PUT);
            refused += event.ni_fail_type == PTL_NI_HANDLER;
        }
        equals(log->count, ALL);
        equals(refused, ALL - CAPACITY);
        for (unsigned i = 0; i < CAPACITY; i++)
            seen[weft_handler_log_accesses(log)[i].length % 4]++;
        equals(seen[0], 0);
        holds(seen[1] <= EACH && seen[2] <= EACH && seen[3] <= EACH);
    } else {
        ptl_handle_md_t md = job_md(job, memory, SIZE);
        job_barrier(job);
        for (unsigned i = 0; i < EACH; i++)
            ok(put(md, job->rank, .bits = 8));
    }
    job_barrier(job);
}
