/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_TOOLS_NUMBER_H
#define WEFT_TOOLS_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* A whole number from `least` to `most`. It may end with one letter of `suffixes`, of which the
 * first stands for 2^10, the second for 2^20 and so on. */
bool number_parse(const char *text, const char *suffixes, size_t least, size_t most,
                  size_t *value);

#endif
