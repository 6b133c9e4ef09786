/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stages that take virtual time. The NIC goes on deciding everything at once; here is found out
 * when what it has decided would have happened:
 *
 *     world --> match --+--> copy --> scheduler --> HPU --> DMA queue --> host memory --> event
 *                       +----------------------------------->|
 *
 * A world lets packets wait for the match before the NIC gets them (weft_nic_gate). Packets with
 * handlers are copied into NIC memory one after the other. All that goes to the host passes one
 * DMA engine (writes.h), and a message ends when its last byte is there. What is read from the
 * host takes two latencies, there and back, and is never in the way of writes.
 *
 * On such a NIC every message has an activation, also those without handlers.
 */
#ifndef WEFT_NIC_STAGES_H
#define WEFT_NIC_STAGES_H

#include "nic/action.h"
#include "nic/crowd.h"
#include "nic/server.h"
#include "nic/writes.h"

/* What a NIC has done since it was opened. */
struct weft_nic_stage_counts {
    uint64_t handlers;     /* payload handlers that ran, */
    uint64_t handler_time; /* nanoseconds of all, from their first instruction on, */
    uint64_t longest;      /* and of the longest */
    uint64_t waiting;      /* most packets in the memory of the NIC at one time */
    uint64_t far;          /* accesses to far memory, */
    uint64_t far_time;     /* and nanoseconds that they waited for others */
    struct weft_nic_write_counts writes;
};

/* Of a NIC with stages. */
struct weft_nic_stage_counts weft_nic_stages_counts(const struct weft_nic *nic);

struct weft_nic_timing {
    struct weft_nic_stages stages;
    struct weft_nic_server copier;
    struct weft_nic_writes writes;
    struct weft_nic_crowd far;       /* memory; not open unless it takes time */
    uint64_t waited;                 /* by the handler that runs, for the host */
    struct weft_nic_execution plain; /* of entries without handlers */
    uint64_t deadline;               /* when the next message ends */
    uint64_t last;                   /* when the last one without handlers does */
    struct weft_nic_stage_counts counts;
};

/* False without memory. Harmless without stages. */
bool weft_nic_stages_open(struct weft_nic *nic, const struct weft_nic_stages *stages);
void weft_nic_stages_close(struct weft_nic *nic);

/* By how many per mille a core is slower now, because others of its cluster are busy. */
uint32_t weft_nic_stages_stall(const struct weft_nic_run *run);

/* A core has made accesses to far memory since `from`, and waits until they are done. */
void weft_nic_stages_reach(struct weft_nic_run *run, uint64_t from, uint64_t accesses);

/* When a packet that comes now is in the memory of the NIC. */
uint64_t weft_nic_stages_copy(struct weft_nic *nic, uint64_t bytes);

/* The message of an activation writes to the host, at `issue`. */
void weft_nic_stages_write(struct weft_nic *nic, struct weft_nic_activation *activation,
                           uint64_t issue, uint64_t bytes);

/* When a handler that begins a DMA may go on if it waits for it. What waits in the queue before a
 * write is not known then: it is as if nothing did. */
uint64_t weft_nic_stages_dma(const struct weft_nic_run *run, enum weft_trace_dma direction,
                             uint64_t length);

/* When bytes of the host that are asked for at `issue` are here. */
uint64_t weft_nic_stages_read(const struct weft_nic *nic, uint64_t issue, uint64_t bytes);

/* The packet that is committed next leaves when its data is here, and the handler that sends it
 * has come so far. */
void weft_nic_stages_send(struct weft_nic *nic, bool is_from_host, uint64_t bytes);

/* When all that the handlers of an activation have written is there; they have ended. Messages
 * without handlers end in the order in which they came. */
uint64_t weft_nic_stages_settle(struct weft_nic *nic, struct weft_nic_activation *activation);

/* A handler has ended. */
void weft_nic_stages_count(struct weft_nic *nic, const struct weft_nic_task *task, uint64_t took);

#endif
