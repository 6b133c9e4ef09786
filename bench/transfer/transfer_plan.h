/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of `weft bench transfer`, before anything is measured. */
#ifndef WEFT_BENCH_TRANSFER_TRANSFER_PLAN_H
#define WEFT_BENCH_TRANSFER_TRANSFER_PLAN_H

#include "bench/harness/bench.h"
#include "bench/transfer/transfer_sheet.h"

enum transfer_part {
    TRANSFER_SIZES,
    TRANSFER_BANDWIDTH,
    TRANSFER_CHUNKS,
    TRANSFER_EAGER,
    TRANSFER_PIECES,
    TRANSFER_LAYOUTS,
    TRANSFER_PARTS
};

extern const char *const transfer_part_names[TRANSFER_PARTS];
extern const char *const transfer_part_help[TRANSFER_PARTS];

struct transfer_choice {
    struct crew_world world;
    struct bench_layouts layouts;
    bool parts[TRANSFER_PARTS];
    bool is_quick; /* only some lines and tables */
    size_t rounds; /* for the titles */
};

#define TRANSFER_MOST_SHEETS (2 * BENCH_MOST_PAIRS + 8)

/* How many tables there are. */
size_t transfer_plan(const struct transfer_choice *choice, struct sheet *sheets);

#endif
