/* SPDX-License-Identifier: BSD-3-Clause */
#include "chaos/layout.h"

#include <string.h>

struct layout layout_plain(uint32_t at, uint32_t length)
{
    return (struct layout){.spans = {{at, length}}, .count = 1, .length = length};
}

struct layout layout_scattered(struct rng *rng, uint32_t area, uint32_t length)
{
    struct layout layout = {
        .count = (unsigned)rng_below(rng, LAYOUT_SPANS) + 1, .length = length, .is_vector = true};
    uint32_t left = length;
    for (unsigned i = 0; i < layout.count; i++) {
        uint32_t part = i + 1 == layout.count ? left : (uint32_t)rng_below(rng, left + 1);
        layout.spans[i] = (struct layout_span){(uint32_t)rng_below(rng, area - part + 1), part};
        left -= part;
    }
    return layout;
}

struct layout layout_shuffled(struct rng *rng, uint32_t area)
{
    uint32_t part = area / LAYOUT_SPANS;
    struct layout layout = {.count = LAYOUT_SPANS, .length = area, .is_vector = true};
    for (unsigned i = 0; i < LAYOUT_SPANS; i++) {
        unsigned other = (unsigned)rng_below(rng, i + 1);
        layout.spans[i] = layout.spans[other];
        layout.spans[other] = (struct layout_span){i * part, part};
    }
    return layout;
}

unsigned layout_describe(const struct layout *layout, unsigned char *area, ptl_iovec_t *vector,
                         void **start, ptl_size_t *length)
{
    if (!layout->is_vector) {
        *start = area + layout->spans[0].at;
        *length = layout->length;
        return 0;
    }
    for (unsigned i = 0; i < layout->count; i++)
        vector[i] = (ptl_iovec_t){area + layout->spans[i].at, layout->spans[i].length};
    *start = vector;
    *length = layout->count;
    return PTL_IOVEC;
}

/* Where the byte at `offset` is in the area, and how many of `size` follow it there. */
static uint64_t run_at(const struct layout *layout, uint64_t offset, uint64_t size, uint32_t *at)
{
    for (unsigned i = 0; i < layout->count; i++) {
        const struct layout_span *span = &layout->spans[i];
        if (offset < span->length) {
            *at = span->at + (uint32_t)offset;
            uint64_t left = span->length - offset;
            return left < size ? left : size;
        }
        offset -= span->length;
    }
    *at = 0;
    return size;
}

void layout_read(const struct layout *layout, const unsigned char *area, uint64_t offset, void *to,
                 uint64_t size)
{
    for (uint64_t done = 0, run; done < size; done += run) {
        uint32_t at;
        run = run_at(layout, offset + done, size - done, &at);
        memcpy((unsigned char *)to + done, area + at, run);
    }
}

void layout_write(const struct layout *layout, unsigned char *area, uint64_t offset,
                  const void *from, uint64_t size)
{
    for (uint64_t done = 0, run; done < size; done += run) {
        uint32_t at;
        run = run_at(layout, offset + done, size - done, &at);
        memcpy(area + at, (const unsigned char *)from + done, run);
    }
}

void layout_fill(const struct layout *layout, unsigned char *area, uint64_t offset, int byte,
                 uint64_t size)
{
    for (uint64_t done = 0, run; done < size; done += run) {
        uint32_t at;
        run = run_at(layout, offset + done, size - done, &at);
        memset(area + at, byte, run);
    }
}

unsigned char *layout_at(const struct layout *layout, unsigned char *area, uint64_t offset)
{
    uint32_t at;
    run_at(layout, offset, 1, &at);
    return area + at;
}

bool layout_equals(const struct layout *layout, const unsigned char *a, const unsigned char *b,
                   uint64_t offset, uint64_t size)
{
    for (uint64_t done = 0, run; done < size; done += run) {
        uint32_t at;
        run = run_at(layout, offset + done, size - done, &at);
        if (memcmp(a + at, b + at, run) != 0)
            return false;
    }
    return true;
}
