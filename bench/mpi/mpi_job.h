/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes of an MPI, as mpirun starts them, natively or under `weft run`; bench/mpi has the
 * program for two. They live as long as the benchmark and sleep while they have no turn, so that
 * natively and under Weft can alternate within milliseconds. All failures end the program.
 */
#ifndef WEFT_BENCH_MPI_MPI_JOB_H
#define WEFT_BENCH_MPI_MPI_JOB_H

#include "bench/harness/partner.h"

enum mpi_kind { MPI_KIND_OPENMPI, MPI_KIND_MPICH, MPI_KINDS };

extern const char *const mpi_kind_names[MPI_KINDS];  /* as options spell them */
extern const char *const mpi_kind_titles[MPI_KINDS]; /* as people do */

enum mpi_network { MPI_NETWORK_SHM, MPI_NETWORK_TCP, MPI_NETWORK_HOSTS, MPI_NETWORKS };

extern const char *const mpi_network_titles[MPI_NETWORKS];

struct mpi_plan {
    enum mpi_kind kind;
    enum mpi_network network;
    const char *hosts;   /* two names, with a comma between */
    bool has_heap;       /* `weft run --shared-heap` */
    const char *program; /* of bench, without the name of the MPI; NULL: mpi */
    unsigned processes;  /* 0: two */
};

struct mpi_job {
    struct partner partner;
    const struct mpi_plan *plan;
    bool has_weft;
    const char *way; /* WEFT_WAY; NULL: as it is */
};

/* All that can be forced, by their names; the last wants shared heaps. */
enum { MPI_FORCED_WAYS = 4 };
extern const char *const mpi_forced_ways[MPI_FORCED_WAYS];

/* Whether the program was built with this MPI. */
bool mpi_kind_is_here(enum mpi_kind kind);

void mpi_job_start(struct mpi_job *job, const struct mpi_plan *plan, bool with_weft);
/* Under Weft, with a way forced. */
void mpi_job_start_forced(struct mpi_job *job, const struct mpi_plan *plan, const char *way);
void mpi_job_stop(struct mpi_job *job);

/* A request, and the line that answers it. */
void mpi_job_ask(const struct mpi_job *job, const char *request, char *line, size_t size);
/* What an answer says of a key; 0: nothing. */
double mpi_job_number(const char *line, const char *key);

/* ---- Turns -------------------------------------------------------------------------------- */

enum mpi_way { MPI_WAY_DERIVED, MPI_WAY_HAND, MPI_WAY_CONTIGUOUS };
enum mpi_course {
    MPI_ONE_WAY,
    MPI_PING_PONG,
    MPI_EXCHANGE,
    MPI_SENDRECV,
    MPI_PERSISTENT,
    MPI_COURSES
};

extern const char *const mpi_course_titles[MPI_COURSES];

/* See bench/mpi/end.h and turn.h. */
struct mpi_turn {
    const char *send, *receive;
    size_t bytes;
    enum mpi_way way;
    enum mpi_course course;
    size_t messages;
};

#define MPI_MOST_MESSAGES 1000

/* X(name): microseconds, by their names in the answer. */
#define MPI_TIME_MAP(X) X(least) X(message) X(create) X(first) X(pack) X(unpack) X(free)

enum mpi_time {
#define MPI_TIME_ENUM(name) MPI_TIME_##name,
    MPI_TIME_MAP(MPI_TIME_ENUM)
#undef MPI_TIME_ENUM
        MPI_TIMES
};

struct mpi_answer {
    double bytes, block; /* of the message; of a contiguous piece of it at rank 0, in the mean */
    double times[MPI_TIMES];
};

/* Wrong data end the program. */
void mpi_job_turn(const struct mpi_job *job, const struct mpi_turn *turn,
                  struct mpi_answer *answer);

/* One message each way, with all that lies between its pieces. False, having said why, if
 * something is wrong. */
bool mpi_job_verify(const struct mpi_job *job, const struct mpi_turn *turn);

#endif
