/* SPDX-License-Identifier: BSD-3-Clause */
/* Random blocks on so many pages that packing waits for them, against a plain loop. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/notation.h"
#include "support/rng.h"
#include "support/tap.h"

#define TRIALS 100
#define MOST_BLOCKS 2600
#define MOST_BYTES 80
#define MOST_STRIDE 4300
#define WINDOW (MOST_BLOCKS * MOST_STRIDE)
#define CANARY 0x5A

/* In rows that follow one another at the same stride, or with a block left out between them. */
struct far {
    size_t bytes, count, rows;
    ptrdiff_t stride, row_stride, origin;
};

static struct far draw(struct rng *rng)
{
    struct far far = {.bytes = 1 + rng_below(rng, MOST_BYTES)};
    far.rows = 1 + rng_below(rng, 40);
    far.stride = rng_between(rng, 4096 - MOST_BYTES, MOST_STRIDE);
    far.count = (size_t)rng_between(rng, MOST_BLOCKS * 4 / 5, MOST_BLOCKS) / far.rows - 1;
    far.row_stride = (ptrdiff_t)(far.count + rng_below(rng, 2)) * far.stride;
    if (rng_one_in(rng, 4)) {
        far.stride = -far.stride;
        far.origin = -(ptrdiff_t)(far.count - 1) * far.stride;
    }
    return far;
}

static weft_type *type_of(const struct far *far)
{
    char text[200];
    snprintf(text, sizeof(text), "hvector(%zu, 1, %td, hvector(%zu, %zu, %td, byte))", far->rows,
             far->row_stride, far->count, far->bytes, far->stride);
    return type_from(text);
}

static void pack_plainly(const struct far *far, const char *mem, char *packed)
{
    for (size_t row = 0; row < far->rows; row++)
        for (size_t i = 0; i < far->count; i++) {
            memcpy(packed, mem + (ptrdiff_t)row * far->row_stride + (ptrdiff_t)i * far->stride,
                   far->bytes);
            packed += far->bytes;
        }
}

/* Whether a range is packed as it should be, and nothing behind it written. */
static bool packs(const weft_type *type, const char *mem, const char *expected, char *packed,
                  size_t offset, size_t length)
{
    memset(packed, CANARY, length + 1);
    return !weft_pack(type, 1, mem, offset, packed, length) &&
           !memcmp(packed, expected + offset, length) && packed[length] == CANARY;
}

static bool try_one(struct rng *rng, const char *window, char *expected, char *packed)
{
    struct far far = draw(rng);
    weft_type *type = type_of(&far);
    size_t size = far.rows * far.count * far.bytes, skipped = rng_below(rng, size / 8);
    const char *mem = window + far.origin;
    pack_plainly(&far, mem, expected);
    bool right = packs(type, mem, expected, packed, 0, size) &&
                 packs(type, mem, expected, packed, skipped, size - 2 * skipped);
    if (!right)
        tap_note("%zu rows, %td apart, of %zu blocks of %zu bytes, %td apart, from %zu on",
                 far.rows, far.row_stride, far.count, far.bytes, far.stride, skipped);
    weft_type_free(type);
    return right;
}

int main(void)
{
    char *window = malloc(WINDOW), *expected = malloc(MOST_BLOCKS * MOST_BYTES),
         *packed = malloc(MOST_BLOCKS * MOST_BYTES + 1);
    struct rng content = {1};
    if (!window || !expected || !packed)
        return 1;
    for (size_t i = 0; i < WINDOW; i++)
        window[i] = (char)rng_next(&content);
    for (uint64_t i = 0; i < TRIALS; i++) {
        struct rng rng = rng_stream(1, i);
        check(try_one(&rng, window, expected, packed));
    }
    free(packed);
    free(expected);
    free(window);
    return tap_done();
}
