/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes a ring of trace records as a timeline that people look at: Chrome's trace events in JSON,
 * which Perfetto and chrome://tracing show. Each process has a track for each stage of its NIC and
 * for each HPU. Equal rings give equal files.
 *
 * One line is one event. The lines after the events sum up each process; `weft trace` puts files
 * of several processes together by their lines.
 */
#ifndef WEFT_TRACE_TIMELINE_H
#define WEFT_TRACE_TIMELINE_H

#include <stdint.h>

#include "trace/ring.h"

#define WEFT_TRACE_TIMELINE_BEGIN "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
#define WEFT_TRACE_TIMELINE_MIDDLE "],\"otherData\":{\"processes\":[\n"
#define WEFT_TRACE_TIMELINE_END "]}}\n"

struct weft_trace_timeline {
    const struct weft_trace_ring *ring;
    uint32_t process; /* that all records belong to; 0: each nid is one, a simulated node */
    const char *name; /* of that process, without quotes */
    const char *const *calls; /* names of what is recorded as WEFT_TRACE_CALL, by number */
    uint32_t call_count;
};

/* 0, or an errno if the file cannot be written. Records may be added meanwhile. */
int weft_trace_timeline_write(const struct weft_trace_timeline *timeline, const char *path);

#endif
