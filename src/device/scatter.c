/* SPDX-License-Identifier: BSD-3-Clause */
/* type/pack.h on the core of a NIC: without kernels, each piece is one DMA. */
#include "device/put.h"
#include "type/pack.h"
#include "type/walk.h"

struct weft_device_sink {
    struct weft_type_sink sink;
    const unsigned char *packed;
};

static bool put_piece(struct weft_type_sink *sink, weft_type_address mem, uint64_t length)
{
    struct weft_device_sink *to = (struct weft_device_sink *)sink;
    weft_device_put(mem, to->packed, length);
    to->packed += length;
    return true;
}

/* The loops that most packets are: what the stepper would find out for each piece. */
static void put_strided(struct weft_device_sink *to, const struct weft_type_run *run)
{
    const unsigned char *packed = to->packed;
    const uint64_t block = run->block;
    const int64_t stride = run->stride;
    for (uint64_t row = 0; row < run->rows; row++) {
        weft_type_address mem = weft_type_address_add(run->mem, (int64_t)row * run->row_stride);
        const unsigned char *end = packed + run->count * block;
        for (; packed != end; packed += block) {
            weft_device_put(mem, packed, block);
            mem = weft_type_address_add(mem, stride);
        }
    }
    to->packed = packed;
}

/* Places of 32 or of 64 bits. */
static inline __attribute__((always_inline)) const unsigned char *
put_list(const struct weft_type_run *run, weft_type_address mem, const unsigned char *packed,
         bool wide)
{
    const uint64_t block = run->block;
    const unsigned char *end = packed + run->count * block;
    const int32_t *near = run->where;
    const int64_t *far = run->where;
    for (; packed != end; packed += block)
        weft_device_put(weft_type_address_add(mem, wide ? *far++ : *near++), packed, block);
    return packed;
}

static void put_listed(struct weft_device_sink *to, const struct weft_type_run *run)
{
    for (uint64_t row = 0; row < run->rows; row++) {
        weft_type_address mem = weft_type_address_add(run->mem, (int64_t)row * run->row_stride);
        to->packed = run->wide_where ? put_list(run, mem, to->packed, true)
                                     : put_list(run, mem, to->packed, false);
    }
}

static bool put_run(struct weft_type_sink *sink, const struct weft_type_run *run)
{
    if (run->shape == WEFT_TYPE_RUN_STRIDED) {
        put_strided((struct weft_device_sink *)sink, run);
        return true;
    }
    if (run->shape == WEFT_TYPE_RUN_LISTED) {
        put_listed((struct weft_device_sink *)sink, run);
        return true;
    }
    struct weft_type_stepper step = {.run = run};
    struct weft_type_piece piece;
    while (weft_type_stepper_next(&step, &piece))
        put_piece(sink, piece.mem, piece.length);
    return true;
}

void weft_type_scatter(const struct weft_type_node *node, weft_type_address mem, uint64_t offset,
                       const void *packed, uint64_t length)
{
    struct weft_device_sink sink = {.sink = {put_piece, put_run}, .packed = packed};
    weft_type_walk(node, mem, offset, length, &sink.sink);
}
