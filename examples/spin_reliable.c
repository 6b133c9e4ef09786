/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 broadcasts after one of the others has left without a word: README.md. */
#include <string.h>
#include <weft_handlers.h>

#include "spin.h"

#define MESSAGES 50
#define LENGTH 1000
#define BITS 1
#define GONE 1

static void broadcast(struct spin *spin)
{
    unsigned char data[LENGTH];
    for (unsigned i = 0; i < MESSAGES; i++) {
        memset(data, (int)i, LENGTH);
        spin_put(spin, data, LENGTH, 0, BITS, i * LENGTH, i);
    }
}

/* What is said of the rank that is gone does not count. */
static bool receive(struct spin *spin, unsigned char (*memory)[LENGTH])
{
    unsigned times[MESSAGES] = {0};
    for (unsigned count = 0; count < MESSAGES;) {
        ptl_event_t event;
        unsigned which;
        NEED(PtlEQPoll(&spin->events, 1, 20000, &event, &which));
        if (event.ni_fail_type == PTL_NI_UNDELIVERABLE)
            continue;
        NEED(event.ni_fail_type == PTL_NI_OK && event.hdr_data < MESSAGES ? PTL_OK : PTL_FAIL);
        times[event.hdr_data]++;
        count++;
    }
    bool is_right = true;
    for (unsigned i = 0; i < MESSAGES; i++)
        is_right = is_right && times[i] == 1 && memory[i][0] == i && memory[i][LENGTH - 1] == i;
    return is_right;
}

int main(void)
{
    struct spin spin;
    ptl_handlers_t handlers;
    struct weft_handler_reliable reliable = {.match_bits = BITS};
    spin_open(&spin, 4);
    struct weft_handler_job job = {.rank = spin.rank, .size = spin.size};
    reliable.neighbours = weft_handler_neighbours(&job);
    unsigned char(*memory)[LENGTH] = spin_memory(MESSAGES * sizeof *memory);
    NEED(weft_handler_reliable(spin.ni, &reliable, &handlers));
    NEED(LENGTH <= reliable.longest ? PTL_OK : PTL_FAIL);
    spin_post(&spin, memory, MESSAGES * sizeof *memory, PTL_ME_OP_PUT, BITS, PTL_CT_NONE,
              &handlers);
    spin_barrier(&spin);
    spin.absent = GONE;
    if (spin.rank == GONE) {
        NEED(PtlNIFini(spin.ni));
        PtlFini();
        return 0;
    }
    if (spin.rank == 0)
        broadcast(&spin);
    if (!receive(&spin, memory))
        spin_say(false, "reliable: the messages of rank %u", spin.rank);
    spin_barrier(&spin);
    if (spin.rank == 0)
        spin_say(true, "reliable: %u of %u ranks have %d messages, each once", spin.size - 1,
                 spin.size, MESSAGES);
    spin_close(&spin);
    return 0;
}
