/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which parts of a region are in use: numbers of granules, of which runs are taken and given back.
 * It touches no memory of the region, so nothing that a program writes there can damage it.
 */
#ifndef WEFT_HEAP_RUNS_H
#define WEFT_HEAP_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEFT_HEAP_RUNS_NONE UINT32_MAX
#define WEFT_HEAP_RUNS_CLASSES 32u
#define WEFT_HEAP_RUNS_MOST (UINT32_C(1) << 30)

struct weft_heap_run;

struct weft_heap_runs {
    struct weft_heap_run *of;                /* granules; only first and last of a run count */
    uint32_t count;                          /* of granules */
    uint32_t top;                            /* behind all that were ever taken */
    uint32_t vacant[WEFT_HEAP_RUNS_CLASSES]; /* the first free run of each class of lengths */
};

/* Memory that the caller gives, all zeros: pages of it that no run reaches are never touched. */
size_t weft_heap_runs_bytes(uint32_t count);
void weft_heap_runs_open(struct weft_heap_runs *runs, void *memory, uint32_t count);

/* The first granule, whose number is a multiple of `alignment`, or WEFT_HEAP_RUNS_NONE. */
uint32_t weft_heap_runs_take(struct weft_heap_runs *runs, uint32_t length, uint32_t alignment);
void weft_heap_runs_give(struct weft_heap_runs *runs, uint32_t first);

/* Changes the length of a run that stays where it is; false if another is in the way. */
bool weft_heap_runs_resize(struct weft_heap_runs *runs, uint32_t first, uint32_t length);

/* Of a run that is in use; 0 if none begins there. */
uint32_t weft_heap_runs_length(const struct weft_heap_runs *runs, uint32_t first);

#endif
