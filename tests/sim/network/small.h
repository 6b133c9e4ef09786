/* SPDX-License-Identifier: BSD-3-Clause */
/* Studies that are small enough to be looked at closely. */
#ifndef WEFT_TESTS_SIM_NETWORK_SMALL_H
#define WEFT_TESTS_SIM_NETWORK_SMALL_H

#include "sim/network/study.h"

static const char *const small_routings[] = {"minimal", "Valiant", "UGAL", "progressive"};

/* A dragonfly of 72 nodes in 9 groups, with routers as in the paper. */
static inline struct weft_sim_study small_dragonfly(enum weft_sim_routing_kind routing)
{
    struct weft_sim_study study = weft_sim_study_paper();
    study.sizes[0] = 2;
    study.sizes[1] = 4;
    study.sizes[2] = 2;
    study.routing.kind = routing;
    return study;
}

/* All others of some dozen nodes. */
static inline struct weft_sim_study small_other(enum weft_sim_shape shape)
{
    static const uint32_t sizes[][4] = {{2, 4, 2}, {4, 3}, {4, 4, 3, 1}, {16}};
    struct weft_sim_study study = weft_sim_study_paper();
    study.shape = shape;
    for (unsigned i = 0; i < 4; i++)
        study.sizes[i] = sizes[shape][i];
    return study;
}

#endif
