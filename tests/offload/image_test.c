/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of an image (offload/image.h), which are the same whatever builds and runs this, if
 * only its order of bytes is that of the cores. */
#include <stdlib.h>

#include "offload/image.h"
#include "offload/offload.h"
#include "support/notation.h"
#include "support/tap.h"

#define WORD(low, high) ((uint64_t)(low) | (uint64_t)(high) << 32)

static const char type_text[] =
    "struct(1 vector(100, 1, 2, int) @ 0, 1 vector(90, 1, 3, double) @ 1000)";

/* clang-format off */
static const uint64_t expected[] = {
    /* 0: magic and version, bytes and root, checkpoints, size, low, high */
    WORD(WEFT_OFFLOAD_IMAGE_MAGIC, 1), WORD(384, 48), 0, 1120, 0, 3144,
    /* 48: a seq with 128 packed bytes to a bucket; size, by_size, count, stride, child */
    UINT64_C(0x0700000000000003), 1120, UINT64_C(0xea0ea0ea0ea0ea0f), 11, 2, 0, 0,
    /* 104: distances of where, ends, buckets, members; then these lists, the buckets last */
    88, 96, 120, 104,
    WORD(0, 1000), WORD(400, 1120), 248, 160,
    WORD(0, 0), WORD(0, 0), WORD(1, 1), WORD(1, 1), WORD(1, 1),
    /* 208: the second vector, a loop; size, by_size, count, stride, child */
    1, 720, UINT64_C(0xb60b60b60b60b60c), 10, 90, 24, 56,
    /* 264: its block, with the kernel of 8 bytes; size, by_size */
    UINT64_C(0x0000030000000000), 8, UINT64_C(0x8000000000000000), 3,
    /* 296: the first vector, and 352: its block */
    1, 400, UINT64_C(0xa3d70a3d70a3d70b), 9, 100, 8, 56,
    UINT64_C(0x0000020000000000), 4, UINT64_C(0x8000000000000000), 2,
};
/* clang-format on */

int main(void)
{
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        tap_skip_all("cores are little-endian, and so are these words");
    weft_type *type = type_from(type_text);
    struct weft_offload_options options = {.type = type,
                                           .count = 1,
                                           .attributes = {.strategy = WEFT_OFFLOAD_SEEK},
                                           .nic = weft_offload_nic_of_paper(2048)};
    struct weft_offload *offload;
    uint64_t *image = malloc(sizeof expected);
    if (weft_offload_prepare(&options, &offload) || !image)
        return EXIT_FAILURE;
    if (check_uint(weft_offload_facts(offload)->image_bytes, sizeof expected)) {
        weft_offload_write_image(offload, image);
        for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
            check_uint(image[i], expected[i]);
    }
    free(image);
    weft_offload_close(offload);
    weft_type_free(type);
    return tap_done();
}
