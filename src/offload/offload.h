/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Types made ready for a NIC. A `weft_offload` belongs to no buffer and no interface, so one
 * serves any number of receives. Its image, the normal form and perhaps checkpoints, is only read.
 * The head of a receive says where the data goes, and has the state that some strategies change.
 *
 * place.c does all of this for a receive, and falls back to the host where it must.
 */
#ifndef WEFT_OFFLOAD_OFFLOAD_H
#define WEFT_OFFLOAD_OFFLOAD_H

#include <assert.h>
#include <weft_offload.h>

#include "base/divisor.h"
#include "offload/interval.h"

/* The NIC to be ready for. */
struct weft_offload_nic {
    unsigned hpus;
    uint64_t packet;        /* bytes of payload */
    uint64_t first_packet;  /* the same of the first, whose headers are longer; 0: no fewer */
    uint64_t memory;        /* that one type may have */
    uint64_t packet_buffer; /* bytes of packets that may wait */
    struct weft_offload_times times;
};

/* 16 HPUs on a link of 200 Gbit/s, as in [DiG19]. */
struct weft_offload_nic weft_offload_nic_of_paper(uint64_t packet);

struct weft_offload_options {
    const weft_type *type; /* committed */
    size_t count;
    struct weft_offload_attributes attributes;
    struct weft_offload_nic nic;
};

struct weft_type_node;

/* WEFT_OK also if the type cannot be offloaded: its facts say why. */
int weft_offload_prepare(const struct weft_offload_options *options, struct weft_offload **out);

/* Another reference, to be closed too. */
struct weft_offload *weft_offload_retain(const struct weft_offload *offload);

struct weft_offload_facts {
    enum weft_offload_strategy strategy; /* never AUTO */
    const char *why;                     /* it was chosen; NULL if it was wished for */
    const char *handler;                 /* its name, where it is code for a core */
    enum weft_offload_fallback obstacle; /* NONE, or why it cannot be offloaded */
    bool is_contiguous;                  /* one block: an entry needs no handler */
    uint64_t size;                       /* packed bytes */
    int64_t low, high;                   /* the bytes of memory touched, from the base */
    int64_t at;                          /* where the first packed byte lies */
    uint64_t image_bytes;                /* of NIC memory, shared; also if there is an obstacle */
    uint64_t head_bytes;                 /* of NIC memory, for each receive */
    struct weft_offload_interval interval; /* of strategies with checkpoints */
    unsigned vhpus;                        /* 0: packets go to any HPU */
    unsigned delta_p;
    unsigned priority;
};

const struct weft_offload_facts *weft_offload_facts(const struct weft_offload *offload);

/* How often images of it came to a NIC, and how often they had to leave. */
struct weft_offload_stays {
    _Atomic uint64_t admitted, evicted;
};

struct weft_offload_stays *weft_offload_stays(const struct weft_offload *offload);

/* Whether two are the same to the NIC, so that they can share an image; and a hash of that. */
bool weft_offload_is_same(const struct weft_offload *a, const struct weft_offload *b);
uint64_t weft_offload_hash(const struct weft_offload *offload);

/* Writes the image (image.h), image_bytes long and aligned to 8 bytes. */
void weft_offload_write_image(const struct weft_offload *offload, void *image);

/*
 * Makes handlers for an entry whose memory is [start, start + length), to receive into `base`.
 * The head begins with *state: as initial state, handlers->hpu_memory being head_bytes long and
 * otherwise zero, or as another head of the same offload was left.
 *
 * This is the one range check. The bytes that a type touches lie between its bounds; if these are
 * within the entry, no packet can write outside, and the handlers, which are native and trusted
 * code (docs/architecture.md), write straight to memory. False if they are not.
 *
 * Addresses in a head are those that handlers use, with the same width on every core.
 */
struct weft_offload_head {
    uint64_t mem; /* of the first packed byte */
    uint64_t size;
    uint64_t root; /* of the image */
    uint64_t checkpoints;
    struct weft_divisor by_interval;
    uint32_t segment_bytes; /* of one iterator */
    uint32_t segment_count; /* iterators that follow the head */
    uint32_t first_short;   /* bytes that the first packet has fewer than others */
    uint32_t late;          /* packets for which an iterator had to begin again */
};

static_assert(sizeof(struct weft_offload_head) == 64, "layout");

static inline const struct weft_type_node *weft_offload_root(const struct weft_offload_head *head)
{
    return (const struct weft_type_node *)(uintptr_t)head->root;
}

bool weft_offload_bind(const struct weft_offload *offload, const void *image, void *base,
                       const void *start, uint64_t length, struct weft_offload_head *state,
                       ptl_handlers_t *handlers);

/* The work of the host, if the NIC does not do it: the first `length` bytes of the packed stream,
 * which are no more than there are. */
void weft_offload_unpack(const struct weft_offload *offload, void *base, const void *packed,
                         uint64_t length);

/* The strategy that fits best, and why, in a few words. */
enum weft_offload_strategy weft_offload_choose(const struct weft_type_node *node,
                                               const char **why);

#endif
