/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 asks the NIC of rank 1 for some records of a large table: README.md. */
#include <weft_handlers.h>

#include "spin.h"

#define RECORDS 100000
enum { QUERY = 1, ANSWER };

struct particle {
    uint64_t charge;
    double place[3];
};

static uint64_t charge_of(unsigned i)
{
    return i * 7919u % 1000;
}

static void serve(struct spin *spin)
{
    struct weft_handler_filter filter;
    ptl_handlers_t handlers;
    struct particle *particles = spin_memory(RECORDS * sizeof *particles);
    for (unsigned i = 0; i < RECORDS; i++)
        particles[i] = (struct particle){charge_of(i), {i, i, i}};
    NEED(weft_handler_filter(spin->ni, &filter, &handlers));
    spin_post(spin, particles, RECORDS * sizeof *particles, PTL_ME_OP_PUT, QUERY, PTL_CT_NONE,
              &handlers);
}

/* Waits for the message that ends the answer. */
static uint64_t ask(struct spin *spin, struct particle *answers)
{
    struct weft_handler_query query = {.count = RECORDS,
                                       .record_size = sizeof *answers,
                                       .field = offsetof(struct particle, charge),
                                       .least = 100,
                                       .most = 101,
                                       .match_bits = ANSWER};
    uint64_t end = 0;
    spin_post(spin, answers, RECORDS * sizeof *answers, PTL_ME_OP_PUT, ANSWER, PTL_CT_NONE, NULL);
    spin_put(spin, &query, sizeof query, 1, QUERY, 0, 0);
    while (end == 0)
        end = spin_event(spin, PTL_EVENT_PUT).hdr_data;
    return end - 1;
}

int main(void)
{
    struct spin spin;
    spin_open(&spin, 2);
    if (spin.rank == 1)
        serve(&spin);
    spin_barrier(&spin);
    if (spin.rank == 0) {
        struct particle *answers = spin_memory(RECORDS * sizeof *answers);
        uint64_t count = ask(&spin, answers), expected = 0;
        bool is_right = true;
        for (unsigned i = 0; i < RECORDS; i++)
            if (charge_of(i) >= 100 && charge_of(i) <= 101)
                is_right = is_right && answers[expected++].place[0] == i;
        spin_say(is_right && count == expected, "filter: %d of %d records were sent", (int)count,
                 RECORDS);
    }
    spin_close(&spin);
    return 0;
}
