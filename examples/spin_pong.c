/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 sends, and the NIC of rank 1 sends back: README.md. */
#include <string.h>
#include <weft_handlers.h>

#include "spin.h"

#define SIZE 1000000
enum { STORED = 1, STREAMED, ANSWER };

static void serve(struct spin *spin, ptl_match_bits_t bits, ptl_size_t stream)
{
    ptl_handlers_t handlers;
    struct weft_handler_pong pong = {.match_bits = ANSWER, .stream = stream};
    NEED(weft_handler_pong(spin->ni, &pong, &handlers));
    spin_post(spin, spin_memory(SIZE), SIZE, PTL_ME_OP_PUT | PTL_ME_EVENT_COMM_DISABLE, bits,
              PTL_CT_NONE, &handlers);
}

int main(void)
{
    struct spin spin;
    spin_open(&spin, 2);
    unsigned char *ping = spin_memory(SIZE), *pong = spin_memory(SIZE);
    ptl_handle_ct_t back = spin_counter(&spin);
    memset(ping, 42, SIZE);
    if (spin.rank == 0)
        spin_post(&spin, pong, SIZE, PTL_ME_OP_PUT | SPIN_BYTES, ANSWER, back, NULL);
    if (spin.rank == 1) {
        serve(&spin, STORED, WEFT_HANDLER_STORE);
        serve(&spin, STREAMED, WEFT_HANDLER_STREAM);
    }
    spin_barrier(&spin);
    if (spin.rank == 0) {
        spin_put(&spin, ping, SIZE, 1, STORED, 0, 0);
        spin_wait(back, SIZE);
        bool is_right = memcmp(ping, pong, SIZE) == 0;
        memset(pong, 0, SIZE);
        spin_put(&spin, ping, SIZE, 1, STREAMED, 0, 0);
        spin_wait(back, 2 * SIZE);
        is_right = is_right && memcmp(ping, pong, SIZE) == 0;
        spin_say(is_right, "pong: 1000000 bytes came back stored, and streamed");
    }
    spin_close(&spin);
    return 0;
}
