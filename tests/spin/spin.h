/* SPDX-License-Identifier: BSD-3-Clause */
/* Behaviours of handlers. A handler is told what to do, and writes down what it saw, in its HPU
 * memory and in handler host memory: nodes of the simulated world share their globals. */
#ifndef WEFT_TESTS_SPIN_SPIN_H
#define WEFT_TESTS_SPIN_SPIN_H

#include <portals4_spin.h>

#include "portals/job.h"

#define SPIN .needs = PTL_NI_MATCHING
#define SPIN_SEED 7u

/* Handlers with all fields that matter to most. */
ptl_handlers_t spin_handlers(ptl_header_handler_t header, ptl_payload_handler_t payload,
                             ptl_completion_handler_t completion);

/* Gives handlers memory of the NIC, whose beginning is a copy of `state`. */
void spin_state(struct job *job, ptl_handlers_t *handlers, const void *state, ptl_size_t length);
void spin_free(struct job *job, ptl_handlers_t *handlers);

/* Where handlers run, if not in this process: changes them to those of an image, whose names it
 * fills in. NULL: nowhere else. */
extern void (*spin_place)(struct job *job, ptl_handlers_t *handlers, ptl_image_handlers_t *names);

/* Appends an entry with handlers. */
#define post_spin(handlers, ...) spin_post(POSTING(__VA_ARGS__), handlers, __FILE__, __LINE__)
ptl_handle_me_t spin_post(struct posting posting, const ptl_handlers_t *handlers, const char *file,
                          int line);

/* One message from each initiator to an entry with handlers. What is not named is 0, and these: */
struct spin_case {
    ptl_handlers_t handlers; /* what spin_handlers gives for the three below */
    ptl_header_handler_t header;
    ptl_payload_handler_t payload;
    ptl_completion_handler_t completion;
    const void *state; /* copied into HPU memory of this size, unless that is 0 */
    ptl_size_t state_length;
    void *host; /* memory of the handlers */
    ptl_size_t host_length;
    void *start; /* memory of the entry */
    ptl_size_t length;
    unsigned options;   /* besides PTL_ME_OP_PUT */
    bool stays;         /* else the entry is for one message, and says nothing of its end */
    ptl_size_t size;    /* of the message, which is filled from SPIN_SEED on */
    ptl_ni_fail_t fail; /* how it ends */
    ptl_pt_index_t pt;
    const ptl_handle_ct_t *ct;
    /* What came of it. */
    ptl_handle_me_t me;
    ptl_handle_md_t md;
    ptl_event_t event, ack;
};

/* Posts the entry and sends the message; then waits for the event and the acknowledgement, and
 * until all ranks have them. `run` is both. */
void spin_start(struct job *job, struct spin_case *what);
void spin_finish(struct job *job, struct spin_case *what);
void spin_run(struct job *job, struct spin_case *what);

/* Only posts the entry, and only gives back what the case has. */
void spin_open(struct job *job, struct spin_case *what);
void spin_close(struct job *job, struct spin_case *what);

/* For handlers whose host memory begins with an array of uint64_t: sets one of it. */
void spin_note(unsigned place, uint64_t value);

/* The next events of a queue in any order: one of each type at the most. */
void spin_events(struct job *job, ptl_handle_eq_t eq, unsigned count, ptl_event_t *by_type);

#endif
