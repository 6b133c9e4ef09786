/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 1 sends numbers that become a column of a matrix of rank 0: README.md. */
#include <weft_handlers.h>

#include "spin.h"

#define ROWS 2000
#define COLUMNS 30
#define COLUMN 7

int main(void)
{
    struct spin spin;
    ptl_handlers_t handlers;
    struct weft_handler_strided column = {.start = COLUMN * sizeof(double),
                                          .stride = COLUMNS * sizeof(double),
                                          .blocksize = sizeof(double),
                                          .count = ROWS};
    spin_open(&spin, 2);
    double(*matrix)[COLUMNS] = spin_memory(ROWS * sizeof *matrix);
    double *numbers = spin_memory(ROWS * sizeof *numbers);
    for (unsigned i = 0; i < ROWS; i++)
        numbers[i] = i + 1;
    if (spin.rank == 0) {
        NEED(weft_handler_strided(spin.ni, &column, &handlers));
        spin_post(&spin, matrix, ROWS * sizeof *matrix, PTL_ME_OP_PUT, 1, PTL_CT_NONE, &handlers);
    }
    spin_barrier(&spin);
    if (spin.rank == 1)
        spin_put(&spin, numbers, ROWS * sizeof *numbers, 0, 1, 0, 0);
    if (spin.rank == 0) {
        bool is_right = spin_event(&spin, PTL_EVENT_PUT).mlength == ROWS * sizeof *numbers;
        for (unsigned row = 0; row < ROWS; row++)
            for (unsigned i = 0; i < COLUMNS; i++)
                is_right = is_right && matrix[row][i] == (i == COLUMN ? numbers[row] : 0);
        spin_say(is_right, "strided: %d numbers are column %d of a matrix", ROWS, COLUMN);
    }
    spin_close(&spin);
    return 0;
}
