/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A Portals process: its world, its NIC, and the lock that makes one thread the NIC's owner. An
 * operating system process has one; in virtual time there is one for each simulated node, and the
 * simulator says which is current.
 *
 * Progress is made by whoever calls: every call that waits or polls steps the NIC. A thread of
 * the library looks in now and then (WEFT_PROGRESS), so that a program that computes still
 * answers its peers.
 */
#ifndef WEFT_PORTALS_PROCESS_H
#define WEFT_PORTALS_PROCESS_H

#include <portals4.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/courtesy.h"
#include "nic/state.h"
#include "portals/handle.h"

struct weft_portals_process {
    /* Interfaces are opened and closed by one thread at a time, which may let go of the other
     * lock on the way. Taken first. */
    pthread_mutex_t life;
    pthread_mutex_t lock; /* its holder owns the NIC */
    atomic_uint init_count;
    atomic_bool aborted;
    struct weft_nic_world *world;
    struct weft_nic_config nic_config;
    bool world_is_given; /* by the simulator: not ours to open, and nobody else to step it */
    const ptl_process_t *shared_map; /* that interfaces need not copy; NULL: none */
    struct weft_nic *nic;
    unsigned ni_count[WEFT_NIC_NIS];
    uint32_t incarnations[WEFT_NIC_NIS]; /* how often each was opened */
    unsigned bundles[WEFT_NIC_NIS];
    uint64_t spin; /* nanoseconds without packets that a wait polls before it sleeps */
    struct weft_courtesy courtesy; /* to others, of those who wait */
    uint64_t checked;              /* when the world was last looked after */
    atomic_uint polls;             /* where the next look at several objects begins */
    atomic_uint sleepers;
    atomic_uint moves; /* steps of the NIC that found something to do */
    atomic_uint looks; /* calls that found nothing and did not wait */
    /* Threads that use the world without the lock, while they pause between two looks. The world
     * is closed only when there are none, and no new ones come once it is being closed. */
    atomic_uint visitors;
    atomic_bool is_closed;
    uint64_t seen; /* of the NIC's posted events, by those who wake sleepers */
    struct weft_portals_progress *progress;
    struct weft_portals_hpu_threads *hpu_threads; /* NULL: handlers run in whoever steps the NIC */
    atomic_uint contenders; /* HPUs that want the lock: callers that poll let them have it */
};

struct weft_portals_process *weft_portals_process_self(void);

/* For the simulator: makes another process the current one. */
void weft_portals_process_become(struct weft_portals_process *process);
void weft_portals_process_init(struct weft_portals_process *process);

/* PTL_OK, PTL_PID_IN_USE, PTL_ARG_INVALID, PTL_NO_SPACE or PTL_FAIL. Both locks are held. */
int weft_portals_process_open(struct weft_portals_process *process, ptl_pid_t pid);
void weft_portals_process_close(struct weft_portals_process *process);

/* Using the world without the lock: false if it is closed. */
bool weft_portals_process_visit(struct weft_portals_process *process);
void weft_portals_process_leave(struct weft_portals_process *process);

/* Steps the NIC; looks after the world, if that was not done just now. The lock is held. */
bool weft_portals_process_step(struct weft_portals_process *process);
void weft_portals_process_check(struct weft_portals_process *process);

/* Both, for a call that cannot be granted yet: a program may repeat it until it can, and what it
 * waits for may be the death of a peer. The lock is held. */
void weft_portals_process_advance(struct weft_portals_process *process);

/* Wakes those who sleep if there is anything new to see. The lock is held. */
void weft_portals_process_notify(struct weft_portals_process *process);

/* ---- Calls -------------------------------------------------------------------------------- */

/* What a call works on. Between enter and leave the lock is held. */
struct weft_portals_scope {
    struct weft_portals_process *process;
    struct weft_nic_ni *ni;
    void *object; /* of the handle; NULL for an interface */
    int result;   /* if it could not be entered: what the call returns */
};

/* False with PTL_NO_INIT, or PTL_ARG_INVALID if there is no such object. */
bool weft_portals_enter(struct weft_portals_scope *scope, ptl_handle_any_t handle,
                        enum weft_portals_handle_kind kind);

/* Ends the call with its result, having started what it has triggered. */
int weft_portals_leave(struct weft_portals_scope *scope, int result);

/* The object of another handle of the same interface. `none` stands for no object, id 0. */
void *weft_portals_find(const struct weft_nic_ni *ni, ptl_handle_any_t handle,
                        enum weft_portals_handle_kind kind);
bool weft_portals_find_id(const struct weft_nic_ni *ni, ptl_handle_any_t handle,
                          enum weft_portals_handle_kind kind, ptl_handle_any_t none, uint32_t *id);

static inline ptl_handle_ni_t weft_portals_ni_handle(const struct weft_nic_ni *ni)
{
    return weft_portals_handle(WEFT_PORTALS_HANDLE_NI, ni->number,
                               ni->incarnation & WEFT_PORTALS_HANDLE_ID_MASK);
}

/* ---- Waiting ------------------------------------------------------------------------------ */

struct weft_wait {
    struct weft_portals_process *process;
    uint64_t idle_since; /* neither events nor packets */
    uint64_t deadline;   /* UINT64_MAX: none */
    unsigned moves;      /* of the process, at the last look */
    unsigned rounds;
    bool is_over;
};

/* `timeout` in milliseconds, or PTL_TIME_FOREVER. */
void weft_portals_wait_begin(struct weft_wait *wait, struct weft_portals_process *process,
                             ptl_time_t timeout);

/* Between two looks, without the lock: first polls, then sleeps; notices the end of the time. */
void weft_portals_wait_pause(struct weft_wait *wait);

/* The pause of a call that looks once and waits for nothing: a program may repeat it. */
void weft_portals_wait_once(void);

#endif
