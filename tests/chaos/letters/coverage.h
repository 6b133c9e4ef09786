/* SPDX-License-Identifier: BSD-3-Clause */
/* What a campaign must have seen, or it proves less than it says. Counted over all seeds. */
#ifndef WEFT_TESTS_CHAOS_LETTERS_COVERAGE_H
#define WEFT_TESTS_CHAOS_LETTERS_COVERAGE_H

#include <portals4_spin.h>

#include "chaos/letters/letter.h"

/* X(name): things that happen besides results, actions and failures. */
#define COVERAGE_MAP(X)                                                                           \
    X(INLINE)                                                                                     \
    X(UNTRACED)                                                                                   \
    X(PARALLEL)                                                                                   \
    X(VIRTUAL_HPUS)                                                                               \
    X(OUT_OF_ORDER)                                                                               \
    X(NO_SPACE)                                                                                   \
    X(MEMORY_IN_USE)                                                                              \
    X(TABLE_DISABLED)                                                                             \
    X(TABLE_ENABLED)                                                                              \
    X(CUT_BY_FLOW_CONTROL)                                                                        \
    X(CUT_BY_DEATH)                                                                               \
    X(SENT_AGAIN)                                                                                 \
    X(GIVEN_UP)                                                                                   \
    X(POSTED_AGAIN)                                                                               \
    X(ENTRY_STAYED)                                                                               \
    X(PENDING_FAILED)                                                                             \
    X(GET)                                                                                        \
    X(ATOMIC)                                                                                     \
    X(TRUNCATED)                                                                                  \
    X(NO_HEADER_HANDLER)                                                                          \
    X(NO_PAYLOAD_HANDLER)                                                                         \
    X(NO_COMPLETION_HANDLER)

enum coverage {
#define COVERAGE_ENUM(name) COVERAGE_##name,
    COVERAGE_MAP(COVERAGE_ENUM)
#undef COVERAGE_ENUM
        COVERAGE_COUNT
};

void coverage_of(enum coverage what);
void coverage_of_action(enum action action);
void coverage_of_result(enum stage stage, ptl_handler_result_t result);
void coverage_of_failure(ptl_ni_fail_t failure); /* that a sender was told */

/* Fails a check for each that never happened. */
void coverage_check(void);

#endif
