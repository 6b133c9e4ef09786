/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is under way, by the request that the program holds. That is a request of MPI's: the
 * receive itself, or the send of the packed bytes, so that copies of it and Fortran's numbers for
 * it stay right. Where there is no such request, it is a generalised one.
 */
#ifndef WEFT_MPI_MESSAGE_OPERATION_H
#define WEFT_MPI_MESSAGE_OPERATION_H

#include "base/list.h"
#include "mpi/message/cargo.h"
#include "mpi/message/task.h"
#include "mpi/message/under_way.h"

enum weft_mpi_kind {
    WEFT_MPI_SEND_PACKED, /* `request` is the send of the buffer of the cargo */
    WEFT_MPI_SEND_TICKET, /* `inner` is the send of a ticket, `transfer` the offer */
    WEFT_MPI_RECEIVE,     /* `request` is the receive */
    WEFT_MPI_TAKE,        /* the ticket was here before */
    WEFT_MPI_PAIR,        /* `inner` and `other` */
    WEFT_MPI_PERSISTENT,  /* `request` is not started itself; `inner` was, in its place */
    WEFT_MPI_MANY,        /* `members` */
    WEFT_MPI_TASK,        /* `task` */
    WEFT_MPI_STAGED_OUT,  /* `inner`, which is no message, reads the buffer of the cargo */
    WEFT_MPI_STAGED_IN,   /* the same, but writes it */
};

struct weft_mpi_operation {
    struct weft_list all;
    struct weft_mpi_operation *next; /* in its bucket */
    MPI_Request request;
    enum weft_mpi_kind kind;
    bool is_general;  /* `request` is a generalised one */
    bool has_arrived; /* a receive: the status is known */
    bool is_pulled;   /* by ticket */
    bool is_ready;
    bool is_orphan;      /* the program has freed its request */
    bool is_held;        /* MPI waits for it: nobody else may look at its request */
    bool is_lasting;     /* `request` is a persistent one, which MPI has started */
    bool is_ended;       /* MPI has ended its request, and freed it unless it is lasting */
    bool is_lost;        /* and that, too, for it has failed */
    bool is_synchronous; /* the send of a ticket: ends only when somebody receives it */
    int error;           /* class of MPI, of what MPI itself did not do */
    int failure; /* what MPI has answered, and told the error handler, when it was looked at */
    MPI_Status status;
    MPI_Comm comm;
    struct weft_mpi_cargo cargo;
    weft_request *transfer;
    MPI_Request inner, other;
    MPI_Request *members; /* on the heap; the first `over` of them have ended */
    int size, over;
    struct weft_mpi_task *task;
    size_t owed;     /* bytes of a send that it keeps, or may have to */
    bool is_planned; /* `inner` is started again, too */
    uint64_t since;  /* when it was first waited for */
    uint64_t began;  /* for the report */
    unsigned looks;
    /* What few have, and is not set at the beginning: a receive is to touch little memory. */
    struct weft_mpi_ticket ticket;  /* of a receive that is pulled */
    union weft_mpi_envelope sent[]; /* one, of the send of a ticket */
};

/* ---- Life ---------------------------------------------------------------------------------- */

/* NULL without memory. Takes over the cargo, if any, also then. */
struct weft_mpi_operation *weft_mpi_operation_new(enum weft_mpi_kind kind, MPI_Comm comm,
                                                  struct weft_mpi_cargo *cargo);
/* From now on the request stands for it, until it ends. */
void weft_mpi_operation_begin(struct weft_mpi_operation *operation, MPI_Request request);
/* The same with a generalised request, which is returned. */
int weft_mpi_operation_begin_general(struct weft_mpi_operation *operation, MPI_Request *request);
/* Begins one that ends when all of these messages have ended, with a generalised request: of a
 * collective on a communicator of the program's, whose error handler hears of errors. Takes over
 * the array unless it fails. */
int weft_mpi_operation_begin_many(MPI_Comm comm, MPI_Request *members, int size,
                                  MPI_Request *request);
/* Begins one that ends when the task is over, likewise. */
int weft_mpi_operation_begin_task(MPI_Comm comm, struct weft_mpi_task *task, MPI_Request *request);
/* What it sends costs memory until it has ended, or may have to be copied: so many bytes. */
void weft_mpi_operation_owe(struct weft_mpi_operation *operation, size_t bytes);
/* The same of all that have not ended. */
size_t weft_mpi_operation_owed(void);
/* What was not begun. */
void weft_mpi_operation_drop(struct weft_mpi_operation *operation);

/* Memory for a receive, for watch.c: nothing is set but an empty cargo. It may be begun, with its
 * cargo and communicator. */
struct weft_mpi_operation *weft_mpi_operation_reserve(void);
void weft_mpi_operation_begin_reserved(struct weft_mpi_operation *operation, MPI_Request request,
                                       bool is_lasting);

/* Whether all that is under way are receives whose messages have not come: then MPI may wait for
 * them, and nobody waits for us. */
bool weft_mpi_operation_is_quiet(void);
/* Leaves a receive to MPI, which is to wait for it; false if its message has come already, or
 * another thread was faster. */
bool weft_mpi_operation_hold(struct weft_mpi_operation *operation);
void weft_mpi_operation_let_go(struct weft_mpi_operation *operation);
/* The receive has been completed, and its request freed, by MPI; the status is that of MPI, and
 * so is the failure, of which it has told the error handler. */
void weft_mpi_operation_arrived(struct weft_mpi_operation *operation, const MPI_Status *status,
                                int failure);
/* The same, if what has come is in its place and no ticket: then the receive is over, and true. */
bool weft_mpi_operation_end_in_place(struct weft_mpi_operation *operation,
                                     const MPI_Status *status);
/* NULL if the request is MPI's alone. */
struct weft_mpi_operation *weft_mpi_operation_find(MPI_Request request);

/* Whether it could be finished now. If `is_waited_for`, its sender may have to stop waiting for
 * its receiver. */
bool weft_mpi_operation_is_ready(struct weft_mpi_operation *operation, bool is_waited_for);
/* Whether all could be, which are waited for; there are none where there is NULL. All tickets are
 * looked for before any data: data whose ticket was not seen yet would have to be kept somewhere,
 * and moved twice. */
bool weft_mpi_operation_are_ready(struct weft_mpi_operation *const operations[], int size);
/* Says how a ready one ended, without an end to it. */
void weft_mpi_operation_tell(struct weft_mpi_operation *operation, MPI_Status *status);
/* What MPI_Request_get_status says of a ready one: MPI's own answer, which it may give again. */
int weft_mpi_operation_failure(struct weft_mpi_operation *operation);
/* Ends a ready one: sets the request as MPI_Wait does, and returns what that would. */
int weft_mpi_operation_finish(struct weft_mpi_operation *operation, MPI_Request *request,
                              MPI_Status *status);
/* The same without a word to anybody; whatever is inside goes on. */
void weft_mpi_operation_forget(struct weft_mpi_operation *operation);
/* The program does not want to hear of it again. */
void weft_mpi_operation_orphan(struct weft_mpi_operation *operation);
/* Until all orphans have ended. */
void weft_mpi_operation_bury_orphans(void);

/* Moves on all that can be moved on; the first leaves it to another thread that is at it. */
void weft_mpi_progress(void);
void weft_mpi_settle(void);

/* One look of a wait that found nothing: moves on all else, and lets others run, and MPI. */
void weft_mpi_idle(unsigned *looks);
/* After the last. */
void weft_mpi_go_on(unsigned looks);

/* ---- Tickets ------------------------------------------------------------------------------- */

/* Both wait for a transfer, and move on all else meanwhile: a class of MPI's errors. The one of
 * an offer leaves a copy behind if the receiver does not come. */
int weft_mpi_wait_taken(weft_request **transfer);
int weft_mpi_wait_given(weft_request **transfer, size_t bytes);

/* Sets the number of bytes that Get_count and its relatives see. */
void weft_mpi_status_bytes(MPI_Status *status, size_t bytes);
/* Copies all but the error, which only calls that complete several requests may set. */
void weft_mpi_status_copy(MPI_Status *to, const MPI_Status *from);
/* Calls the error handler of the communicator unless the class is MPI_SUCCESS; returns it. */
int weft_mpi_raise(MPI_Comm comm, int class);
/* The same for a call that cannot be made for want of memory; the log says so. */
int weft_mpi_raise_no_memory(MPI_Comm comm);

#endif
