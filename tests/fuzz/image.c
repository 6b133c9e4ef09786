/* SPDX-License-Identifier: BSD-3-Clause */
/* Any file may be given for an image of handlers; and whatever was loaded may do anything. */
#include "riscv/image.h"

#include <string.h>

#include "fuzz/use.h"

#define MOST ((uint64_t)1 << 16)
#define TICKS 2000
#define STACK UINT64_C(0x10000000)

static void run(const struct weft_riscv_image *image, uint64_t address)
{
    unsigned char stack[256] = {0};
    struct weft_riscv_core core = {.text = &image->text, .pc = address};
    core.windows[0] = weft_riscv_image_window(image);
    core.windows[1] = (struct weft_riscv_window){STACK, stack, sizeof stack, sizeof stack, 3, 16};
    core.x[WEFT_RISCV_RA] = WEFT_RISCV_RETURN;
    core.x[WEFT_RISCV_SP] = STACK + sizeof stack;
    while (weft_riscv_core_run(&core, TICKS) == WEFT_RISCV_CALLED)
        core.x[WEFT_RISCV_A0] = STACK;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct weft_riscv_profile profile;
    struct weft_riscv_image image;
    const char *why;
    if (!weft_riscv_profile_read("ri5cy", &profile) ||
        weft_riscv_image_open(&image, data, size, MOST, &profile, &why) != WEFT_RISCV_IMAGE_OK)
        return 0;
    run(&image, image.text.base);
    for (size_t i = 0; i < image.symbol_count && i < 8; i++)
        run(&image, image.symbols[i].address);
    weft_riscv_image_close(&image);
    return 0;
}
