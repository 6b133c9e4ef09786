/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tries the points of a scene: each call to the system of each of its variants, failing once and
 * failing from there on. A point runs in a process of its own, which must come to an end in time,
 * without a signal or a report of a sanitizer, and say that nothing was wrong.
 */
#ifndef WEFT_TESTS_FAULTS_POINTS_H
#define WEFT_TESTS_FAULTS_POINTS_H

#include <stdbool.h>

#include "faults/inject.h"
#include "support/tap.h"

struct scene {
    unsigned variants; /* of what happens: a seed, or who is struck */
    unsigned kinds;    /* of calls that are made to fail: bits 1 << FAULT_ */
    unsigned seconds;  /* until a point counts as hanging */
    /* Arms `fault` where it is to strike, and says whether all that did not fail was right; if
     * not, tap_note has told why. */
    bool (*run)(unsigned variant, struct fault *fault);
};

/*
 *   [--points N] [--seed S]                                  a selection of all variants and kinds
 *   --all                                                    every point
 *   --variant V --kind K --nth N [--forever]                 one, in this process
 *
 * Prints TAP; the value is what main returns.
 */
int points_main(int argc, char **argv, const struct scene *scene);

#endif
