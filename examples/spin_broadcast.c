/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 sends to its children of a binomial tree, and NICs do the rest: README.md. */
#include <string.h>
#include <weft_handlers.h>

#include "spin.h"

#define SIZE 1000000
#define BITS 1

int main(void)
{
    struct spin spin;
    ptl_handlers_t handlers;
    spin_open(&spin, 1);
    struct weft_handler_job job = {.rank = spin.rank, .size = spin.size};
    struct weft_handler_broadcast broadcast = {.match_bits = BITS,
                                               .stream = WEFT_HANDLER_STREAM,
                                               .children = weft_handler_children(&job, 0)};
    unsigned char *data = spin_memory(SIZE), *expected = spin_memory(SIZE);
    ptl_handle_ct_t received = spin_counter(&spin);
    memset(expected, 42, SIZE);
    NEED(weft_handler_broadcast(spin.ni, &broadcast, &handlers));
    spin_post(&spin, data, SIZE, PTL_ME_OP_PUT | SPIN_BYTES, BITS, received, &handlers);
    spin_barrier(&spin);
    if (spin.rank == 0)
        for (uint32_t i = 0; i < broadcast.children.count; i++)
            spin_put(&spin, expected, SIZE, broadcast.children.process[i].rank, BITS, 0, 0);
    else
        spin_wait(received, SIZE);
    if (spin.rank > 0 && memcmp(data, expected, SIZE) != 0)
        spin_say(false, "broadcast: the data of rank %u", spin.rank);
    spin_barrier(&spin);
    if (spin.rank == 0)
        spin_say(true, "broadcast: %u ranks have 1000000 bytes", spin.size);
    spin_close(&spin);
    return 0;
}
