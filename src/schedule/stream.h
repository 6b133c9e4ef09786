/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that pass through a process packet by packet, as the broadcast of [sPIN17] does. */
#ifndef WEFT_SCHEDULE_STREAM_H
#define WEFT_SCHEDULE_STREAM_H

#include "schedule/schedule.h"

/* Match bits of WEFT_SCHEDULE_STREAMS. They are the same in every execution: nothing is sent
 * before those who get it have said that they are there. */
static inline ptl_match_bits_t
weft_schedule_stream_bits(const struct weft_schedule *schedule,
                          const struct weft_schedule_operation *operation)
{
    return (ptl_match_bits_t)schedule->number << 16 | operation->stream;
}

/* Packets are written when they come. So a process tells its source that they may only when all is
 * over that its receive and its sends wait for. Before it is prepared. */
int weft_schedule_streams_delay(struct weft_schedule *schedule);

/* The receive of a stream, whose handlers do its sends, too. */
int weft_schedule_stream_prepare(struct weft_schedule *schedule,
                                 struct weft_schedule_operation *receive);

/* What does a send of a stream: its receive; NULL: the source itself. */
const struct weft_schedule_operation *
weft_schedule_stream_receive(const struct weft_schedule *schedule,
                             const struct weft_schedule_operation *send);

#endif
