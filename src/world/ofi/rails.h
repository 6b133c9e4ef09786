/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several interfaces of a host at once. Each is a rail: a world of libfabric by itself, with its
 * own endpoint and its own sessions, to the same rail of each other process. Packets take the
 * rails in turn, so they overtake each other; the NIC numbers them and puts up with that.
 *
 * A rail to a process that breaks, or is silent while another is not, is lost for good. The NIC
 * sends again what it had under way, and the others carry on. Who loses a rail refuses whatever
 * still comes by it, so that the other side loses it, too. When the last one is lost, the process
 * counts as dead, on all rails: nobody is connected with half of a process. All rails of a process
 * have the same instance, by which that is told.
 */
#ifndef WEFT_WORLD_OFI_RAILS_H
#define WEFT_WORLD_OFI_RAILS_H

#include <stdbool.h>
#include <stdint.h>

#include "world/ofi/ofi.h"

#define WEFT_OFI_RAILS_MAX 8u

struct weft_ofi;
struct weft_ofi_rails;
struct weft_ofi_session;

/* As weft_ofi_open, for a list of interfaces. */
struct weft_nic_world *weft_ofi_rails_open(const struct weft_world_config *config,
                                           struct weft_world_card *own);

/* ---- For one of the rails ------------------------------------------------------------------ */

/* It is about to be connected with a process. False without memory. */
bool weft_ofi_rails_opened(struct weft_ofi *rail, const struct weft_ofi_session *session);

/* Of a session that is to be given up: whether other rails lead to its process. Then the loss is
 * logged and counted. */
bool weft_ofi_rails_lose(const struct weft_ofi *rail, const struct weft_ofi_session *session,
                         const char *why);

/* It has given up the process, or that has left. */
void weft_ofi_rails_ended(struct weft_ofi *rail, struct weft_nic_address address,
                          uint64_t instance, bool has_left);

/* Nothing has come by this rail for some time in which the process was heard by another. */
bool weft_ofi_rails_is_cut(const struct weft_ofi *rail, const struct weft_ofi_session *session);

/* ---- Questions ----------------------------------------------------------------------------- */

/* The worlds of the rails, or the world itself where there is only one; NULL after the last. */
const struct weft_ofi *weft_ofi_rails_at(const struct weft_nic_world *world, unsigned index);

/* As the settings list them. */
const char *weft_ofi_rails_interfaces(const struct weft_nic_world *world);
uint64_t weft_ofi_rails_lost(const struct weft_nic_world *world);

#endif
