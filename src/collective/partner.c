/* SPDX-License-Identifier: BSD-3-Clause */
#include "collective/partner.h"

struct weft_collective_fold weft_collective_fold_of(uint32_t size)
{
    uint32_t core = 1;
    while (core <= size / 2)
        core *= 2;
    return (struct weft_collective_fold){core, size - core};
}

void weft_collective_add_from(struct weft_collective_part *part, struct weft_collective_sum *sum,
                              uint32_t other, struct weft_schedule_memory place)
{
    int come = weft_collective_receive(part, &place, other, WEFT_COLLECTIVE_NONE);
    int combined = weft_collective_combine(part, &sum->memory, &place, sum->done);
    weft_collective_after(part, combined, come);
    *sum = (struct weft_collective_sum){place, combined};
}
