/* SPDX-License-Identifier: BSD-3-Clause */
/* Behaviours of handlers. A handler is told what to do, and writes down what it saw, in its HPU
 * memory and in handler host memory: nodes of the simulated world share their globals. */
#ifndef WEFT_TESTS_SPIN_SPIN_H
#define WEFT_TESTS_SPIN_SPIN_H

#include <portals4_spin.h>

#include "portals/job.h"

#define SPIN .needs = PTL_NI_MATCHING

/* Handlers with all fields that matter to most. */
ptl_handlers_t spin_handlers(ptl_header_handler_t header, ptl_payload_handler_t payload,
                             ptl_completion_handler_t completion);

/* Gives handlers memory of the NIC, whose beginning is a copy of `state`. */
void spin_state(struct job *job, ptl_handlers_t *handlers, const void *state, ptl_size_t length);
void spin_free(struct job *job, ptl_handlers_t *handlers);

/* Appends an entry with handlers. */
#define post_spin(handlers, ...) spin_post(POSTING(__VA_ARGS__), handlers, __FILE__, __LINE__)
ptl_handle_me_t spin_post(struct posting posting, const ptl_handlers_t *handlers, const char *file,
                          int line);

#endif
