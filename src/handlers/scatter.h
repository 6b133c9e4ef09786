/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Datatypes on the receive side: the payload handler of a message scatters each packet into its
 * place as it arrives (paper 000, section 3.2). A `weft_scatter` is a type made ready for the NIC;
 * it belongs to no buffer and no interface, so one serves any number of receives.
 *
 * What it needs in the memory of the NIC comes in two parts. The *image*, the normal form and
 * perhaps checkpoints, is only read and shared by all receives of the type. The *head* belongs to
 * one receive: where the data goes, and the state that some strategies change as they go.
 *
 * scatter_place.h does all of this for a receive, and falls back to the host where it must.
 */
#ifndef WEFT_HANDLERS_SCATTER_H
#define WEFT_HANDLERS_SCATTER_H

#include <portals4_spin.h>
#include <stdbool.h>
#include <weft.h>

#include "base/divisor.h"
#include "handlers/scatter_interval.h"

/* X(enumerator, name, what it does) */
#define WEFT_SCATTER_STRATEGY_MAP(X)                                                              \
    X(SEEK, "seek", "finds the place of any packet in the normal form; keeps no state")           \
    X(SPECIALIZED, "specialized", "a handler for one shape: blocks at a stride or in a list")     \
    X(HPU_LOCAL, "hpu-local", "an iterator for each HPU, which catches up with the packets")      \
    X(RO_CP, "ro-cp", "copies the iterator's nearest checkpoint for each packet")                 \
    X(RW_CP, "rw-cp", "a checkpoint of the iterator for each sequence of packets, which owns it")

enum weft_scatter_strategy {
    WEFT_SCATTER_AUTO, /* as weft_scatter_choose says */
#define WEFT_SCATTER_ENUM(name, text, what) WEFT_SCATTER_##name,
    WEFT_SCATTER_STRATEGY_MAP(WEFT_SCATTER_ENUM)
#undef WEFT_SCATTER_ENUM
        WEFT_SCATTER_STRATEGIES
};

const char *weft_scatter_strategy_name(enum weft_scatter_strategy strategy);

/* X(enumerator, text): why a receive was unpacked by the host. */
#define WEFT_SCATTER_FALLBACK_MAP(X)                                                              \
    X(NONE, "offloaded")                                                                          \
    X(NOT_WANTED, "the type's attributes say so")                                                 \
    X(NOT_SPECIALIZED, "no specialised handler has this shape")                                   \
    X(TOO_LARGE, "more than the NIC gives to one type")                                           \
    X(NO_SPACE, "the memory of the NIC is in use")                                                \
    X(UNEXPECTED, "the message came before the receive")

enum weft_scatter_fallback {
#define WEFT_SCATTER_ENUM(name, text) WEFT_SCATTER_FALLBACK_##name,
    WEFT_SCATTER_FALLBACK_MAP(WEFT_SCATTER_ENUM)
#undef WEFT_SCATTER_ENUM
        WEFT_SCATTER_FALLBACKS
};

const char *weft_scatter_fallback_name(enum weft_scatter_fallback fallback);

/* What a program may say of a type (paper 000, section 3.2.6). Zeros are the defaults. */
struct weft_scatter_attributes {
    bool stays_on_host;
    unsigned priority; /* those of lower priority leave the NIC first */
    double epsilon;    /* of the checkpoint interval; 0: WEFT_SCATTER_EPSILON */
};

#define WEFT_SCATTER_EPSILON 0.2

/* The NIC to be ready for. */
struct weft_scatter_nic {
    unsigned hpus;
    uint64_t packet;        /* bytes of payload */
    uint64_t first_packet;  /* the same of the first, whose headers are longer; 0: no fewer */
    uint64_t memory;        /* that one type may have */
    uint64_t packet_buffer; /* bytes of packets that may wait */
    struct weft_scatter_times times;
};

/* 16 HPUs on a link of 200 Gbit/s, as in paper 000. */
struct weft_scatter_nic weft_scatter_nic_of_paper(uint64_t packet);

struct weft_scatter_wish {
    const weft_type *type; /* committed */
    size_t count;
    enum weft_scatter_strategy strategy;
    struct weft_scatter_attributes attributes;
    struct weft_scatter_nic nic;
};

struct weft_node;
struct weft_scatter;

/* WEFT_OK also if the type cannot be offloaded: its facts say why. */
int weft_scatter_open(const struct weft_scatter_wish *wish, struct weft_scatter **out);
void weft_scatter_close(struct weft_scatter *scatter); /* NULL is allowed */

/* Another reference, to be closed too. */
struct weft_scatter *weft_scatter_retain(const struct weft_scatter *scatter);

struct weft_scatter_facts {
    enum weft_scatter_strategy strategy; /* never AUTO */
    const char *why;                     /* it was chosen; NULL if it was wished for */
    enum weft_scatter_fallback obstacle; /* NONE, or why it cannot be offloaded */
    bool is_contiguous;                  /* one block: an entry needs no handler */
    uint64_t size;                       /* packed bytes */
    int64_t low, high;                   /* the bytes of memory touched, from the base */
    int64_t at;                          /* where the first packed byte lies */
    uint64_t image_bytes;                /* of NIC memory, shared; also if there is an obstacle */
    uint64_t head_bytes;                 /* of NIC memory, for each receive */
    struct weft_scatter_interval interval; /* of strategies with checkpoints */
    unsigned vhpus;                        /* 0: packets go to any HPU */
    unsigned delta_p;
    unsigned priority;
};

const struct weft_scatter_facts *weft_scatter_facts(const struct weft_scatter *scatter);

/* Whether two are the same to the NIC, so that they can share an image; and a hash of that. */
bool weft_scatter_is_same(const struct weft_scatter *a, const struct weft_scatter *b);
uint64_t weft_scatter_hash(const struct weft_scatter *scatter);

/* Writes the image, image_bytes long and aligned to 8 bytes, where it will stay. */
void weft_scatter_write_image(const struct weft_scatter *scatter, void *image);

/*
 * Makes handlers for an entry whose memory is [start, start + length), to receive into `base`.
 * The head begins with *state: as initial state, handlers->hpu_memory being head_bytes long and
 * otherwise zero, or as another head of the same scatter was left.
 *
 * This is the one range check. The bytes that a type touches lie between its bounds; if these are
 * within the entry, no packet can write outside, and the handlers, which are native and trusted
 * code (docs/architecture.md), write straight to memory. False if they are not.
 */
struct weft_scatter_head {
    uintptr_t mem; /* of the first packed byte */
    uint64_t size;
    const struct weft_node *root; /* in the image */
    const unsigned char *checkpoints;
    struct weft_divisor by_interval;
    uint32_t segment_bytes; /* of one iterator */
    uint32_t segment_count; /* iterators that follow the head */
    uint32_t first_short;   /* bytes that the first packet has fewer than others */
};

bool weft_scatter_bind(const struct weft_scatter *scatter, const void *image, void *base,
                       const void *start, uint64_t length, struct weft_scatter_head *state,
                       ptl_handlers_t *handlers);

/* The work of the host, if the NIC does not do it: the first `length` bytes of the packed stream,
 * which are no more than there are. */
void weft_scatter_unpack(const struct weft_scatter *scatter, void *base, const void *packed,
                         uint64_t length);

/* The strategy that fits best, and why, in a few words. */
enum weft_scatter_strategy weft_scatter_choose(const struct weft_node *node, const char **why);

#endif
