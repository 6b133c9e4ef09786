/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 writes to ranks 2 and above, which keep the parity of rank 1 up to date: README.md. */
#include <string.h>
#include <weft_handlers.h>

#include "spin.h"

#define SIZE 100000 /* of each node */
#define PARITY_RANK 1
enum { WRITE = 1, PARITY, RELAY, CLIENT, READ };

static void keep_parity(struct spin *spin, void *memory)
{
    ptl_handlers_t handlers;
    struct weft_handler_raid_parity parity = {.relay_bits = RELAY};
    NEED(weft_handler_raid_parity(spin->ni, &parity, &handlers));
    spin_post(spin, memory, SIZE, PTL_ME_OP_PUT, PARITY, PTL_CT_NONE, &handlers);
}

static void keep_data(struct spin *spin, void *memory)
{
    ptl_handlers_t handlers;
    struct weft_handler_raid_data data = {.parity = {.rank = PARITY_RANK}, .parity_bits = PARITY};
    struct weft_handler_raid_relay relay = {.client_bits = CLIENT};
    NEED(weft_handler_raid_data(spin->ni, &data, &handlers));
    spin_post(spin, memory, SIZE, PTL_ME_OP_PUT, WRITE, PTL_CT_NONE, &handlers);
    NEED(weft_handler_raid_relay(spin->ni, &relay, &handlers));
    spin_post(spin, NULL, 0, PTL_ME_OP_PUT, RELAY, PTL_CT_NONE, &handlers);
}

/* Writes a block to every data node; the parity has all of them when this returns. */
static void write_stripe(struct spin *spin, unsigned char *data)
{
    ptl_handlers_t handlers;
    ptl_handle_ct_t safe = spin_counter(spin);
    weft_handler_raid_client(&handlers);
    spin_post(spin, NULL, 0, PTL_ME_OP_PUT, CLIENT, safe, &handlers);
    for (ptl_rank_t node = PARITY_RANK + 1; node < spin->size; node++) {
        memset(data, (int)(17 * node), SIZE);
        spin_put(spin, data, SIZE, node, WRITE, 0, 0);
    }
    spin_wait(safe, (ptl_size_t)SIZE * (spin->size - PARITY_RANK - 1));
}

/* As if the last data node were lost: its block is what all others and the parity make. */
static bool restore_block(struct spin *spin, unsigned char *block)
{
    unsigned char *other = spin_memory(SIZE);
    memset(block, 0, SIZE);
    for (ptl_rank_t node = PARITY_RANK; node + 1 < spin->size; node++) {
        spin_get(spin, other, SIZE, node, READ, 0);
        for (unsigned i = 0; i < SIZE; i++)
            block[i] ^= other[i];
    }
    memset(other, (int)(17 * (spin->size - 1)), SIZE);
    return memcmp(block, other, SIZE) == 0;
}

int main(void)
{
    struct spin spin;
    spin_open(&spin, 4);
    unsigned char *memory = spin_memory(SIZE);
    if (spin.rank == PARITY_RANK)
        keep_parity(&spin, memory);
    else if (spin.rank > PARITY_RANK)
        keep_data(&spin, memory);
    if (spin.rank > 0)
        spin_post(&spin, memory, SIZE, PTL_ME_OP_GET, READ, PTL_CT_NONE, NULL);
    spin_barrier(&spin);
    if (spin.rank == 0) {
        write_stripe(&spin, memory);
        spin_say(restore_block(&spin, memory), "raid: the block of a lost node is restored");
    }
    spin_close(&spin);
    return 0;
}
