/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory of one process that others write to. It is a memfd: no file system shows it, and it
 * is gone with the last process that maps it. A ring belongs to one sender but lives with the
 * receiver, so what a sender has committed survives it.
 *
 *      0 +--------------------------------------------------+
 *        | head: identity, shape, doorbell, count of claims |  one page
 *   4096 +--------------------------------------------------+
 *        | gate 0 | gate 1 | ... | gate n-1                 |  128 bytes each, whole pages:
 *        |                                                  |  whose ring, how much is consumed
 *        +--------------------------------------------------+
 *        | ring 0: | slot 0 | slot 1 | ...                  |  whole pages
 *        +--------------------------------------------------+
 *        | ring 1 ... ring 63                               |  never touched: costs nothing
 *        +--------------------------------------------------+
 *        | ring 64 ... ring n-1: an eighth of the slots     |
 *        +--------------------------------------------------+
 *
 *   slot | 16 unused | sequence 4, size 4 | packet ...                    | to the stride |
 *        0           16                   24
 *
 * Senders take the first ring that is free. Few processes have more than 64 that send to them;
 * that the others get less room bounds the memory of those that have.
 *
 * The word and the head of the packet share the first cache line, so one line makes a small
 * packet visible; from byte 24, the payload of the packets that continue a message starts on a
 * line of its own. The stride is an odd number of pairs of lines: the slots of a ring then spread
 * over all sets of a cache.
 *
 * Every other process of the user can write to all of this. What the owner needs to be true it
 * keeps in memory of its own, and reads nothing from here without checking it.
 */
#ifndef WEFT_WORLD_SHM_SEGMENT_H
#define WEFT_WORLD_SHM_SEGMENT_H

#include <assert.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nic/world_ops.h"

#define WEFT_SHM_SEGMENT_VERSION 2

#define WEFT_SHM_SEGMENT_WIDE 64u /* rings with all slots */
#define WEFT_SHM_SEGMENT_SHARE 8u /* others have this part of them */

static_assert(ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_LLONG_LOCK_FREE == 2,
              "processes share atomic words");

/* Where a segment is found. The key is random and made with the segment, so that neither a
 * process that has inherited the number of a dead one nor a file that has inherited the number of
 * a closed one is taken for it. */
struct weft_shm_segment_id {
    uint32_t os_pid;
    uint32_t fd;
    uint64_t key; /* never 0 */
};

struct weft_shm_segment_head {
    uint64_t magic;
    uint32_t version;
    uint32_t packet_size;
    uint32_t slots;
    uint32_t rings;
    uint64_t key;
    alignas(128) _Atomic uint32_t doorbell; /* a futex */
    _Atomic uint32_t sleeping;              /* somebody waits for the doorbell */
    _Atomic uint32_t closed;                /* nobody will ever look at the rings again */
    alignas(128) _Atomic uint32_t claims;   /* counts the claims of rings */
};

enum weft_shm_gate_state {
    WEFT_SHM_GATE_FREE,
    WEFT_SHM_GATE_CLAIMING, /* taken; the owner is not written yet */
    WEFT_SHM_GATE_OPEN,
    WEFT_SHM_GATE_LEFT,    /* the sender will not write again */
    WEFT_SHM_GATE_EXPELLED /* the receiver will not read again, but the sender may still write */
};

struct weft_shm_segment_gate {
    /* A weft_shm_gate_state; the process of the claimer is in the upper half, so that the ring of
     * one that died while it was CLAIMING can be recovered. */
    alignas(128) _Atomic uint64_t state;
    struct weft_nic_address owner;
    struct weft_shm_segment_id owner_id;
    alignas(64) _Atomic uint32_t consumed; /* written by the receiver, now and then */
};

static_assert(sizeof(struct weft_shm_segment_head) <= 4096, "layout");
static_assert(sizeof(struct weft_shm_segment_gate) == 128, "layout");

/* Follows from the three numbers of the head. */
struct weft_shm_segment_shape {
    uint32_t packet_size;
    uint32_t slots;
    uint32_t rings;
    uint32_t few_slots; /* of the narrow rings */
    size_t stride;
    size_t ring_bytes;
    size_t narrow_bytes;
    size_t rings_at; /* offset of ring 0; before it lie the head and the gates */
    size_t total;
};

static inline bool weft_shm_segment_is_wide(uint32_t ring)
{
    return ring < WEFT_SHM_SEGMENT_WIDE;
}

static inline uint32_t weft_shm_segment_slots(const struct weft_shm_segment_shape *shape,
                                              uint32_t ring)
{
    return weft_shm_segment_is_wide(ring) ? shape->slots : shape->few_slots;
}

static inline size_t weft_shm_segment_bytes(const struct weft_shm_segment_shape *shape,
                                            uint32_t ring)
{
    return weft_shm_segment_is_wide(ring) ? shape->ring_bytes : shape->narrow_bytes;
}

/* Where a ring begins; that of the ring behind the last is the end of the segment. */
static inline size_t weft_shm_segment_at(const struct weft_shm_segment_shape *shape, uint32_t ring)
{
    size_t wide = weft_shm_segment_is_wide(ring) ? ring : WEFT_SHM_SEGMENT_WIDE;
    return shape->rings_at + wide * shape->ring_bytes + (ring - wide) * shape->narrow_bytes;
}

/* A segment as its owner maps it. */
struct weft_shm_segment {
    struct weft_shm_segment_head *head;
    struct weft_shm_segment_gate *gates;
    struct weft_shm_segment_shape shape;
    struct weft_shm_segment_id id;
};

/* What a sender maps of the segment of another process: head, gates and one ring. */
struct weft_shm_claim {
    struct weft_shm_segment_head *head;
    struct weft_shm_segment_gate *gate;
    unsigned char *slots;
    uint32_t ring;
    struct weft_shm_segment_shape shape;
};

static inline enum weft_shm_gate_state
weft_shm_gate_state(const struct weft_shm_segment_gate *gate)
{
    uint64_t word = atomic_load_explicit(&gate->state, memory_order_acquire);
    return (enum weft_shm_gate_state)(uint32_t)word;
}

/* ---- For the owner ------------------------------------------------------------------------- */

/* Logs why if it fails. */
bool weft_shm_segment_create(struct weft_shm_segment *segment, uint32_t packet_size,
                             uint32_t slots, uint32_t rings);
void weft_shm_segment_destroy(struct weft_shm_segment *segment);

static inline unsigned char *weft_shm_segment_ring(const struct weft_shm_segment *segment,
                                                   uint32_t ring)
{
    return (unsigned char *)segment->head + weft_shm_segment_at(&segment->shape, ring);
}

/* Makes the ring of a sender that will not write again as new, and gives its memory back. */
void weft_shm_segment_recycle(struct weft_shm_segment *segment, uint32_t ring);

/* ---- For senders --------------------------------------------------------------------------- */

/* Whether that process still holds that segment: false if it is dead. Without a descriptor the
 * number and the name must do, and who cannot be looked at is alive. */
bool weft_shm_segment_is(const struct weft_shm_segment_id *id);

enum weft_shm_segment_answer {
    WEFT_SHM_SEGMENT_FINE,
    WEFT_SHM_SEGMENT_ABSENT, /* dead, closed or not the one we mean: another may come */
    WEFT_SHM_SEGMENT_FULL,   /* no ring is free */
    WEFT_SHM_SEGMENT_SHORT,  /* we have no descriptor free, or no memory, at the moment */
    WEFT_SHM_SEGMENT_REFUSED /* it will never do; the log says why */
};

/* Makes one of the rings of that segment ours and maps it. */
enum weft_shm_segment_answer weft_shm_claim_make(struct weft_shm_claim *claim,
                                                 const struct weft_shm_segment_id *id,
                                                 uint32_t packet_size,
                                                 struct weft_nic_address owner,
                                                 const struct weft_shm_segment_id *owner_id);

/* The receiver still reads the ring, as far as one can see from its memory. */
bool weft_shm_claim_holds(const struct weft_shm_claim *claim);

/* We shall not write again; what was committed remains to be read. */
void weft_shm_claim_drop(struct weft_shm_claim *claim);

#endif
