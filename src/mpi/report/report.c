/* SPDX-License-Identifier: BSD-3-Clause */
/* What all processes have counted, added up by rank 0: a table for people, or JSON. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/setting.h"
#include "mpi/report/counter.h"
#include "mpi/state.h"

enum { NAME = 120, SHOWN = 20 };

/* What one process says of one normal form, and what rank 0 makes of all that are alike. */
struct line {
    char name[NAME]; /* its text, perhaps cut; `hash` is of all */
    uint64_t hash;
    uint64_t size, pieces;
    struct {
        uint64_t messages, bytes;
    } sent[WEFT_MPI_LEVELS], received[WEFT_MPI_LEVELS];
    uint64_t gather, scatter, wait;
    double saved; /* nanoseconds; an estimate */
};

struct page {
    struct line *lines;
    size_t count;
    uint64_t reasons[WEFT_MPI_REASONS];
    /* Of what was pulled: read by the system, or else why it came in packets. */
    struct {
        uint64_t messages, bytes, fallbacks[WEFT_NET_FALLBACKS];
    } read;
};

static const char *const levels[] = {
#define TEXT(name, text) text,
    WEFT_MPI_LEVEL_MAP(TEXT)};

static const char *const reasons[] = {WEFT_MPI_REASON_MAP(TEXT)
#undef TEXT
};

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

/* ---- One process --------------------------------------------------------------------------- */

static uint64_t value(atomic_ullong *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* A byte that is sent is packed at one side and unpacked at the other: half each. */
static double saved_by(struct weft_mpi_form *form, const struct line *line)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < WEFT_MPI_LEVELS; i++)
        bytes += line->sent[i].bytes + line->received[i].bytes;
    return (double)bytes / 2 * (form->native_pace - form->own_pace);
}

static void fill(struct line *line, struct weft_mpi_form *form)
{
    struct weft_type_info info = {0};
    weft_type_query(form->type, &info, sizeof info);
    memset(line, 0, sizeof *line);
    weft_type_print(form->type, line->name, sizeof line->name);
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
}

static bool is_used(struct weft_mpi_form *form)
{
    uint64_t messages = 0;
    for (unsigned i = 0; i < WEFT_MPI_LEVELS; i++)
        messages += value(&form->sent[i].messages) + value(&form->received[i].messages);
    return messages > 0;
}

static void write_read(struct page *page)
{
    struct weft_net_counters counters = {0};
    weft_net_counters(weft_mpi.net, &counters, sizeof counters);
    page->read.messages = counters.direct;
    page->read.bytes = counters.direct_bytes;
    memcpy(page->read.fallbacks, counters.fallbacks, sizeof page->read.fallbacks);
}

static void write_own(struct page *page)
{
    size_t count = 0;
    for (struct weft_mpi_form *form = weft_mpi_forms(); form; form = form->next)
        count += is_used(form);
    page->count = 0;
    page->lines = calloc(count + 1, sizeof *page->lines);
    for (struct weft_mpi_form *form = weft_mpi_forms(); form && page->lines; form = form->next)
        if (is_used(form))
            fill(&page->lines[page->count++], form);
    for (unsigned i = 0; i < WEFT_MPI_REASONS; i++)
        page->reasons[i] = weft_mpi_reason_count(i);
    write_read(page);
}

/* ---- All processes ------------------------------------------------------------------------- */

static int by_hash(const void *a, const void *b)
{
    uint64_t left = ((const struct line *)a)->hash, right = ((const struct line *)b)->hash;
    return left < right ? -1 : left > right;
}

static uint64_t bytes_of(const struct line *line)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < WEFT_MPI_LEVELS; i++)
        bytes += line->sent[i].bytes;
    return bytes;
}

static int by_bytes(const void *a, const void *b)
{
    uint64_t left = bytes_of(a), right = bytes_of(b);
    return left > right ? -1 : left < right;
}

static void add(struct line *to, const struct line *line)
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
}

static void merge(struct page *page)
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
static bool gather_sizes(const struct page *own, int *sizes, int *places, struct page *all)
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

/* Everybody's lines to rank 0. */
static bool gather(const struct page *own, struct page *all)
{
    int *sizes = calloc((size_t)circle.size, sizeof *sizes);
    int *places = calloc((size_t)circle.size, sizeof *places);
    bool is_fine = all_say(own->lines && sizes && places) && gather_sizes(own, sizes, places, all);
    if (is_fine) {
        int size = (int)(own->count * sizeof *own->lines);
        mpi.Gatherv(own->lines, size, MPI_BYTE, all->lines, sizes, places, MPI_BYTE, 0,
                    circle.comm);
        mpi.Reduce(own->reasons, all->reasons, WEFT_MPI_REASONS, MPI_UINT64_T, MPI_SUM, 0,
                   circle.comm);
        mpi.Reduce(&own->read, &all->read, sizeof own->read / sizeof(uint64_t), MPI_UINT64_T,
                   MPI_SUM, 0, circle.comm);
    }
    free(sizes);
    free(places);
    return is_fine;
}

static void sum_up(const struct page *page, struct line *sum)
{
    memset(sum, 0, sizeof *sum);
    for (size_t i = 0; i < page->count; i++)
        add(sum, &page->lines[i]);
}

/* ---- For people ---------------------------------------------------------------------------- */

static double in_milliseconds(double nanoseconds)
{
    return nanoseconds / 1e6;
}

static const char *way_of(const struct line *line)
{
    static const char *const ways[] = {"packed here", "packed", "pulled"};
    unsigned most = 0;
    for (unsigned i = 1; i < WEFT_MPI_LEVELS; i++)
        if (line->sent[i].bytes >= line->sent[most].bytes)
            most = i;
    return ways[most];
}

static void print_line(FILE *out, const struct line *line)
{
    uint64_t messages = 0;
    for (unsigned i = 0; i < WEFT_MPI_LEVELS; i++)
        messages += line->sent[i].messages;
    double elements = line->size ? (double)bytes_of(line) / (double)line->size : 0;
    fprintf(out, "%10llu %12.3f %10.0f  %-11s %9.2f %9.2f %9.2f %9.2f  %s\n",
            (unsigned long long)messages, (double)bytes_of(line) / 1e6,
            messages ? elements * (double)line->pieces / (double)messages : 0, way_of(line),
            in_milliseconds((double)line->gather), in_milliseconds((double)line->scatter),
            in_milliseconds((double)line->wait), in_milliseconds(line->saved), line->name);
}

static void print_reasons(FILE *out, const struct page *page)
{
    for (unsigned i = 0; i < WEFT_MPI_REASONS; i++)
        if (page->reasons[i])
            fprintf(out, "  went a lower way: %s, %llu times\n", reasons[i],
                    (unsigned long long)page->reasons[i]);
    for (unsigned i = 0; i < WEFT_NET_FALLBACKS; i++)
        if (page->read.fallbacks[i])
            fprintf(out, "  pulled in packets: %s, %llu times\n", weft_net_fallback_text(i),
                    (unsigned long long)page->read.fallbacks[i]);
}

static void print_table(FILE *out, const struct page *page)
{
    struct line sum;
    sum_up(page, &sum);
    fprintf(out, "\nWeft: %d processes, %zu kinds of non-contiguous data\n", circle.size,
            page->count);
    fprintf(out, "  packed and sent by MPI %10llu messages %12.3f MB\n",
            (unsigned long long)sum.sent[WEFT_MPI_PACKED].messages,
            (double)sum.sent[WEFT_MPI_PACKED].bytes / 1e6);
    fprintf(out, "  pulled by the receiver %10llu messages %12.3f MB\n",
            (unsigned long long)sum.sent[WEFT_MPI_PULLED].messages,
            (double)sum.sent[WEFT_MPI_PULLED].bytes / 1e6);
    fprintf(out, "    read where it lies   %10llu messages %12.3f MB\n",
            (unsigned long long)page->read.messages, (double)page->read.bytes / 1e6);
    fprintf(out, "  MPI_Pack               %10llu calls    %12.3f MB\n",
            (unsigned long long)sum.sent[WEFT_MPI_LOCAL].messages,
            (double)sum.sent[WEFT_MPI_LOCAL].bytes / 1e6);
    fprintf(out,
            "  saved against MPI's own packing, an estimate: at least %.2f ms of all processes\n",
            in_milliseconds(sum.saved));
    print_reasons(out, page);
    if (page->count == 0)
        return;
    fprintf(out, "\n%10s %12s %10s  %-11s %9s %9s %9s %9s  %s\n", "messages", "MB", "pieces",
            "way", "gather ms", "scatter", "wait", "saved", "type");
    for (size_t i = 0; i < page->count && i < SHOWN; i++)
        print_line(out, &page->lines[i]);
    if (page->count > SHOWN)
        fprintf(out, "  and %zu more; --report=FILE has all\n", page->count - SHOWN);
}

/* ---- For scripts --------------------------------------------------------------------------- */

static void print_levels(FILE *out, const struct line *line)
{
    for (unsigned i = 0; i < WEFT_MPI_LEVELS; i++)
        fprintf(out,
                "\"%s\": {\"messages\": %llu, \"bytes\": %llu, \"received\": %llu, "
                "\"received_bytes\": %llu}, ",
                levels[i], (unsigned long long)line->sent[i].messages,
                (unsigned long long)line->sent[i].bytes,
                (unsigned long long)line->received[i].messages,
                (unsigned long long)line->received[i].bytes);
    fprintf(out,
            "\"gather_ns\": %llu, \"scatter_ns\": %llu, \"wait_ns\": %llu, \"saved_ns\": %.0f",
            (unsigned long long)line->gather, (unsigned long long)line->scatter,
            (unsigned long long)line->wait, line->saved);
}

static void print_read(FILE *out, const struct page *page)
{
    fprintf(out, "\"read\": {\"messages\": %llu, \"bytes\": %llu, \"fallbacks\": {",
            (unsigned long long)page->read.messages, (unsigned long long)page->read.bytes);
    for (unsigned i = 0; i < WEFT_NET_FALLBACKS; i++)
        fprintf(out, "%s\"%s\": %llu", i ? ", " : "", weft_net_fallback_text(i),
                (unsigned long long)page->read.fallbacks[i]);
    fprintf(out, "}}");
}

/* The notation of types has no character that JSON would mind. */
static void print_json(FILE *out, const struct page *page)
{
    struct line sum;
    sum_up(page, &sum);
    fprintf(out, "{\"weft\": \"%s\", \"ranks\": %d, \"pulls\": %s,\n \"totals\": {",
            weft_version(), circle.size, weft_mpi.net ? "true" : "false");
    print_levels(out, &sum);
    fprintf(out, "},\n \"reasons\": {");
    for (unsigned i = 0; i < WEFT_MPI_REASONS; i++)
        fprintf(out, "%s\"%s\": %llu", i ? ", " : "", reasons[i],
                (unsigned long long)page->reasons[i]);
    fprintf(out, "},\n ");
    print_read(out, page);
    fprintf(out, ",\n \"types\": [");
    for (size_t i = 0; i < page->count; i++) {
        const struct line *line = &page->lines[i];
        fprintf(out, "%s\n  {\"type\": \"%s\", \"size\": %llu, \"pieces\": %llu, ", i ? "," : "",
                line->name, (unsigned long long)line->size, (unsigned long long)line->pieces);
        print_levels(out, line);
        fprintf(out, "}");
    }
    fprintf(out, "]}\n");
}

/* A process that writes its own says which it is. */
static void name_file(char *path, size_t room)
{
    const char *name = weft_setting_text(WEFT_SETTING_REPORT);
    if (weft_mpi.is_joint)
        snprintf(path, room, "%s", name);
    else
        snprintf(path, room, "%s.%d", name, weft_mpi.rank);
}

static void print(const struct page *page)
{
    char path[PATH_MAX];
    if (strcmp(weft_setting_text(WEFT_SETTING_REPORT), "-") == 0) {
        print_table(stderr, page);
        return;
    }
    name_file(path, sizeof path);
    FILE *out = fopen(path, "w");
    if (out)
        print_json(out, page);
    if (!out || fclose(out) != 0)
        weft_log(WEFT_LOG_ERROR, "cannot write the report to %s", path);
}

void weft_mpi_report(void)
{
    struct page own = {0}, all = {0};
    form_circle();
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
