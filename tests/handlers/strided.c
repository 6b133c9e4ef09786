/* SPDX-License-Identifier: BSD-3-Clause */
#include <weft_handlers.h>

#include "spin/spin.h"

/* The example of [sPIN17], figure 6, and blocks that no packet is a multiple of. */
static const struct weft_handler_strided figure_6 = {
    .start = 512, .stride = 2560, .blocksize = 1536, .count = 8};
static const struct weft_handler_strided odd = {
    .start = 3, .stride = 29, .blocksize = 13, .count = 4001};
static const struct weft_handler_strided dense = {
    .start = 0, .stride = 700, .blocksize = 700, .count = 100};

static ptl_size_t extent(const struct weft_handler_strided *shape)
{
    return shape->start + shape->count * shape->stride;
}

static ptl_size_t packed_size(const struct weft_handler_strided *shape)
{
    return shape->count * shape->blocksize;
}

static void check(struct job *job, const struct weft_handler_strided *shape,
                  const unsigned char *memory, ptl_size_t packed)
{
    unsigned char *expected = job_memory(job, extent(shape));
    unsigned char *data = job_memory(job, packed_size(shape));
    job_fill(data, packed_size(shape), 5);
    for (ptl_size_t i = 0; i < packed; i++)
        expected[shape->start + i / shape->blocksize * shape->stride + i % shape->blocksize] =
            data[i];
    equals(memcmp(memory, expected, extent(shape)), 0);
}

static unsigned char *attach(struct job *job, const struct weft_handler_strided *shape)
{
    unsigned char *memory = job_memory(job, extent(shape));
    ptl_handlers_t handlers;
    ok(weft_handler_strided(job->ni, shape, &handlers));
    post_spin(&handlers, memory, extent(shape), .options = PTL_ME_OP_PUT);
    return memory;
}

/* In so many messages, each of which is a part of the packed data. */
static void scatter(struct job *job, const struct weft_handler_strided *shape, unsigned parts)
{
    ptl_size_t size = packed_size(shape), part = size / parts;
    if (job->target) {
        const unsigned char *memory = attach(job, shape);
        job_barrier(job);
        for (unsigned i = 0; i < parts; i++)
            next_event(job->target_eq, PTL_EVENT_PUT);
        check(job, shape, memory, size);
    } else {
        unsigned char *data = job_memory(job, size);
        job_fill(data, size, 5);
        ptl_handle_md_t md = job_md(job, data, size);
        job_barrier(job);
        for (unsigned i = 0; i < parts; i++) {
            ptl_size_t begin = i * part, end = i + 1 < parts ? begin + part : size;
            ok(put(md, end - begin, .local_offset = begin, .remote_offset = begin,
                   .ack = PTL_ACK_REQ));
        }
        for (unsigned i = 0; i < parts; i++)
            next_event(job->eq, PTL_EVENT_ACK);
    }
    job_barrier(job);
}

BEHAVIOUR("strided: blocks longer than half a packet", SPIN, .ranks = 2)
{
    scatter(job, &figure_6, 1);
}

BEHAVIOUR("strided: many short blocks of an odd length", SPIN, .ranks = 2)
{
    scatter(job, &odd, 1);
}

BEHAVIOUR("strided: blocks that touch each other", SPIN, .ranks = 2)
{
    scatter(job, &dense, 1);
}

BEHAVIOUR("strided: the packed data in several messages", SPIN, .ranks = 2)
{
    scatter(job, &odd, 7);
}

BEHAVIOUR("strided: more than the blocks can hold fails, and what fits is there", SPIN, .ranks = 2)
{
    static const struct weft_handler_strided small = {
        .start = 0, .stride = 64, .blocksize = 16, .count = 16};
    enum { FITS = 256, SIZE = 272 };
    if (job->target) {
        const unsigned char *memory = attach(job, &small);
        job_barrier(job);
        next_failure(job->target_eq, PTL_EVENT_PUT, PTL_NI_SEGV);
        check(job, &small, memory, FITS);
    } else {
        unsigned char *data = job_memory(job, SIZE);
        job_fill(data, SIZE, 5);
        job_barrier(job);
        ok(put(job_md(job, data, SIZE), SIZE, .ack = PTL_ACK_REQ));
        next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_SEGV);
    }
    job_barrier(job);
}
