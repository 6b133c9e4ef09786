/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a host hands to a core of 32 bits: images, each with a range and a digest of the pieces
 * that the host finds there. The core has no libc.
 */
#ifndef WEFT_TESTS_NARROW_RECORD_H
#define WEFT_TESTS_NARROW_RECORD_H

#include "offload/image.h"
#include "type/walk.h"

struct record {
    uint64_t bytes; /* of the image, which follows */
    uint64_t offset, length;
    uint64_t digest;
};

#define RECORD_LARGEST ((uint64_t)1 << 20)

struct record_digest {
    struct weft_type_sink sink;
    uint64_t value;
};

static inline void record_add(struct record_digest *digest, uint64_t number)
{
    digest->value = (digest->value ^ number) * UINT64_C(0x9E3779B97F4A7C15);
    digest->value ^= digest->value >> 29;
}

/* Of addresses, what 32 bits hold. */
static inline bool record_piece(struct weft_type_sink *sink, weft_type_address mem,
                                uint64_t length)
{
    struct record_digest *digest = (struct record_digest *)sink;
    record_add(digest, (uint32_t)mem);
    record_add(digest, length);
    return true;
}

static inline bool record_run(struct weft_type_sink *sink, const struct weft_type_run *run)
{
    struct weft_type_stepper step = {.run = run};
    struct weft_type_piece piece;
    while (weft_type_stepper_next(&step, &piece))
        record_piece(sink, piece.mem, piece.length);
    return true;
}

static inline uint64_t record_walk(const struct weft_offload_image *image, uint64_t offset,
                                   uint64_t length)
{
    struct record_digest digest = {.sink = {record_piece, record_run}};
    weft_type_walk(weft_offload_image_at(image, image->root), 0, offset, length, &digest.sink);
    return digest.value;
}

#endif
