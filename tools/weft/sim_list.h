/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of structs that begin with a name. */
#ifndef WEFT_TOOLS_SIM_LIST_H
#define WEFT_TOOLS_SIM_LIST_H

#include <stddef.h>
#include <string.h>

struct sim_list {
    const void *items;
    size_t size, count; /* of one item, in bytes, and of items */
};

#define SIM_LIST(array)                                                                           \
    {                                                                                             \
        (array), sizeof *(array), sizeof(array) / sizeof *(array)                                 \
    }

static inline const void *sim_list_at(const struct sim_list *list, size_t number)
{
    return (const char *)list->items + number * list->size;
}

static inline const char *sim_list_name(const void *item)
{
    return *(const char *const *)item;
}

/* NULL if there is none of this name. */
static inline const void *sim_list_find(const struct sim_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(sim_list_name(sim_list_at(list, i)), name) == 0)
            return sim_list_at(list, i);
    return NULL;
}

#endif
