/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions whose lengths do not fit are refused; those that do not matter are not looked at. */
#include <weft_collective.h>

#include "support/tap.h"

enum { TAG = 1, RANKS = 3, ITEM = sizeof(uint64_t) };

static weft_engine *engine;

static struct weft_schedule_memory items(size_t count)
{
    return (struct weft_schedule_memory){.length = count * ITEM};
}

static void check_parts(int expected, size_t whole, size_t first, size_t own, size_t to)
{
    const size_t lengths[RANKS] = {first, own, ITEM};
    const struct weft_schedule_memory from = items(whole), block = {.length = to};
    weft_schedule *schedule = NULL;
    weft_schedule_create(engine, 1, &schedule);
    check_int(weft_collective_reduce_scatterv(schedule, PTL_SUM, PTL_UINT64_T, &from, lengths,
                                              &block, TAG),
              expected);
    weft_schedule_free(schedule);
}

static void try_parts(void)
{
    check_parts(WEFT_OK, 4, ITEM, 2 * ITEM, 2 * ITEM);
    check_parts(WEFT_OK, 2, ITEM, 0, 0);
    check_parts(WEFT_ERR_ARGUMENT, 5, ITEM, 2 * ITEM, 2 * ITEM);
    check_parts(WEFT_ERR_ARGUMENT, 3, ITEM, 2 * ITEM, 2 * ITEM);
    check_parts(WEFT_ERR_ARGUMENT, 4, ITEM, 2 * ITEM, ITEM);
    check_parts(WEFT_ERR_ARGUMENT, 4, ITEM - 1, 2 * ITEM + 1, 2 * ITEM + 1);
    check_parts(WEFT_ERR_ARGUMENT, 1, SIZE_MAX - ITEM + 1, ITEM, ITEM);
}

typedef int prefix(weft_schedule *schedule, ptl_op_t operation, ptl_datatype_t datatype,
                   const struct weft_schedule_memory *from, const struct weft_schedule_memory *to,
                   uint16_t tag);

static void check_prefix(int expected, prefix *call, ptl_op_t operation,
                         const struct weft_schedule_memory *to)
{
    const struct weft_schedule_memory from = items(2);
    weft_schedule *schedule = NULL;
    weft_schedule_create(engine, 1, &schedule);
    check_int(call(schedule, operation, PTL_UINT64_T, &from, to, TAG), expected);
    weft_schedule_free(schedule);
}

static void try_prefix(prefix *call, int without_result)
{
    const struct weft_schedule_memory right = items(2), shorter = items(1);
    check_prefix(WEFT_OK, call, PTL_SUM, &right);
    check_prefix(without_result, call, PTL_SUM, &shorter);
    check_prefix(without_result, call, PTL_SUM, NULL);
    check_prefix(WEFT_ERR_ARGUMENT, call, PTL_SWAP, &right);
}

int main(void)
{
    for (uint32_t rank = 0; rank < 2; rank++) {
        weft_engine_open(PTL_INVALID_HANDLE, rank, RANKS, NULL, &engine);
        if (rank == 1)
            try_parts();
        try_prefix(weft_collective_scan, WEFT_ERR_ARGUMENT);
        try_prefix(weft_collective_exscan, rank ? WEFT_ERR_ARGUMENT : WEFT_OK);
        weft_engine_close(engine);
    }
    return tap_done();
}
