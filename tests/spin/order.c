/* SPDX-License-Identifier: BSD-3-Clause */
/* Header before payloads before completion; payloads at the same time. */
#include "spin/record.h"

#define SIZE 40000

/* ---- Of one message ----------------------------------------------------------------------- */

/* HPU memory of one message. */
struct course {
    uint64_t header_is_done, payloads_at_work, bytes, wrong;
    uint64_t bits;
};

static ptl_handler_result_t begin_course(const ptl_header_t *header, void *state)
{
    struct course *course = state;
    uint64_t before;
    if (header->match_bits != course->bits)
        PtlHandlerFAdd(&course->wrong, &before, 1);
    record_dawdle(20);
    PtlHandlerFAdd(&course->header_is_done, &before, 1);
    return PTL_HANDLER_PROCESS_DATA;
}

static ptl_handler_result_t run_course(const ptl_payload_t *payload, void *state)
{
    struct course *course = state;
    uint64_t done, before;
    PtlHandlerFAdd(&course->payloads_at_work, &before, 1);
    PtlHandlerFAdd(&course->header_is_done, &done, 0);
    if (done != 1)
        PtlHandlerFAdd(&course->wrong, &before, 1);
    record_dawdle(3);
    PtlHandlerFAdd(&course->bytes, &before, payload->length);
    PtlHandlerFAdd(&course->payloads_at_work, &before, UINT64_MAX);
    return PTL_HANDLER_SUCCESS;
}

static ptl_handler_result_t end_course(ptl_size_t dropped, int flow_control, void *state)
{
    struct course *course = state;
    if (dropped || flow_control || course->payloads_at_work || course->bytes != SIZE ||
        course->header_is_done != 1)
        course->wrong++;
    record_dawdle(20);
    return course->wrong ? PTL_HANDLER_FAIL : PTL_HANDLER_SUCCESS;
}

BEHAVIOUR("header, payloads, completion, event: so in each of many messages of several senders",
          SPIN, .ranks = 4, .sim_ranks = 8)
{
    enum { EACH = 6 };
    struct record_book *book = job_memory(job, sizeof *book);
    unsigned all = (job->size - 1) * EACH;
    for (unsigned i = 0; i < all && job->target; i++) {
        struct course course = {.bits = i};
        ptl_handlers_t handlers = spin_handlers(begin_course, run_course, end_course);
        spin_state(job, &handlers, &course, sizeof course);
        handlers.handler_host_mem_start = book;
        handlers.handler_host_mem_length = sizeof *book;
        post_spin(&handlers, NULL, 0,
                  PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE, .bits = i);
    }
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, job_memory(job, SIZE), SIZE);
        for (unsigned i = 0; i < EACH; i++)
            ok(put(md, SIZE, .bits = (job->rank - 1) * EACH + i, .ack = PTL_ACK_REQ));
        for (unsigned i = 0; i < EACH; i++)
            next_event(job->eq, PTL_EVENT_ACK);
    }
    for (unsigned i = 0; i < all && job->target; i++)
        equals(next_event(job->target_eq, PTL_EVENT_PUT).mlength, SIZE);
    job_barrier(job);
}

/* ---- On HPUs ------------------------------------------------------------------------------ */

static ptl_handler_result_t meet_others(const ptl_payload_t *payload, void *state)
{
    struct record record = record_begin();
    (void)state;
    if (PTL_MY_HPU >= PTL_NUM_HPUS || PTL_MY_VHPU != PTL_MY_HPU)
        return PTL_HANDLER_FAIL;
    record.offset = payload->offset;
    record.length = payload->length;
    if (PTL_NUM_HPUS > 1)
        record_meet(2);
    record_end(&record);
    return PTL_HANDLER_SUCCESS;
}

static bool is_any_pair(const struct record *a, const struct record *b)
{
    return a != b;
}

static bool is_same_hpu(const struct record *a, const struct record *b)
{
    return a->hpu == b->hpu;
}

BEHAVIOUR("payload handlers of a message run at the same time, each HPU one at a time", SPIN)
{
    struct record_book *book = job_memory(job, sizeof *book);
    struct spin_case what = {
        .payload = meet_others, .host = book, .host_length = sizeof *book, .size = SIZE};
    spin_run(job, &what);
    if (!job->target)
        return;
    holds(book->count > 1);
    equals(record_any_overlap(book, is_any_pair), job->hpus > 1);
    holds(!record_any_overlap(book, is_same_hpu));
}

/* ---- Of several messages ------------------------------------------------------------------ */

static ptl_handler_result_t meet_other_message(const ptl_header_t *header, void *state)
{
    struct record record = record_begin();
    (void)state;
    record.message = header->hdr_data;
    if (PTL_NUM_HPUS > 1)
        record_meet(2);
    record_end(&record);
    return PTL_HANDLER_DROP;
}

static bool is_other_message(const struct record *a, const struct record *b)
{
    return a->message != b->message;
}

BEHAVIOUR("messages of two senders are worked on at the same time if there are two HPUs", SPIN,
          .ranks = 3)
{
    struct record_book *book = job_memory(job, sizeof *book);
    struct spin_case what = {
        .header = meet_other_message, .host = book, .host_length = sizeof *book, .stays = true};
    if (job->target)
        spin_open(job, &what);
    job_barrier(job);
    if (job->initiator)
        ok(put(job_md(job, NULL, 0), 0, .hdr_data = job->rank));
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_PUT);
        next_event(job->target_eq, PTL_EVENT_PUT);
        equals(book->count, 2);
        equals(record_any_overlap(book, is_other_message), job->hpus > 1);
        spin_close(job, &what);
    }
    job_barrier(job);
}
