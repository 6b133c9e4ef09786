/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Datatypes on the receive side: the payload handler of a message scatters each packet into its
 * place as it arrives ([DiG19], section 3.2). A `weft_offload` is a type made ready for the NIC;
 * it belongs to no buffer and no interface, so one serves any number of receives.
 *
 * What it needs in the memory of the NIC comes in two parts. The *image*, the normal form and
 * perhaps checkpoints, is only read and shared by all receives of the type. The *head* belongs to
 * one receive: where the data goes, and the state that some strategies change as they go.
 *
 * place.h does all of this for a receive, and falls back to the host where it must.
 */
#ifndef WEFT_OFFLOAD_OFFLOAD_H
#define WEFT_OFFLOAD_OFFLOAD_H

#include <portals4_spin.h>
#include <stdbool.h>
#include <weft.h>

#include "base/divisor.h"
#include "offload/interval.h"

/* X(enumerator, name, what it does) */
#define WEFT_OFFLOAD_STRATEGY_MAP(X)                                                              \
    X(SEEK, "seek", "finds the place of any packet in the normal form; keeps no state")           \
    X(SPECIALIZED, "specialized", "a handler for one shape: blocks at a stride or in a list")     \
    X(HPU_LOCAL, "hpu-local", "an iterator for each HPU, which catches up with the packets")      \
    X(RO_CP, "ro-cp", "copies the iterator's nearest checkpoint for each packet")                 \
    X(RW_CP, "rw-cp", "a checkpoint of the iterator for each sequence of packets, which owns it")

enum weft_offload_strategy {
    WEFT_OFFLOAD_AUTO, /* as weft_offload_choose says */
#define WEFT_OFFLOAD_ENUM(name, text, what) WEFT_OFFLOAD_##name,
    WEFT_OFFLOAD_STRATEGY_MAP(WEFT_OFFLOAD_ENUM)
#undef WEFT_OFFLOAD_ENUM
        WEFT_OFFLOAD_STRATEGIES
};

const char *weft_offload_strategy_name(enum weft_offload_strategy strategy);

/* X(enumerator, text): why a receive was unpacked by the host. */
#define WEFT_OFFLOAD_FALLBACK_MAP(X)                                                              \
    X(NONE, "offloaded")                                                                          \
    X(NOT_WANTED, "the type's attributes say so")                                                 \
    X(NOT_SPECIALIZED, "no specialised handler has this shape")                                   \
    X(TOO_LARGE, "more than the NIC gives to one type")                                           \
    X(NO_SPACE, "the memory of the NIC is in use")                                                \
    X(UNEXPECTED, "the message came before the receive")

enum weft_offload_fallback {
#define WEFT_OFFLOAD_ENUM(name, text) WEFT_OFFLOAD_FALLBACK_##name,
    WEFT_OFFLOAD_FALLBACK_MAP(WEFT_OFFLOAD_ENUM)
#undef WEFT_OFFLOAD_ENUM
        WEFT_OFFLOAD_FALLBACKS
};

const char *weft_offload_fallback_name(enum weft_offload_fallback fallback);

/* What a program may say of a type ([DiG19], section 3.2.6). Zeros are the defaults. */
struct weft_offload_attributes {
    bool stays_on_host;
    unsigned priority; /* those of lower priority leave the NIC first */
    double epsilon;    /* of the checkpoint interval; 0: WEFT_OFFLOAD_EPSILON */
};

#define WEFT_OFFLOAD_EPSILON 0.2

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
    enum weft_offload_strategy strategy;
    struct weft_offload_attributes attributes;
    struct weft_offload_nic nic;
};

struct weft_type_node;
struct weft_offload;

/* WEFT_OK also if the type cannot be offloaded: its facts say why. */
int weft_offload_open(const struct weft_offload_options *options, struct weft_offload **out);
void weft_offload_close(struct weft_offload *offload); /* NULL is allowed */

/* Another reference, to be closed too. */
struct weft_offload *weft_offload_retain(const struct weft_offload *offload);

struct weft_offload_facts {
    enum weft_offload_strategy strategy; /* never AUTO */
    const char *why;                     /* it was chosen; NULL if it was wished for */
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

/* Whether two are the same to the NIC, so that they can share an image; and a hash of that. */
bool weft_offload_is_same(const struct weft_offload *a, const struct weft_offload *b);
uint64_t weft_offload_hash(const struct weft_offload *offload);

/* Writes the image, image_bytes long and aligned to 8 bytes, where it will stay. */
void weft_offload_write_image(const struct weft_offload *offload, void *image);

/*
 * Makes handlers for an entry whose memory is [start, start + length), to receive into `base`.
 * The head begins with *state: as initial state, handlers->hpu_memory being head_bytes long and
 * otherwise zero, or as another head of the same offload was left.
 *
 * This is the one range check. The bytes that a type touches lie between its bounds; if these are
 * within the entry, no packet can write outside, and the handlers, which are native and trusted
 * code (docs/architecture.md), write straight to memory. False if they are not.
 */
struct weft_offload_head {
    uintptr_t mem; /* of the first packed byte */
    uint64_t size;
    const struct weft_type_node *root; /* in the image */
    const unsigned char *checkpoints;
    struct weft_divisor by_interval;
    uint32_t segment_bytes; /* of one iterator */
    uint32_t segment_count; /* iterators that follow the head */
    uint32_t first_short;   /* bytes that the first packet has fewer than others */
};

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
