/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/own_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

struct path {
    char *text;
    size_t room, length;
    bool fits;
};

static void append(struct path *path, const char *text, size_t length)
{
    path->fits = path->fits && length < path->room - path->length;
    if (!path->fits)
        return;
    memcpy(path->text + path->length, text, length);
    path->length += length;
    path->text[path->length] = '\0';
}

static void append_number(struct path *path, uint32_t number)
{
    char digits[16];
    append(path, digits, (size_t)snprintf(digits, sizeof digits, "%u", number));
}

static bool is_field(const char *text)
{
    return text[0] == '%' && (text[1] == 'r' || text[1] == 'p' || text[1] == '%');
}

/* Expands the fields; says whether one of them tells processes apart. */
static bool expand(struct path *path, const char *pattern, const struct weft_own_file *process)
{
    bool is_distinct = false;
    for (; *pattern; pattern++) {
        if (!is_field(pattern)) {
            append(path, pattern, 1);
            continue;
        }
        pattern++;
        is_distinct |= *pattern != '%';
        if (*pattern == '%')
            append(path, pattern, 1);
        else
            append_number(path, *pattern == 'r' ? process->rank : process->pid);
    }
    return is_distinct;
}

bool weft_own_file_name(const char *pattern, const struct weft_own_file *process, char *text,
                        size_t room)
{
    struct path path = {text, room, 0, room > 0};
    if (expand(&path, pattern, process) || !path.fits || !process->usual)
        return path.fits;
    char suffix[PATH_MAX] = "";
    const char *slash = strrchr(text, '/'), *name = slash ? slash + 1 : text;
    const char *dot = strrchr(name, '.');
    if (dot && dot != name)
        snprintf(suffix, sizeof suffix, "%s", dot);
    path.length -= strlen(suffix);
    append(&path, ".", 1);
    append_number(&path, process->usual == 'r' ? process->rank : process->pid);
    append(&path, suffix, strlen(suffix));
    return path.fits;
}
