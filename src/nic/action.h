/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a running handler may do to memory. A handler has no argument that says who it is, so each
 * thread knows which one it runs.
 */
#ifndef WEFT_NIC_ACTION_H
#define WEFT_NIC_ACTION_H

#include "nic/state.h"

/* A handler that runs. */
struct weft_nic_run {
    struct weft_nic_activation *activation; /* NULL of an outbound handler */
    struct weft_nic_md *outbound;           /* whose descriptor this is */
    struct weft_nic *nic;
    uint32_t hpu;
    uint32_t vhpu;       /* UINT32_MAX: none */
    bool owns_nic;       /* or else it must become the owner for all that is not memory */
    ptl_ni_fail_t fault; /* of what the handler did, whatever it returns */
    uint64_t clock;      /* of its HPU, where the NIC keeps time */
};

extern _Thread_local struct weft_nic_run *weft_nic_run_current
    __attribute__((tls_model("initial-exec")));

/* NULL outside of handlers. */
static inline struct weft_nic_run *weft_nic_run_self(void)
{
    return weft_nic_run_current;
}

/* The one that ran before, to go back to: a handler may find a peer dead, and thereby end another
 * message. */
static inline struct weft_nic_run *weft_nic_run_enter(struct weft_nic_run *run)
{
    struct weft_nic_run *outer = weft_nic_run_current;
    weft_nic_run_current = run;
    return outer;
}

static inline void weft_nic_run_leave(struct weft_nic_run *outer)
{
    weft_nic_run_current = outer;
}

static inline struct weft_nic_delivery *weft_nic_run_delivery(const struct weft_nic_run *run)
{
    return &run->activation->delivery;
}

/* The memory that `options` of the interface choose. */
struct weft_nic_md *weft_nic_run_memory(const struct weft_nic_run *run, unsigned options);

/* PTL_OK, or PTL_ARG_INVALID, which the message does not survive, if the range is not in the
 * memory. `end`: when it is done, by the clock of the HPU. */
int weft_nic_action_write(struct weft_nic_run *run, const void *local, uint64_t offset,
                          uint64_t length, unsigned options, uint64_t *end);
int weft_nic_action_read(struct weft_nic_run *run, uint64_t offset, void *local, uint64_t length,
                         unsigned options, uint64_t *end);
int weft_nic_action_compare_and_swap(struct weft_nic_run *run, uint64_t offset, uint64_t *compare,
                                     uint64_t swap, unsigned options, uint64_t *end);
int weft_nic_action_fetch_add(struct weft_nic_run *run, uint64_t offset, uint64_t increment,
                              uint64_t *before, ptl_datatype_t datatype, unsigned options,
                              uint64_t *end);

/* The handler looks whether something is done, or waits until it is. */
bool weft_nic_action_test(struct weft_nic_run *run, uint64_t end);
void weft_nic_action_wait(struct weft_nic_run *run, uint64_t end);

/* A range that does not lie where it should. */
int weft_nic_action_fault(struct weft_nic_run *run);

#endif
