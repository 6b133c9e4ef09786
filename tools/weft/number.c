/* SPDX-License-Identifier: BSD-3-Clause */
#include "number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool number_parse(const char *text, const char *suffixes, size_t least, size_t most, size_t *value)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    const char *suffix = *end ? strchr(suffixes, *end) : NULL;
    unsigned shift = suffix ? 10 * (unsigned)(suffix - suffixes + 1) : 0;
    if (suffix)
        end++;
    if (errno || *text < '0' || *text > '9' || *end || number > most >> shift ||
        (size_t)number << shift < least)
        return false;
    *value = (size_t)number << shift;
    return true;
}
