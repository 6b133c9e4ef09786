/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/harness/bar.h"

#include <stdio.h>

#include "weft/json.h"

static bool is_skipped(const struct bar *bar)
{
    return bar->figure <= 0;
}

bool bar_is_missed(const struct bar *bar)
{
    if (is_skipped(bar))
        return false;
    return bar->at_least ? bar->figure < bar->limit : bar->figure > bar->limit;
}

static const char *verdict(const struct bar *bar)
{
    return is_skipped(bar) ? "skipped" : bar_is_missed(bar) ? "missed" : "holds";
}

static void print_json(const struct bar *bar)
{
    weft_json_open(NULL, '{');
    weft_json_string("what", bar->what);
    weft_json_number(bar->at_least ? "at_least" : "at_most", bar->limit);
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
    printf(" (the bar: at %s %.2f)\n", bar->at_least ? "least" : "most", bar->limit);
}

size_t bar_report(const struct bar *bars, size_t count, bool json)
{
    size_t missed = 0;
    if (json)
        weft_json_open("bars", '[');
    else
        printf("\n");
    for (size_t i = 0; i < count; i++) {
        if (json)
            print_json(&bars[i]);
        else
            print_line(&bars[i]);
        missed += bar_is_missed(&bars[i]);
    }
    if (json)
        weft_json_close(']');
    return missed;
}
