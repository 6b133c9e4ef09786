/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The offload machine of [DiG15], sections II and III, by Portals calls alone. The files, in the
 * order to read them:
 *
 *   build.c     operations and what they wait for, in the memory of the program alone
 *   layout.c    the memory of an operation
 *   combine.c   handlers of long computations
 *   stream.c    messages that handlers send on packet by packet
 *   bed.c       memory for messages that come before their receives
 *   channel.c   which send meets which receive
 *   engine.c    what all schedules of a process share
 *   meet.c      all processes have opened their engines
 *   prepare.c   counters, descriptors and lasting entries, made when it is first posted
 *   post.c      triggered operations and entries of one execution
 *   loan.c      copies of long messages for receivers that are late
 *   run.c       start, hold, release, test and wait
 *   death.c     what becomes of those who wait for the dead
 *   end.c       takes back what the NIC has
 *   print.c     for people and for simulators
 *   trace.c     for timelines
 *
 * A message is one put to WEFT_SCHEDULE_MESSAGES. Up to the eager length it brings its data, and
 * its sender is done when the acknowledgement says that all bytes were taken. Whatever was not
 * taken can be got from WEFT_SCHEDULE_PULLS, which ends the send as well: the counter of a send
 * counts bytes, in whichever way they went. Short messages that leave at the start are copied
 * first, so that the program need not wait until they are taken: there are two copies, of this
 * execution and of the one before, which must have been taken when this one ends.
 * A receive has four ways:
 *
 *   direct   it waits for nothing but its message, and that is short: an entry is its memory.
 *   stashed  the message is short, but its place may not be written yet: an entry takes it into
 *            memory of its own, from where a triggered put brings it to its place.
 *   pulled   its entry takes no byte, whether the message was there first or not, and counts; when
 *            the receive may run, too, a triggered get brings the data.
 *
 *   streamed its lasting entry takes the packets, whose handlers send them on, when all who get
 * them have said that they may come.
 *
 * The data of short messages that were not expected waits in a bed, from where the call that posts
 * their receive copies it. When that is full, they leave a header alone, and are got.
 */
#ifndef WEFT_SCHEDULE_SCHEDULE_H
#define WEFT_SCHEDULE_SCHEDULE_H

#include <stdbool.h>

#include <portals4_spin.h>

#include <weft_schedule.h>

#include "schedule/channel.h"
#include "schedule/layout.h"

/* Something has happened when the counter is there. PTL_CT_NONE: it has from the beginning. */
struct weft_schedule_mark {
    ptl_handle_ct_t ct;
    ptl_size_t threshold;
};

enum weft_schedule_kind {
    WEFT_SCHEDULE_SEND,
    WEFT_SCHEDULE_RECEIVE,
    WEFT_SCHEDULE_COMPUTE,
    WEFT_SCHEDULE_COPY,
    WEFT_SCHEDULE_NOP
};

struct weft_schedule_operation {
    struct weft_schedule *schedule;
    enum weft_schedule_kind kind;
    bool is_any;
    bool is_optional;
    bool may_be_held;
    bool is_held;
    bool is_implied; /* by the completion of one that waits for it */
    bool is_first;   /* waits for the start alone, which does it itself */
    bool is_copied;  /* a send: at the start, to `stash` */
    bool is_early;   /* a send: does not wait for the start */
    uint16_t stream; /* that it belongs to, counted from 1; 0: to none */
    uint16_t tag;
    uint16_t occurrence;
    uint32_t peer;
    ptl_op_t operation;
    ptl_datatype_t datatype;
    struct weft_schedule_layout memory; /* of a message, or what is read */
    struct weft_schedule_layout target; /* what is written, if that is another */
    int *earlier;
    size_t earlier_count;
    struct weft_schedule *followed; /* waited for, too; NULL: none is */
    int followed_operation;         /* negative: all of it */

    /* Of the NIC, from the first post on. PTL_INVALID_HANDLE: it needs none. */
    ptl_handle_ct_t gate;    /* counts what it waits for */
    ptl_handle_ct_t started; /* tells those who want to hold it that they are late */
    ptl_handle_ct_t meeting; /* of a receive that waits: counts the message and the gate */
    ptl_handle_ct_t own;     /* counts bytes or messages that are done */
    ptl_handle_md_t md;
    ptl_handle_me_t
        lasting[2];        /* where a send is pulled from, by the parity of the execution if
                              it is short, or, the first, where what is done here is written */
    ptl_handle_me_t entry; /* of a receive, in this execution */
    ptl_handle_hpu_t hpu;  /* of the handlers of a stream */
    char *loan[2];         /* copies that a late receiver may still get, by parity */
    ptl_handle_ct_t taken; /* bytes that were got from them, */
    ptl_size_t lent;       /* of so many */
    char *stash;           /* of a stashed receive, or the copies of a send */
    ptl_size_t token;      /* what the gate holds while the operation is not held */
    struct weft_schedule_mark ready, done; /* of the first execution */
};

struct weft_schedule_scratch {
    struct weft_schedule_scratch *next;
    _Alignas(64) unsigned char bytes[];
};

enum weft_schedule_phase {
    WEFT_SCHEDULE_PHASE_BUILDING,
    WEFT_SCHEDULE_PHASE_RUNNING,
    WEFT_SCHEDULE_PHASE_OVER,
    WEFT_SCHEDULE_PHASE_FAILED
};

struct weft_schedule {
    weft_engine *engine;
    uint16_t number;
    uint16_t execution;
    bool is_prepared;
    bool has_optional;
    bool is_steady;  /* every execution counts the same, so counters go on from the last one */
    bool is_started; /* in this execution */
    bool is_start_counted; /* something waits for more than the start */
    bool may_be_early;     /* a message with data, before its receive is posted */
    bool has_failure;      /* one may have been counted */
    enum weft_schedule_phase phase;
    int error;
    struct weft_schedule_operation *operations;
    size_t count;
    size_t room;
    size_t dependencies;
    uint16_t streams;
    int first; /* what new operations but receives wait for; negative: nothing */
    int guard; /* what new receives wait for */
    struct weft_schedule_channels channels;
    struct weft_schedule_scratch *scratches;
    size_t scratch;
    size_t lent;            /* bytes that were copied for receivers that were late */
    ptl_size_t rounds;      /* executions that the counters have counted, with this one */
    ptl_handle_ct_t begin;  /* the start */
    ptl_handle_ct_t finish; /* counts operations that are not implied, for those who follow */
    bool is_finish_counted; /* in this execution */
    size_t to_finish;
    size_t complete; /* so many of the first operations are */
    size_t asked;    /* the operation whose peer was asked last whether it lives */
};

/* The operation, or NULL if there is none of this number. */
struct weft_schedule_operation *weft_schedule_find(const struct weft_schedule *schedule,
                                                   int operation);

/* Whether it runs as soon as it is posted: nothing of this process can delay it. */
static inline bool weft_schedule_is_free(const struct weft_schedule_operation *operation)
{
    return operation->kind == WEFT_SCHEDULE_RECEIVE && operation->earlier_count == 0 &&
           !operation->followed && !operation->may_be_held;
}

/* What has no other reason to wait waits for the start; a receive does not. */
static inline bool weft_schedule_needs_start(const struct weft_schedule_operation *operation)
{
    return operation->earlier_count == 0 && operation->kind != WEFT_SCHEDULE_RECEIVE &&
           !operation->is_early;
}

/* A receive whose message goes straight into its memory. */
bool weft_schedule_is_direct(const struct weft_schedule *schedule,
                             const struct weft_schedule_operation *operation);
bool weft_schedule_is_stashed(const struct weft_schedule *schedule,
                              const struct weft_schedule_operation *operation);

static inline size_t weft_schedule_length(const struct weft_schedule_operation *operation)
{
    return operation->memory.length;
}

/* The same of the execution that was posted last. */
static inline struct weft_schedule_mark weft_schedule_now(const struct weft_schedule *schedule,
                                                          struct weft_schedule_mark mark)
{
    mark.threshold *= schedule->rounds;
    return mark;
}

bool weft_schedule_has_happened(struct weft_schedule_mark mark);

/* Whether the end of the whole schedule has to wait for it. */
static inline bool weft_schedule_ends_with(const struct weft_schedule_operation *operation)
{
    return (!operation->is_implied || operation->is_copied) && !operation->is_optional;
}

/* What the program waits for then, in the execution that was posted last: of a send that is
 * copied, that the copy before was taken. */
static inline struct weft_schedule_mark
weft_schedule_end_of(const struct weft_schedule *schedule,
                     const struct weft_schedule_operation *operation)
{
    if (!operation->is_copied || !schedule->is_started)
        return weft_schedule_now(schedule, operation->done);
    ptl_size_t taken = (schedule->rounds - 1) * weft_schedule_length(operation);
    return (struct weft_schedule_mark){operation->own, taken};
}

/* What combines long data; NULL if atomic operations do. */
ptl_payload_handler_t weft_schedule_handler(const struct weft_schedule *schedule,
                                            const struct weft_schedule_operation *operation);

/* How many puts or atomic operations a computation takes, all but the last of `piece` bytes. */
size_t weft_schedule_pieces(const struct weft_schedule *schedule,
                            const struct weft_schedule_operation *operation, size_t *piece);

/* Match bits of a message. */
static inline ptl_match_bits_t weft_schedule_bits(const struct weft_schedule *schedule,
                                                  const struct weft_schedule_operation *operation,
                                                  uint16_t execution)
{
    return (ptl_match_bits_t)schedule->number << 48 | (ptl_match_bits_t)execution << 32 |
           (ptl_match_bits_t)operation->tag << 16 | operation->occurrence;
}

/* Of its data, if that is pulled: a send is over before the next but one begins. */
static inline ptl_match_bits_t
weft_schedule_pull_bits(const struct weft_schedule *schedule,
                        const struct weft_schedule_operation *operation)
{
    return weft_schedule_bits(schedule, operation, schedule->execution % 2);
}

/* Of what the process does to its own memory. */
static inline ptl_match_bits_t
weft_schedule_local_bits(const struct weft_schedule *schedule,
                         const struct weft_schedule_operation *operation)
{
    return (ptl_match_bits_t)schedule->number << 32 | (uint32_t)(operation - schedule->operations);
}

/* A new message; its number or an error. */
int weft_schedule_add_message(struct weft_schedule *schedule, enum weft_schedule_kind kind,
                              const struct weft_schedule_memory *memory, uint32_t peer,
                              uint16_t tag);

int weft_schedule_prepare(struct weft_schedule *schedule);

/* An entry from which the data of a send is got, in executions of this parity. */
int weft_schedule_append_pull(struct weft_schedule *schedule,
                              const struct weft_schedule_operation *operation,
                              const struct weft_schedule_layout *layout, ptl_handle_ct_t ct,
                              uint16_t parity, ptl_handle_me_t *entry);

/* Memory that is freed with the schedule, or NULL. */
void *weft_schedule_scratch_of(struct weft_schedule *schedule, size_t size);

/* Does all that waits for the start alone: PTL_OK or an error. */
int weft_schedule_launch(struct weft_schedule *schedule);

/* Takes events: gets messages that were there before their receives, and learns who is dead. */
void weft_schedule_advance(weft_engine *engine);

/* Ends an execution of which all but optional operations are complete. */
void weft_schedule_tidy(struct weft_schedule *schedule);

/* Takes everything back; false if the NIC does not let go of something. */
bool weft_schedule_release_all(struct weft_schedule *schedule);

#endif
