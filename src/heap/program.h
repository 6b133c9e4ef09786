/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_HEAP_PROGRAM_H
#define WEFT_HEAP_PROGRAM_H

#include "heap/heap.h"

/* What the large allocations of the program come from; NULL if they are libc's. It is a symbol of
 * the library that `weft run --shared-heap` loads. */
struct weft_heap *weft_heap_of_program(void);
#define WEFT_HEAP_OF_PROGRAM "weft_heap_of_program"

#endif
