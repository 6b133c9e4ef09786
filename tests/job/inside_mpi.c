/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inside_mpi before|after|refused: joins the job from within an MPI program, and leaves it before
 * or after MPI ends; or, where MPI keeps the launcher for itself, is refused and MPI still works.
 */
#include <errno.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "job/wireup.h"

static int rank, size;

#define need(condition)                                                                           \
    do {                                                                                          \
        if (!(condition)) {                                                                       \
            fprintf(stderr, "rank %d, line %d: %s\n", rank, __LINE__, #condition);                \
            exit(1);                                                                              \
        }                                                                                         \
    } while (0)

static void exchange(struct weft_job_wireup *wireup)
{
    uint64_t deadline = weft_clock_now() + 30 * WEFT_CLOCK_SECOND;
    int result, card, right = (rank + 1) % size;
    size_t length;
    need(weft_job_publish(wireup, &rank, sizeof(rank)) == 0);
    while ((result = weft_job_fetch(wireup, (uint32_t)right, &card, sizeof(card), &length)) ==
           -EAGAIN) {
        need(weft_clock_now() < deadline);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    need(result == 0 && length == sizeof(card) && card == right);
}

int main(int count, char **arguments)
{
    struct weft_job job;
    enum weft_job_status status;
    need(count == 2);
    bool is_refused = strcmp(arguments[1], "refused") == 0;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct weft_job_wireup *wireup = weft_job_open(&job, &status);
    if (is_refused) {
        need(!wireup && status == WEFT_JOB_FAILED);
    } else {
        need(wireup && (int)job.rank == rank && (int)job.size == size);
        exchange(wireup);
    }
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    need(sum == size * (size - 1) / 2);
    bool is_before = strcmp(arguments[1], "before") == 0;
    if (wireup && is_before)
        weft_job_leave(wireup);
    MPI_Finalize();
    if (wireup && !is_before)
        weft_job_leave(wireup);
    return 0;
}
