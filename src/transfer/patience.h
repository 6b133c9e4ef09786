/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long a call of a net still waits. On real nodes that is a deadline. Simulated time passes
 * only while nothing happens, and no clock of this process shows it: so what was waited for in
 * vain is counted, too, and whichever is used up first ends the wait.
 */
#ifndef WEFT_TRANSFER_PATIENCE_H
#define WEFT_TRANSFER_PATIENCE_H

#include "base/deadline.h"

struct weft_net_patience {
    uint64_t deadline;
    uint64_t silence; /* nanoseconds left */
};

static inline struct weft_net_patience weft_net_patience_of(uint64_t nanoseconds)
{
    return (struct weft_net_patience){.deadline = weft_deadline_after(nanoseconds),
                                      .silence = nanoseconds};
}

/* Nothing has happened for so long. */
static inline void weft_net_patience_waited(struct weft_net_patience *patience,
                                            unsigned milliseconds)
{
    uint64_t waited = milliseconds * WEFT_CLOCK_MILLISECOND;
    patience->silence = waited < patience->silence ? patience->silence - waited : 0;
}

/* How many milliseconds to wait next: at most so many, and 0 when it is over. */
static inline unsigned weft_net_patience_slice(const struct weft_net_patience *patience,
                                               unsigned most)
{
    uint64_t left = weft_deadline_left(patience->deadline);
    left = left < patience->silence ? left : patience->silence;
    left = (left + WEFT_CLOCK_MILLISECOND - 1) / WEFT_CLOCK_MILLISECOND;
    return left < most ? (unsigned)left : most;
}

#endif
