/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Long arrays that are read here and there. Nearly every event of a job of many ranks is somewhere
 * else in them, so in large pages they are found faster.
 */
#ifndef WEFT_SIM_MESSAGE_LARGE_H
#define WEFT_SIM_MESSAGE_LARGE_H

#include <stddef.h>

/* Uninitialised memory for realloc and free, or NULL. What is not touched costs nothing. */
void *weft_sim_large_alloc(size_t count, size_t size);

#endif
