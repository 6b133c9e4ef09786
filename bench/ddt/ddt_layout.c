/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/ddt/ddt_layout.h"

#include <stdio.h>

#include "bench/layouts/layouts.h"

static void open_named(const struct layout_entry *entry, size_t target, struct ddt_layout *layout)
{
    struct layout built;
    layout_build(entry, target, &built);
    *layout = (struct ddt_layout){.type = (weft_type *)layout_make(&built, &maker_weft),
                                  .count = built.count,
                                  .window = layout_window(&built),
                                  .origin = built.origin};
    layout_clear(&built);
}

static void open_text(weft_type *type, const struct weft_type_info *info, size_t target,
                      struct ddt_layout *layout)
{
    size_t count = info->size ? target / info->size : 1;
    if (count == 0)
        count = 1;
    ptrdiff_t last = (ptrdiff_t)(count - 1) * info->extent;
    ptrdiff_t low = info->true_lb + (last < 0 ? last : 0);
    ptrdiff_t high = info->true_lb + info->true_extent + (last > 0 ? last : 0);
    *layout = (struct ddt_layout){
        .type = type, .count = count, .window = (size_t)(high - low), .origin = (size_t)-low};
}

static bool parse(const char *text, weft_type **type)
{
    struct weft_syntax_error error = {0};
    int code = weft_type_parse(text, type, &error);
    if (code == WEFT_OK)
        code = weft_type_commit(*type);
    if (code == WEFT_OK)
        return true;
    fprintf(stderr,
            "weft: '%s' is neither a layout of `weft bench type --list` nor a type: "
            "%s\n",
            text, error.message[0] ? error.message : weft_error_text(code));
    return false;
}

bool ddt_layout_open(const char *text, size_t target, struct ddt_layout *layout)
{
    const struct layout_entry *entry = layout_entry_find(text);
    struct weft_type_info info;
    weft_type *type;
    if (entry) {
        open_named(entry, target, layout);
        weft_type_query(layout->type, &info, sizeof(info));
    } else {
        if (!parse(text, &type))
            return false;
        weft_type_query(type, &info, sizeof(info));
        open_text(type, &info, target, layout);
    }
    layout->bytes = layout->count * info.size;
    layout->pieces = layout->count * info.pieces;
    return true;
}

void ddt_layout_close(struct ddt_layout *layout)
{
    weft_type_free(layout->type);
    layout->type = NULL;
}
