/* SPDX-License-Identifier: BSD-3-Clause */
/* The region of a program that asks for shared memory itself. It stays until the process ends:
 * nets and peers may look at it at any time. */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/setting.h"
#include "heap/heap.h"
#include "transfer/net.h"

#define LINE 64u

static struct weft_heap region;
static struct weft_heap *heap; /* NULL: there is none */

static void open_heap(void)
{
    heap = weft_heap_preloaded();
    if (!heap && weft_heap_open(&region, weft_setting(WEFT_SETTING_SHARED_HEAP_SIZE)))
        heap = &region;
    if (!heap)
        weft_log(WEFT_LOG_WARN, "there is no shared heap: %s", strerror(errno));
    weft_net_locator_use_heap(heap);
}

void *weft_alloc(size_t bytes)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_heap);
    return heap ? weft_heap_take(heap, bytes, LINE) : NULL;
}

void weft_free(void *memory)
{
    if (memory)
        weft_heap_give(heap, memory);
}
