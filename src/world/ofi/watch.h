/* SPDX-License-Identifier: BSD-3-Clause */
/* What time brings: answers that do not come, processes that fall silent, idle connections. */
#ifndef WEFT_WORLD_OFI_WATCH_H
#define WEFT_WORLD_OFI_WATCH_H

struct weft_ofi;

/* Looks at all sessions, if the last look was long enough ago. */
void weft_ofi_watch(struct weft_ofi *ofi);

#endif
