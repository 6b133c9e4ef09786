/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/layouts/hand_set.h"

const struct hand_set *hand_set(void)
{
#define SET(name, has)                                                                            \
    static const struct hand_set name = {&hand_table_##name##_scalar,                             \
                                         &hand_table_##name##_vectorised, hand_copy_##name};      \
    if (has)                                                                                      \
        return &name;
    HAND_SET_MAP(SET)
#undef SET
    return NULL;
}
