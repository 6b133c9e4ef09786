/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks in a process that has no TAP of its own: its `wrong` becomes the first line where
 * something is not as it must be. */
#ifndef WEFT_TESTS_TRANSFER_MUST_H
#define WEFT_TESTS_TRANSFER_MUST_H

#define must(life, condition)                                                                     \
    do {                                                                                          \
        if (!(condition) && !(life)->wrong)                                                       \
            (life)->wrong = __LINE__;                                                             \
    } while (0)

#endif
