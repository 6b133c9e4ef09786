/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of timelines (trace/timeline.h): reading, putting together, summing up. */
#ifndef WEFT_TOOLS_TRACE_FILE_H
#define WEFT_TOOLS_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct trace_file {
    char *text;   /* all of it */
    char *events; /* lines without the last line's end */
    char *totals;
};

/* False if it cannot be read or is not a whole timeline; errno is 0 in the latter case. */
bool trace_file_read(struct trace_file *file, const char *path);
void trace_file_free(struct trace_file *file);

/* One timeline of many; false if `out` does not take it. */
bool trace_file_merge(const struct trace_file *files, size_t count, FILE *out);

/* A table with a line for each process; says how many records are lost. */
void trace_file_print_head(FILE *out);
unsigned long long trace_file_print(const struct trace_file *file, FILE *out);

#endif
