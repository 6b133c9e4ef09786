/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 1 sends a part of a matrix, and rank 0 receives it transposed: README.md. */
#include <weft_handlers.h>
#include <weft_offload.h>

#include "spin.h"

#define ROWS 700
#define COLUMNS 300
#define WIDTH 1000 /* of the whole matrix */
#define BYTES (ROWS * COLUMNS * sizeof(double))
#define BITS 1
#define PATIENCE 10000

static double number(size_t row, size_t column)
{
    return (double)(row * COLUMNS + column);
}

/* ---- Rank 1 ------------------------------------------------------------------------------- */

static void send(struct spin *spin)
{
    double(*matrix)[WIDTH] = spin_memory(ROWS * sizeof *matrix);
    weft_type *part;
    for (size_t row = 0; row < ROWS; row++)
        for (size_t column = 0; column < COLUMNS; column++)
            matrix[row][column] = number(row, column);
    NEED(weft_type_vector(ROWS, COLUMNS, WIDTH, weft_basic(WEFT_DOUBLE), &part));
    NEED(weft_type_commit(part));
    struct weft_handler_gather gather = {part, 1, matrix};
    ptl_outbound_handlers_t handlers = weft_handler_gather(&gather);
    ptl_handle_ct_t arrived = spin_counter(spin);
    ptl_md_t md = {.start = matrix,
                   .length = ROWS * sizeof *matrix,
                   .options = PTL_MD_EVENT_CT_ACK,
                   .eq_handle = PTL_EQ_NONE,
                   .ct_handle = arrived};
    ptl_handle_md_t handle;
    NEED(PtlMDBind(spin->ni, &md, &handle));
    NEED(PtlProcessPut(handle, BYTES, PTL_CT_ACK_REQ, (ptl_process_t){.rank = 0}, spin->pt, BITS,
                       0, NULL, 0, &handlers));
    spin_wait(arrived, 1);
    weft_type_free(part);
}

/* ---- Rank 0 ------------------------------------------------------------------------------- */

/* One column of a matrix with ROWS columns, as wide as a number: the next begins beside it. */
static weft_type *column_type(void)
{
    weft_type *column, *narrow;
    NEED(weft_type_vector(COLUMNS, 1, ROWS, weft_basic(WEFT_DOUBLE), &column));
    NEED(weft_type_resized(column, 0, sizeof(double), &narrow));
    NEED(weft_type_commit(narrow));
    weft_type_free(column);
    return narrow;
}

static void post(struct spin *spin, weft_offload_pool *pool, void *matrix)
{
    struct weft_offload_attributes attributes = {.strategy = WEFT_OFFLOAD_SEEK, .priority = 1};
    ptl_me_t me = {.ct_handle = PTL_CT_NONE,
                   .uid = PTL_UID_ANY,
                   .match_id = {.rank = PTL_RANK_ANY},
                   .match_bits = BITS};
    weft_type *column = column_type();
    weft_offload *offload;
    weft_offload_receive *receive;
    NEED(weft_offload_open(pool, column, ROWS, &attributes, &offload));
    NEED(weft_offload_receive_post(pool, offload, matrix, spin->pt, &me, NULL, &receive));
    weft_offload_close(offload);
    weft_type_free(column);
}

static struct weft_offload_result take(struct spin *spin)
{
    struct weft_offload_result result;
    do {
        ptl_event_t event;
        unsigned which;
        NEED(PtlEQPoll(&spin->events, 1, PATIENCE, &event, &which));
        result = weft_offload_receive_event(event.user_ptr, &event);
    } while (!result.is_over);
    return result;
}

static bool is_transposed(double (*matrix)[ROWS])
{
    for (size_t row = 0; row < ROWS; row++)
        for (size_t column = 0; column < COLUMNS; column++)
            if (matrix[column][row] != number(row, column))
                return false;
    return true;
}

int main(void)
{
    struct spin spin;
    spin_open(&spin, 2);
    if (spin.rank == 0) {
        weft_offload_pool *pool;
        double(*matrix)[ROWS] = spin_memory(BYTES);
        NEED(weft_offload_pool_open(spin.ni, &pool));
        post(&spin, pool, matrix);
        spin_barrier(&spin);
        struct weft_offload_result result = take(&spin);
        spin_say(result.fail == PTL_NI_OK && result.length == BYTES && is_transposed(matrix),
                 "transpose: %d rows are columns, %s", ROWS,
                 weft_offload_fallback_text(result.fallback));
        weft_offload_pool_close(pool);
    } else {
        spin_barrier(&spin);
        if (spin.rank == 1)
            send(&spin);
    }
    spin_close(&spin);
    return 0;
}
