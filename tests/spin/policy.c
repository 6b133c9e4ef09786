/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocked round-robin: sequences of packets go in turn to virtual HPUs. */
#include "spin/record.h"

#define SIZE 100000

static ptl_handler_result_t write_down(const ptl_payload_t *payload, void *state)
{
    struct record record = record_begin();
    (void)state;
    record.offset = payload->offset;
    record.length = payload->length;
    /* Some take longer than others, and would be overtaken. */
    record_dawdle((unsigned)(payload->offset / 1000 * 7 % 5));
    record_end(&record);
    return PTL_MY_HPU < PTL_NUM_HPUS ? PTL_HANDLER_SUCCESS : PTL_HANDLER_FAIL;
}

static struct record_book *run_policy(struct job *job, ptl_payload_handler_t payload,
                                      unsigned delta_p, unsigned vhpus)
{
    struct record_book *book = job_memory(job, sizeof *book);
    struct spin_case what = {
        .payload = payload,
        .handlers = {.policy = PTL_SCHED_BLOCKED_RR, .delta_p = delta_p, .vhpus = vhpus},
        .host = book,
        .host_length = sizeof *book,
        .size = SIZE};
    spin_run(job, &what);
    return book;
}

static bool is_same_vhpu(const struct record *a, const struct record *b)
{
    return a->vhpu == b->vhpu;
}

static bool is_same_hpu(const struct record *a, const struct record *b)
{
    return a->hpu == b->hpu;
}

static bool is_any_pair(const struct record *a, const struct record *b)
{
    return a != b;
}

/* Every byte once, each packet on its virtual HPU, and there one after the other, in order if they
 * have come so. */
static void expect_policy(struct job *job, unsigned delta_p, unsigned vhpus)
{
    struct record_book *book = run_policy(job, write_down, delta_p, vhpus);
    if (!job->target)
        return;
    uint64_t offset = 0;
    record_sort(book);
    for (uint64_t i = 0; i < book->count; i++) {
        const struct record *record = &book->records[i];
        equals(record->offset, offset);
        equals(record->vhpu, i / delta_p % vhpus);
        offset += record->length;
        for (uint64_t j = 0; j < i; j++)
            if (!job->reorders && book->records[j].vhpu == record->vhpu)
                holds(book->records[j].end <= record->begin);
    }
    equals(offset, SIZE);
    holds(!record_any_overlap(book, is_same_vhpu));
    holds(!record_any_overlap(book, is_same_hpu));
}

BEHAVIOUR("packets go to virtual HPUs by their number / delta_p % vhpus, one at a time", SPIN)
{
    static const unsigned cases[][2] = {{1, 2}, {2, 3}, {3, 2}, {1, 5}, {4, 4}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_policy(job, cases[i][0], cases[i][1]);
}

BEHAVIOUR("on one virtual HPU packets follow one another, whatever the number of HPUs", SPIN)
{
    expect_policy(job, 1, 1);
    expect_policy(job, 3, 1);
    struct record_book *book = run_policy(job, write_down, 1, 1);
    if (job->target)
        holds(!record_any_overlap(book, is_any_pair));
}

BEHAVIOUR("there may be more virtual HPUs than HPUs or packets, and longer sequences", SPIN)
{
    expect_policy(job, 1, 1000);
    expect_policy(job, 1000, 3);
    expect_policy(job, UINT32_MAX, UINT32_MAX);
}

static ptl_handler_result_t meet_other_vhpu(const ptl_payload_t *payload, void *state)
{
    struct record record = record_begin();
    (void)payload;
    (void)state;
    if (PTL_NUM_HPUS > 1)
        record_meet(2);
    record_end(&record);
    return PTL_HANDLER_SUCCESS;
}

BEHAVIOUR("virtual HPUs are at work at the same time if there are two HPUs", SPIN)
{
    struct record_book *book = run_policy(job, meet_other_vhpu, 1, 2);
    if (job->target) {
        equals(record_any_overlap(book, is_any_pair), job->hpus > 1);
        holds(!record_any_overlap(book, is_same_vhpu));
    }
}

/* An HPU is not kept for virtual HPUs that have no packet: others take it in between. */
BEHAVIOUR("messages with more virtual HPUs than there are HPUs do not stand in each other's way",
          SPIN, .ranks = 4)
{
    struct record_book *book = job_memory(job, sizeof *book);
    struct spin_case what = {
        .payload = write_down,
        .handlers = {.policy = PTL_SCHED_BLOCKED_RR, .delta_p = 2, .vhpus = 24},
        .host = book,
        .host_length = sizeof *book,
        .stays = true,
        .size = SIZE};
    spin_start(job, &what);
    for (unsigned i = 1; i < job->size && job->target; i++)
        next_event(job->target_eq, PTL_EVENT_PUT);
    if (job->initiator)
        next_event(job->eq, PTL_EVENT_ACK);
    job_barrier(job);
    if (!job->target)
        return;
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < book->count && i < RECORDS; i++)
        bytes += book->records[i].length;
    equals(bytes, (job->size - 1) * SIZE);
    holds(!record_any_overlap(book, is_same_hpu));
    spin_close(job, &what);
}

static ptl_handler_result_t note_header(const ptl_header_t *header, void *state)
{
    (void)header;
    (void)state;
    spin_note(0, PTL_MY_VHPU == PTL_MY_HPU);
    return PTL_HANDLER_PROCESS_DATA;
}

static ptl_handler_result_t note_completion(ptl_size_t dropped, int flow_control, void *state)
{
    (void)dropped;
    (void)flow_control;
    (void)state;
    spin_note(1, PTL_MY_VHPU == PTL_MY_HPU);
    return PTL_HANDLER_SUCCESS;
}

BEHAVIOUR("header and completion handlers have no virtual HPU but that they run on", SPIN)
{
    uint64_t notes[2] = {7, 7};
    struct spin_case what = {
        .header = note_header,
        .completion = note_completion,
        .handlers = {.policy = PTL_SCHED_BLOCKED_RR, .delta_p = 1, .vhpus = 2},
        .host = notes,
        .host_length = sizeof notes};
    spin_run(job, &what);
    if (job->target) {
        equals(notes[0], 1);
        equals(notes[1], 1);
    }
}
