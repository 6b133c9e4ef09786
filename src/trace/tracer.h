/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The timeline of this process, if WEFT_TRACE asks for one: what its NIC does goes into a ring,
 * and the file is written when the NIC is closed, or else when the process ends. The ring lives as
 * long as the process, so the file also tells of earlier NICs.
 */
#ifndef WEFT_TRACE_TRACER_H
#define WEFT_TRACE_TRACER_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/ring.h"

/* Whose timeline it is. */
struct weft_trace_owner {
    uint32_t nid, pid;
    bool has_rank;
    uint32_t rank;
};

/* The ring to write to; NULL if nothing is to be traced, or another has it. If a timeline was
 * asked for and is not possible, a warning says why and what to do. */
struct weft_trace_ring *weft_trace_open(const struct weft_trace_owner *owner);

/* For those whose calls are to be on the timeline: their names, which must stay, and that one has
 * ended which began then. Nothing happens while no timeline is open. */
void weft_trace_name_calls(const char *const *names, uint32_t count);
void weft_trace_call(uint32_t number, uint64_t since);

/* Writes the timeline. */
void weft_trace_close(void);

/* The process ends: writes the timeline of one that nobody has closed. */
void weft_trace_end(void);

#endif
