/* SPDX-License-Identifier: BSD-3-Clause */
/* One row of `weft bench copy`: from a layout into a layout. */
#ifndef WEFT_BENCH_TYPE_COPY_CELL_H
#define WEFT_BENCH_TYPE_COPY_CELL_H

#include "bench/layouts/layouts.h"

struct copy_result {
    size_t bytes;
    double hand, packed, weft;           /* nanoseconds */
    double weft_to_hand, weft_to_packed; /* ratios of times */
};

/* Ends the program if the contenders do not agree on the bytes. */
struct copy_result copy_cell_measure(const struct layout_entry *from,
                                     const struct layout_entry *to, size_t target, double seconds);

#endif
