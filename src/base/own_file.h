/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of files of which each process writes one of its own. */
#ifndef WEFT_BASE_OWN_FILE_H
#define WEFT_BASE_OWN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the fields of a pattern stand for. */
struct weft_own_file {
    uint32_t rank; /* %r */
    uint32_t pid;  /* %p */
    char usual; /* 'r' or 'p': what comes before the suffix if the pattern has neither; 0: nothing
                 */
};

/* False if `room` is not enough. */
bool weft_own_file_name(const char *pattern, const struct weft_own_file *process, char *text,
                        size_t room);

#endif
