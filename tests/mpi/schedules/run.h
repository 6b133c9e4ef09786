/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank's part of a schedule, while it is done. */
#ifndef WEFT_TESTS_MPI_RUN_RUN_H
#define WEFT_TESTS_MPI_RUN_RUN_H

#include <mpi.h>

#include "mpi/schedules/layout.h"
#include "mpi/schedules/schedule.h"

/* What a thread of a rank keeps from schedule to schedule. */
struct crew {
    MPI_Comm comm[COMMS];
    int rank, ranks, thread;
    bool bugs;               /* of the MPI library are not avoided */
    uint64_t seed, schedule; /* now */
    char doing[200];         /* for the deadline and for failures */
    uint64_t digest;
};

/* One end of a message: what is sent from or received into. */
struct side {
    struct layout layout;
    MPI_Datatype type; /* with count and address, as MPI is told */
    int count;
    void *address;
    bool absolute; /* the type holds addresses, and is ours to free */
    bool typed;    /* the type has not been freed yet */
    char *memory, *base;
    size_t size;   /* of the part that is written and compared */
    size_t mapped; /* with all the room */
    char fill;
    MPI_Request request;
    bool active; /* the request is to be waited for */
    bool persistent;
    bool cut_short; /* a receive without room for its message */
    bool ignores_status;
    int error;
    MPI_Status status;
};

struct run {
    struct crew *crew;
    const struct schedule *schedule;
    uint64_t seed;
    struct rng rng; /* this rank's own: what others need not know */
    struct side out[MOST_MESSAGES], in[MOST_MESSAGES];
    void *attached;                            /* for buffered sends */
    struct alltoall *alltoall[MOST_ALLTOALLS]; /* that are under way */
};

void crew_open(struct crew *crew, int thread, MPI_Comm world);
void crew_close(struct crew *crew);

/* Does this rank's events of a schedule, and a barrier at the end. */
void run_schedule(struct crew *crew, const struct schedule *schedule, uint64_t seed);

__attribute__((format(printf, 2, 3))) void doing(struct crew *crew, const char *format, ...);

/* Prints what and where, and ends the job. */
__attribute__((format(printf, 2, 3))) _Noreturn void fail(struct crew *crew, const char *format,
                                                          ...);
void must(struct crew *crew, int error, const char *what);

/* ---- sides.c ------------------------------------------------------------------------------ */

/* The message whose persistent requests and buffers are used: the message itself, mostly. */
int first_use(const struct schedule *schedule, int message);

/* So many units are sent or received, and for so many there is room. */
struct need {
    unsigned unit;
    size_t units, room;
    enum shape shape;
};

/* The type holds the address from now on, if it did not. */
void side_make_absolute(struct side *side);

/* What a receive has not written. */
#define RECEIVE_FILL 0x55

#define SEND_FILL 0x3c

/* What one process moves to another, or to itself, in a call of all, who draw it alike: one unit
 * at least, and not many more bytes than `most`. */
struct message draw_message(const struct run *run, int seed, int from, int to, size_t most);
/* Its bytes, to be freed. */
char *message_content(const struct message *message);

struct need need_to_send(const struct message *message);
struct need need_to_receive(const struct run *run, const struct message *message);

void side_open(struct run *run, struct side *side, uint64_t seed, struct need need, char fill);
void side_close(struct side *side);

/* The types may go as soon as no call will name them again. */
void side_free_type(struct side *side);

/* Writes the message's bytes to their places, and the fill to all others. */
void side_write(struct side *side, const struct message *message);
void side_blank(struct side *side);

/* Whether the first bytes are the message's and all others the fill. */
void side_check(struct run *run, struct side *side, const struct message *message,
                const char *who);

/* The same where MPI has written it. */
void side_check_arrived(struct run *run, struct side *side, const struct message *message,
                        const char *who);

/* The send was not cancelled, and its bytes are as they were. */
void send_check(struct run *run, struct side *side, const struct message *message);

/* The receive gave this status and, if it is not cut short, these bytes. */
void receive_check(struct run *run, struct side *side, const struct message *message);
void status_check(struct run *run, MPI_Status *status, const struct message *message,
                  MPI_Datatype type, const char *who);

/* ---- requests.c --------------------------------------------------------------------------- */

/* Starts persistent requests. */
void start_requests(struct run *run, struct side **sides, int count);

/* Waits for these requests, by any of the ways there are. */
void finish(struct run *run, struct side **sides, int count);

/* For loops of tests: the other ranks want the processor, too. */
void breathe(void);

/* ---- send.c, receive.c, exchange.c, alltoall.c, gathers.c, one_sided.c, files.c, others.c -- */

struct side *side_of_send(struct run *run, int message);
void start_sends(struct run *run, const int *messages, int count);
void cancel_late(struct run *run, struct side *side, int message);
void do_sendrecv(struct run *run, const struct event *event);
void do_alltoall(struct run *run, const struct event *event);
void do_gather(struct run *run, const struct event *event);
void do_one_sided(struct run *run, const struct event *event);
void do_file(struct run *run, const struct event *event);
void start_receives(struct run *run, const int *messages, int count);
void do_other_event(struct run *run, const struct event *event);

#endif
