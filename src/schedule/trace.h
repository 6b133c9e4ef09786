/* SPDX-License-Identifier: BSD-3-Clause */
/* What the timeline of a NIC shows of schedules: operations, and what they wait for. */
#ifndef WEFT_SCHEDULE_TRACE_H
#define WEFT_SCHEDULE_TRACE_H

#include "schedule/schedule.h"

/* Nothing happens while there is no timeline. */
void weft_schedule_trace_post(const struct weft_schedule *schedule);
void weft_schedule_trace_start(const struct weft_schedule *schedule);

#endif
