/* SPDX-License-Identifier: BSD-3-Clause */
/* Behaviours of transfers: the harness of tests/portals, with a net on its interface. */
#ifndef WEFT_TESTS_TRANSFER_EXCHANGE_H
#define WEFT_TESTS_TRANSFER_EXCHANGE_H

#include <weft_net.h>

#include "portals/job.h"

/* Behaviours open the interface themselves: a net needs a logical one, in a lossy network too. */
#define NET .bare = true, .needs = PTL_NI_MATCHING | PTL_NI_PHYSICAL

weft_net *exchange_open(struct job *job);
/* All ranks come here before the first leaves. */
void exchange_close(struct job *job, weft_net *net);
/* When others are dead. */
void exchange_close_alone(struct job *job, weft_net *net);

#define yields(expected, call) exchange_check(job, (call), (expected), __FILE__, __LINE__, #call)
#define fine(call) yields(WEFT_OK, call)
bool exchange_check(struct job *job, int actual, int expected, const char *file, int line,
                    const char *call);

/* Waits no longer than what must come takes. */
int exchange_wait(struct job *job, weft_request **request, struct weft_status *status);

weft_type *exchange_type(struct job *job, const char *text);

#endif
