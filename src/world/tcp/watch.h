/* SPDX-License-Identifier: BSD-3-Clause */
/* What time brings: answers that do not come, processes that fall silent, idle lines. */
#ifndef WEFT_WORLD_TCP_WATCH_H
#define WEFT_WORLD_TCP_WATCH_H

struct weft_tcp;

/* Looks at all lines, if the last look was long enough ago. */
void weft_tcp_watch(struct weft_tcp *tcp);

#endif
