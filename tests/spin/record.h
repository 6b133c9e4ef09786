/* SPDX-License-Identifier: BSD-3-Clause */
/* Handlers write down when and where they ran, by the clock of their world. */
#ifndef WEFT_TESTS_SPIN_RECORD_H
#define WEFT_TESTS_SPIN_RECORD_H

#include "spin/spin.h"

#define RECORDS 512

struct record {
    uint64_t message; /* as the handler likes */
    uint64_t offset, length;
    uint64_t hpu, vhpu;
    uint64_t begin, end;
};

/* Handler host memory. */
struct record_book {
    uint64_t count;
    uint64_t begun; /* handlers that wait for each other */
    struct record records[RECORDS];
};

/* For handlers: the begin, and the end, after which nothing that takes time should come. */
struct record record_begin(void);
void record_end(struct record *record);

/* Takes some time, more or less of it. */
void record_dawdle(unsigned much);

/* Waits until `count` handlers have come here. In virtual time a handler cannot see another one
 * begin, but there it takes so long that others do. */
void record_meet(unsigned count);

bool record_overlap(const struct record *a, const struct record *b);

/* By offset in the message. */
void record_sort(struct record_book *book);

/* Whether two records of the book that `is_pair` chooses overlap. */
bool record_any_overlap(const struct record_book *book,
                        bool (*is_pair)(const struct record *a, const struct record *b));

#endif
