/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/crowd.h"

#include <stdlib.h>

#define RING 65536u /* quanta; farther ahead nobody waits */
#define PS 1000u

bool weft_nic_crowd_open(struct weft_nic_crowd *crowd, uint64_t quantum, uint64_t service)
{
    *crowd = (struct weft_nic_crowd){
        .quantum = quantum, .service = service, .taken = calloc(RING, sizeof *crowd->taken)};
    return crowd->taken;
}

void weft_nic_crowd_close(struct weft_nic_crowd *crowd)
{
    free(crowd->taken);
}

void weft_nic_crowd_forget(struct weft_nic_crowd *crowd, uint64_t before)
{
    uint64_t first = before / crowd->quantum;
    for (uint64_t i = crowd->first; i < first && i < crowd->first + RING; i++)
        crowd->taken[i % RING] = 0;
    if (crowd->first < first)
        crowd->first = first;
}

uint64_t weft_nic_crowd_serve(struct weft_nic_crowd *crowd, uint64_t from, uint64_t to,
                              uint64_t accesses)
{
    uint64_t at = from / crowd->quantum, last = to, left = accesses * crowd->service;
    crowd->accesses += accesses;
    for (; left > 0 && at < crowd->first + RING; at++) {
        uint32_t *taken = &crowd->taken[at % RING];
        uint64_t room = crowd->quantum * PS - *taken;
        uint64_t some = left < room ? left : room;
        *taken += (uint32_t)some;
        left -= some;
        if (some > 0)
            last = at * crowd->quantum + *taken / PS;
    }
    if (last <= to)
        return to;
    crowd->delay += last - to;
    return last;
}
