/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_BENCH_HARNESS_TABLE_H
#define WEFT_BENCH_HARNESS_TABLE_H

#include <stdio.h>

/* A column, behind a space: a figure, or a dash if it is 0, which means that there is none. */
static inline void table_print(int width, int digits, double figure)
{
    if (figure > 0)
        printf(" %*.*f", width, digits, figure);
    else
        printf(" %*s", width, "-");
}

#endif
