/* SPDX-License-Identifier: BSD-3-Clause */
/* All other ranks multiply into an array of rank 0, at once: README.md. */
#include <weft_handlers.h>

#include "spin.h"

#define COUNT 10000 /* complex numbers */

int main(void)
{
    struct spin spin;
    struct weft_handler_accumulate accumulate = {0};
    ptl_handlers_t handlers;
    spin_open(&spin, 2);
    double(*numbers)[2] = spin_memory(COUNT * sizeof *numbers);
    for (unsigned i = 0; i < COUNT; i++) {
        numbers[i][0] = spin.rank == 0 ? i : 0;
        numbers[i][1] = spin.rank == 0 ? 0 : 1; /* all others turn by a right angle */
    }
    if (spin.rank == 0) {
        NEED(weft_handler_product(spin.ni, &accumulate, &handlers));
        spin_post(&spin, numbers, COUNT * sizeof *numbers,
                  PTL_ME_OP_PUT | PTL_ME_EVENT_COMM_DISABLE, 1, PTL_CT_NONE, &handlers);
    }
    spin_barrier(&spin);
    if (spin.rank > 0)
        spin_put(&spin, numbers, COUNT * sizeof *numbers, 0, 1, 0, 0);
    spin_barrier(&spin);
    if (spin.rank == 0) {
        static const double turned[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
        const double *turn = turned[(spin.size - 1) % 4];
        bool is_right = true;
        for (unsigned i = 0; i < COUNT; i++)
            is_right = is_right && numbers[i][0] == i * turn[0] && numbers[i][1] == i * turn[1];
        spin_say(is_right, "accumulate: %d complex numbers times i, %u times", COUNT,
                 spin.size - 1);
    }
    spin_close(&spin);
    return 0;
}
