/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The injector as a library for LD_PRELOAD. It is told what to do by
 *
 *   FAULT_KIND     a kind of inject.h; without it nothing fails
 *   FAULT_NTH      which call, from 1
 *   FAULT_FOREVER  if set, the following ones fail, too
 *   FAULT_OBJECTS  whose calls count: how the names of their files begin, with commas between;
 *                  "main" is the program itself. Without it: libweft,libportals
 *   FAULT_WHERE    VARIABLE=VALUE: only processes with this in their environment take part
 *   FAULT_REPORT   a file; each process that takes part and comes to its end adds a line
 *                  "memory N open N ...": its calls
 */
#ifndef WEFT_TESTS_FAULTS_PRELOAD_H
#define WEFT_TESTS_FAULTS_PRELOAD_H

#include <stdbool.h>

/* Whether a call that returns to this address is one that counts. */
bool preload_counts(const void *address);

#endif
