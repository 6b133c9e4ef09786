/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_TESTS_FAULTS_SIMULATED_H
#define WEFT_TESTS_FAULTS_SIMULATED_H

#include <errno.h>

#include "faults/points.h"
#include "portals/simulate.h"

/* Runs the program on simulated nodes while `fault` strikes. That the simulation itself runs out
 * of memory is no failure. */
static inline bool simulate_with(struct fault *fault, const struct weft_sim_config *config,
                                 void (*program)(unsigned node, void *argument))
{
    fault_arm(fault);
    int code = weft_portals_simulate(config, program, NULL);
    fault_arm(NULL);
    if (code == 0 || code == -ENOMEM)
        return true;
    tap_note("seed %llu: the simulation ends with %d", (unsigned long long)config->seed, code);
    return false;
}

#endif
