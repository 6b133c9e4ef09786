/* SPDX-License-Identifier: BSD-3-Clause */
/* How far a word is from another, to guess which one was meant. */
#ifndef WEFT_DISTANCE_H
#define WEFT_DISTANCE_H

#include <stddef.h>

/* How many letters must be put in, taken out or changed (Levenshtein). Letters behind the first 63
 * do not count. */
size_t weft_distance(const char *word, size_t length, const char *other);

#endif
