/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory descriptors, and memory that is described in pieces. */
#include "portals/job.h"

BEHAVIOUR("a descriptor is released once", .ranks = 1)
{
    ptl_handle_md_t md = job_md(job, job_memory(job, 8), 8);
    ok(PtlMDRelease(md));
    gives(PTL_ARG_INVALID, PtlMDRelease(md));
    gives(PTL_ARG_INVALID, put(md, 0));
    gives(PTL_ARG_INVALID, get(md, 0));
}

BEHAVIOUR("PtlMDBind refuses stale and foreign queues and counters", .ranks = 1)
{
    ptl_handle_eq_t stale_eq = job_eq(job, 4);
    ptl_handle_ct_t stale_ct = job_ct(job);
    ptl_handle_md_t handle;
    ok(PtlEQFree(stale_eq));
    ok(PtlCTFree(stale_ct));
    ptl_md_t md = {.eq_handle = stale_eq, .ct_handle = PTL_CT_NONE};
    gives(PTL_ARG_INVALID, PtlMDBind(job->ni, &md, &handle));
    md = (ptl_md_t){.eq_handle = PTL_EQ_NONE, .ct_handle = stale_ct};
    gives(PTL_ARG_INVALID, PtlMDBind(job->ni, &md, &handle));
    gives(PTL_ARG_INVALID, PtlMDBind(job->ni, NULL, &handle));

    ptl_handle_ni_t other = PTL_INVALID_HANDLE;
    unsigned options = (job->matching ? PTL_NI_NO_MATCHING : PTL_NI_MATCHING) | PTL_NI_PHYSICAL;
    ok(PtlNIInit(PTL_IFACE_DEFAULT, options, PTL_PID_ANY, NULL, NULL, &other));
    md = (ptl_md_t){.eq_handle = job->eq, .ct_handle = PTL_CT_NONE};
    gives(PTL_ARG_INVALID, PtlMDBind(other, &md, &handle));
    ok(PtlNIFini(other));
}

BEHAVIOUR("a message must lie inside its descriptor", .ranks = 1)
{
    ptl_handle_md_t md = job_md(job, job_memory(job, 100), 100);
    ptl_handle_md_t in = job_md(job, job_memory(job, 8), 8);
    gives(PTL_ARG_INVALID, put(md, 101));
    gives(PTL_ARG_INVALID, put(md, 1, .local_offset = 100));
    gives(PTL_ARG_INVALID, put(md, 50, .local_offset = 51));
    gives(PTL_ARG_INVALID, put(md, 2, .local_offset = PTL_SIZE_MAX));
    gives(PTL_ARG_INVALID, get(md, 101));
    gives(PTL_ARG_INVALID, get(md, 1, .local_offset = 100));
    gives(PTL_ARG_INVALID, atomic(md, 8, .local_offset = 96, .datatype = PTL_UINT64_T));
    gives(PTL_ARG_INVALID, fetch(md, 16, .get_md = in, .datatype = PTL_UINT64_T));
    gives(PTL_ARG_INVALID, fetch(md, 8, .get_md = in, .get_offset = 1, .datatype = PTL_UINT64_T));
}

BEHAVIOUR("a descriptor without memory sends messages without bytes")
{
    if (job->target)
        post(job_memory(job, 8), 8, PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator) {
        ok(put(job_md(job, NULL, 0), 0, .ack = PTL_ACK_REQ));
        equals(next_event(job->eq, PTL_EVENT_ACK).mlength, 0);
    }
    if (job->target)
        equals(next_event(job->target_eq, PTL_EVENT_PUT).rlength, 0);
}

BEHAVIOUR("a descriptor of all memory takes addresses as offsets")
{
    unsigned char *bytes = job_memory(job, 300);
    if (job->target)
        post(bytes, 300, PTL_ME_OP_PUT | PTL_ME_OP_GET);
    job_barrier(job);
    if (job->initiator) {
        unsigned char *out = job_memory(job, 300), *in = job_memory(job, 300);
        ptl_handle_md_t md = job_md(job, NULL, PTL_SIZE_MAX);
        job_fill(out, 300, 5);
        ok(put(md, 300, .local_offset = (uintptr_t)out, .ack = PTL_ACK_REQ));
        next_event(job->eq, PTL_EVENT_ACK);
        ok(get(md, 300, .local_offset = (uintptr_t)in));
        next_event(job->eq, PTL_EVENT_REPLY);
        holds(job_filled(in, 300, 5));
    }
    job_barrier(job);
}

BEHAVIOUR("an entry of all memory takes addresses as remote offsets")
{
    unsigned char *bytes = job_memory(job, 64);
    if (job->target)
        post(NULL, PTL_SIZE_MAX, PTL_ME_OP_PUT);
    /* The initiator learns the address from a message of the target. */
    else
        post(NULL, 0, PTL_ME_OP_PUT);
    job_barrier(job);
    uintptr_t address = (uintptr_t)bytes;
    if (job->target && job->size > 1)
        ok(put(job_md(job, NULL, 0), 0, .to = 1, .hdr_data = address));
    if (job->initiator) {
        if (job->size > 1)
            address = (uintptr_t)next_event(job->target_eq, PTL_EVENT_PUT).hdr_data;
        unsigned char *out = job_memory(job, 64);
        job_fill(out, 64, 9);
        ok(put(job_md(job, out, 64), 64, .remote_offset = address));
    }
    if (job->target) {
        ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT);
        holds(event.start == bytes);
        equals(event.mlength, 64);
        holds(job_filled(bytes, 64, 9));
    }
}

BEHAVIOUR("a descriptor with an operation under way cannot be released", .apart = true)
{
    enum { LENGTH = 1 << 22 }; /* more than one look can receive */
    unsigned char *bytes = job_memory(job, LENGTH);
    if (job->target)
        post(bytes, LENGTH, PTL_ME_OP_GET);
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, bytes, LENGTH);
        ok(get(md, LENGTH));
        gives(PTL_IN_USE, PtlMDRelease(md));
        next_event(job->eq, PTL_EVENT_REPLY);
        ok(PtlMDRelease(md));
    }
    job_barrier(job);
}

BEHAVIOUR("a descriptor can be released as soon as the last event of its operations is there")
{
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, job_memory(job, 8), 8);
        for (unsigned i = 0; i < 10; i++)
            ok(put(md, 8, .ack = PTL_ACK_REQ));
        for (unsigned i = 0; i < 10; i++)
            next_event(job->eq, PTL_EVENT_ACK);
        ok(PtlMDRelease(md));
    }
    job_barrier(job);
}

BEHAVIOUR("memory of a PTL_MD_VOLATILE descriptor may change as soon as the call returns")
{
    unsigned char *bytes = job_memory(job, 64);
    if (job->target)
        post(bytes, 64, PTL_ME_OP_PUT | PTL_ME_MANAGE_LOCAL * job->matching);
    job_barrier(job);
    if (job->initiator) {
        unsigned char *out = job_memory(job, 64);
        ptl_handle_md_t md = job_bind(job, out, 64, PTL_MD_VOLATILE, PTL_EQ_NONE, PTL_CT_NONE);
        for (unsigned i = 0; i < 8; i++) {
            memset(out, (int)i + 1, 8);
            ok(put(md, 8, .remote_offset = job->matching ? 0 : 8 * i));
            memset(out, 99, 8);
        }
    }
    if (job->target)
        for (unsigned i = 0; i < 8; i++) {
            next_event(job->target_eq, PTL_EVENT_PUT);
            equals(bytes[8 * i], i + 1);
            equals(bytes[8 * i + 7], i + 1);
        }
}

/* ---- Pieces ------------------------------------------------------------------------------- */

/* Cuts memory into pieces of 1, 2, 3, ... bytes with gaps of one byte; says how many bytes the
 * pieces have. */
static ptl_size_t cut(unsigned char *memory, ptl_iovec_t *pieces, unsigned count)
{
    ptl_size_t total = 0;
    for (unsigned i = 0; i < count; i++) {
        pieces[i] = (ptl_iovec_t){.iov_base = memory, .iov_len = i + 1};
        memory += i + 2;
        total += i + 1;
    }
    return total;
}

/* Whether byte `at` of the pieces is what job_fill writes. */
static bool piece_filled(const ptl_iovec_t *pieces, unsigned count, ptl_size_t at,
                         ptl_size_t length, unsigned seed)
{
    for (unsigned i = 0; i<count; at = at> pieces[i].iov_len ? at - pieces[i].iov_len : 0, i++)
        for (ptl_size_t k = at; k < pieces[i].iov_len && length; k++, length--)
            if (((unsigned char *)pieces[i].iov_base)[k] != seed++ % 251)
                return false;
    return length == 0;
}

static void fill_pieces(const ptl_iovec_t *pieces, unsigned count, unsigned seed)
{
    for (unsigned i = 0; i < count; seed += (unsigned)pieces[i].iov_len, i++)
        job_fill(pieces[i].iov_base, pieces[i].iov_len, seed);
}

#define PIECES 40
#define PIECES_MEMORY 2000

BEHAVIOUR("a put gathers the pieces of its descriptor, from an offset inside a piece")
{
    unsigned char *bytes = job_memory(job, PIECES_MEMORY);
    if (job->target)
        post(bytes, PIECES_MEMORY, PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator) {
        ptl_iovec_t *pieces = job_memory(job, PIECES * sizeof *pieces);
        ptl_size_t total = cut(job_memory(job, PIECES_MEMORY), pieces, PIECES);
        fill_pieces(pieces, PIECES, 1);
        ptl_handle_md_t md = job_bind(job, pieces, PIECES, PTL_IOVEC, PTL_EQ_NONE, PTL_CT_NONE);
        ok(put(md, total));
        ok(put(md, total - 31, .local_offset = 30));
        gives(PTL_ARG_INVALID, put(md, total + 1));
    }
    if (job->target) {
        ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT);
        equals(event.mlength, PIECES * (PIECES + 1) / 2);
        next_event(job->target_eq, PTL_EVENT_PUT);
        holds(job_filled(bytes, event.mlength - 31, 31));
    }
    job_barrier(job);
}

BEHAVIOUR("a put scatters over the pieces of its entry, from an offset inside a piece")
{
    ptl_iovec_t *pieces = job_memory(job, PIECES * sizeof *pieces);
    unsigned char *memory = job_memory(job, PIECES_MEMORY);
    ptl_size_t total = cut(memory, pieces, PIECES);
    if (job->target)
        post(pieces, PIECES, PTL_ME_OP_PUT | PTL_IOVEC);
    job_barrier(job);
    if (job->initiator) {
        unsigned char *out = job_memory(job, PIECES_MEMORY);
        job_fill(out, PIECES_MEMORY, 3);
        ok(put(job_md(job, out, PIECES_MEMORY), 100, .remote_offset = 17));
    }
    if (job->target) {
        equals(next_event(job->target_eq, PTL_EVENT_PUT).mlength, 100);
        holds(piece_filled(pieces, PIECES, 17, 100, 3));
        /* The gaps, and what is before. */
        for (unsigned i = 0; i < PIECES; i++)
            equals(((unsigned char *)pieces[i].iov_base)[pieces[i].iov_len], 0);
        equals(memory[0], 0);
        holds(total > 117);
    }
    job_barrier(job);
}

BEHAVIOUR("a put longer than all pieces of its entry is truncated")
{
    ptl_iovec_t *pieces = job_memory(job, PIECES * sizeof *pieces);
    ptl_size_t total = cut(job_memory(job, PIECES_MEMORY), pieces, PIECES);
    if (job->target)
        post(pieces, PIECES, PTL_ME_OP_PUT | PTL_IOVEC);
    job_barrier(job);
    if (job->initiator) {
        unsigned char *out = job_memory(job, PIECES_MEMORY);
        job_fill(out, PIECES_MEMORY, 3);
        ok(put(job_md(job, out, PIECES_MEMORY), PIECES_MEMORY, .ack = PTL_ACK_REQ));
        equals(next_event(job->eq, PTL_EVENT_ACK).mlength, total);
    }
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_PUT);
        holds(piece_filled(pieces, PIECES, 0, total, 3));
    }
}

BEHAVIOUR("a get goes from pieces to pieces of other lengths")
{
    enum { LARGE = 200000 };
    unsigned char *memory = job_memory(job, LARGE + 10);
    /* Some packets long, so that pieces begin in one packet and end in another. */
    ptl_iovec_t source[3] = {{memory + 1, 5}, {memory + 10, 99990}, {memory + 100005, 50}};
    if (job->target) {
        fill_pieces(source, 3, 7);
        post(source, 3, PTL_ME_OP_GET | PTL_IOVEC);
    }
    job_barrier(job);
    if (job->initiator) {
        unsigned char *in = job_memory(job, LARGE);
        ptl_iovec_t into[4] = {
            {in, 40000}, {in + 40001, 3}, {in + 50000, 50000}, {in + 120000, 10042}};
        ptl_handle_md_t md =
            job_bind(job, into, 4, PTL_IOVEC | PTL_MD_EVENT_SEND_DISABLE, job->eq, PTL_CT_NONE);
        ok(get(md, 100045));
        equals(next_event(job->eq, PTL_EVENT_REPLY).mlength, 100045);
        holds(piece_filled(into, 4, 0, 100045, 7));
        equals(in[40000], 0);
        equals(in[40004], 0);
    }
    job_barrier(job);
}

BEHAVIOUR("an atomic operation gathers and scatters its items by pieces")
{
    enum { ITEMS = 6 };
    uint32_t *memory = job_memory(job, 20 * sizeof *memory);
    ptl_iovec_t halves[2] = {{memory, 8}, {memory + 10, 16}};
    if (job->target) {
        for (unsigned i = 0; i < 20; i++)
            memory[i] = 100 + i;
        post(halves, 2, PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_IOVEC);
    }
    job_barrier(job);
    if (job->initiator) {
        uint32_t *out = job_memory(job, 40), *in = job_memory(job, 40);
        /* Pieces that cut items in two, at the initiator. */
        ptl_iovec_t from[3] = {{out, 6}, {(char *)out + 8, 2}, {(char *)out + 12, 16}};
        ptl_iovec_t into[2] = {{in, 10}, {(char *)in + 11, 14}};
        unsigned char data[24];
        for (unsigned i = 0; i < ITEMS; i++)
            memcpy(data + 4 * i, &(uint32_t){1000 * (i + 1)}, 4);
        memcpy(out, data, 6);
        memcpy((char *)out + 8, data + 6, 2);
        memcpy((char *)out + 12, data + 8, 16);
        unsigned options = PTL_IOVEC | PTL_MD_EVENT_SEND_DISABLE;
        ptl_handle_md_t md = job_bind(job, from, 3, options, PTL_EQ_NONE, PTL_CT_NONE);
        ptl_handle_md_t get_md = job_bind(job, into, 2, options, job->eq, PTL_CT_NONE);
        ok(fetch(md, 24, .get_md = get_md, .operation = PTL_SUM, .datatype = PTL_UINT32_T));
        next_event(job->eq, PTL_EVENT_REPLY);
        memcpy(data, in, 10);
        memcpy(data + 10, (char *)in + 11, 14);
        for (unsigned i = 0; i < ITEMS; i++) {
            uint32_t old;
            memcpy(&old, data + 4 * i, 4);
            equals(old, i < 2 ? 100 + i : 108 + i);
        }
    }
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_FETCH_ATOMIC);
        for (unsigned i = 0; i < 20; i++)
            equals(memory[i], 100 + i +
                                  (i < 2              ? 1000 * (i + 1)
                                   : i < 10 || i > 13 ? 0
                                                      : 1000 * (i - 7)));
    }
    job_barrier(job);
}
