/* SPDX-License-Identifier: BSD-3-Clause */
#include "json.h"

#include <inttypes.h>
#include <stdio.h>

static unsigned depth;
static bool needs_comma;

static void put_quoted(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < ' ')
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void begin_value(const char *key)
{
    if (needs_comma)
        printf(", ");
    needs_comma = true;
    if (key) {
        put_quoted(key);
        printf(": ");
    }
}

void weft_json_open(const char *key, char bracket)
{
    begin_value(key);
    putchar(bracket);
    depth++;
    needs_comma = false;
}

void weft_json_close(char bracket)
{
    putchar(bracket);
    needs_comma = --depth > 0;
    if (!depth)
        putchar('\n');
}

void weft_json_string(const char *key, const char *value)
{
    begin_value(key);
    put_quoted(value);
}

void weft_json_integer(const char *key, int64_t value)
{
    begin_value(key);
    printf("%" PRId64, value);
}

void weft_json_number(const char *key, double value)
{
    begin_value(key);
    printf("%.6g", value);
}

void weft_json_bool(const char *key, bool value)
{
    begin_value(key);
    printf(value ? "true" : "false");
}

void weft_json_numbers(const struct weft_json_member *members, const void *values)
{
    for (; members->key; members++)
        weft_json_number(members->key, *(const double *)((const char *)values + members->at));
}
