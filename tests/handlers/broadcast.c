/* SPDX-License-Identifier: BSD-3-Clause */
#include <weft_handlers.h>

#include "spin/spin.h"

#define SIZE 100000
#define BITS 9
#define TAG 5

/* Where ranks are, in the memory of the job. */
static struct weft_handler_job ranks_of(struct job *job)
{
    ptl_process_t *processes = job_memory(job, job->size * sizeof *processes);
    for (unsigned rank = 0; rank < job->size; rank++)
        processes[rank] = job_process(job, rank);
    return (struct weft_handler_job){job->rank, job->size, processes};
}

static void send(struct job *job, const struct weft_handler_peers *children)
{
    unsigned char *data = job_memory(job, SIZE);
    job_fill(data, SIZE, 11);
    ptl_handle_md_t md = job_md(job, data, SIZE);
    for (uint32_t i = 0; i < children->count; i++)
        ok(PtlPut(md, 0, SIZE, PTL_NO_ACK_REQ, children->process[i], job->pt, BITS, 0, NULL, TAG));
}

/* Every byte once; says in how many messages they came. */
static unsigned receive(struct job *job, const struct weft_handler_broadcast *broadcast)
{
    unsigned char *memory = job_memory(job, SIZE);
    ptl_handle_ct_t bytes = job_ct(job);
    ptl_handlers_t handlers;
    unsigned messages = 0;
    ptl_size_t received = 0;
    ok(weft_handler_broadcast(job->ni, broadcast, &handlers));
    post_spin(&handlers, memory, SIZE, .bits = BITS, .ct = &bytes,
              .options = PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_CT_BYTES);
    job_barrier(job);
    counts(bytes, SIZE, 0);
    holds(job_filled(memory, SIZE, 11));
    while (received < SIZE && !atomic_load(&job->verdict->failures)) {
        ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT);
        equals(event.hdr_data, TAG);
        received += event.mlength;
        messages++;
    }
    equals(received, SIZE);
    job_barrier(job);
    no_event(job->target_eq);
    return messages;
}

static unsigned run(struct job *job, ptl_rank_t root, ptl_size_t stream)
{
    struct weft_handler_job ranks = ranks_of(job);
    const struct weft_handler_broadcast broadcast = {
        .match_bits = BITS, .stream = stream, .children = weft_handler_children(&ranks, root)};
    if (job->rank != root)
        return receive(job, &broadcast);
    job_barrier(job);
    send(job, &broadcast.children);
    job_barrier(job);
    return 1;
}

BEHAVIOUR("broadcast, stored: everybody gets one message", SPIN, .ranks = 4, .sim_ranks = 13)
{
    equals(run(job, 0, WEFT_HANDLER_STORE), 1);
}

BEHAVIOUR("broadcast, streamed: everybody gets every byte once", SPIN, .ranks = 4, .sim_ranks = 13)
{
    /* The root sends to the ranks of one bit. */
    bool is_far = job->rank & (job->rank - 1);
    equals(run(job, 0, WEFT_HANDLER_STREAM) > 1, is_far);
}

BEHAVIOUR("broadcast: any rank may be the root", SPIN, .ranks = 3, .sim_ranks = 16)
{
    run(job, job->size - 1, WEFT_HANDLER_STREAM);
}

BEHAVIOUR("every rank but the root is the child of one", SPIN, .ranks = 1)
{
    for (ptl_rank_t size = 1; size < 70; size++)
        for (ptl_rank_t root = 0; root < size; root += 3) {
            unsigned parents[70] = {0};
            for (ptl_rank_t rank = 0; rank < size; rank++) {
                const struct weft_handler_job ranks = {rank, size, NULL};
                struct weft_handler_peers children = weft_handler_children(&ranks, root);
                for (uint32_t i = 0; i < children.count; i++)
                    parents[children.process[i].rank]++;
            }
            for (ptl_rank_t rank = 0; rank < size; rank++)
                equals(parents[rank], rank != root);
        }
}
