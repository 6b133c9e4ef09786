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
 *    finds the invitation <---- or HELP ------ takes the first part, copies it
 *    takes the last part, copies it            takes the next part, copies it
 *    nothing is left                           nothing is left, and all that was taken is done
 *    the offer has ended <----- or READ ------ gives the claim back
 *
 * A sender that polls finds the invitation and the end in the work itself. Before it sleeps it says
 * so there, and then both come as events.
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
/* From now on nobody else writes to the layout of the request. If the message is here, its sender
 * finds that out, or pull.is_told is false. */
void weft_net_together_leave(struct weft_request *request, bool is_over);
void weft_net_together_abandon(struct weft_net *net);

/* ---- Also for help.c ----------------------------------------------------------------------- */

/* A layout of a peer where we see it; false if not all of it is in its heap. */
bool weft_net_together_move(const struct weft_heap_view *view, struct weft_net_layout *layout);

/* Whether its stream has so many bytes. */
bool weft_net_together_holds(const struct weft_net_layout *layout, uint64_t bytes);

/* Where a process takes its parts of a message: the receiver in front, the sender at the back. */
enum weft_net_end { WEFT_NET_FRONT, WEFT_NET_BACK };

/* Bytes that a process copies before it looks at anything else. */
#define WEFT_NET_TOGETHER_MOST ((uint64_t)1 << 20)

/* What is done with a target before the first part is copied there. Whoever has taken a part is
 * waited for, so the memory is still the message's. */
typedef void weft_net_prepare(const struct weft_net_layout *to, uint64_t bytes);

/* One part after the other of so many bytes, from one layout to another, until none is left or
 * this process has copied `most` or a little more; how many bytes it has. `prepare` may be NULL. */
uint64_t weft_net_together_parts(struct weft_net_work *work, uint64_t bytes, enum weft_net_end end,
                                 uint64_t most, const struct weft_net_layout *to,
                                 const struct weft_net_layout *from, weft_net_prepare *prepare);

/* ---- help.c --------------------------------------------------------------------------------- */

/* The receiver of a message of ours says that we may copy parts of it. */
void weft_net_help(struct weft_net *net, uint32_t rank, uint64_t number);

/* From now on we look whether somebody has claimed the message, or has it. */
void weft_net_help_watch(struct weft_request *request);
/* Looks at messages that are watched, and does what there is to do; false if there is nothing. */
bool weft_net_help_look(struct weft_net *net);
/* The same for the last time, before this process sleeps: what comes later is told by events. */
bool weft_net_help_look_last(struct weft_net *net);

#endif
