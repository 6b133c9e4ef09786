/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes JSON to standard output. A key of NULL is for members of arrays. */
#ifndef WEFT_TOOLS_JSON_H
#define WEFT_TOOLS_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One value at the top, closed by weft_json_close, is one line of output. */
void weft_json_open(const char *key, char bracket); /* '{' or '[' */
void weft_json_close(char bracket);                 /* '}' or ']' */

void weft_json_string(const char *key, const char *value);
void weft_json_integer(const char *key, int64_t value);
void weft_json_number(const char *key, double value);
void weft_json_bool(const char *key, bool value);

/* Doubles of a struct, each with its key; the last one has none. */
struct weft_json_member {
    const char *key;
    size_t at;
};

void weft_json_numbers(const struct weft_json_member *members, const void *values);

#endif
