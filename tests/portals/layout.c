/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors and entries whose bytes only functions know. */
#include <portals4_layout.h>

#include "portals/job.h"

#define SIZE 12000 /* packed bytes: several packets of the simulated world */
#define BLOCK 24
#define STRIDE 40

/* Blocks at a stride, from the front or from the back. */
struct blocks {
    unsigned char *memory;
    bool backwards;
};

static unsigned char *byte_at(const struct blocks *blocks, ptl_size_t offset)
{
    ptl_size_t block = offset / BLOCK;
    if (blocks->backwards)
        block = SIZE / BLOCK - 1 - block;
    return blocks->memory + block * STRIDE + offset % BLOCK;
}

static void gather(const void *context, ptl_size_t offset, void *to, ptl_size_t length)
{
    for (ptl_size_t i = 0; i < length; i++)
        ((unsigned char *)to)[i] = *byte_at(context, offset + i);
}

static void scatter(const void *context, ptl_size_t offset, const void *from, ptl_size_t length)
{
    for (ptl_size_t i = 0; i < length; i++)
        *byte_at(context, offset + i) = ((const unsigned char *)from)[i];
}

static struct blocks blocks_of(struct job *job, bool backwards)
{
    return (struct blocks){.memory = job_memory(job, SIZE / BLOCK * STRIDE),
                           .backwards = backwards};
}

static ptl_layout_t layout_of(const struct blocks *blocks)
{
    return (ptl_layout_t){.length = SIZE, .gather = gather, .scatter = scatter, .context = blocks};
}

static void fill(const struct blocks *blocks, unsigned seed)
{
    for (unsigned i = 0; i < SIZE; i++)
        *byte_at(blocks, i) = (unsigned char)(seed + i);
}

/* Packed bytes [from, to) are there, and nothing is between the blocks. */
static bool is_filled(const struct blocks *blocks, unsigned seed, unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        if (*byte_at(blocks, i) != (unsigned char)(seed + i))
            return false;
    for (unsigned i = 0; i < SIZE / BLOCK; i++)
        for (unsigned j = BLOCK; j < STRIDE; j++)
            if (blocks->memory[i * STRIDE + j])
                return false;
    return true;
}

static ptl_handle_md_t bind(struct job *job, const struct blocks *blocks, ptl_handle_ct_t ct,
                            unsigned options)
{
    ptl_layout_t layout = layout_of(blocks);
    return job_bind(job, &layout, 0, PTL_LAYOUT | PTL_MD_EVENT_SEND_DISABLE | options, job->eq,
                    ct);
}

BEHAVIOUR("a put goes from one layout into another")
{
    struct blocks target = blocks_of(job, true), source = blocks_of(job, false);
    ptl_layout_t layout = layout_of(&target);
    if (job->target)
        post(&layout, .options = PTL_ME_OP_PUT | PTL_LAYOUT);
    job_barrier(job);
    if (job->initiator) {
        fill(&source, 3);
        ptl_handle_md_t md = bind(job, &source, PTL_CT_NONE, 0);
        ok(put(md, SIZE - 100, .local_offset = 100, .remote_offset = 100, .ack = PTL_ACK_REQ));
        equals(next_event(job->eq, PTL_EVENT_ACK).mlength, SIZE - 100);
    }
    if (job->target) {
        ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT);
        equals(event.mlength, SIZE - 100);
        holds(event.start == NULL);
        holds(is_filled(&target, 3, 100, SIZE));
    }
}

BEHAVIOUR("a put is cut off at the end of a layout")
{
    struct blocks target = blocks_of(job, false), source = blocks_of(job, false);
    ptl_layout_t layout = layout_of(&target);
    if (job->target)
        post(&layout, .options = PTL_ME_OP_PUT | PTL_LAYOUT);
    job_barrier(job);
    if (job->initiator) {
        fill(&source, 8);
        ptl_handle_md_t md = bind(job, &source, PTL_CT_NONE, 0);
        gives(PTL_ARG_INVALID, put(md, 1, .local_offset = SIZE));
        ok(put(md, 50, .local_offset = SIZE - 50, .remote_offset = SIZE - 20, .ack = PTL_ACK_REQ));
        equals(next_event(job->eq, PTL_EVENT_ACK).mlength, 20);
    }
    if (job->target) {
        equals(next_event(job->target_eq, PTL_EVENT_PUT).mlength, 20);
        holds(is_filled(&target, 8 - 30, SIZE - 20, SIZE));
    }
}

/* Chunks of a layout, each of which is asked for when the last has come, without the program. */
#define CHUNK 3500

BEHAVIOUR("triggered gets pull one layout into another, chunk by chunk")
{
    struct blocks target = blocks_of(job, false), source = blocks_of(job, true);
    ptl_layout_t layout = layout_of(&source);
    fill(&source, 77);
    if (job->target)
        post(&layout, .options = PTL_ME_OP_GET | PTL_LAYOUT);
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_ct_t ct = job_ct(job);
        ptl_handle_md_t md =
            bind(job, &target, ct, PTL_MD_EVENT_SUCCESS_DISABLE | PTL_MD_EVENT_CT_REPLY);
        unsigned chunks = 0;
        for (ptl_size_t at = 0; at < SIZE; at += CHUNK, chunks++) {
            ptl_size_t length = SIZE - at < CHUNK ? SIZE - at : CHUNK;
            ok(get_when(ct, chunks + 1, md, length, .local_offset = at, .remote_offset = at));
        }
        ok(PtlCTInc(ct, (ptl_ct_event_t){1, 0}));
        counts(ct, chunks + 1, 0);
        holds(is_filled(&target, 77, 0, SIZE));
    }
    job_barrier(job);
}

BEHAVIOUR("an atomic operation finds its items in a layout")
{
    struct blocks target = blocks_of(job, false);
    ptl_layout_t layout = layout_of(&target);
    if (job->target)
        post(&layout, .options = PTL_ME_OP_PUT | PTL_LAYOUT);
    job_barrier(job);
    if (job->initiator) {
        uint64_t ones[4] = {1, 1, 1, 1};
        ptl_handle_md_t md = job_md(job, ones, sizeof ones);
        for (unsigned i = 0; i < 2; i++) {
            ok(atomic(md, sizeof ones, .remote_offset = BLOCK - 16, .operation = PTL_SUM,
                      .datatype = PTL_UINT64_T, .ack = PTL_ACK_REQ));
            next_event(job->eq, PTL_EVENT_ACK);
        }
    }
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_ATOMIC);
        next_event(job->target_eq, PTL_EVENT_ATOMIC);
        for (unsigned i = 0; i < 4; i++)
            equals(*byte_at(&target, BLOCK - 16 + i * 8), 2);
    }
}

static int status(struct job *job, ptl_sr_index_t index)
{
    ptl_sr_value_t value;
    ok(PtlNIStatus(job->ni, index, &value));
    return value;
}

/* Puts all of it into an entry that takes so much of the NIC. */
static void put_with_memory(struct job *job, struct blocks *target, ptl_size_t memory)
{
    struct blocks source = blocks_of(job, false);
    ptl_layout_t layout = layout_of(target);
    layout.memory = memory;
    if (job->target)
        post(&layout, .options = PTL_ME_OP_PUT | PTL_LAYOUT | PTL_ME_USE_ONCE |
                                 PTL_ME_EVENT_UNLINK_DISABLE);
    job_barrier(job);
    if (job->initiator) {
        fill(&source, 5);
        ok(put(bind(job, &source, PTL_CT_NONE, 0), SIZE));
    }
    if (job->target) {
        equals(next_event(job->target_eq, PTL_EVENT_PUT).mlength, SIZE);
        holds(is_filled(target, 5, 0, SIZE));
    }
    job_barrier(job);
}

BEHAVIOUR("a layout that the NIC has no memory for is scattered by who receives")
{
    struct blocks target = blocks_of(job, true);
    put_with_memory(job, &target, 0);
    int packets =
        status(job, PTL_SR_HPU_SCATTERED); /* none without HPUs, or if stages take time */
    if (job->target && job->world == JOB_SHM)
        holds((packets > 0) == (job->hpus > 0));
    equals(status(job, PTL_SR_HPU_REFUSED), 0);
    put_with_memory(job, &target, (ptl_size_t)1 << 40);
    equals(status(job, PTL_SR_HPU_REFUSED), packets);
    equals(status(job, PTL_SR_HPU_SCATTERED), packets);
    put_with_memory(job, &target, 1000);
    equals(status(job, PTL_SR_HPU_REFUSED), packets);
    equals(status(job, PTL_SR_HPU_SCATTERED), 2 * packets);
}

BEHAVIOUR("a layout needs both functions, and is no list of pieces")
{
    struct blocks blocks = blocks_of(job, false);
    ptl_layout_t layout = layout_of(&blocks);
    ptl_handle_md_t handle;
    ptl_md_t md = {.start = &layout,
                   .options = PTL_LAYOUT | PTL_IOVEC,
                   .eq_handle = PTL_EQ_NONE,
                   .ct_handle = PTL_CT_NONE};
    gives(PTL_ARG_INVALID, PtlMDBind(job->ni, &md, &handle));
    md.options = PTL_LAYOUT;
    layout.gather = NULL;
    gives(PTL_ARG_INVALID, PtlMDBind(job->ni, &md, &handle));
    layout.gather = gather;
    layout.scatter = NULL;
    gives(PTL_ARG_INVALID, PtlMDBind(job->ni, &md, &handle));
    md.start = NULL;
    gives(PTL_ARG_INVALID, PtlMDBind(job->ni, &md, &handle));
}
