/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The world of processes that libfabric connects. Read frame.h first (what travels), then peer.h
 * (what becomes of a process: sought, greeted, connected, parked, failed), session.h (credits and
 * order), endpoint.h and buffers.h (libfabric's objects and ours), and then rails.h (several
 * interfaces at once).
 */
#ifndef WEFT_WORLD_OFI_OFI_H
#define WEFT_WORLD_OFI_OFI_H

#include <stdint.h>

#include "nic/world_ops.h"

#define WEFT_OFI_CARD_MAX 200u
#define WEFT_OFI_KEY_SIZE 16u

/* What a process must know of another to reach it: opaque bytes, which a launcher carries. */
struct weft_ofi_card {
    uint32_t size;
    unsigned char bytes[WEFT_OFI_CARD_MAX];
};

/* Where cards come from. */
struct weft_ofi_directory {
    /* 0; -EAGAIN if the card is not there yet; another negative errno if it never will be. Does
     * not wait. */
    int (*find)(struct weft_ofi_directory *directory, struct weft_nic_address address,
                struct weft_ofi_card *card);
};

struct weft_ofi_config {
    const char *provider;  /* as libfabric names it; "" for the first of the table in provider.c */
    const char *interface; /* of the host, or libfabric's domain; "" for the first; several: a list
                              with commas */
    uint32_t payload;      /* of the largest packet; 0: WEFT_OFI_PAYLOAD */
    uint64_t timeout;      /* nanoseconds until a process that does not answer counts as dead */
    struct weft_nic_address self;
    uint32_t uid;
    unsigned char key[WEFT_OFI_KEY_SIZE]; /* of the job: who does not know it is not let in */
    struct weft_ofi_directory *directory; /* must live as long as the world */
    uint32_t window;                      /* most packets under way to one process; 0: 64 */
    uint32_t session_limit;               /* idle connections above this are parked; 0: none */
    uint64_t instance; /* which process of those that had the address; 0: a random number */
};

#define WEFT_OFI_PAYLOAD 65536u

/* NULL if it fails, and the log says why; `own` is what others need to reach us. A process that
 * opens a world must not fork and go on using it in the child. */
struct weft_nic_world *weft_ofi_open(const struct weft_ofi_config *config,
                                     struct weft_ofi_card *own);

struct weft_ofi_counts {
    uint64_t strangers; /* frames without the right token, or that make no sense */
    uint64_t forgeries; /* handshakes without the key of the job */
    uint64_t sessions;  /* that are open now */
    uint64_t opened;    /* sessions, ever */
    uint64_t parked;    /* sessions that were closed because they were idle */
    uint64_t failed;    /* processes that were given up */
    /* With several interfaces the sums of all of these, and those to a process that others go on
     * to lead to. */
    uint64_t rails_lost;
};

struct weft_ofi_counts weft_ofi_counts(const struct weft_nic_world *world);

/* Of libfabric, and the interface that the world is bound to, or the list of them. */
const char *weft_ofi_provider(const struct weft_nic_world *world);
const char *weft_ofi_interface(const struct weft_nic_world *world);
/* Strangers who reach that interface can disturb the provider. */
bool weft_ofi_is_exposed(const struct weft_nic_world *world);

#endif
