/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Long vectors are combined by a handler, packet by packet ([sPIN17], section 4): atomic
 * operations are short, and each is a message of its own.
 */
#ifndef WEFT_SCHEDULE_COMBINE_H
#define WEFT_SCHEDULE_COMBINE_H

#include <portals4_spin.h>

/* Of an entry whose memory the data of a put is combined with; NULL if there is none for it. */
ptl_payload_handler_t weft_schedule_combine(ptl_op_t operation, ptl_datatype_t datatype);

#endif
