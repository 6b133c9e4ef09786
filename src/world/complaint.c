/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/complaint.h"

#include <inttypes.h>

#include "base/clock.h"
#include "base/log.h"

#define PAUSE (10 * WEFT_CLOCK_SECOND)

void weft_world_complain(struct weft_world_complaint *complaint,
                         const struct weft_world_counts *counts, uint64_t now)
{
    const struct weft_world_counts *told = &complaint->told;
    if ((counts->strangers == told->strangers && counts->forgeries == told->forgeries) ||
        (complaint->at && now - complaint->at < PAUSE))
        return;
    weft_log(WEFT_LOG_WARN,
             "dropped %" PRIu64 " frames that belong to no connection and %" PRIu64
             " greetings without the key of the job",
             counts->strangers - told->strangers, counts->forgeries - told->forgeries);
    complaint->told = *counts;
    complaint->at = now;
}
