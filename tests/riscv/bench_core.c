/* SPDX-License-Identifier: BSD-3-Clause */
#include "riscv/bench_core.h"

#include <stdlib.h>
#include <string.h>

void bench_core_open(struct bench_core *bench, unsigned xlen, const char *profile,
                     const void *code, size_t size)
{
    struct weft_riscv_profile costs;
    memset(bench, 0, sizeof *bench);
    if (!weft_riscv_profile_read(profile, &costs) ||
        !weft_riscv_text_open(&bench->text, xlen, TEXT_BASE, code, size, &costs))
        abort();
    bench->core.text = &bench->text;
    bench->core.pc = TEXT_BASE;
    bench->core.x[WEFT_RISCV_RA] = WEFT_RISCV_RETURN;
    *weft_riscv_core_window(&bench->core, DATA_BASE) = (struct weft_riscv_window){
        .base = DATA_BASE, .bytes = bench->data, .readable = DATA_SIZE, .writable = DATA_SIZE};
}

void bench_core_close(struct bench_core *bench)
{
    weft_riscv_text_close(&bench->text);
}
