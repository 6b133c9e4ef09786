/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that libfabric sends from and receives into. Send buffers are of one size per pool, made
 * when they are first needed; receive buffers are few and large, and many frames come into each.
 */
#ifndef WEFT_WORLD_OFI_BUFFERS_H
#define WEFT_WORLD_OFI_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "world/ofi/endpoint.h"

struct weft_ofi_peer;

/* What a completion names. */
struct weft_ofi_buffer {
    struct fi_context2 context; /* must be first: providers write to it */
    void *descriptor;
    unsigned char *bytes;
};

/* ---- Sending ------------------------------------------------------------------------------- */

struct weft_ofi_tx {
    struct weft_ofi_buffer buffer; /* must be first */
    struct weft_list link;         /* among the free ones, or in the queue of a session */
    struct weft_ofi_tx_pool *pool; /* that it came from */
    struct weft_ofi_peer *peer;    /* whom it is sent to, in which session */
    uint64_t serial;
    size_t size;
    bool flies; /* libfabric has it */
    bool lost;  /* and may never give it back */
};

struct weft_ofi_tx_pool {
    struct weft_ofi_endpoint *endpoint;
    size_t room;    /* bytes of one buffer */
    uint32_t made;  /* buffers, in use or not */
    uint32_t limit; /* of buffers; it rises by those that a dead process may hold for ever */
    struct weft_list free;
    struct weft_list chunks;
};

void weft_ofi_tx_pool_init(struct weft_ofi_tx_pool *pool, struct weft_ofi_endpoint *endpoint,
                           size_t room, uint32_t limit);
void weft_ofi_tx_pool_fini(struct weft_ofi_tx_pool *pool);

/* NULL if all are in use, or without memory. */
struct weft_ofi_tx *weft_ofi_tx_take(struct weft_ofi_tx_pool *pool);
void weft_ofi_tx_give(struct weft_ofi_tx *tx);

/* The one that a completion names; NULL if that is none that libfabric has. */
struct weft_ofi_tx *weft_ofi_tx_pool_find(const struct weft_ofi_tx_pool *pool,
                                          const void *context);

/* Does without the buffers that libfabric has for `peer`. Says how many. */
uint32_t weft_ofi_tx_pool_write_off(struct weft_ofi_tx_pool *pool,
                                    const struct weft_ofi_peer *peer);

/* ---- Receiving ----------------------------------------------------------------------------- */

#define WEFT_OFI_RX_COUNT 8u

struct weft_ofi_rx {
    struct weft_ofi_buffer buffers[WEFT_OFI_RX_COUNT];
    struct weft_ofi_endpoint *endpoint;
    unsigned char *bytes; /* of all of them */
    size_t size;          /* of one */
    struct fid_mr *mr;
    uint32_t idle;       /* a bit for each buffer that libfabric does not have */
    bool has_complained; /* of libfabric, which does not take one */
};

/* False if it fails, and the log says why; closing is right in both cases. */
bool weft_ofi_rx_open(struct weft_ofi_rx *rx, struct weft_ofi_endpoint *endpoint);
void weft_ofi_rx_close(struct weft_ofi_rx *rx);

/* The one that a completion names; NULL if that is none of ours. */
struct weft_ofi_buffer *weft_ofi_rx_find(struct weft_ofi_rx *rx, const void *context);

/* Whether so many bytes lie within a buffer. */
bool weft_ofi_rx_holds(const struct weft_ofi_rx *rx, const struct weft_ofi_buffer *buffer,
                       const void *bytes, size_t size);

/* libfabric is done with a buffer, and its frames have been dealt with. */
void weft_ofi_rx_release(struct weft_ofi_rx *rx, struct weft_ofi_buffer *buffer);

/* Gives libfabric what it does not have. */
void weft_ofi_rx_post(struct weft_ofi_rx *rx);

#endif
