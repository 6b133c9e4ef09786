/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/notation.h"

#include <stdio.h>
#include <stdlib.h>

weft_type *type_from(const char *text)
{
    weft_type *type = NULL;
    struct weft_syntax_error error = {0};
    int rc = weft_type_parse(text, &type, &error);
    if (!rc)
        rc = weft_type_commit(type);
    if (rc) {
        fprintf(stderr, "cannot make %s: %s at byte %zu\n", text, error.message, error.at);
        abort();
    }
    return type;
}

struct weft_type_info type_info(const weft_type *type)
{
    struct weft_type_info info;
    if (weft_type_query(type, &info, sizeof(info)))
        abort();
    return info;
}

struct weft_type_info info_from(const char *text)
{
    weft_type *type = type_from(text);
    struct weft_type_info info = type_info(type);
    weft_type_free(type);
    return info;
}
