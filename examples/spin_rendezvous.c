/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 1 sends a short and a long message that rank 0 has posted, while rank 0 is busy: README.md.
 */
#include <string.h>
#include <weft_handlers.h>

#include "spin.h"

#define EAGER 4096
#define LONG 1000000
enum { SHORT_TAG = 1, LONG_TAG, DATA_TAG };

static void receive(struct spin *spin, unsigned char *memory, ptl_match_bits_t tag)
{
    ptl_handlers_t handlers;
    struct weft_handler_rendezvous rendezvous = {.eager = EAGER, .room = LONG};
    NEED(weft_handler_rendezvous(spin->ni, &rendezvous, &handlers));
    spin_post(spin, memory, LONG, PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE,
              tag, PTL_CT_NONE, &handlers);
}

static void send(struct spin *spin, unsigned char *data, ptl_size_t length, ptl_match_bits_t tag)
{
    unsigned char message[sizeof(struct weft_handler_ticket) + EAGER];
    if (length > EAGER)
        spin_post(spin, data, length,
                  PTL_ME_OP_GET | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE, DATA_TAG,
                  PTL_CT_NONE, NULL);
    ptl_size_t size = weft_handler_rendezvous_begin(EAGER, data, length, DATA_TAG, message);
    spin_put(spin, message, size, 0, tag, 0, 0);
    if (length > EAGER)
        spin_event(spin, PTL_EVENT_GET);
}

int main(void)
{
    struct spin spin;
    spin_open(&spin, 2);
    unsigned char *first = spin_memory(LONG), *second = spin_memory(LONG);
    unsigned char *data = spin_memory(LONG);
    memset(data, 42, LONG);
    if (spin.rank == 0) {
        receive(&spin, first, SHORT_TAG);
        receive(&spin, second, LONG_TAG);
    }
    spin_barrier(&spin);
    if (spin.rank == 1) {
        send(&spin, data, 100, SHORT_TAG);
        send(&spin, data, LONG, LONG_TAG);
    }
    /* The sender comes here when the rest of its message has been fetched, and nobody at rank 0
     * has done anything for it. */
    spin_barrier(&spin);
    if (spin.rank == 0) {
        bool is_right = memcmp(first, data, 100) == 0 && memcmp(second, data, LONG) == 0;
        spin_say(is_right, "rendezvous: 100 bytes came at once, and 1000000 were fetched");
    }
    spin_close(&spin);
    return 0;
}
