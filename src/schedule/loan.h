/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A long message lies with its sender until it is got, so who sends to a process that is late
 * would wait for it. If that is all that a schedule waits for, the data is copied, and the send is
 * over: the late one gets the copy. Its entry takes the place of the other one, by the parity of
 * the execution, so an execution ends only when the copies of the one before were got.
 */
#ifndef WEFT_SCHEDULE_LOAN_H
#define WEFT_SCHEDULE_LOAN_H

#include "schedule/schedule.h"

/* Milliseconds that a process waits in vain before it copies. */
#define WEFT_SCHEDULE_PATIENCE 3u

/* Copies what nobody has got, if the schedule waits for nothing else and there is room. */
void weft_schedule_loan_make(struct weft_schedule *schedule);

/* Before a send is posted again: the copy that has the parity of this execution was got. */
int weft_schedule_loan_return(struct weft_schedule *schedule,
                              struct weft_schedule_operation *operation);

/* When the copies of all executions before were got; and of this one. */
struct weft_schedule_mark weft_schedule_loan_before(const struct weft_schedule *schedule,
                                                    const struct weft_schedule_operation *op);
struct weft_schedule_mark weft_schedule_loan_all(const struct weft_schedule_operation *operation);

#endif
