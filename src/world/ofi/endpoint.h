/* SPDX-License-Identifier: BSD-3-Clause */
/* The objects of libfabric: one endpoint, one queue of completions, one table of addresses. */
#ifndef WEFT_WORLD_OFI_ENDPOINT_H
#define WEFT_WORLD_OFI_ENDPOINT_H

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weft_ofi_endpoint {
    struct fi_info *list; /* all that libfabric offers */
    struct fi_info *info; /* the one of it that we use */
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_av *av;
    struct fid_cq *cq;
    struct fid_ep *ep;
    size_t frame_size; /* the most that we send or receive at once */
    size_t inject;     /* up to so many bytes are copied by fi_inject */
    int wait;          /* a descriptor that is readable when there may be completions; or -1 */
    bool registers;    /* local memory has to be registered */
    uint64_t mr_key;   /* for the next registration */
};

/* For frames of up to `frame_size` bytes, or less where the provider keeps only shorter ones in
 * order. False if it fails, and the log says why; closing is right in both cases. */
bool weft_ofi_endpoint_open(struct weft_ofi_endpoint *endpoint, size_t frame_size,
                            const char *provider, const char *interface);
void weft_ofi_endpoint_close(struct weft_ofi_endpoint *endpoint);

/* libfabric uses no memory of ours any more; registrations can be closed. */
void weft_ofi_endpoint_stop(struct weft_ofi_endpoint *endpoint);

/* Where we are, for fi_av_insert of others. 0 if it does not fit. */
size_t weft_ofi_endpoint_name(const struct weft_ofi_endpoint *endpoint, void *bytes, size_t room);

/* FI_ADDR_NOTAVAIL if it is no address. */
fi_addr_t weft_ofi_endpoint_insert(struct weft_ofi_endpoint *endpoint, const void *name);

/* Makes memory usable for `access` (FI_SEND or FI_RECV); `mr` and `descriptor` stay NULL where
 * there is no need. */
bool weft_ofi_endpoint_register(struct weft_ofi_endpoint *endpoint, void *bytes, size_t size,
                                uint64_t access, struct fid_mr **mr, void **descriptor);

/* Makes sure that the descriptor `wait` speaks up at the next completion. */
void weft_ofi_endpoint_arm(struct weft_ofi_endpoint *endpoint);

#endif
