/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/harness/bench.h"

#include <string.h>

#include "bench/harness/plot.h"
#include "bench/harness/progress.h"
#include "bench/harness/stored.h"
#include "weft/command.h"
#include "weft/json.h"

/* ---- Options ------------------------------------------------------------------------------ */

bool bench_take_quick(const char *value, void *context)
{
    struct bench_settings *settings = context;
    (void)value;
    settings->is_quick = true;
    settings->rounds = 3;
    settings->seconds = 0.005;
    return true;
}

bool bench_take_from(const char *value, void *context)
{
    struct bench_settings *settings = context;
    size_t count = 0;
    while (settings->from[count])
        count++;
    if (count == BENCH_MOST_FROM)
        return false;
    settings->from[count] = value;
    return true;
}

bool bench_take_layout(const char *value, void *context)
{
    struct bench_layouts *layouts = context;
    if (layouts->pair_count == BENCH_MOST_PAIRS || !layouts->is_layout(value))
        return false;
    layouts->pairs[layouts->pair_count++] = (struct bench_pair){value, value};
    return true;
}

bool bench_take_receive(const char *value, void *context)
{
    struct bench_layouts *layouts = context;
    if (layouts->pair_count == 0 || !layouts->is_layout(value))
        return false;
    layouts->pairs[layouts->pair_count - 1].receive = value;
    return true;
}

void bench_layouts_complete(struct bench_layouts *layouts, const struct bench_pair *pairs,
                            size_t pair_count, const size_t *sizes, size_t size_count)
{
    if (layouts->pair_count == 0) {
        memcpy(layouts->pairs, pairs, pair_count * sizeof(*pairs));
        layouts->pair_count = pair_count;
    }
    if (layouts->size_count == 0) {
        memcpy(layouts->sizes, sizes, size_count * sizeof(*sizes));
        layouts->size_count = size_count;
    }
}

/* ---- Measuring ---------------------------------------------------------------------------- */

static void measure_case(const struct benchmark *benchmark, size_t i, size_t count)
{
    const struct bench_cases *cases = &benchmark->cases;
    const struct bench_again *again = &benchmark->again;
    char what[160];
    cases->name(i, what, sizeof(what));
    progress_show(i, count, what);
    cases->measure(i, 1);
    if (benchmark->settings->check && again->is_missed && again->is_missed(i))
        cases->measure(i, again->times);
    progress_clear();
    if (!benchmark->settings->json)
        cases->print(i);
    fflush(stdout);
}

static void measure_all(const struct benchmark *benchmark)
{
    const struct bench_cases *cases = &benchmark->cases;
    for (size_t group = 0; group < cases->groups; group++) {
        size_t count = cases->open(group);
        for (size_t i = 0; i < count; i++)
            measure_case(benchmark, i, count);
        if (count > 0)
            cases->close(group);
    }
}

/* ---- Reports ------------------------------------------------------------------------------ */

static size_t report_bars(const struct benchmark *benchmark)
{
    struct bar_list list = {0};
    bool json = benchmark->settings->json;
    benchmark->report.look_at_bars(&list);
    size_t missed = benchmark->report.has_sentences ? list.count : bar_count_missed(&list);
    if (benchmark->report.has_sentences)
        bar_report_sentences(&list, json);
    else
        bar_report(&list, json);
    bar_list_clear(&list);
    return missed;
}

static bool draw_stored(const struct benchmark *benchmark)
{
    const struct bench_settings *settings = benchmark->settings;
    if (settings->plot)
        return stored_read(settings->from, benchmark->picture.take_line) &&
               benchmark->picture.draw(settings->plot);
    fprintf(stderr, "weft bench: --from only draws: --plot says into which file\n");
    return false;
}

/* How much has failed. */
static size_t tell(const struct benchmark *benchmark)
{
    const struct bench_settings *settings = benchmark->settings;
    const struct bench_report *report = &benchmark->report;
    size_t failures = report->count_failures ? report->count_failures() : 0;
    if (settings->json) {
        weft_json_open(NULL, '{');
        report->write_json();
    }
    if (settings->check)
        failures += report_bars(benchmark);
    if (settings->json)
        weft_json_close('}');
    if (settings->plot)
        failures += !benchmark->picture.draw(settings->plot);
    return failures;
}

int bench_run(const struct benchmark *benchmark, int argc, char **argv)
{
    int code = option_parse(&benchmark->options, argc, argv);
    if (code >= 0)
        return code;
    if (benchmark->settings->plot && !plot_is_possible(benchmark->settings->plot))
        return WEFT_EXIT_FAILED;
    if (benchmark->settings->from[0])
        return draw_stored(benchmark) ? WEFT_EXIT_OK : WEFT_EXIT_FAILED;
    code = benchmark->prepare ? benchmark->prepare() : -1;
    if (code >= 0)
        return code;
    measure_all(benchmark);
    return tell(benchmark) ? WEFT_EXIT_FAILED : WEFT_EXIT_OK;
}
