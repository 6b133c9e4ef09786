/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data that lies in a heap which its receiver can map: copied once, from layout to layout, without
 * the system and without packets. Whose turn it is and what comes of it is direct.c's affair;
 * these are its steps. If the receiver's memory lies in a heap, too, it lets the sender help: both
 * take parts of the message until none is left, so that one who comes late, or not at all, costs
 * nothing.
 *
 *   sender                                    receiver
 *    offers: work is open ----- ticket ------> claims the work, writes where the message goes
 *    gets the invitation <------ HELP -------- takes part 0, copies it
 *    takes part 1, copies it                   takes part 2, copies it
 *    there is no part 3                        there is no part 3; all that were taken are done
 *    the offer has ended <------ READ -------- gives the claim back
 */
#ifndef WEFT_TRANSFER_TOGETHER_H
#define WEFT_TRANSFER_TOGETHER_H

#include "transfer/direct.h"

/* Whether the heap of a peer is mapped; it is, when it is first asked for, if that is possible. */
bool weft_net_together_sees(struct weft_net_neighbour *neighbour);

/* False if what was read is not the message of request->pull any more, or is not all in the heap;
 * the reason is counted. */
bool weft_net_together_read(struct weft_request *request, void *to, uint64_t address,
                            size_t length);
/* Some of the message. At the end pull.begin is pull.end. */
enum weft_net_step weft_net_together_copy(struct weft_request *request,
                                          const struct weft_net_layout *theirs);
/* From now on nobody else writes to the layout of the request. */
void weft_net_together_leave(struct weft_request *request);
void weft_net_together_abandon(struct weft_net *net);

/* ---- Also for help.c ----------------------------------------------------------------------- */

/* A layout of a peer where we see it; false if not all of it is in its heap. */
bool weft_net_together_move(const struct weft_heap_view *view, struct weft_net_layout *layout);

/* Whether its stream has so many bytes. */
bool weft_net_together_holds(const struct weft_net_layout *layout, uint64_t bytes);

/* One part after the other of `end` bytes, from one layout to another, until none is left or this
 * process has copied a good deal; how many bytes it has. */
uint64_t weft_net_together_parts(struct weft_net_work *work, uint64_t end, uint64_t part,
                                 const struct weft_net_layout *to,
                                 const struct weft_net_layout *from);

/* help.c: the receiver of a message of ours says that we may copy parts of it. */
void weft_net_help(struct weft_net *net, uint32_t rank, uint64_t number);

#endif
