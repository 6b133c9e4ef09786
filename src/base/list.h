/* SPDX-License-Identifier: BSD-3-Clause */
/* Doubly linked rings through members of the listed objects. An empty list points to itself. */
#ifndef WEFT_BASE_LIST_H
#define WEFT_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct weft_list {
    struct weft_list *prev;
    struct weft_list *next;
};

/* The object of type `type` whose member `member` is `link`. */
#define weft_list_object(link, type, member) ((type *)((char *)(link)-offsetof(type, member)))

static inline void weft_list_init(struct weft_list *list)
{
    list->prev = list->next = list;
}

static inline bool weft_list_is_empty(const struct weft_list *list)
{
    return list->next == list;
}

/* Before `place`: at the end if `place` is the list itself. */
static inline void weft_list_insert(struct weft_list *place, struct weft_list *link)
{
    link->next = place;
    link->prev = place->prev;
    place->prev->next = link;
    place->prev = link;
}

static inline void weft_list_append(struct weft_list *list, struct weft_list *link)
{
    weft_list_insert(list, link);
}

/* Leaves the link a list of its own, so that removing it again does no harm. */
static inline void weft_list_remove(struct weft_list *link)
{
    link->prev->next = link->next;
    link->next->prev = link->prev;
    weft_list_init(link);
}

#endif
