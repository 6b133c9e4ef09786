/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/distance.h"

#include <string.h>

enum { LONGEST = 63 };

static size_t least(size_t a, size_t b, size_t c)
{
    size_t less = a < b ? a : b;
    return less < c ? less : c;
}

/* `costs` is how far the part of `word` so far is from each beginning of `other`. */
size_t weft_distance(const char *word, size_t length, const char *other)
{
    size_t costs[LONGEST + 1], other_length = strlen(other);
    if (other_length > LONGEST)
        other_length = LONGEST;
    for (size_t j = 0; j <= other_length; j++)
        costs[j] = j;
    for (size_t i = 0; i < length && i < LONGEST; i++) {
        size_t across = costs[0];
        costs[0] = i + 1;
        for (size_t j = 0; j < other_length; j++) {
            size_t changed = across + (word[i] != other[j]);
            across = costs[j + 1];
            costs[j + 1] = least(changed, costs[j] + 1, across + 1);
        }
    }
    return costs[other_length];
}
