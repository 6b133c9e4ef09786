/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_nic_host.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LINE SIM_NIC_LINE

/* ---- A cache with sets of WAYS lines, that used last first -------------------------------- */

#define WAYS 16u
#define NOWHERE UINT64_MAX

struct cache {
    uint64_t *lines;
    uint64_t sets;
    double missed;
};

static bool open_cache(struct cache *cache, double bytes)
{
    cache->sets = (uint64_t)bytes / (LINE * WAYS);
    cache->missed = 0;
    cache->lines = cache->sets ? malloc(cache->sets * WAYS * sizeof *cache->lines) : NULL;
    for (uint64_t i = 0; cache->lines && i < cache->sets * WAYS; i++)
        cache->lines[i] = NOWHERE;
    return cache->lines;
}

static void touch_line(struct cache *cache, uint64_t line)
{
    uint64_t *set = cache->lines + line % cache->sets * WAYS;
    size_t at = 0;
    while (at < WAYS - 1 && set[at] != line)
        at++;
    cache->missed += set[at] != line;
    memmove(set + 1, set, at * sizeof *set);
    set[0] = line;
}

static void touch(struct cache *cache, uint64_t first, uint64_t length)
{
    for (uint64_t line = first / LINE; line <= (first + length - 1) / LINE; line++)
        touch_line(cache, line);
}

/* ---- Unpacking ---------------------------------------------------------------------------- */

#define MESSAGE ((uint64_t)1 << 40) /* where the packed message lies */

static void copy_piece(void *self, const struct sim_nic_piece *piece)
{
    touch(self, MESSAGE + piece->offset, piece->length);
    touch(self, piece->place, piece->length);
}

struct sim_nic_host_work sim_nic_host_unpack(const struct sim_nic_study *study,
                                             const struct ddt_layout *layout)
{
    double blocks = (double)layout->pieces * study->host_block;
    struct cache cache;
    if (!open_cache(&cache, study->host_cache))
        return (struct sim_nic_host_work){(double)layout->bytes / study->host_rate + blocks, 0};
    sim_nic_layout_each(layout, copy_piece, &cache);
    free(cache.lines);
    /* A stream at that rate moves two lines for each line of the message. */
    double line = LINE / study->host_rate / 2;
    return (struct sim_nic_host_work){cache.missed * line + blocks, cache.missed};
}

double sim_nic_host_prepare(const struct sim_nic_study *study, const struct ddt_layout *layout,
                            double bytes)
{
    bool goes_through =
        study->way == SIM_NIC_RW_CP || study->way == SIM_NIC_RO_CP || study->way == SIM_NIC_IOVEC;
    double walk = goes_through ? (double)layout->pieces * study->host_block : 0;
    return walk + study->dma_latency + bytes / study->dma_rate;
}
