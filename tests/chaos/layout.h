/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of a descriptor or list entry as the model sees it: spans of an area. The same layout is
 * laid over the real area and over the model's copy of it.
 */
#ifndef WEFT_TESTS_CHAOS_LAYOUT_H
#define WEFT_TESTS_CHAOS_LAYOUT_H

#include <portals4.h>
#include <stdbool.h>
#include <stdint.h>

#include "support/rng.h"

#define LAYOUT_SPANS 8u

struct layout_span {
    uint32_t at;
    uint32_t length;
};

struct layout {
    struct layout_span spans[LAYOUT_SPANS];
    unsigned count;
    uint64_t length;
    bool is_vector; /* the program describes it by a ptl_iovec_t array */
};

struct layout layout_plain(uint32_t at, uint32_t length);

/* Spans of `length` bytes in all, anywhere in the area: they may touch, be empty or overlap. */
struct layout layout_scattered(struct rng *rng, uint32_t area, uint32_t length);

/* The whole area in shuffled parts: each byte once. */
struct layout layout_shuffled(struct rng *rng, uint32_t area);

/* What to tell Portals; `vector` must live as long as the descriptor. Returns PTL_IOVEC or 0. */
unsigned layout_describe(const struct layout *layout, unsigned char *area, ptl_iovec_t *vector,
                         void **start, ptl_size_t *length);

/* Offsets count within the layout; ranges must lie inside it. */
void layout_read(const struct layout *layout, const unsigned char *area, uint64_t offset, void *to,
                 uint64_t size);
void layout_write(const struct layout *layout, unsigned char *area, uint64_t offset,
                  const void *from, uint64_t size);
void layout_fill(const struct layout *layout, unsigned char *area, uint64_t offset, int byte,
                 uint64_t size);
unsigned char *layout_at(const struct layout *layout, unsigned char *area, uint64_t offset);
bool layout_equals(const struct layout *layout, const unsigned char *a, const unsigned char *b,
                   uint64_t offset, uint64_t size);

#endif
