/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An ELF file that was checked and loaded: code, constants and the names of functions. It has no
 * variables, so any number of cores can run it at once, and none can change what another runs.
 */
#ifndef WEFT_RISCV_IMAGE_H
#define WEFT_RISCV_IMAGE_H

#include "riscv/core.h"

struct weft_riscv_symbol {
    uint64_t address;
    const char *name; /* in `names` of the image */
};

struct weft_riscv_image {
    uint64_t base; /* where cores see `bytes` */
    uint64_t size;
    unsigned char *bytes;
    struct weft_riscv_text text;
    struct weft_riscv_symbol *symbols;
    size_t symbol_count;
    char *names;
};

enum weft_riscv_image_result {
    WEFT_RISCV_IMAGE_OK,
    WEFT_RISCV_IMAGE_INVALID,
    WEFT_RISCV_IMAGE_TOO_LARGE,
    WEFT_RISCV_IMAGE_NO_MEMORY
};

/* `file` may hold anything. It must be an executable for RV32IMC or RV64IMC that is linked
 * statically, has one segment of code and none that can be written to, and lies in the first
 * window of a core, but not at its very beginning, with at most `most` bytes. `why` is then what
 * is wrong with it. */
enum weft_riscv_image_result weft_riscv_image_open(struct weft_riscv_image *image,
                                                   const void *file, size_t length, uint64_t most,
                                                   const struct weft_riscv_profile *profile,
                                                   const char **why);
void weft_riscv_image_close(struct weft_riscv_image *image);

/* The address of a function; 0: there is none of this name. */
uint64_t weft_riscv_image_find(const struct weft_riscv_image *image, const char *name);

/* How a core sees the image. */
struct weft_riscv_window weft_riscv_image_window(const struct weft_riscv_image *image);

#endif
