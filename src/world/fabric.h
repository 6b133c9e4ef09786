/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the worlds between hosts, ofi and tcp, have in common: how they are opened, how processes
 * find each other, and what is counted.
 */
#ifndef WEFT_WORLD_FABRIC_H
#define WEFT_WORLD_FABRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "nic/world_ops.h"

#define WEFT_WORLD_CARD_MAX 200u
#define WEFT_WORLD_KEY_SIZE 16u

/* What a process must know of another to reach it: opaque bytes, which a launcher carries. */
struct weft_world_card {
    uint32_t size;
    unsigned char bytes[WEFT_WORLD_CARD_MAX];
};

/* Where cards come from. */
struct weft_world_directory {
    /* 0; -EAGAIN if the card is not there yet; another negative errno if it never will be. Does
     * not wait. */
    int (*find)(struct weft_world_directory *directory, struct weft_nic_address address,
                struct weft_world_card *card);
};

struct weft_world_config {
    const char *provider;  /* as libfabric names it; "" for the first of the table in provider.c */
    const char *interface; /* of the host, or libfabric's domain; "" for the first; several: a list
                              with commas */
    uint32_t payload;      /* of the largest packet; 0: the usual of the world */
    uint64_t timeout;      /* nanoseconds until a process that does not answer counts as dead */
    struct weft_nic_address self;
    uint32_t uid;
    unsigned char key[WEFT_WORLD_KEY_SIZE]; /* of the job: who does not know it is not let in */
    struct weft_world_directory *directory; /* must live as long as the world */
    uint32_t window;                        /* most packets under way to one process; 0: 64 */
    uint32_t session_limit;                 /* idle connections above this are parked; 0: none */
    bool is_plain;     /* tcp: frames prove who has sent them, but everybody can read them */
    uint64_t instance; /* which process of those that had the address; 0: a random number */
};

/* By libfabric; and by sockets, where a packet is sealed while the one before it is opened, so
 * that shorter ones arrive sooner, until there are so many of them that their number costs more.
 */
#define WEFT_WORLD_PAYLOAD 65536u
#define WEFT_WORLD_PAYLOAD_TCP 49152u

static inline uint32_t weft_world_payload(uint64_t wanted, uint32_t usual)
{
    return wanted ? (uint32_t)wanted : usual;
}

/* Fills in what the configuration says of any world, with packets of `payload`, and which process
 * this is of those that had the address. False, with a message, if it makes no sense. */
bool weft_world_begin(struct weft_nic_world *world, const struct weft_world_config *config,
                      uint32_t payload, uint64_t *instance);

struct weft_world_counts {
    uint64_t
        strangers; /* frames without the right token, lines without a greeting; or senseless */
    uint64_t forgeries; /* handshakes without the key of the job */
    uint64_t sessions;  /* that are open now */
    uint64_t opened;    /* sessions, ever */
    uint64_t parked;    /* sessions that were closed because they were idle */
    uint64_t failed;    /* processes that were given up */
    /* With several interfaces the sums of all of these, and those to a process that others go on
     * to lead to. */
    uint64_t rails_lost;
};

#endif
