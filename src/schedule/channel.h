/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of one tag from one process to another are counted at both ends in the order in which
 * they were created. The number is part of their match bits, so the order in which they are sent
 * does not matter.
 */
#ifndef WEFT_SCHEDULE_CHANNEL_H
#define WEFT_SCHEDULE_CHANNEL_H

#include "base/index.h"

struct weft_schedule_channels {
    struct weft_index index;
};

bool weft_schedule_channel_init(struct weft_schedule_channels *channels);
void weft_schedule_channel_fini(struct weft_schedule_channels *channels);

/* How many messages went before this one; negative without memory, or if there are too many. */
int weft_schedule_channel_next(struct weft_schedule_channels *channels, bool is_send,
                               uint32_t peer, uint16_t tag);

#endif
