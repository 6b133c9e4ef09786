/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Schedules: sends, receives and computations that wait for each other, and run on the NIC. A
 * process builds a graph of them, posts it and may then compute: whatever becomes ready is started
 * by the NIC. Processes whose schedules exchange messages need not start together.
 *
 * Calls return WEFT_OK or a negative code of weft.h, and set their outputs only on success. Those
 * of one engine are made by one thread at a time.
 */
#ifndef WEFT_SCHEDULE_H
#define WEFT_SCHEDULE_H

#include <portals4.h>

#include <weft.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The engine --------------------------------------------------------------------------- */

typedef struct weft_engine weft_engine;

struct weft_engine_options {
    size_t eager;  /* bytes that are sent before they are asked for: the same in all processes */
    size_t events; /* that may wait for the next call: of messages that came before their receives,
                      and of failures; 0: 4096 */
};

/* What all schedules of a process share, on a logical, matching interface that knows its ranks.
 * Every process must have opened its engine before another posts a schedule that sends to it.
 * Without an interface (PTL_INVALID_HANDLE), schedules can be built and printed, but not posted.
 * `options` may be NULL. */
WEFT_API int weft_engine_open(ptl_handle_ni_t ni, uint32_t rank, uint32_t size,
                              const struct weft_engine_options *options, weft_engine **out);

/* Its schedules must be free. NULL is allowed. */
WEFT_API void weft_engine_close(weft_engine *engine);

/* Returns when all processes are here, and so have opened their engines: WEFT_ERR_TIMEOUT if that
 * takes longer than so many milliseconds, and never if they are negative. Schedules of number
 * 65535 are its own. */
WEFT_API int weft_engine_meet(weft_engine *engine, int milliseconds);

WEFT_API uint32_t weft_engine_rank(const weft_engine *engine);
WEFT_API uint32_t weft_engine_size(const weft_engine *engine);

/* ---- Building ----------------------------------------------------------------------------- */

typedef struct weft_schedule weft_schedule;

/* Schedules of different processes that exchange messages have the same number; those that exist
 * in one process at the same time have different ones. Processes that exchange messages by
 * schedules of a number post them equally often. */
WEFT_API int weft_schedule_create(weft_engine *engine, uint16_t number, weft_schedule **out);

/* Ends it, if it is posted, also for others who wait for its messages. If it is complete, returns
 * when its messages were taken, or their receivers are dead or have given up. Memory that the NIC
 * still uses is left to it. NULL is allowed. */
WEFT_API void weft_schedule_free(weft_schedule *schedule);

WEFT_API weft_engine *weft_schedule_engine(const weft_schedule *schedule);

/* Bytes [offset, offset + length) of a packed stream: of `count` elements of a committed type, or,
 * without a type, of the memory at `base`. The type may be freed when the call has returned. */
struct weft_schedule_memory {
    const weft_type *type;
    size_t count;
    void *base;
    size_t offset;
    size_t length;
};

/*
 * Operations. Each call returns the number of a new one, counted from 0, or a negative code.
 * The i-th send of a schedule to a process with a tag meets the i-th receive of its schedule from
 * this process with that tag, in the order in which they were created. Both are of one length. A
 * send may be complete only when its receive has run, so that must not wait for it. If it is
 * complete before, as short ones may be, and long ones whose receiver keeps weft_schedule_wait
 * waiting, the death of the receiver is told by a later execution, or not at all.
 */
WEFT_API int weft_schedule_send(weft_schedule *schedule, const struct weft_schedule_memory *from,
                                uint32_t destination, uint16_t tag);
WEFT_API int weft_schedule_receive(weft_schedule *schedule, const struct weft_schedule_memory *to,
                                   uint32_t source, uint16_t tag);

/*
 * Long data on its way through many processes: a receive from `source`, and sends to
 * `destinations` whose packets leave as they come, by handlers of the NIC. At the source itself,
 * whose rank is `source`, the sends alone. The data is sent when all who are to get it have
 * posted, so nobody keeps any for those who are late. All processes of a stream make as many calls
 * of this kind before. Returns the last of the operations; a receive is the one before its sends.
 * At most 64 destinations, at the source at least one, and at least a byte. These operations can
 * come after others, but neither be held nor follow other schedules nor wait for any of several.
 */
WEFT_API int weft_schedule_stream(weft_schedule *schedule,
                                  const struct weft_schedule_memory *memory, uint32_t source,
                                  uint16_t tag, size_t count, const uint32_t destinations[]);

/* to = operation(to, from), item by item, as PtlAtomic does. Here and in copies, `from` and `to`
 * do not overlap. */
WEFT_API int weft_schedule_compute(weft_schedule *schedule, ptl_op_t operation,
                                   ptl_datatype_t datatype,
                                   const struct weft_schedule_memory *from,
                                   const struct weft_schedule_memory *to);
WEFT_API int weft_schedule_copy(weft_schedule *schedule, const struct weft_schedule_memory *from,
                                const struct weft_schedule_memory *to);

/* Bytes of one item; 0 if there is no such type. */
WEFT_API size_t weft_schedule_item_size(ptl_datatype_t datatype);

/* Does nothing, at its time. */
WEFT_API int weft_schedule_nop(weft_schedule *schedule);

/* `later` waits for `earlier`, which must have been created before it. */
WEFT_API int weft_schedule_after(weft_schedule *schedule, int later, int earlier);

/* The operation waits for any of those before it, not for all. */
WEFT_API int weft_schedule_any(weft_schedule *schedule, int operation);

/* The schedule is complete without this operation, a nop or a message of no bytes: it may never
 * run, or wait for a message that is never sent. */
WEFT_API int weft_schedule_optional(weft_schedule *schedule, int operation);

/* From now on, operations other than receives also wait for this one: so what would run at the
 * start runs when it is complete. */
WEFT_API int weft_schedule_begin_with(weft_schedule *schedule, int operation);

/* The same for receives: nothing of what is created from now on is written before either. */
WEFT_API int weft_schedule_guard_with(weft_schedule *schedule, int operation);

/* `later` also waits for an operation of another schedule of the engine or, if that is negative,
 * for the whole of it: in the execution that was posted last when this one is, if there is any. */
WEFT_API int weft_schedule_follow(weft_schedule *schedule, int later, weft_schedule *other,
                                  int earlier);

/* Memory for what is on its way, freed with the schedule. */
WEFT_API int weft_schedule_scratch(weft_schedule *schedule, size_t size, void **out);

/*
 * An operation that is held does not run until it is released, whatever it waits for. One that was
 * held before the schedule was first posted may be held again at any time: WEFT_ERR_BUSY if it
 * has run already.
 */
WEFT_API int weft_schedule_hold(weft_schedule *schedule, int operation);
WEFT_API int weft_schedule_release(weft_schedule *schedule, int operation);

/* ---- Running ------------------------------------------------------------------------------ */

/* Gives it to the NIC. From now on, receives that wait for nothing take their messages, and what
 * waits for them runs; all else waits for weft_schedule_start. A schedule that is complete may be
 * posted again. */
WEFT_API int weft_schedule_post(weft_schedule *schedule);
WEFT_API int weft_schedule_start(weft_schedule *schedule);

/* WEFT_OK when all operations are complete. Until then, weft_schedule_test returns
 * WEFT_ERR_TIMEOUT at once, and weft_schedule_wait when so many milliseconds are over; a negative
 * number stands for ever. Any other code says how the schedule failed: it can only be freed, as
 * those of its number in other processes, and the number is not used again. WEFT_ERR_PEER: a
 * process is dead or has given up. */
WEFT_API int weft_schedule_test(weft_schedule *schedule);
WEFT_API int weft_schedule_wait(weft_schedule *schedule, int milliseconds);

enum weft_schedule_state {
    WEFT_SCHEDULE_CREATED,
    WEFT_SCHEDULE_POSTED, /* it waits for others, or to be started or released */
    WEFT_SCHEDULE_ACTIVE, /* it waits for nothing more */
    WEFT_SCHEDULE_COMPLETE
};
WEFT_API int weft_schedule_state(weft_schedule *schedule, int operation);

/* ---- Looking at it ------------------------------------------------------------------------ */

enum weft_schedule_format {
    WEFT_SCHEDULE_DOT, /* for graphviz */
    WEFT_SCHEDULE_GOAL /* the block of this rank, for simulators; they know no weft_schedule_any,
                          of which the first is written, and computations take no time there: a
                          comment behind each has its bytes */
};

/* Writes at most `size` bytes, the final NUL included; returns the length of the whole text. */
WEFT_API ptrdiff_t weft_schedule_print(const weft_schedule *schedule,
                                       enum weft_schedule_format format, char *text, size_t size);

struct weft_schedule_info {
    size_t operations;
    size_t dependencies;
    size_t memory; /* bytes of the schedule itself, without what the NIC holds for it */
    size_t scratch;
    size_t lent; /* bytes that were copied because their receivers were late, in all executions */
};
/* Fills the first `size` bytes of *info: pass sizeof(*info). */
WEFT_API int weft_schedule_query(const weft_schedule *schedule, struct weft_schedule_info *info,
                                 size_t size);

#ifdef __cplusplus
}
#endif

#endif
