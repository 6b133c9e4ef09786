/* SPDX-License-Identifier: BSD-3-Clause */
/* One cell of the table: a layout at a size, in one direction, measured for all contenders. */
#ifndef WEFT_BENCH_TYPE_TYPE_CELL_H
#define WEFT_BENCH_TYPE_TYPE_CELL_H

#include "bench/layouts/hand.h"
#include "bench/type/type_words.h"

#define CELL_RANGE_BYTES ((size_t)2048)

struct cell_request {
    const struct layout_entry *entry;
    enum type_size size;
    enum direction direction;
    bool cold;
    double seconds;
};

struct cell_time {
    double median, minimum; /* nanoseconds; 0 if not measured */
};

struct cell_result {
    size_t bytes; /* that one time is for */
    double block; /* mean bytes of a contiguous piece */
    size_t rounds;
    char way[32]; /* of writing the hand loop that was fastest */
    struct cell_time copy, hand, weft, mpi;
    double weft_to_hand, weft_to_mpi; /* ratios of times; 0 if not measured */
    double locating; /* ranges: the part of Weft's time that finding the place takes */
};

/* NULL, or why there is no such cell. Ends the program if the contenders do not agree on the
 * bytes. */
const char *cell_measure(const struct cell_request *request, struct cell_result *result);

#endif
