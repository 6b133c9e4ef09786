/* SPDX-License-Identifier: BSD-3-Clause */
/* The report for scripts. Neither notation of types has a character that JSON would mind. */
#include "mpi/report/report.h"

static const char *const levels[] = {
#define TEXT(name, text) text,
    WEFT_MPI_LEVEL_MAP(TEXT)
#undef TEXT
};

static void print_levels(FILE *out, const struct weft_mpi_report_line *line)
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
            (unsigned long long)line->wait, line->saved > 0 ? line->saved : 0);
}

static void print_reasons(FILE *out, const struct weft_mpi_report_sums *sums)
{
    fprintf(out, "\"reasons\": {");
    for (unsigned i = 0; i < WEFT_MPI_REASONS; i++)
        fprintf(out, "%s\"%s\": %llu", i ? ", " : "", weft_mpi_report_reason(i),
                (unsigned long long)sums->reasons[i]);
    fprintf(out, "}");
}

static void print_read(FILE *out, const struct weft_mpi_report_sums *sums)
{
    fprintf(out, "\"read\": {\"messages\": %llu, \"bytes\": %llu, \"fallbacks\": {",
            (unsigned long long)sums->read.messages, (unsigned long long)sums->read.bytes);
    for (unsigned i = 0; i < WEFT_NET_FALLBACKS; i++)
        fprintf(out, "%s\"%s\": %llu", i ? ", " : "", weft_net_fallback_text(i),
                (unsigned long long)sums->fallbacks[i]);
    fprintf(out,
            "}}, \"together\": {\"messages\": %llu, \"bytes\": %llu, \"by_senders\": %llu}",
            (unsigned long long)sums->together.messages, (unsigned long long)sums->together.bytes,
            (unsigned long long)sums->helped);
}

static void print_nic(FILE *out, const struct weft_mpi_report_sums *sums)
{
    fprintf(out,
            "\"hpus\": {\"gathered\": %llu, \"scattered\": %llu, \"refused\": %llu}, "
            "\"rails_lost\": %llu",
            (unsigned long long)sums->gathered, (unsigned long long)sums->scattered,
            (unsigned long long)sums->refused, (unsigned long long)sums->rails_lost);
}

static void print_natives(FILE *out, const struct weft_mpi_report_sums *sums)
{
    const char *comma = "";
    fprintf(out, "\"calls\": {");
    for (unsigned i = 0; i < WEFT_MPI_NATIVES; i++) {
        const struct weft_mpi_native_count *count = &sums->natives[i];
        if (count->calls == 0)
            continue;
        fprintf(out, "%s\"%s\": {\"calls\": %llu, \"bytes\": %llu, \"received_bytes\": %llu}",
                comma, weft_mpi_native_name(i), (unsigned long long)count->calls,
                (unsigned long long)count->bytes_out, (unsigned long long)count->bytes_in);
        comma = ", ";
    }
    fprintf(out, "}");
}

static void print_trial(FILE *out, const struct weft_mpi_report_trial *trial)
{
    if (!trial->trials)
        return;
    fprintf(out, ", \"choice\": {\"way\": \"%s\", \"trials\": %llu",
            weft_mpi_report_way(trial->chosen), (unsigned long long)trial->trials);
    for (unsigned i = 0; i < weft_mpi_ways(); i++)
        if (trial->least[i] > 0)
            fprintf(out, ", \"%s_ns\": %.0f", weft_mpi_report_way(i), trial->least[i]);
    fprintf(out, "}");
}

static void print_line(FILE *out, const struct weft_mpi_report_line *line)
{
    fprintf(out, "\n  {\"made\": \"%s\", \"type\": \"%s\", \"size\": %llu, \"pieces\": %llu, ",
            line->made, line->form, (unsigned long long)line->size,
            (unsigned long long)line->pieces);
    print_levels(out, line);
    print_trial(out, &line->trial);
    fprintf(out, "}");
}

void weft_mpi_report_json(FILE *out, const struct weft_mpi_report_page *page)
{
    struct weft_mpi_report_line total;
    weft_mpi_report_total(page, &total);
    fprintf(out, "{\"weft\": \"%s\", \"ranks\": %d, \"pulls\": %s,\n \"totals\": {",
            weft_version(), page->processes, weft_mpi.net ? "true" : "false");
    print_levels(out, &total);
    fprintf(out, "},\n ");
    print_reasons(out, &page->sums);
    fprintf(out, ",\n ");
    print_read(out, &page->sums);
    fprintf(out, ",\n ");
    print_nic(out, &page->sums);
    fprintf(out, ",\n ");
    print_natives(out, &page->sums);
    fprintf(out, ",\n \"offloaded\": %llu", (unsigned long long)page->sums.offloaded);
    fprintf(out, ",\n \"types\": [");
    for (size_t i = 0; i < page->count; i++) {
        fprintf(out, "%s", i ? "," : "");
        print_line(out, &page->lines[i]);
    }
    fprintf(out, "]}\n");
}
