/* SPDX-License-Identifier: BSD-3-Clause */
/* The report for people. */
#include "mpi/message/route.h"
#include "mpi/report/report.h"

enum { SHOWN = 20 };

static double in_megabytes(uint64_t bytes)
{
    return (double)bytes / 1e6;
}

/* ---- All types together -------------------------------------------------------------------- */

static void print_way(FILE *out, const char *way, const char *what,
                      const struct weft_mpi_report_count *count)
{
    if (count->messages)
        fprintf(out, "  %-22s %10llu %-8s %12.3f MB\n", way, (unsigned long long)count->messages,
                what, in_megabytes(count->bytes));
}

static void print_ways(FILE *out, const struct weft_mpi_report_page *page,
                       const struct weft_mpi_report_line *total)
{
    print_way(out, "packed and sent by MPI", "messages", &total->sent[WEFT_MPI_PACKED]);
    print_way(out, "pulled by the receiver", "messages", &total->sent[WEFT_MPI_PULLED]);
    print_way(out, "  read where it lies", "messages", &page->sums.read);
    print_way(out, "  copied once, together", "messages", &page->sums.together);
    print_way(out, "copied to windows", "calls", &total->sent[WEFT_MPI_COPIED]);
    print_way(out, "copied from windows", "calls", &total->received[WEFT_MPI_COPIED]);
    print_way(out, "by MPI, as it is", "messages", &total->sent[WEFT_MPI_NATIVELY]);
    print_way(out, "MPI_Pack", "calls", &total->sent[WEFT_MPI_LOCAL]);
    print_way(out, "MPI_Unpack", "calls", &total->received[WEFT_MPI_LOCAL]);
}

static void print_natives(FILE *out, const struct weft_mpi_report_sums *sums)
{
    for (unsigned i = 0; i < WEFT_MPI_NATIVES; i++) {
        const struct weft_mpi_native_count *count = &sums->natives[i];
        if (count->calls)
            fprintf(out, "  left to MPI: %-25s %6llu calls %12.3f MB out %12.3f MB in\n",
                    weft_mpi_native_name(i), (unsigned long long)count->calls,
                    in_megabytes(count->bytes_out), in_megabytes(count->bytes_in));
    }
}

static void print_offloaded(FILE *out, const struct weft_mpi_report_sums *sums)
{
    if (sums->offloaded)
        fprintf(out, "  %-22s %10llu calls\n", "collectives on the NICs",
                (unsigned long long)sums->offloaded);
}

static void print_reason(FILE *out, const char *what, const char *why, uint64_t messages)
{
    if (messages)
        fprintf(out, "  %s: %s, %llu time%s\n", what, why, (unsigned long long)messages,
                messages == 1 ? "" : "s");
}

static void print_reasons(FILE *out, const struct weft_mpi_report_sums *sums)
{
    for (unsigned i = 0; i < WEFT_MPI_REASONS; i++)
        print_reason(out, "went a lower way", weft_mpi_report_reason(i), sums->reasons[i]);
    for (unsigned i = 0; i < WEFT_NET_FALLBACKS; i++)
        print_reason(out, "pulled in packets", weft_net_fallback_text(i), sums->fallbacks[i]);
}

static void print_nic(FILE *out, const struct weft_mpi_report_sums *sums)
{
    if (sums->scattered || sums->gathered || sums->refused)
        fprintf(out, "  by HPU threads: %llu packets gathered, %llu scattered; no room for %llu\n",
                (unsigned long long)sums->gathered, (unsigned long long)sums->scattered,
                (unsigned long long)sums->refused);
    print_reason(out, "lost", "a network interface to another process, while others carried on",
                 sums->rails_lost);
}

static bool has_moved(const struct weft_mpi_report_line *total)
{
    for (unsigned i = 0; i < WEFT_MPI_NATIVELY; i++)
        if (total->sent[i].messages || total->received[i].messages)
            return true;
    return false;
}

static void print_saved(FILE *out, const struct weft_mpi_report_line *total)
{
    if (!has_moved(total))
        fprintf(out, "  nothing of it was for Weft to move, or shown to be faster so\n");
    else if (total->saved > 0)
        fprintf(out,
                "  saved against MPI's own packing, an estimate: at least %.2f ms of all "
                "processes\n",
                total->saved / 1e6);
    else
        fprintf(out, "  no time saved by packing: MPI packs these types as fast\n");
}

/* ---- Each type ----------------------------------------------------------------------------- */

static struct weft_mpi_report_count sum(const struct weft_mpi_report_count counts[])
{
    struct weft_mpi_report_count all = {0};
    for (unsigned i = 0; i < WEFT_MPI_LEVELS; i++) {
        all.messages += counts[i].messages;
        all.bytes += counts[i].bytes;
    }
    return all;
}

/* That of most bytes. */
static const char *way_of(const struct weft_mpi_report_line *line)
{
    static const char *const ways[WEFT_MPI_LEVELS] = {
        [WEFT_MPI_LOCAL] = "packed here",  [WEFT_MPI_PACKED] = "packed",
        [WEFT_MPI_PULLED] = "pulled",      [WEFT_MPI_COPIED] = "copied",
        [WEFT_MPI_NATIVELY] = "MPI's own", [WEFT_MPI_BY_MPI] = "left to MPI"};
    unsigned most = 0;
    for (unsigned i = 1; i < WEFT_MPI_LEVELS; i++)
        if (line->sent[i].bytes + line->received[i].bytes >
            line->sent[most].bytes + line->received[most].bytes)
            most = i;
    return ways[most];
}

static double pieces_of(const struct weft_mpi_report_line *line)
{
    struct weft_mpi_report_count sent = sum(line->sent), received = sum(line->received);
    double elements = line->size ? (double)(sent.bytes + received.bytes) / (double)line->size : 0;
    return elements * (double)line->pieces / (double)(sent.messages + received.messages);
}

static void print_side(FILE *out, const struct weft_mpi_report_count *count)
{
    if (count->messages)
        fprintf(out, " %9llu %11.3f", (unsigned long long)count->messages,
                in_megabytes(count->bytes));
    else
        fprintf(out, " %9s %11s", "-", "-");
}

/* What took no time was not measured, or there was none of it. */
static void print_time(FILE *out, double nanoseconds)
{
    if (nanoseconds > 0)
        fprintf(out, " %9.2f", nanoseconds / 1e6);
    else
        fprintf(out, " %9s", "-");
}

static bool may_be_tried(const struct weft_mpi_report_line *line)
{
    bool is_forced = weft_mpi_route_is_forced_to_mpi() || weft_mpi_route_is_forced_to_us();
    return !is_forced &&
           (line->sent[WEFT_MPI_NATIVELY].messages || line->sent[WEFT_MPI_PACKED].messages ||
            line->sent[WEFT_MPI_PULLED].messages);
}

/* Why it went that way. */
static void print_trial(FILE *out, const struct weft_mpi_report_line *line)
{
    const struct weft_mpi_report_trial *trial = &line->trial;
    if (!trial->trials) {
        if (may_be_tried(line))
            fprintf(out, "    not tried: too few messages of one kind\n");
        return;
    }
    fprintf(out, "    chosen: %s, of", weft_mpi_report_way(trial->chosen));
    for (unsigned i = 0; i < weft_mpi_ways(); i++)
        if (trial->least[i] > 0)
            fprintf(out, "%s %s %.1f us", i ? "," : "", weft_mpi_report_way(i),
                    trial->least[i] / 1e3);
    fprintf(out, " from message to message\n");
}

static void print_line(FILE *out, const struct weft_mpi_report_line *line)
{
    struct weft_mpi_report_count sent = sum(line->sent), received = sum(line->received);
    print_side(out, &sent);
    print_side(out, &received);
    fprintf(out, " %8.0f  %-11s", pieces_of(line), way_of(line));
    print_time(out, (double)line->gather);
    print_time(out, (double)line->scatter);
    print_time(out, (double)line->wait);
    print_time(out, line->saved);
    fprintf(out, "\n    %s\n    = %s\n", line->made, line->form);
    print_trial(out, line);
}

void weft_mpi_report_table(FILE *out, const struct weft_mpi_report_page *page)
{
    struct weft_mpi_report_line total;
    weft_mpi_report_total(page, &total);
    fprintf(out, "\nWeft: %d process%s, %zu kind%s of non-contiguous data\n", page->processes,
            page->processes == 1 ? "" : "es", page->count, page->count == 1 ? "" : "s");
    print_ways(out, page, &total);
    print_offloaded(out, &page->sums);
    print_natives(out, &page->sums);
    print_saved(out, &total);
    print_reasons(out, &page->sums);
    print_nic(out, &page->sums);
    if (page->count == 0)
        return;
    fprintf(out, "\n %9s %11s %9s %11s %8s  %-11s %9s %9s %9s %9s\n", "sent", "MB", "received",
            "MB", "pieces", "way", "gather ms", "scatter", "wait", "saved");
    for (size_t i = 0; i < page->count && i < SHOWN; i++)
        print_line(out, &page->lines[i]);
    if (page->count > SHOWN)
        fprintf(out, "  and %zu more; --report=FILE has all\n", page->count - SHOWN);
}
