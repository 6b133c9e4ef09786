/* SPDX-License-Identifier: BSD-3-Clause */
/* The world between hosts for the processes of a job: addresses are those of world.h, cards come
 * from the launcher. */
#ifndef WEFT_WORLD_FAR_H
#define WEFT_WORLD_FAR_H

#include "job/wireup.h"
#include "nic/world_ops.h"

enum weft_world_far { WEFT_WORLD_FAR_OFI, WEFT_WORLD_FAR_TCP };

/* Which is better here, if nobody says: libfabric only if it is asked for by a setting of its own,
 * or has a fabric that keeps users apart. Those of its providers that use TCP let strangers in. */
enum weft_world_far weft_world_far_choose(void);

/* NULL if it fails, and the log says why. Job and wireup must live as long as the world. */
struct weft_nic_world *weft_world_far_open(const struct weft_job *job,
                                           struct weft_job_wireup *wireup,
                                           enum weft_world_far kind);

#endif
