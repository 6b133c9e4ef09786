/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays that grow by doubling. */
#ifndef WEFT_BASE_ARRAY_H
#define WEFT_BASE_ARRAY_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define WEFT_ARRAY_FIRST 16

/* Room for one more than `count` items of `size` bytes in the array that *items, a pointer to
 * whatever the items are, points to. False without memory, and then all is as before. */
static inline bool weft_array_reserve(void *items, size_t count, size_t *room, size_t size)
{
    void *array;
    if (count < *room)
        return true;
    memcpy(&array, items, sizeof array);
    size_t more = *room ? 2 * *room : WEFT_ARRAY_FIRST;
    void *grown = realloc(array, more * size);
    if (!grown)
        return false;
    memcpy(items, &grown, sizeof grown);
    *room = more;
    return true;
}

#endif
