/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stage that runs handlers. Without HPUs a handler runs at once, on the core that receives.
 * With HPUs a task waits in its context until one is idle: a thread of the driver, or a unit in
 * virtual time, whose handler runs at once but counts as running until its time is over.
 */
#ifndef WEFT_NIC_HPU_H
#define WEFT_NIC_HPU_H

#include "base/rare.h"
#include "nic/state.h"

#define WEFT_NIC_HPU_NIC_MEMORY ((uint64_t)64 << 20) /* where nobody says */

/* False without memory. */
bool weft_nic_hpu_open(struct weft_nic *nic, const struct weft_nic_config *config);
void weft_nic_hpu_close(struct weft_nic *nic);

static inline bool weft_nic_hpu_is_inline(const struct weft_nic *nic)
{
    return nic->hpu.config.count == 0;
}

static inline uint32_t weft_nic_hpu_count(const struct weft_nic *nic)
{
    return weft_nic_hpu_is_inline(nic) ? 1 : nic->hpu.config.count;
}

/* Every portal table entry has as many contexts as there are, so that slow handlers of one are
 * nothing to the others. */
static inline bool weft_nic_hpu_is_full(const struct weft_nic *nic, const struct weft_nic_pt *pt)
{
    return !weft_nic_hpu_is_inline(nic) && pt->contexts >= nic->hpu.config.contexts;
}

/* Whether a message of the portal table entry may use another context. Without flow control it
 * always may, but then its sender has to wait for a while (weft_nic_peer_waits). */
static inline bool weft_nic_hpu_has_context(const struct weft_nic *nic,
                                            const struct weft_nic_pt *pt)
{
    return !(pt->options & PTL_PT_FLOWCTRL) || !weft_nic_hpu_is_full(nic, pt);
}

/* A context with room for a payload, which is copied; NULL without memory. */
struct weft_nic_task *weft_nic_hpu_context(struct weft_nic_activation *activation,
                                           enum weft_nic_handler handler,
                                           const ptl_payload_t *payload);
void weft_nic_hpu_release(struct weft_nic_task *task);

/* A context for a packet that leaves; NULL without memory. */
struct weft_nic_task *weft_nic_hpu_outbound(struct weft_nic *nic, struct weft_nic_gather *gather);

/* Takes a task away from wherever it is; no thread is at work on it. */
void weft_nic_hpu_drop(struct weft_nic_task *task);

/* A payload without the user header: what a payload handler gets. */
static inline ptl_payload_t weft_nic_hpu_payload(const struct weft_nic_activation *activation,
                                                 const ptl_payload_t *whole)
{
    ptl_payload_t payload = *whole;
    ptl_size_t header = activation->delivery.execution->handlers.user_hdr_size;
    if (weft_rare(payload.offset < header)) {
        ptl_size_t skipped = header - payload.offset;
        if (skipped > payload.length)
            skipped = payload.length;
        payload.base += skipped;
        payload.length -= skipped;
        payload.offset += skipped;
    }
    payload.offset -= header;
    return payload;
}

/* A message as handlers see it, but without its user header. */
ptl_header_t weft_nic_hpu_header(const struct weft_nic_activation *activation);

/* Its turn has come: it runs when an HPU is idle. */
void weft_nic_hpu_submit(struct weft_nic_task *task);

/* The same where there are HPUs, and nobody counts. */
void weft_nic_hpu_enqueue(struct weft_nic_task *task);

/* Lets time pass for units; says whether any handler began or ended. */
bool weft_nic_hpu_step(struct weft_nic *nic);

/* For threads. The first and the last are for the owner of the NIC, and `run` is not. */
struct weft_nic_task *weft_nic_hpu_take(struct weft_nic *nic, uint32_t hpu);
void weft_nic_hpu_run(struct weft_nic_task *task, bool owns_nic);
void weft_nic_hpu_done(struct weft_nic_task *task);

/* Whether tasks of the interface are on an HPU now. */
bool weft_nic_hpu_is_busy(const struct weft_nic *nic, const struct weft_nic_ni *ni);

#endif
