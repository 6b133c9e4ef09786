/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process that tickets come from, as a simulated node beside the one that takes. It speaks
 * Portals, not the protocol of transfers: what it exposes, tells and lets others read is what the
 * input says. Processes of a host read each other by their numbers, so the memory that it shows is
 * also that of a child, which does nothing.
 */
#ifndef WEFT_TESTS_FUZZ_TICKET_H
#define WEFT_TESTS_FUZZ_TICKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TAKER, PEER, NODES };

/* Once. */
void peer_begin(void);

/* Before each run. */
void peer_reset(void);
/* What the node does, until it is told to leave. */
void peer_live(void);

/* For the taker: the peer has done what the input says next, or has gone. */
void peer_let_act(void (*pass)(void));
void peer_let_leave(void (*pass)(void));

/* A number that the peer may have given to something, or may not. */
uint64_t peer_next_number(void);
/* An offer of the taker's own, of which the peer may speak. */
void peer_hear_of(uint64_t number);

/* Whether a message of so many bytes is exposed under the number, as honest processes do it, and
 * nothing that this peer has said so far was wrong. */
bool peer_has_offered(uint64_t number, size_t bytes);
bool peer_has_followed(uint64_t number);
/* What all its messages carry. */
unsigned char peer_byte(size_t i);

#endif
