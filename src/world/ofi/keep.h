/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets that the NIC does not take yet. Frames of all processes come in one line, so those of a
 * process that has to wait are copied out of it. They hold their credits, so that there are no
 * more of them than a process may have under way.
 */
#ifndef WEFT_WORLD_OFI_KEEP_H
#define WEFT_WORLD_OFI_KEEP_H

#include "world/ofi/session.h"

/* False if the NIC may have the packet now. Without memory it must. */
bool weft_ofi_keep(struct weft_ofi *ofi, struct weft_ofi_session *session, const void *packet,
                   size_t size);

/* Gives what was kept to the NIC, as far as it takes it; says how much that was. */
unsigned weft_ofi_keep_poll(struct weft_ofi *ofi);

/* Nothing will come after these: the NIC gets them all. */
void weft_ofi_keep_end(struct weft_ofi *ofi, struct weft_ofi_session *session);

void weft_ofi_keep_drop(struct weft_ofi_session *session);

#endif
