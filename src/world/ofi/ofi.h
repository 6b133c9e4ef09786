/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The world of processes that libfabric connects. Read frame.h first (what travels), then peer.h
 * (what becomes of a process: sought, greeted, connected, parked, failed), session.h (credits and
 * order), endpoint.h and buffers.h (libfabric's objects and ours). Several interfaces at
 * once are world/rails.h.
 */
#ifndef WEFT_WORLD_OFI_OFI_H
#define WEFT_WORLD_OFI_OFI_H

#include <stdbool.h>

#include "world/fabric.h"

/* NULL if it fails, and the log says why; `own` is what others need to reach us. A process that
 * opens a world must not fork and go on using it in the child. */
struct weft_nic_world *weft_ofi_open(const struct weft_world_config *config,
                                     struct weft_world_card *own);

struct weft_world_counts weft_ofi_counts(const struct weft_nic_world *world);

/* Of libfabric, and the interface that the world is bound to, or the list of them. */
const char *weft_ofi_provider(const struct weft_nic_world *world);
const char *weft_ofi_interface(const struct weft_nic_world *world);
/* Whether libfabric has a fabric that keeps users apart, on an interface or ("") on any. */
bool weft_ofi_isolates(const char *interface);
/* Strangers who reach that interface can disturb the provider. */
bool weft_ofi_is_exposed(const struct weft_nic_world *world);

#endif
