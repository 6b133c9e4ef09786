/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An interface with an entry that takes large puts and gets, and a ledger of the operations that
 * this process has under way: each must cause exactly the events that it owes.
 */
#ifndef WEFT_TESTS_SURVIVE_ENDPOINT_H
#define WEFT_TESTS_SURVIVE_ENDPOINT_H

#include <portals4.h>
#include <stdbool.h>

/* Many packets, and more than the rings hold. */
#define MESSAGE ((ptl_size_t)1 << 20)
#define SLOTS 8u

enum { SURVIVOR = 1, VICTIM = 2, THIRD = 3, LEAVER = 4 };

void endpoint_open(ptl_pid_t pid);
void endpoint_close(void);
/* Without a look at what is under way. */
void endpoint_leave(void);

/* The entry that others put to and get from: appended by open, unlinked by close, as soon as no
 * message is in it. */
void endpoint_append(void);
void endpoint_unlink(void);

/* What has become of messages of others since it was last asked. Puts are also compared. */
struct endpoint_served {
    unsigned puts, gets, failed_puts, failed_gets, other;
};
struct endpoint_served endpoint_served(void);

/* Begins `count` operations with a process; their slots must be free. */
void endpoint_put(ptl_pid_t to, unsigned count);
void endpoint_get(ptl_pid_t from, unsigned count);
/* A put that only counts; so many have been made, and what became of them. */
void endpoint_put_counted(ptl_pid_t to);
ptl_ct_event_t endpoint_counted(unsigned *made);

/* The other process may not have an entry yet. */
void endpoint_allow_drops(bool allowed);

/* Waits up to a millisecond for events of operations and strikes them off. Failures are counted;
 * one that says anything but "undeliverable" ends the process. */
void endpoint_step(void);
void endpoint_look(void);        /* the same without waiting */
unsigned endpoint_pending(void); /* operations, counted ones included */
unsigned endpoint_failed(void);

/* Both ways with a process that is well. */
void endpoint_talk(ptl_pid_t to);

/* One operation with a process that is known to be dead: its failure is there when the call
 * returns. */
void endpoint_fails_at_once(ptl_pid_t to);

#endif
