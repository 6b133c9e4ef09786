/* SPDX-License-Identifier: BSD-3-Clause */
/* What --check looks at: a figure, the bar, and whether it holds. */
#ifndef WEFT_BENCH_HARNESS_BAR_H
#define WEFT_BENCH_HARNESS_BAR_H

#include <stdbool.h>
#include <stddef.h>

#define BAR_TEXT 160

/* Where the figure must stay. */
enum bar_side { BAR_AT_MOST, BAR_AT_LEAST };

struct bar {
    char what[BAR_TEXT];
    enum bar_side side;
    double limit;
    double figure;       /* 0 if it could not be measured */
    const char *skipped; /* why there is no figure */
};

struct bar_list {
    struct bar *bars;
    size_t count;
};

/* Adds a bar about what the format says; a figure of 0 was not measured. */
__attribute__((format(printf, 5, 6))) struct bar *bar_add(struct bar_list *list,
                                                          enum bar_side side, double limit,
                                                          double figure, const char *format, ...);

/* A bar that is missed, in words. */
__attribute__((format(printf, 2, 3))) void bar_sentence(struct bar_list *list, const char *format,
                                                        ...);

bool bar_is_missed(const struct bar *bar);
size_t bar_count_missed(const struct bar_list *list);

/* One line for each, or an array of a JSON object that is open. */
void bar_report(const struct bar_list *list, bool json);

/* The same of lists that have only bars that are missed, each told by a sentence. */
void bar_report_sentences(const struct bar_list *list, bool json);

void bar_list_clear(struct bar_list *list);

#endif
