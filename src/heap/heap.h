/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of a program that other processes of its job can map: one region, a memfd as large as the
 * host's memory, of which only those pages are there that were written to. Allocations are runs of
 * whole granules; what is free is a hole in the file and reads as zeros. All of it is safe for
 * threads, and a child of fork has a copy of its own.
 *
 *   runs.c     which granules are in use
 *   memory.c   the file behind it
 *   heap.c     the region and its allocations
 *   view.c     the region of another process
 *   fork.c     a copy for children
 *   statics.c  static variables of the program, in the region as well
 *   program.c  malloc and its relatives, for `weft run --shared-heap`
 *   preloaded.c  finds that of program.c
 */
#ifndef WEFT_HEAP_HEAP_H
#define WEFT_HEAP_HEAP_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heap/runs.h"

/* Of the region: no allocation can have a larger one. */
#define WEFT_HEAP_ALIGNMENT ((size_t)2 << 20)

/* Memory that its owner has elsewhere, too. */
struct weft_heap_statics {
    uint64_t begin, bytes; /* 0: there is none */
    uint64_t offset;       /* in the region */
};

/* What a process must know to map the region of another. */
struct weft_heap_id {
    uint64_t key; /* random, never 0; it is in the first bytes of the region, too */
    uint64_t base, size;
    uint64_t fd;
    struct weft_heap_statics statics;
};

struct weft_heap {
    pthread_mutex_t lock;
    struct weft_heap_id id;
    struct weft_heap_runs runs;
    uint32_t *pages;        /* those that a run's owner has asked for, by its first granule */
    size_t records_size;    /* of the two */
    int copy;               /* fork.c: for the child; -1: there is none */
    struct weft_heap *next; /* fork.c */
};

/* So many bytes at most, of address space alone; 0: as many as the host has memory. False if the
 * system does not let us, and errno says why. */
bool weft_heap_open(struct weft_heap *heap, size_t size);
void weft_heap_close(struct weft_heap *heap);

/* Where in the region memory of its owner is; false unless all of it is there. What peers say of
 * theirs may be wrong. */
static inline bool weft_heap_find(const struct weft_heap_id *id, uint64_t address, uint64_t bytes,
                                  uint64_t *offset)
{
    uint64_t in_statics = address - id->statics.begin;
    bool is_static = in_statics < id->statics.bytes && bytes <= id->statics.bytes - in_statics;
    *offset = is_static ? id->statics.offset + in_statics : address - id->base;
    return *offset < id->size && bytes <= id->size - *offset;
}

/* Whether it is an allocation. */
static inline bool weft_heap_has(const struct weft_heap *heap, const void *memory)
{
    return (uintptr_t)memory - heap->id.base < heap->id.size;
}

static inline bool weft_heap_has_all(const struct weft_heap *heap, uint64_t begin, uint64_t bytes)
{
    uint64_t offset;
    return weft_heap_find(&heap->id, begin, bytes, &offset);
}

/* Zeros, at a multiple of a power of two; NULL if there is no room, or that is too large. */
void *weft_heap_take(struct weft_heap *heap, size_t bytes, size_t alignment);
void weft_heap_give(struct weft_heap *heap, void *memory);

/* Here or elsewhere; NULL if there is no room, and the memory stays as it is. */
void *weft_heap_resize(struct weft_heap *heap, void *memory, size_t bytes);

/* Bytes that the owner may use. */
size_t weft_heap_room(struct weft_heap *heap, const void *memory);

/* That of the library which `weft run --shared-heap` has loaded; NULL if it has not. */
struct weft_heap *weft_heap_preloaded(void);

/* ---- memory.c ------------------------------------------------------------------------------ */

/* A memfd of that size that nobody can cut, or -1. */
int weft_heap_memory_new(size_t size);
/* Whether a descriptor is one of these, and whether it has this key. */
bool weft_heap_memory_is(int fd, const struct weft_heap_id *id);
/* Maps all of it; NULL if that is not possible. */
void *weft_heap_memory_map(int fd, size_t size);
/* Some of it, in the place of another. */
bool weft_heap_memory_map_at(int fd, uint64_t offset, size_t size, void *at);

/* ---- statics.c ----------------------------------------------------------------------------- */

/* From now on the static variables of the program lie in the region, if they have so many bytes.
 * Before there are threads. */
void weft_heap_statics_share(struct weft_heap *heap, size_t least);

/* ---- fork.c -------------------------------------------------------------------------------- */

/* From now on children get a copy. */
void weft_heap_fork_watch(struct weft_heap *heap);
void weft_heap_fork_forget(struct weft_heap *heap);

#endif
