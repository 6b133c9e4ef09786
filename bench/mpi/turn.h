/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of one kind, between rank 0 and rank 1 unless it says more, timed by rank 0.
 *
 * One way: the receive is posted, rank 1 has said so, and rank 0 has just written the data. The
 * time is from the call that packs or sends until rank 0 hears that rank 1 has the data at their
 * place. It contains the message of one byte that says so, in all ways alike.
 *
 * Ping-pong: half of the time until the message is back, without writing the data anew.
 *
 * Exchange: all have just written their data and met in a barrier; then each sends its own to the
 * next rank and receives those of the previous one, by Irecv, Isend and Waitall, by Sendrecv, or by
 * persistent requests. The time is that of rank 0 for all of it. All must have one layout. Only
 * here there may be more ranks than two.
 */
#ifndef WEFT_BENCH_MPI_TURN_H
#define WEFT_BENCH_MPI_TURN_H

#include "bench/mpi/end.h"

enum course {
    COURSE_ONE_WAY,
    COURSE_PING_PONG,
    COURSE_EXCHANGE,
    COURSE_SENDRECV,
    COURSE_PERSISTENT,
    COURSES
};

#define TURN_MOST_MESSAGES 1000

struct turn {
    enum way way;
    enum course course;
    unsigned messages; /* fewer, if they take unexpectedly long */
};

/* Seconds. Those of the phases are of the end that takes longer, or of the one that has them. */
struct turn_times {
    double least;
    double message;       /* this and the next two are medians */
    double pack, unpack;  /* by hand */
    double create, first; /* making the type; the first message with it */
    double free;
};

/* Called by all. False on rank 0 if the data that arrived are wrong. */
bool turn_run(struct end *end, const struct turn *turn, int rank, struct turn_times *times);
/* Gives back what turns have kept for the next. */
void turn_end(void);

/* One message each way, with all that lies between the pieces. NULL on rank 0 if all is right. */
const char *turn_verify(struct end *end, enum way way, int rank);

#endif
