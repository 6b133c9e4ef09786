/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of a model: setting, reading and showing them, whatever the model is. */
#ifndef WEFT_TOOLS_SIM_KEYS_H
#define WEFT_TOOLS_SIM_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "sim_list.h"

/* A value as text has at most so many characters. */
#define SIM_VALUE 192

struct sim_keys {
    struct sim_list list;
    bool (*set)(void *model, const void *key, const char *value);
    void (*name)(const void *model, const void *key, char text[SIM_VALUE]);
    /* Goes on with "... is no value of ..." in the same line. */
    void (*tell)(const void *key);
};

/* Both say what they do not like, and return false then. `where` is a file and a line, or what
 * else a line comes from. */
bool sim_keys_set(const struct sim_keys *keys, void *model, const char *line, const char *where);
/* A file, or one of those that come with Weft. */
bool sim_keys_read(const struct sim_keys *keys, void *model, const char *name);

/* A line for each key, all with the same prefix; and as members of the open JSON object. */
void sim_keys_print(const struct sim_keys *keys, const void *model, FILE *out, const char *prefix);
void sim_keys_json(const struct sim_keys *keys, const void *model);

#endif
