/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random MPI programs: each rank does its part of random schedules of messages, collectives,
 * one-sided calls and files, and checks every byte, every status and the order of what it
 * receives. It uses MPI alone: run by itself it tests the MPI library, under `weft run` what Weft
 * makes of it.
 *
 *   mpirun -n 3 fuzz_mpi [--seed S] [--first K] [--count N] [--around BYTES] [--threads N]
 *                        [--deadline SECONDS] [--bugs 0|1] [--handler 0|1] [--session 0|1]
 *                        [--describe 0|1]
 *
 * At the end rank 0 prints a digest for each rank, which depends on the arguments alone; and how
 * often MPI has called the error handler, if it is ours.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/schedules/begin.h"
#include "mpi/schedules/known_bugs.h"
#include "mpi/schedules/run.h"
#include "mpi/schedules/unit.h"

enum { MOST_THREADS = 4 };

static struct {
    unsigned long long seed, first, count, around, threads, deadline, bugs, handler, session,
        describe;
} options = {1, 0, 100, 256, 1, 60, 0, 0, 0, 0};

static struct crew crews[MOST_THREADS];

/* A deadlock would otherwise never say where. All ranks print before the first of them ends. */
static void tell_where(int signal)
{
    char text[600];
    (void)signal;
    for (unsigned long long t = 0; t < options.threads; t++) {
        const struct crew *crew = &crews[t];
        int length =
            snprintf(text, sizeof(text),
                     "rank %d, thread %d: no end of schedule %llu of seed %llu during: %s\n",
                     crew->rank, crew->thread, (unsigned long long)crew->schedule,
                     (unsigned long long)crew->seed, crew->doing);
        if (write(STDERR_FILENO, text, (size_t)length) < 0)
            break;
    }
    sleep(2);
    _exit(3);
}

/* ---- Errors, which MPI tells to a handler of ours or by what it returns -------------------- */

static atomic_ullong errors;

static void count_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    errors++;
}

static bool has_handler(void)
{
    return options.handler && (options.bugs || !BUG_TOLD_TO_HANDLER);
}

/* ---- Schedules ----------------------------------------------------------------------------- */

static void *run_all(void *argument)
{
    struct crew *crew = argument;
    struct schedule_options choice = {options.around, options.threads > 1, options.session != 0,
                                      options.bugs != 0};
    for (uint64_t k = options.first; k < options.first + options.count; k++) {
        uint64_t stream = k * MOST_THREADS + (unsigned)crew->thread;
        struct schedule schedule =
            schedule_draw(rng_stream(options.seed, stream), crew->ranks, &choice);
        struct rng own = rng_stream(options.seed ^ UINT64_C(0x9d5f),
                                    stream * MOST_RANKS + (unsigned)crew->rank);
        if (options.describe && crew->rank == 0)
            schedule_describe(&schedule);
        crew->seed = options.seed;
        crew->schedule = k;
        crew->bugs = options.bugs != 0;
        if (crew->thread == 0)
            alarm((unsigned)options.deadline);
        run_schedule(crew, &schedule, rng_next(&own));
    }
    return NULL;
}

static void run_threads(void)
{
    pthread_t threads[MOST_THREADS];
    for (unsigned long long t = 1; t < options.threads; t++)
        pthread_create(&threads[t], NULL, run_all, &crews[t]);
    run_all(&crews[0]);
    for (unsigned long long t = 1; t < options.threads; t++)
        pthread_join(threads[t], NULL);
}

static void print_digests(MPI_Comm world)
{
    struct {
        unsigned long long digest, errors;
    } own = {0, errors}, all[MOST_RANKS];
    for (unsigned long long t = 0; t < options.threads; t++)
        own.digest += crews[t].digest;
    MPI_Gather(&own, sizeof(own), MPI_BYTE, all, sizeof(own), MPI_BYTE, 0, world);
    for (int rank = 0; crews[0].rank == 0 && rank < crews[0].ranks; rank++)
        printf("digest of rank %d: %016llx, %llu errors\n", rank, all[rank].digest,
               all[rank].errors);
}

static bool read_options(int argc, char **argv)
{
    struct {
        const char *name;
        unsigned long long *value;
    } table[] = {
        {"--seed", &options.seed},       {"--first", &options.first},
        {"--count", &options.count},     {"--around", &options.around},
        {"--threads", &options.threads}, {"--deadline", &options.deadline},
        {"--bugs", &options.bugs},       {"--handler", &options.handler},
        {"--session", &options.session}, {"--describe", &options.describe},
    };
    for (int i = 1; i < argc; i += 2) {
        bool known = false;
        for (size_t k = 0; k < sizeof(table) / sizeof(table[0]); k++)
            if (strcmp(argv[i], table[k].name) == 0 && i + 1 < argc) {
                *table[k].value = strtoull(argv[i + 1], NULL, 10);
                known = true;
            }
        if (!known)
            return false;
    }
    return options.threads >= 1 && options.threads <= MOST_THREADS && options.around > 0;
}

int main(int argc, char **argv)
{
    int ranks = 0;
    if (!read_options(argc, argv)) {
        fprintf(stderr, "fuzz_mpi: see the head of its source for its arguments\n");
        return 2;
    }
    MPI_Comm world = begin_mpi(options.session != 0,
                               options.threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                               has_handler() ? count_error : NULL);
    if (world != MPI_COMM_NULL)
        MPI_Comm_size(world, &ranks);
    if (ranks < 1 || ranks > MOST_RANKS) {
        fprintf(stderr, "fuzz_mpi: not with this MPI, or not for %d ranks\n", ranks);
        abort();
    }
    for (unsigned long long t = 0; t < options.threads; t++)
        crew_open(&crews[t], (int)t, world);
    signal(SIGALRM, tell_where);
    if (BUG_PRECISION_OF_THREADS && !options.bugs)
        unit_ask_for_precisions();
    run_threads();
    print_digests(world);
    for (unsigned long long t = 0; t < options.threads; t++)
        crew_close(&crews[t]);
    end_mpi(world);
    alarm(0);
    return 0;
}
