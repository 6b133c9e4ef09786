/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as instructions, of the width that the first byte says. */
#include "riscv/core.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/use.h"

#define TEXT UINT64_C(0x10000)
#define DATA UINT64_C(0x20000000)
#define TICKS 2000

static void run(const struct weft_riscv_text *text)
{
    /* Of its own, so that sanitizers see what is touched beside it. */
    unsigned char *data = calloc(1, 61);
    struct weft_riscv_core core = {.text = text, .pc = TEXT};
    core.windows[2] = (struct weft_riscv_window){DATA, data, 61, 50, 1, 7};
    for (unsigned i = 1; i < 32; i++)
        core.x[i] = i % 3 == 0 ? TEXT + 2 * i : DATA + i;
    for (uint64_t budget = 7; data && budget < TICKS; budget += 7) {
        enum weft_riscv_stop stop = weft_riscv_core_run(&core, budget);
        if (core.x[0] != 0 || core.spent > budget)
            abort();
        if (stop != WEFT_RISCV_PAUSED && stop != WEFT_RISCV_CALLED)
            break;
    }
    free(data);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct weft_riscv_profile profile;
    struct weft_riscv_text text;
    if (size < 3 || !weft_riscv_profile_read("ri5cy", &profile))
        return 0;
    if (weft_riscv_text_open(&text, data[0] % 2 ? 32 : 64, TEXT, data + 1, (size - 1) / 2 * 2,
                             &profile))
        run(&text);
    weft_riscv_text_close(&text);
    return 0;
}
