/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Long arrays that are read here and there. What is wanted next is nearly always somewhere else in
 * them, in a page whose address is in no cache: in large pages it is found faster.
 */
#ifndef WEFT_BASE_LARGE_H
#define WEFT_BASE_LARGE_H

#include <stddef.h>

#define WEFT_LARGE_PAGE ((size_t)2 << 20)

/* Uninitialised memory for realloc and free, or NULL. What is not touched costs nothing. */
void *weft_large_alloc(size_t count, size_t size);

#endif
