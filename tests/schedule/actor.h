/* SPDX-License-Identifier: BSD-3-Clause */
/* One node that runs its part of a plan, and looks whether all went as it must. */
#ifndef WEFT_TESTS_SCHEDULE_ACTOR_H
#define WEFT_TESTS_SCHEDULE_ACTOR_H

#include <portals4.h>
#include <stdatomic.h>

#include "schedule/plan.h"

/* What the nodes of a run share. */
struct actor_stage {
    const struct plan *plan;
    atomic_uint *arrived; /* how many have opened their engine, and then: are done */
};

/* An empty `why`: all is well. */
void actor_run(const struct actor_stage *stage, ptl_handle_ni_t ni, unsigned node, char *why,
               size_t size);

#endif
