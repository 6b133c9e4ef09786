/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A schedule: some messages, and for all ranks together one sequence of events. Each rank does its
 * own events in this order. Whatever an event may wait for stands before it in the sequence (or
 * beside it, in the same `joint` event), so the first event that has not ended can always end: no
 * schedule can deadlock, even if every send waits for its receive.
 *
 * Everything here follows from the seed and the number of ranks alone: every rank draws the same.
 */
#ifndef WEFT_TESTS_MPI_RUN_SCHEDULE_H
#define WEFT_TESTS_MPI_RUN_SCHEDULE_H

#include "support/rng.h"

enum {
    MOST_RANKS = 8,
    MOST_MESSAGES = 16,
    MOST_EVENTS = 160,
    MOST_ALLTOALLS = 6,
};

/* REVERSED is the one on which receives may say MPI_ANY_TAG, WILD the one on which they may also
 * say MPI_ANY_SOURCE: nothing else may be received there that they could take instead. No message
 * is ever sent on QUIET. */
enum comm { COMM_WORLD, COMM_REVERSED, COMM_PARITY, COMM_INTER, COMM_WILD, COMM_QUIET, COMMS };

#define TAG_OF_GROUP 100 /* and above: of receives from any source with this tag */
#define TAG_NEVER_SENT 4000

enum send_form {
    SEND,
    SSEND,
    RSEND,
    BSEND,
    ISEND,
    ISSEND,
    IRSEND,
    IBSEND,
    SEND_INIT,
    SSEND_INIT,
    RSEND_INIT,
    BSEND_INIT,
    SEND_FORMS
};

enum receive_form {
    RECV,
    PROBE_RECV,
    IPROBE_RECV,
    MPROBE_MRECV,
    IMPROBE_MRECV,
    MPROBE_IMRECV,
    IMPROBE_IMRECV,
    PROBE_IRECV,
    PROBE_RECV_INIT,
    IRECV,
    RECV_INIT,
    RECEIVE_FORMS
};

/* When a send that has a request is given to MPI_Cancel. LATE is just before it is waited for:
 * then its receive is posted, so that MPI should not cancel it. */
enum cancel { NEVER, AT_ONCE, LATE };

struct message {
    enum comm comm;
    int source, target; /* in the world */
    int tag;
    unsigned unit;
    size_t units; /* sent */
    size_t room;  /* for so many the receive has room, often for far more, beyond 2 GiB; if less,
                   * it ends with MPI_ERR_TRUNCATE */
    enum send_form send;
    enum receive_form receive;
    bool any_source, any_tag;
    enum cancel cancel;
    bool freed;    /* the sender frees the request instead of waiting */
    int group;     /* of receives from any source, which may take each other's messages, or -1 */
    int again;     /* the message whose persistent requests and buffers these are, or -1 */
    int exchange;  /* the ring of MPI_Sendrecv, or -1 */
    bool replaces; /* the receive of the ring is one of MPI_Sendrecv_replace */
    uint64_t content, send_layout, receive_layout; /* seeds */
};

enum event_kind {
    START_SEND,
    FINISH_SEND,
    START_RECEIVE,
    FINISH_RECEIVE,
    SENDRECV, /* sends `message`, receives `other` */
    SENDRECV_REPLACE,
    BARRIER,
    ALLREDUCE,
    IBARRIER,
    ALLTOALLW, /* exchange number `message`, whose messages follow from `other` */
    IALLTOALLW,
    FINISH_ALLTOALLW,  /* of the same number */
    GATHER_OR_SCATTER, /* or broadcast; this and the next two follow from `other` */
    ONE_SIDED,
    OF_FILE,
    CANCEL_RECEIVE,
    NOTHING_THERE, /* probes that find nothing */
    NULL_PROCESS,  /* a send to and a receive from nobody */
};

struct event {
    enum event_kind kind;
    int rank; /* -1: all members of the communicator */
    int message, other;
    enum comm comm;
};

struct schedule {
    int ranks;
    struct message message[MOST_MESSAGES];
    int messages;
    int groups, exchanges;
    bool has_windows; /* and files */
    struct event event[MOST_EVENTS];
    int events;
};

struct schedule_options {
    size_t around; /* sizes near this many bytes are drawn more often */
    bool threads;  /* several schedules run at once: leaves out what a process has only once, and
                    * windows, which libraries do not have for several threads */
    bool roomy;    /* no receive is too short: in a session, MPICH 4.0.2 ends the program then; and
                    * no windows */
    bool bugs;     /* also what the MPI library itself gets wrong: see known_bugs.h */
};

struct schedule schedule_draw(struct rng rng, int ranks, const struct schedule_options *options);

/* Its messages, to standard error. */
void schedule_describe(const struct schedule *schedule);

/* Puts the events in order; for schedule_draw. */
void schedule_order(struct schedule *schedule, struct rng *rng);

/* A communicator's number for a process, and whether it is a member; colours that differ are
 * different communicators, or the two sides of COMM_INTER. */
int comm_rank_of(enum comm comm, int rank, int ranks);
int comm_colour(enum comm comm, int rank);
bool comm_joins(enum comm comm, int a, int b);

bool send_blocks(enum send_form form);
bool send_buffers(enum send_form form);
bool send_persists(enum send_form form);
bool receive_blocks(enum receive_form form);

#endif
