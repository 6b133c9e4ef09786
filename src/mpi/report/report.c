/* SPDX-License-Identifier: BSD-3-Clause */
/* What all processes have counted, added up by rank 0. */
#include "mpi/report/report.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/own_file.h"
#include "base/setting.h"
#include "mpi/collective/offload.h"
#include "transfer/layout.h"

static const char *const reasons[] = {
#define TEXT(name, text) text,
    WEFT_MPI_REASON_MAP(TEXT)
#undef TEXT
};

const char *weft_mpi_report_reason(enum weft_mpi_reason reason)
{
    return reasons[reason];
}

const char *weft_mpi_report_way(enum weft_mpi_way way)
{
    static const char *const names[WEFT_MPI_WAYS] = {"pulled", "packed", "native", "together"};
    return names[way];
}

bool weft_mpi_report_is_wanted(void)
{
    static atomic_int wanted = -1;
    int known = atomic_load_explicit(&wanted, memory_order_relaxed);
    if (known < 0) {
        known = *weft_setting_text(WEFT_SETTING_REPORT) != 0;
        atomic_store_explicit(&wanted, known, memory_order_relaxed);
    }
    return known;
}

static void count_moved(const weft_type *type, bool is_gathered, uint64_t nanoseconds)
{
    struct weft_mpi_form *form = weft_mpi_form_of(type);
    if (form)
        atomic_fetch_add_explicit(is_gathered ? &form->gather : &form->scatter, nanoseconds,
                                  memory_order_relaxed);
}

void weft_mpi_report_begin(void)
{
    if (!weft_mpi_report_is_wanted())
        return;
    weft_net_layout_listen(count_moved);
    weft_mpi_step_in_to_count();
}

/* ---- One process --------------------------------------------------------------------------- */

static uint64_t value(atomic_ullong *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* A byte that is sent is packed at one side and unpacked at the other: half each. What MPI has
 * moved by itself has saved nothing. */
static double saved_by(struct weft_mpi_form *form, const struct weft_mpi_report_line *line)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < WEFT_MPI_NATIVELY; i++)
        bytes += line->sent[i].bytes + line->received[i].bytes;
    return (double)bytes / 2 * (form->native_pace - form->own_pace);
}

static void fill_trial(struct weft_mpi_report_trial *trial, struct weft_mpi_form *form)
{
    const struct weft_mpi_choice *choice = weft_mpi_choice_most_tried(&form->choices);
    if (!choice)
        return;
    trial->trials = choice->trials;
    trial->chosen = choice->chosen;
    memcpy(trial->least, choice->least, sizeof trial->least);
}

static void fill(struct weft_mpi_report_line *line, struct weft_mpi_form *form)
{
    struct weft_type_info info = {0};
    weft_type_query(form->type, &info, sizeof info);
    memset(line, 0, sizeof *line);
    snprintf(line->made, sizeof line->made, "%s", form->notation ? form->notation : "");
    weft_type_print(form->type, line->form, sizeof line->form);
    line->hash = info.hash;
    line->size = form->size;
    line->pieces = form->pieces;
    for (unsigned i = 0; i < WEFT_MPI_LEVELS; i++) {
        line->sent[i].messages = value(&form->sent[i].messages);
        line->sent[i].bytes = value(&form->sent[i].bytes);
        line->received[i].messages = value(&form->received[i].messages);
        line->received[i].bytes = value(&form->received[i].bytes);
    }
    line->gather = value(&form->gather);
    line->scatter = value(&form->scatter);
    line->wait = value(&form->wait);
    line->saved = saved_by(form, line);
    fill_trial(&line->trial, form);
}

static bool is_used(struct weft_mpi_form *form)
{
    uint64_t messages = 0;
    for (unsigned i = 0; i < WEFT_MPI_LEVELS; i++)
        messages += value(&form->sent[i].messages) + value(&form->received[i].messages);
    return messages > 0;
}

static void write_sums(struct weft_mpi_report_sums *sums)
{
    struct weft_net_counters counters = {0};
    weft_net_counters(weft_mpi.net, &counters, sizeof counters);
    sums->read.messages = counters.direct;
    sums->read.bytes = counters.direct_bytes;
    sums->together.messages = counters.together;
    sums->together.bytes = counters.together_bytes + counters.helped_bytes;
    sums->helped = counters.helped_bytes;
    memcpy(sums->fallbacks, counters.fallbacks, sizeof sums->fallbacks);
    sums->scattered = counters.scattered;
    sums->gathered = counters.gathered;
    sums->refused = counters.refused;
    sums->rails_lost = counters.rails_lost;
    for (unsigned i = 0; i < WEFT_MPI_REASONS; i++)
        sums->reasons[i] = weft_mpi_reason_count(i);
    for (unsigned i = 0; i < WEFT_MPI_NATIVES; i++)
        sums->natives[i] = weft_mpi_native_count(i);
    sums->offloaded = weft_mpi_schedule_count();
}

static void write_own(struct weft_mpi_report_page *page)
{
    size_t count = 0;
    for (struct weft_mpi_form *form = weft_mpi_forms(); form; form = form->next)
        count += is_used(form);
    page->count = 0;
    page->lines = calloc(count + 1, sizeof *page->lines);
    for (struct weft_mpi_form *form = weft_mpi_forms(); form && page->lines; form = form->next)
        if (is_used(form))
            fill(&page->lines[page->count++], form);
    write_sums(&page->sums);
}

/* ---- All processes ------------------------------------------------------------------------- */

static int by_hash(const void *a, const void *b)
{
    uint64_t left = ((const struct weft_mpi_report_line *)a)->hash;
    uint64_t right = ((const struct weft_mpi_report_line *)b)->hash;
    return left < right ? -1 : left > right;
}

static uint64_t bytes_of(const struct weft_mpi_report_line *line)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < WEFT_MPI_LEVELS; i++)
        bytes += line->sent[i].bytes + line->received[i].bytes;
    return bytes;
}

static int by_bytes(const void *a, const void *b)
{
    uint64_t left = bytes_of(a), right = bytes_of(b);
    return left > right ? -1 : left < right;
}

static void add(struct weft_mpi_report_line *to, const struct weft_mpi_report_line *line)
{
    for (unsigned i = 0; i < WEFT_MPI_LEVELS; i++) {
        to->sent[i].messages += line->sent[i].messages;
        to->sent[i].bytes += line->sent[i].bytes;
        to->received[i].messages += line->received[i].messages;
        to->received[i].bytes += line->received[i].bytes;
    }
    to->gather += line->gather;
    to->scatter += line->scatter;
    to->wait += line->wait;
    to->saved += line->saved;
    if (line->trial.trials > to->trial.trials)
        to->trial = line->trial;
}

static void merge(struct weft_mpi_report_page *page)
{
    size_t kept = 0;
    qsort(page->lines, page->count, sizeof *page->lines, by_hash);
    for (size_t i = 0; i < page->count; i++)
        if (kept > 0 && page->lines[kept - 1].hash == page->lines[i].hash)
            add(&page->lines[kept - 1], &page->lines[i]);
        else
            page->lines[kept++] = page->lines[i];
    page->count = kept;
    qsort(page->lines, page->count, sizeof *page->lines, by_bytes);
}

void weft_mpi_report_total(const struct weft_mpi_report_page *page,
                           struct weft_mpi_report_line *total)
{
    memset(total, 0, sizeof *total);
    for (size_t i = 0; i < page->count; i++)
        add(total, &page->lines[i]);
}

/* Those who write one report: all processes, or each its own. */
static struct {
    MPI_Comm comm;
    int rank, size;
} circle;

static void form_circle(void)
{
    circle.comm = weft_mpi.is_joint ? weft_mpi.comm : weft_mpi.self;
    mpi.Comm_rank(circle.comm, &circle.rank);
    mpi.Comm_size(circle.comm, &circle.size);
}

static bool all_say(bool is_fine)
{
    int own = is_fine, all = 0;
    mpi.Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, circle.comm);
    return all;
}

/* How long everybody's lines are, and where they go: at rank 0, which allocates both. */
static bool gather_sizes(const struct weft_mpi_report_page *own, int *sizes, int *places,
                         struct weft_mpi_report_page *all)
{
    int size = (int)(own->count * sizeof *own->lines), whole = 0;
    mpi.Gather(&size, 1, MPI_INT, sizes, 1, MPI_INT, 0, circle.comm);
    for (int i = 0; circle.rank == 0 && i < circle.size; i++) {
        places[i] = whole;
        whole += sizes[i];
    }
    all->count = (size_t)whole / sizeof *all->lines;
    all->lines = calloc(all->count + 1, sizeof *all->lines);
    return all_say(all->lines != NULL);
}

/* Everybody's lines and sums to rank 0. */
static bool gather(const struct weft_mpi_report_page *own, struct weft_mpi_report_page *all)
{
    int *sizes = calloc((size_t)circle.size, sizeof *sizes);
    int *places = calloc((size_t)circle.size, sizeof *places);
    bool is_fine = all_say(own->lines && sizes && places) && gather_sizes(own, sizes, places, all);
    if (is_fine) {
        int size = (int)(own->count * sizeof *own->lines);
        mpi.Gatherv(own->lines, size, MPI_BYTE, all->lines, sizes, places, MPI_BYTE, 0,
                    circle.comm);
        mpi.Reduce(&own->sums, &all->sums, sizeof own->sums / sizeof(uint64_t), MPI_UINT64_T,
                   MPI_SUM, 0, circle.comm);
    }
    free(sizes);
    free(places);
    return is_fine;
}

/* Named as timelines are; only processes that do not report together have several. */
static bool name_file(char *path, size_t room)
{
    const struct weft_own_file process = {.rank = (uint32_t)weft_mpi.rank,
                                          .pid = (uint32_t)getpid(),
                                          .usual = weft_mpi.is_joint ? 0 : 'r'};
    return weft_own_file_name(weft_setting_text(WEFT_SETTING_REPORT), &process, path, room);
}

static void write_file(const struct weft_mpi_report_page *page)
{
    char path[PATH_MAX] = "";
    FILE *out = NULL;
    errno = ENAMETOOLONG;
    if (name_file(path, sizeof path))
        out = fopen(path, "w");
    if (out)
        weft_mpi_report_json(out, page);
    if (!out || fclose(out) != 0)
        weft_log(WEFT_LOG_ERROR, "cannot write the report to %.300s: %s", path, strerror(errno));
}

static void print(const struct weft_mpi_report_page *page)
{
    if (strcmp(weft_setting_text(WEFT_SETTING_REPORT), "-") == 0)
        weft_mpi_report_table(stderr, page);
    else
        write_file(page);
}

void weft_mpi_report(void)
{
    form_circle();
    struct weft_mpi_report_page own = {0}, all = {.processes = circle.size};
    if (!all_say(weft_mpi_report_is_wanted()))
        return;
    write_own(&own);
    bool is_fine = gather(&own, &all);
    if (!is_fine)
        weft_log(WEFT_LOG_ERROR, "there is no memory for the report");
    else if (circle.rank == 0) {
        merge(&all);
        print(&all);
    }
    free(own.lines);
    free(all.lines);
}
