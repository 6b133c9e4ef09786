/* SPDX-License-Identifier: BSD-3-Clause */
#include "spin/record.h"

#include <stdlib.h>
#include <time.h>

#include "nic/action.h"

#define BILLION 1000000000u
#define PATIENCE (30ull * BILLION)
#define LONG_TIME 50 /* times that of a DMA */

static bool is_virtual(void)
{
    const struct weft_nic_hpus *hpus = &weft_nic_run_self()->nic->hpu.config;
    return hpus->count && !hpus->are_threads;
}

static uint64_t now(void)
{
    struct timespec time;
    if (is_virtual())
        return weft_nic_run_self()->clock;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * BILLION + (uint64_t)time.tv_nsec;
}

struct record record_begin(void)
{
    return (struct record){.hpu = PTL_MY_HPU, .vhpu = PTL_MY_VHPU, .begin = now()};
}

void record_end(struct record *record)
{
    uint64_t place;
    record->end = now();
    PtlHandlerDMAFetchAddB(offsetof(struct record_book, count), 1, &place, PTL_UINT64_T,
                           PTL_HANDLER_HOST_MEM);
    PtlHandlerDMAToHostB(record,
                         offsetof(struct record_book, records) + place % RECORDS * sizeof *record,
                         sizeof *record, PTL_HANDLER_HOST_MEM);
}

void record_dawdle(unsigned much)
{
    for (unsigned i = 0; i < much; i++) {
        unsigned char byte;
        PtlHandlerDMAFromHostB(offsetof(struct record_book, begun), &byte, 0,
                               PTL_HANDLER_HOST_MEM);
        PtlHandlerYield();
    }
}

void record_meet(unsigned count)
{
    const size_t begun = offsetof(struct record_book, begun);
    uint64_t value, until = now() + PATIENCE;
    PtlHandlerDMAFetchAddB(begun, 1, &value, PTL_UINT64_T, PTL_HANDLER_HOST_MEM);
    if (is_virtual())
        record_dawdle(LONG_TIME);
    while (!is_virtual() && value < count && now() < until) {
        PtlHandlerYield();
        PtlHandlerDMAFetchAddB(begun, 0, &value, PTL_UINT64_T, PTL_HANDLER_HOST_MEM);
    }
}

bool record_overlap(const struct record *a, const struct record *b)
{
    return a->begin < b->end && b->begin < a->end;
}

static int by_offset(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

void record_sort(struct record_book *book)
{
    qsort(book->records, book->count, sizeof *book->records, by_offset);
}

bool record_any_overlap(const struct record_book *book,
                        bool (*is_pair)(const struct record *a, const struct record *b))
{
    for (uint64_t i = 0; i < book->count; i++)
        for (uint64_t j = 0; j < i; j++)
            if (is_pair(&book->records[i], &book->records[j]) &&
                record_overlap(&book->records[i], &book->records[j]))
                return true;
    return false;
}
