/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory for messages that come before their receives. When it is used up, an entry without memory
 * takes their headers: the data stays with the senders until it is asked for.
 */
#ifndef WEFT_SCHEDULE_BED_H
#define WEFT_SCHEDULE_BED_H

#include <stdbool.h>

#include <weft_schedule.h>

#define WEFT_SCHEDULE_BEDS 4u

struct weft_schedule_bed {
    char *memory;
    size_t size; /* of one of them */
    ptl_handle_me_t entries[WEFT_SCHEDULE_BEDS];
    ptl_handle_me_t floor; /* the one without memory, always the last */
    ptl_handle_ct_t one;   /* a counter that has counted one */
};

/* PTL_OK or an error; either way it can be closed. */
int weft_schedule_bed_open(weft_engine *engine);
/* What lies in it was forgotten before. */
void weft_schedule_bed_close(weft_engine *engine);

/* An entry of it is full, or free again. */
void weft_schedule_bed_heard(weft_engine *engine, const ptl_event_t *event);

#endif
