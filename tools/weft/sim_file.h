/* SPDX-License-Identifier: BSD-3-Clause */
/* Models: files of lines `key = value`, which may include others. */
#ifndef WEFT_TOOLS_SIM_FILE_H
#define WEFT_TOOLS_SIM_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "sim_list.h"

#define SIM_LINE 256

/* Points into a copy of the line. */
struct sim_line {
    char copy[SIM_LINE];
    const char *key, *value;
};

/* All say what they do not like, and return false then. `where` is a file and a line, or what else
 * a text comes from. */

/* Has every line of a file set, or of one of those that come with Weft. */
bool sim_file_read(const char *name, bool (*set)(void *self, const char *line, const char *where),
                   void *self);

bool sim_file_split(const char *line, const char *where, struct sim_line *split);

bool sim_file_refuse(const char *where, const char *what, const char *text);

/* Names the nearest of the keys that there are. */
bool sim_file_refuse_key(const char *where, const char *name, const struct sim_list *keys);

#endif
