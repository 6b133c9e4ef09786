/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/timeline.h"

/* ---- Reading ------------------------------------------------------------------------------ */

/* NULL, and errno says why. */
static char *read_all(const char *path)
{
    FILE *in = fopen(path, "r");
    char *text = NULL;
    size_t room = 0, length = 0, part;
    if (!in)
        return NULL;
    do {
        if (room - length < 2) {
            room = room ? 2 * room : 1 << 16;
            char *more = realloc(text, room);
            if (!more)
                break;
            text = more;
        }
        part = fread(text + length, 1, room - length - 1, in);
        length += part;
    } while (part > 0);
    bool is_whole = feof(in) != 0;
    int error = errno;
    fclose(in);
    if (!is_whole) {
        free(text);
        errno = error ? error : EIO;
        return NULL;
    }
    text[length] = '\0';
    return text;
}

/* The text after `mark`, which is cut off there; NULL if it is not there. */
static char *cut_at(char *text, const char *mark)
{
    char *found = text ? strstr(text, mark) : NULL;
    if (!found)
        return NULL;
    *found = '\0';
    return found + strlen(mark);
}

bool trace_file_read(struct trace_file *file, const char *path)
{
    *file = (struct trace_file){.text = read_all(path)};
    if (!file->text)
        return false;
    bool begins =
        strncmp(file->text, WEFT_TRACE_TIMELINE_BEGIN, strlen(WEFT_TRACE_TIMELINE_BEGIN)) == 0;
    file->events = begins ? file->text + strlen(WEFT_TRACE_TIMELINE_BEGIN) : NULL;
    file->totals = cut_at(file->events, "\n" WEFT_TRACE_TIMELINE_MIDDLE);
    char *end = cut_at(file->totals, "\n" WEFT_TRACE_TIMELINE_END);
    if (end && *end == '\0')
        return true;
    trace_file_free(file);
    errno = 0;
    return false;
}

void trace_file_free(struct trace_file *file)
{
    free(file->text);
    *file = (struct trace_file){0};
}

/* ---- Putting together --------------------------------------------------------------------- */

/* The lines of both end with a comma but for the last. */
static void put_lines(const char *lines, bool *has_lines, FILE *out)
{
    if (!*lines)
        return;
    fprintf(out, "%s%s", *has_lines ? ",\n" : "", lines);
    *has_lines = true;
}

bool trace_file_merge(const struct trace_file *files, size_t count, FILE *out)
{
    bool has_lines = false;
    fputs(WEFT_TRACE_TIMELINE_BEGIN, out);
    for (size_t i = 0; i < count; i++)
        put_lines(files[i].events, &has_lines, out);
    fputs("\n" WEFT_TRACE_TIMELINE_MIDDLE, out);
    has_lines = false;
    for (size_t i = 0; i < count; i++)
        put_lines(files[i].totals, &has_lines, out);
    fputs("\n" WEFT_TRACE_TIMELINE_END, out);
    return fflush(out) == 0 && !ferror(out);
}

/* ---- Summing up --------------------------------------------------------------------------- */

static const struct column {
    const char *key;
    const char *title;
    int width;
} columns[] = {
    {"\"packets_in\":", "received", 8}, {"\"bytes_in\":", "bytes", 11},
    {"\"packets_out\":", "sent", 8},    {"\"bytes_out\":", "bytes", 11},
    {"\"handlers\":", "handlers", 8},   {"\"events\":", "events", 8},
    {"\"lost_records\":", "lost", 8},
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))
#define NAME_WIDTH 19

void trace_file_print_head(FILE *out)
{
    fprintf(out, "%-*s", NAME_WIDTH, "# process");
    for (size_t i = 0; i < COLUMNS; i++)
        fprintf(out, " %*s", columns[i].width, columns[i].title);
    fputc('\n', out);
}

/* The text behind a key of the line, or of a later one if it has none: ours have all. */
static const char *value_of(const char *line, const char *key)
{
    const char *found = strstr(line, key);
    return found ? found + strlen(key) : "";
}

unsigned long long trace_file_print(const struct trace_file *file, FILE *out)
{
    unsigned long long lost = 0;
    const char *line = file->totals;
    while (*line) {
        const char *name = value_of(line, "\"process\":\"");
        fprintf(out, "%-*.*s", NAME_WIDTH, (int)strcspn(name, "\""), name);
        for (size_t i = 0; i < COLUMNS; i++) {
            unsigned long long value = strtoull(value_of(line, columns[i].key), NULL, 10);
            fprintf(out, " %*llu", columns[i].width, value);
            if (i == COLUMNS - 1 && value > lost)
                lost = value;
        }
        fputc('\n', out);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return lost;
}
