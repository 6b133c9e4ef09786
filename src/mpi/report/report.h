/* SPDX-License-Identifier: BSD-3-Clause */
/* What a report says, of one process or of all. */
#ifndef WEFT_MPI_REPORT_REPORT_H
#define WEFT_MPI_REPORT_REPORT_H

#include <stdio.h>

#include "mpi/report/native.h"

enum { WEFT_MPI_REPORT_TEXT = 160 };

/* What one process says of one normal form, and what rank 0 makes of all that are alike. */
struct weft_mpi_report_line {
    char made[WEFT_MPI_REPORT_TEXT]; /* as a program made it; perhaps empty */
    char form[WEFT_MPI_REPORT_TEXT]; /* perhaps cut; `hash` is of all */
    uint64_t hash;
    uint64_t size, pieces;
    struct weft_mpi_report_count {
        uint64_t messages, bytes;
    } sent[WEFT_MPI_LEVELS], received[WEFT_MPI_LEVELS];
    uint64_t gather, scatter, wait;
    struct weft_mpi_report_trial {
        uint64_t trials, chosen;
        double least[WEFT_MPI_WAYS]; /* nanoseconds from message to message; 0: not tried */
    } trial;                         /* of the process that tried most often */
    double saved; /* nanoseconds, an estimate; less than 0 if MPI packs faster */
};

struct weft_mpi_report_page {
    int processes;
    struct weft_mpi_report_line *lines;
    size_t count;
    /* Numbers that are added up. */
    struct weft_mpi_report_sums {
        uint64_t reasons[WEFT_MPI_REASONS];
        /* Of what was pulled: read by the system, copied once, or why it came in packets. */
        struct weft_mpi_report_count read, together;
        uint64_t helped; /* of the bytes that were copied once, those by their senders */
        uint64_t fallbacks[WEFT_NET_FALLBACKS];
        uint64_t scattered, gathered, refused; /* packets, by HPUs */
        uint64_t rails_lost;
        struct weft_mpi_native_count natives[WEFT_MPI_NATIVES];
        uint64_t offloaded; /* collectives that schedules did */
    } sums;
};

/* All lines in one. */
void weft_mpi_report_total(const struct weft_mpi_report_page *page,
                           struct weft_mpi_report_line *total);
const char *weft_mpi_report_reason(enum weft_mpi_reason reason);
const char *weft_mpi_report_way(enum weft_mpi_way way);

void weft_mpi_report_table(FILE *out, const struct weft_mpi_report_page *page);
void weft_mpi_report_json(FILE *out, const struct weft_mpi_report_page *page);

#endif
