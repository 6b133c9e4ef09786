/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts, and fails on demand, the allocations of the program. The linker puts these in place of
 * the C library's (--wrap), for the unit tests only. */
#ifndef WEFT_TESTS_ALLOCATIONS_H
#define WEFT_TESTS_ALLOCATIONS_H

#include <stddef.h>

/* Since the program began. */
size_t allocations_made(void);

/* The next `working` allocations succeed, the one after them fails, and so do all others until
 * allocations_work_again. */
void allocations_fail_after(size_t working);
void allocations_work_again(void);

#endif
