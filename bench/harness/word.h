/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_BENCH_HARNESS_WORD_H
#define WEFT_BENCH_HARNESS_WORD_H

#include <string.h>

/* Which of the words it is; -1: none. */
static inline int word_find(const char *const *words, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return (int)i;
    return -1;
}

#endif
