/* SPDX-License-Identifier: BSD-3-Clause */
/* The two interpreters that run.c is compiled to. */
#ifndef WEFT_RISCV_RUN_H
#define WEFT_RISCV_RUN_H

#include "riscv/core.h"

enum weft_riscv_stop weft_riscv_run32(struct weft_riscv_core *core, uint64_t budget);
enum weft_riscv_stop weft_riscv_run64(struct weft_riscv_core *core, uint64_t budget);

#endif
