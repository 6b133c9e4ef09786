/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>

#include "type/intern.h"
#include "type/type.h"

static struct weft_type basics[WEFT_BASIC_COUNT];

static void make_basics(void)
{
    static const uint64_t sizes[] = {
#define SIZE(name, ctype, text) [WEFT_##name] = sizeof(ctype),
        WEFT_BASIC_MAP(SIZE)
#undef SIZE
    };
    for (int kind = 0; kind < WEFT_BASIC_COUNT; kind++)
        basics[kind] = (struct weft_type){.form = {weft_type_node_of_basic(kind, sizes[kind]), 0},
                                          .size = sizes[kind],
                                          .ub = (int64_t)sizes[kind],
                                          .basic = true,
                                          .committed = true};
}

weft_type *weft_basic(enum weft_basic kind)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_basics);
    /* Unsigned, so that one comparison catches both sides. */
    return (unsigned)kind < WEFT_BASIC_COUNT ? &basics[kind] : NULL;
}
