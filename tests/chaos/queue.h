/* SPDX-License-Identifier: BSD-3-Clause */
/* What the event queue of a target must hold, event by event. */
#ifndef WEFT_TESTS_CHAOS_QUEUE_H
#define WEFT_TESTS_CHAOS_QUEUE_H

#include <portals4.h>
#include <stdbool.h>
#include <stdint.h>

struct op;
struct entry;

struct expected {
    ptl_event_t event;
    const struct op *op;       /* of the message, or NULL */
    const struct entry *entry; /* where its data is */
};

struct queue {
    ptl_handle_eq_t handle;
    uint64_t count;   /* as asked for */
    uint64_t reserve; /* more, for PT_DISABLED events only */
    uint64_t room;    /* of the ring */
    uint64_t read, posted;
    uint64_t promised; /* with flow control, to messages that are arriving */
    bool lost;         /* an event since the last read */
    struct expected *ring;
};

bool queue_open(struct queue *queue, uint64_t count, uint64_t reserve);
void queue_close(struct queue *queue);

/* `is_disabled`: the kind of event that may use the reserve. */
void queue_post(struct queue *queue, const struct expected *expected, bool is_disabled);
bool queue_has_room(const struct queue *queue, unsigned events);
bool queue_is_empty(const struct queue *queue);

/* The program has read an event with this result. NULL if that is right (`taken` is what was
 * expected), or what is wrong with it. */
const char *queue_take(struct queue *queue, int result, const ptl_event_t *event, bool is_logical,
                       struct expected *taken);

#endif
