/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What MPI libraries get wrong. Each entry was settled by the type map, which Weft agrees with,
 * and names as few types as it can; the test counts how often each excused a difference.
 */
#ifndef WEFT_TESTS_KNOWN_BUGS_H
#define WEFT_TESTS_KNOWN_BUGS_H

#include "support/model.h"

enum symptom {
    SYMPTOM_REFUSED = 1,     /* the type cannot be built */
    SYMPTOM_BOUNDS = 2,      /* lb or extent */
    SYMPTOM_TRUE_BOUNDS = 4, /* true_lb or true_extent */
    SYMPTOM_DATA = 8,        /* MPI_Pack or MPI_Unpack moves other bytes */
    SYMPTOM_FAULT = 16,      /* and may touch memory outside the type, so it is not tried */
};

/* Whether some bug of the library in use makes types like this one show the symptom. */
bool known_bug(const struct model *model, enum symptom symptom);

/* Prints the bugs met and how often. */
void known_bugs_report(void);

#endif
