/* SPDX-License-Identifier: BSD-3-Clause */
/* Many messages, many ranks: order, fairness and nothing lost. */
#include "portals/job.h"

BEHAVIOUR("puts of one process to another are taken in the order in which they were sent")
{
    enum { COUNT = 3000, WINDOW = 100 };
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT);
    job_barrier(job);
    ptl_handle_md_t md = job_md(job, NULL, 0);
    for (unsigned i = 0; i < COUNT; i++) {
        if (job->initiator)
            ok(put(md, 0, .hdr_data = i));
        if (job->target && !equals(next_event(job->target_eq, PTL_EVENT_PUT).hdr_data, i))
            break;
        if (i % WINDOW == WINDOW - 1)
            job_barrier(job); /* so that the queue is not overrun */
    }
}

BEHAVIOUR("long and short puts of one process are matched in the order in which they were sent",
          .needs = PTL_NI_MATCHING)
{
    enum { COUNT = 40, LONG = 50000, SHORT = 10 };
    unsigned char *bytes = job_memory(job, COUNT * LONG);
    if (job->target)
        post(bytes, COUNT * LONG, PTL_ME_OP_PUT | PTL_ME_MANAGE_LOCAL);
    job_barrier(job);
    if (job->initiator) {
        unsigned char *out = job_memory(job, LONG + COUNT);
        job_fill(out, LONG + COUNT, 0);
        ptl_handle_md_t md = job_md(job, out, LONG + COUNT);
        for (unsigned i = 0; i < COUNT; i++)
            ok(put(md, i % 2 ? SHORT : LONG, .local_offset = i, .hdr_data = i));
    }
    if (job->target) {
        /* The place in the entry tells the order of matching. */
        for (unsigned i = 0; i < COUNT; i++) {
            ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT);
            ptl_size_t number = event.hdr_data;
            ptl_size_t before = (number + 1) / 2 * LONG + number / 2 * SHORT;
            holds(event.start == bytes + before);
            holds(job_filled(event.start, event.mlength, (unsigned)number));
        }
    }
    job_barrier(job);
}

BEHAVIOUR("a later put to one address overwrites an earlier one")
{
    enum { COUNT = 500 };
    uint64_t *value = job_memory(job, 64);
    if (job->target)
        post(value, 64, PTL_ME_OP_PUT | PTL_ME_EVENT_COMM_DISABLE);
    job_barrier(job);
    if (job->initiator) {
        uint64_t *out = job_memory(job, COUNT * 64);
        ptl_handle_ct_t acks = job_ct(job);
        ptl_handle_md_t md =
            job_bind(job, out, COUNT * 64, PTL_MD_EVENT_CT_ACK, PTL_EQ_NONE, acks);
        for (unsigned i = 0; i < COUNT; i++) {
            for (unsigned k = 0; k < 8; k++)
                out[8 * i + k] = i;
            ok(put(md, 64, .local_offset = 64 * i, .ack = PTL_CT_ACK_REQ));
        }
        counts(acks, COUNT, 0);
    }
    job_barrier(job);
    if (job->target)
        for (unsigned k = 0; k < 8; k++)
            equals(value[k], COUNT - 1);
}

BEHAVIOUR("thousands of operations can be under way at once")
{
    enum { COUNT = 5000 };
    ptl_handle_ct_t ct = job_ct(job);
    uint32_t *values = job_memory(job, COUNT * 4);
    if (job->target)
        post(values, COUNT * 4, PTL_ME_OP_PUT | PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_CT_COMM,
             .ct = &ct);
    job_barrier(job);
    if (job->initiator) {
        uint32_t *out = job_memory(job, COUNT * 4);
        ptl_handle_ct_t acks = job_ct(job);
        ptl_handle_md_t md = job_bind(job, out, COUNT * 4, PTL_MD_EVENT_CT_ACK, PTL_EQ_NONE, acks);
        for (uint32_t i = 0; i < COUNT; i++) {
            out[i] = i + 1;
            ok(put(md, 4, .local_offset = 4 * i, .remote_offset = 4 * i, .ack = PTL_CT_ACK_REQ));
        }
        counts(acks, COUNT, 0);
    }
    if (job->target) {
        counts(ct, COUNT, 0);
        for (uint32_t i = 0; i < COUNT; i++)
            if (!equals(values[i], i + 1))
                break;
    }
    job_barrier(job);
}

BEHAVIOUR("messages of several processes keep their order, each among its own", .ranks = 5,
          .sim_ranks = 16)
{
    enum { COUNT = 30 };
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, NULL, 0);
        for (unsigned i = 0; i < COUNT; i++)
            ok(put(md, 0, .hdr_data = job->rank * 1000 + i));
    }
    if (job->target) {
        unsigned next[64] = {0};
        for (unsigned i = 0; i < COUNT * (job->size - 1); i++) {
            ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT);
            unsigned rank = (unsigned)event.hdr_data / 1000 % 64;
            equals(event.hdr_data % 1000, next[rank]++);
        }
    }
    job_barrier(job);
}

BEHAVIOUR("all ranks put to all ranks", .ranks = 8, .sim_ranks = 64)
{
    enum { SIZE = 3000 };
    unsigned char *in = job_memory(job, SIZE * job->size);
    unsigned char *out = job_memory(job, SIZE + 64 * 64);
    ptl_handle_ct_t ct = job_ct(job);
    job_fill(out, SIZE + 64 * 64, 0);
    post(in, SIZE * job->size, PTL_ME_OP_PUT | PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_CT_COMM,
         .ct = &ct);
    job_barrier(job);
    ptl_handle_md_t md = job_md(job, out, SIZE + 64 * 64);
    for (unsigned step = 0; step < job->size; step++) {
        unsigned rank = (job->rank + step) % job->size;
        ok(put(md, SIZE, .to = rank, .local_offset = job->rank * 64 + rank,
               .remote_offset = (ptl_size_t)SIZE * job->rank));
    }
    counts(ct, job->size, 0);
    for (unsigned rank = 0; rank < job->size; rank++)
        holds(job_filled(in + SIZE * rank, SIZE, rank * 64 + job->rank));
    job_barrier(job);
}

BEHAVIOUR("all ranks get from all ranks", .ranks = 8, .sim_ranks = 64)
{
    enum { SIZE = 5000 };
    unsigned char *source = job_memory(job, SIZE);
    unsigned char *in = job_memory(job, SIZE * job->size);
    ptl_handle_ct_t ct = job_ct(job);
    job_fill(source, SIZE, job->rank * 3);
    post(source, SIZE, PTL_ME_OP_GET | PTL_ME_EVENT_COMM_DISABLE);
    job_barrier(job);
    ptl_handle_md_t md =
        job_bind(job, in, SIZE * job->size, PTL_MD_EVENT_CT_REPLY, PTL_EQ_NONE, ct);
    for (unsigned rank = 0; rank < job->size; rank++)
        ok(get(md, SIZE, .to = rank, .local_offset = (ptl_size_t)SIZE * rank));
    counts(ct, job->size, 0);
    for (unsigned rank = 0; rank < job->size; rank++)
        holds(job_filled(in + SIZE * rank, SIZE, rank * 3));
    job_barrier(job);
}

BEHAVIOUR("long puts of all ranks to one arrive whole", .ranks = 8, .sim_ranks = 32)
{
    enum { SIZE = 200000 };
    unsigned char *in = job_memory(job, job->target ? (size_t)SIZE * job->size : 1);
    ptl_handle_ct_t ct = job_ct(job);
    if (job->target)
        post(in, (ptl_size_t)SIZE * job->size,
             PTL_ME_OP_PUT | PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_CT_COMM |
                 PTL_ME_EVENT_CT_BYTES,
             .ct = &ct);
    job_barrier(job);
    if (job->initiator) {
        unsigned char *out = job_memory(job, SIZE);
        job_fill(out, SIZE, job->rank);
        ok(put(job_md(job, out, SIZE), SIZE, .remote_offset = (ptl_size_t)SIZE * job->rank,
               .ack = PTL_ACK_REQ));
        next_event(job->eq, PTL_EVENT_ACK);
    }
    if (job->target) {
        counts(ct, (ptl_size_t)SIZE * (job->size - 1), 0);
        for (unsigned rank = 1; rank < job->size; rank++)
            holds(job_filled(in + (size_t)SIZE * rank, SIZE, rank));
    }
    job_barrier(job);
}

BEHAVIOUR("neighbours of a ring exchange for many steps", .ranks = 8, .sim_ranks = 64)
{
    enum { STEPS = 20, SIZE = 500 };
    unsigned char *in = job_memory(job, 2 * SIZE), *out = job_memory(job, SIZE);
    ptl_handle_ct_t ct = job_ct(job);
    post(in, 2 * SIZE, PTL_ME_OP_PUT | PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_CT_COMM,
         .ct = &ct);
    ptl_handle_md_t md = job_md(job, out, SIZE);
    unsigned left = (job->rank + job->size - 1) % job->size, right = (job->rank + 1) % job->size;
    for (unsigned step = 0; step < STEPS; step++) {
        job_barrier(job);
        job_fill(out, SIZE, job->rank + step);
        ok(put(md, SIZE, .to = left, .remote_offset = SIZE, .ack = PTL_ACK_REQ));
        ok(put(md, SIZE, .to = right, .ack = PTL_ACK_REQ));
        next_event(job->eq, PTL_EVENT_ACK);
        next_event(job->eq, PTL_EVENT_ACK);
        counts(ct, 2 * (step + 1), 0);
        holds(job_filled(in, SIZE, left + step));
        holds(job_filled(in + SIZE, SIZE, right + step));
    }
    job_barrier(job);
}

BEHAVIOUR("a process sends to itself beside others", .ranks = 3)
{
    enum { SIZE = 100000 };
    unsigned char *in = job_memory(job, SIZE), *out = job_memory(job, SIZE);
    job_fill(out, SIZE, job->rank);
    post(in, SIZE, PTL_ME_OP_PUT | PTL_ME_OP_GET);
    job_barrier(job);
    ok(put(job_md(job, out, SIZE), SIZE, .to = job->rank, .ack = PTL_ACK_REQ));
    next_event(job->eq, PTL_EVENT_ACK);
    next_event(job->target_eq, PTL_EVENT_PUT);
    holds(job_filled(in, SIZE, job->rank));
    unsigned char *back = job_memory(job, SIZE);
    ok(get(job_md(job, back, SIZE), SIZE, .to = job->rank));
    next_event(job->eq, PTL_EVENT_REPLY);
    next_event(job->target_eq, PTL_EVENT_GET);
    holds(job_filled(back, SIZE, job->rank));
    job_barrier(job);
}

BEHAVIOUR("random operations of all ranks on all ranks add up", .ranks = 6, .sim_ranks = 40)
{
    enum { CELLS = 16, COUNT = 60 };
    uint64_t *cells = job_memory(job, CELLS * 8), *one = job_memory(job, 8);
    ptl_handle_ct_t acks = job_ct(job);
    *one = 1;
    post(cells, CELLS * 8, PTL_ME_OP_PUT | PTL_ME_EVENT_COMM_DISABLE);
    job_barrier(job);
    ptl_handle_md_t md = job_bind(job, one, 8, PTL_MD_EVENT_CT_ACK, PTL_EQ_NONE, acks);
    uint64_t state = job->rank * 77 + 1;
    for (unsigned i = 0; i < COUNT; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        ok(atomic(md, 8, .to = (unsigned)(state >> 40) % job->size,
                  .remote_offset = (state >> 33) % CELLS * 8, .ack = PTL_CT_ACK_REQ,
                  .operation = PTL_SUM, .datatype = PTL_UINT64_T));
    }
    counts(acks, COUNT, 0);
    job_barrier(job);
    uint64_t mine = 0;
    for (unsigned i = 0; i < CELLS; i++)
        mine += cells[i];
    atomic_fetch_add(&job->verdict->tally, (unsigned)mine);
    job_barrier(job);
    equals(atomic_load(&job->verdict->tally), COUNT * job->size);
    job_barrier(job);
}
