/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/harness/bar.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "weft/command.h"
#include "weft/json.h"

static struct bar *add(struct bar_list *list, const char *format, va_list arguments)
{
    struct bar *bars = realloc(list->bars, (list->count + 1) * sizeof(*bars));
    if (!bars) {
        fprintf(stderr, "weft bench: out of memory\n");
        exit(WEFT_EXIT_FAILED);
    }
    list->bars = bars;
    struct bar *bar = &bars[list->count++];
    *bar = (struct bar){.skipped = "not measured"};
    vsnprintf(bar->what, sizeof(bar->what), format, arguments);
    return bar;
}

struct bar *bar_add(struct bar_list *list, enum bar_side side, double limit, double figure,
                    const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct bar *bar = add(list, format, arguments);
    va_end(arguments);
    bar->side = side;
    bar->limit = limit;
    bar->figure = figure;
    return bar;
}

void bar_sentence(struct bar_list *list, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(list, format, arguments);
    va_end(arguments);
}

void bar_list_clear(struct bar_list *list)
{
    free(list->bars);
    *list = (struct bar_list){0};
}

/* ---- Verdicts ----------------------------------------------------------------------------- */

static bool is_skipped(const struct bar *bar)
{
    return bar->figure <= 0;
}

bool bar_is_missed(const struct bar *bar)
{
    if (is_skipped(bar))
        return false;
    return bar->side == BAR_AT_LEAST ? bar->figure < bar->limit : bar->figure > bar->limit;
}

static const char *verdict(const struct bar *bar)
{
    return is_skipped(bar) ? "skipped" : bar_is_missed(bar) ? "missed" : "holds";
}

size_t bar_count_missed(const struct bar_list *list)
{
    size_t missed = 0;
    for (size_t i = 0; i < list->count; i++)
        missed += bar_is_missed(&list->bars[i]);
    return missed;
}

/* ---- Reports ------------------------------------------------------------------------------ */

static void json_bar(const struct bar *bar)
{
    weft_json_open(NULL, '{');
    weft_json_string("what", bar->what);
    weft_json_number(bar->side == BAR_AT_LEAST ? "at_least" : "at_most", bar->limit);
    weft_json_string("verdict", verdict(bar));
    if (is_skipped(bar))
        weft_json_string("why", bar->skipped);
    else
        weft_json_number("figure", bar->figure);
    weft_json_close('}');
}

static void print_line(const struct bar *bar)
{
    printf("%-7s  %s: ", verdict(bar), bar->what);
    if (is_skipped(bar))
        printf("%s", bar->skipped);
    else
        printf("%.2f", bar->figure);
    printf(" (the bar: at %s %.2f)\n", bar->side == BAR_AT_LEAST ? "least" : "most", bar->limit);
}

static void json_sentence(const struct bar *bar)
{
    weft_json_string(NULL, bar->what);
}

static void print_sentence(const struct bar *bar)
{
    printf("missed: %s\n", bar->what);
}

static void report_each(const struct bar_list *list, const char *key,
                        void (*report)(const struct bar *bar))
{
    if (key)
        weft_json_open(key, '[');
    else
        printf("\n");
    for (size_t i = 0; i < list->count; i++)
        report(&list->bars[i]);
    if (key)
        weft_json_close(']');
}

void bar_report(const struct bar_list *list, bool json)
{
    report_each(list, json ? "bars" : NULL, json ? json_bar : print_line);
}

void bar_report_sentences(const struct bar_list *list, bool json)
{
    report_each(list, json ? "missed" : NULL, json ? json_sentence : print_sentence);
    if (!json)
        printf("%zu bars missed\n", list->count);
}
