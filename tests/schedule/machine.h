/* SPDX-License-Identifier: BSD-3-Clause */
/* Behaviours of schedules: the harness of tests/portals, with an engine on its interface. */
#ifndef WEFT_TESTS_SCHEDULE_MACHINE_H
#define WEFT_TESTS_SCHEDULE_MACHINE_H

#include <weft_schedule.h>

#include "portals/job.h"

/* Behaviours open the interface themselves: an engine needs a logical one, in lossy networks too.
 */
#define ENGINE .bare = true, .needs = PTL_NI_MATCHING | PTL_NI_PHYSICAL

#define EAGER 1024 /* bytes that messages of behaviours bring along */

/* All ranks have theirs when it returns. */
weft_engine *machine_open(struct job *job);
void machine_close(struct job *job, weft_engine *engine);
/* When others are dead. */
void machine_close_alone(struct job *job, weft_engine *engine);

/* Of rank 0, which behaviours with `.crash` end. */
void machine_die(struct job *job, weft_engine *engine);

weft_schedule *machine_schedule(struct job *job, weft_engine *engine, unsigned number);

#define yields(expected, call) machine_check(job, (call), (expected), __FILE__, __LINE__, #call)
#define fine(call) yields(WEFT_OK, call)
bool machine_check(struct job *job, int actual, int expected, const char *file, int line,
                   const char *call);

/* Waits no longer than what must come takes. */
int machine_wait(struct job *job, weft_schedule *schedule);

#define BYTES(base, length) (&(struct weft_schedule_memory){0, 0, (void *)(base), 0, (length)})

#endif
