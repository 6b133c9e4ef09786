/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/setting.h"
#include "mpi/counter.h"
#include "mpi/state.h"

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

void weft_mpi_report(void)
{
    unsigned long long own[2 * WEFT_MPI_LEVELS + WEFT_MPI_REASONS] = {0},
                                                 sum[sizeof own / sizeof *own];
    for (struct weft_mpi_form *form = weft_mpi_forms(); form; form = form->next)
        for (unsigned i = 0; i < WEFT_MPI_LEVELS; i++) {
            own[2 * i] += form->sent[i].messages;
            own[2 * i + 1] += form->sent[i].bytes;
        }
    for (unsigned i = 0; i < WEFT_MPI_REASONS; i++)
        own[2 * WEFT_MPI_LEVELS + i] = weft_mpi_reason_count(i);
    mpi.Reduce(own, sum, sizeof own / sizeof *own, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0,
               weft_mpi.comm);
    if (weft_mpi.rank != 0 || !weft_mpi_report_is_wanted())
        return;
    const char *path = weft_setting_text(WEFT_SETTING_REPORT);
    FILE *out = strcmp(path, "-") == 0 ? stderr : fopen(path, "w");
    if (!out)
        return;
    fprintf(out, "{\"ranks\": %d, \"net\": %d", weft_mpi.size, weft_mpi.net != NULL);
    static const char *const levels[] = {"l0", "l1", "l2"};
    for (unsigned i = 0; i < WEFT_MPI_LEVELS; i++)
        fprintf(out, ", \"%s\": {\"messages\": %llu, \"bytes\": %llu}", levels[i], sum[2 * i],
                sum[2 * i + 1]);
    fprintf(out, "}\n");
    if (out != stderr)
        fclose(out);
}
