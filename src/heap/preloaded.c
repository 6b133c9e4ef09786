/* SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>

#include "heap/heap.h"
#include "heap/program.h"

struct weft_heap *weft_heap_preloaded(void)
{
    struct weft_heap *(*find)(void);
    *(void **)&find = dlsym(RTLD_DEFAULT, WEFT_HEAP_OF_PROGRAM);
    return find ? find() : NULL;
}
