/* SPDX-License-Identifier: BSD-3-Clause */
/* How a message is cut: the user header, and payloads that are aligned. */
#include "spin/spin.h"

#define SIZE 30000
#define LONGEST 256

/* In handler host memory. */
struct seen {
    uint64_t headers, payloads, completions;
    uint64_t length, user_length, payload_bytes, dropped;
    uint64_t misaligned, odd_lengths, too_long;
    unsigned char user[LONGEST];
};

/* In HPU memory. */
struct plan {
    ptl_handler_result_t header, payload;
    uint64_t payload_size;   /* of the message, without user header */
    uint64_t fragment, most; /* limits */
};

static void count(size_t where, uint64_t value)
{
    uint64_t before;
    PtlHandlerDMAFetchAddB(where, value, &before, PTL_UINT64_T, PTL_HANDLER_HOST_MEM);
}

#define COUNT(what, value) count(offsetof(struct seen, what), value)

static ptl_handler_result_t on_header(const ptl_header_t *header, void *state)
{
    COUNT(headers, 1);
    COUNT(length, header->length);
    COUNT(user_length, header->user_hdr_length);
    PtlHandlerDMAToHostB(header->user_hdr, offsetof(struct seen, user), header->user_hdr_length,
                         PTL_HANDLER_HOST_MEM);
    return ((const struct plan *)state)->header;
}

static ptl_handler_result_t on_payload(const ptl_payload_t *payload, void *state)
{
    const struct plan *plan = state;
    bool is_last = payload->offset + payload->length == plan->payload_size;
    COUNT(payloads, 1);
    COUNT(payload_bytes, payload->length);
    COUNT(misaligned, (uintptr_t)payload->base % 8 != 0);
    COUNT(misaligned, payload->offset % plan->fragment != 0);
    COUNT(odd_lengths, !is_last && payload->length % plan->fragment != 0);
    COUNT(too_long, payload->length > plan->most || payload->length == 0);
    PtlHandlerDMAToHostB(payload->base, payload->offset, payload->length, PTL_ME_HOST_MEM);
    return plan->payload;
}

static ptl_handler_result_t on_completion(ptl_size_t dropped, int flow_control, void *state)
{
    (void)flow_control;
    (void)state;
    COUNT(completions, 1);
    COUNT(dropped, dropped);
    return PTL_HANDLER_SUCCESS;
}

struct cut {
    struct plan plan;
    struct seen seen;
    struct spin_case what;
    unsigned char memory[SIZE];
};

static struct cut *cut_new(struct job *job, struct plan plan, ptl_size_t user, ptl_size_t size)
{
    struct cut *cut = job_memory(job, sizeof *cut);
    ptl_handler_limits_t limits;
    ok(PtlNIHandlerLimits(job->ni, NULL, &limits));
    cut->plan = plan;
    cut->plan.payload_size = user < size ? size - user : 0;
    cut->plan.fragment = limits.min_fragmentation_limit;
    cut->plan.most = limits.max_payload_size;
    cut->what = (struct spin_case){.header = on_header,
                                   .payload = on_payload,
                                   .completion = on_completion,
                                   .handlers.user_hdr_size = user,
                                   .state = &cut->plan,
                                   .state_length = sizeof cut->plan,
                                   .host = &cut->seen,
                                   .host_length = sizeof cut->seen,
                                   .start = cut->memory,
                                   .length = sizeof cut->memory,
                                   .size = size};
    return cut;
}

static struct cut *cut_run(struct job *job, struct plan plan, ptl_size_t user, ptl_size_t size)
{
    struct cut *cut = cut_new(job, plan, user, size);
    spin_run(job, &cut->what);
    return cut;
}

static const struct plan process = {.header = PTL_HANDLER_PROCESS_DATA};

/* ---- The user header ---------------------------------------------------------------------- */

BEHAVIOUR("the header handler gets the user header, payload handlers what is behind it", SPIN)
{
    static const ptl_size_t lengths[] = {0, 1, 8, 13, 64, LONGEST};
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        ptl_size_t user = lengths[i];
        struct cut *cut = cut_run(job, process, user, SIZE);
        if (!job->target)
            continue;
        equals(cut->seen.headers, 1);
        equals(cut->seen.length, SIZE);
        equals(cut->seen.user_length, user);
        holds(job_filled(cut->seen.user, user, SPIN_SEED));
        equals(cut->seen.payload_bytes, SIZE - user);
        holds(job_filled(cut->memory, SIZE - user, SPIN_SEED + (unsigned)user));
        equals(cut->seen.dropped, 0);
        equals(cut->what.event.mlength, SIZE);
    }
}

BEHAVIOUR("a message that is shorter than the user header is all header", SPIN)
{
    static const ptl_size_t sizes[] = {0, 1, 39, 40};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct cut *cut = cut_run(job, process, 40, sizes[i]);
        if (!job->target)
            continue;
        equals(cut->seen.user_length, sizes[i]);
        holds(job_filled(cut->seen.user, sizes[i], SPIN_SEED));
        equals(cut->seen.payloads, 0);
        equals(cut->seen.completions, 1);
        equals(cut->what.event.mlength, sizes[i]);
    }
}

BEHAVIOUR("a message that is one byte longer than the user header has one byte of payload", SPIN)
{
    struct cut *cut = cut_run(job, process, 40, 41);
    if (job->target) {
        equals(cut->seen.payloads, 1);
        equals(cut->seen.payload_bytes, 1);
        equals(cut->memory[0], SPIN_SEED + 40);
    }
}

BEHAVIOUR("PROCEED deposits the user header, too", SPIN)
{
    struct cut *cut = cut_run(job, (struct plan){.header = PTL_HANDLER_PROCEED}, 40, SIZE);
    if (job->target) {
        equals(cut->what.event.mlength, SIZE);
        holds(job_filled(cut->memory, SIZE, SPIN_SEED));
        equals(cut->seen.user_length, 40);
    }
}

BEHAVIOUR("without a payload handler the user header is deposited, too", SPIN)
{
    struct cut *cut = cut_new(job, process, 40, SIZE);
    cut->what.payload = NULL;
    spin_run(job, &cut->what);
    if (job->target) {
        holds(job_filled(cut->memory, SIZE, SPIN_SEED));
        equals(cut->seen.completions, 1);
    }
}

BEHAVIOUR("a user header is not among the bytes that payload handlers drop", SPIN)
{
    struct cut *cut = cut_run(
        job, (struct plan){.header = PTL_HANDLER_PROCESS_DATA, .payload = PTL_HANDLER_DROP}, 40,
        SIZE);
    if (job->target) {
        equals(cut->seen.dropped, SIZE - 40);
        equals(cut->what.event.mlength, 40);
    }
    cut = cut_run(job, (struct plan){.header = PTL_HANDLER_DROP}, 40, SIZE);
    if (job->target)
        equals(cut->seen.dropped, SIZE);
}

/* ---- Alignment ---------------------------------------------------------------------------- */

BEHAVIOUR("payloads are aligned, and their lengths are, but that of the last", SPIN)
{
    static const ptl_size_t lengths[] = {0, 16, 64, LONGEST};
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct cut *cut = cut_run(job, process, lengths[i], SIZE - 1);
        if (!job->target)
            continue;
        holds(cut->seen.payloads > 1);
        equals(cut->seen.misaligned, 0);
        equals(cut->seen.odd_lengths, 0);
        equals(cut->seen.too_long, 0);
        equals(cut->seen.payload_bytes, SIZE - 1 - lengths[i]);
    }
}

BEHAVIOUR("the data of an odd address in the sender arrives aligned", SPIN)
{
    struct cut *cut = cut_new(job, process, 16, SIZE - 1);
    if (job->target)
        spin_open(job, &cut->what);
    job_barrier(job);
    if (job->initiator) {
        unsigned char *data = job_memory(job, SIZE);
        job_fill(data + 1, SIZE - 1, SPIN_SEED);
        ok(put(job_md(job, data, SIZE), SIZE - 1, .local_offset = 1));
    }
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_PUT);
        equals(cut->seen.misaligned, 0);
        holds(job_filled(cut->memory, SIZE - 17, SPIN_SEED + 16));
    }
    job_barrier(job);
}
