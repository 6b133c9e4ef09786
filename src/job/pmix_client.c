/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/pmix_client.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/deadline.h"
#include "base/log.h"

#define LIBRARY "libpmix.so.2"

struct weft_job_pmix_calls weft_job_pmix;

bool weft_job_pmix_refuse(const char *what, const char *why)
{
    weft_log(WEFT_LOG_ERROR, "cannot use the launcher (PMIx): %s: %s", what, why);
    return false;
}

bool weft_job_pmix_is_fine(pmix_status_t status, const char *what)
{
    return status == PMIX_SUCCESS ||
           weft_job_pmix_refuse(what, weft_job_pmix.PMIx_Error_string(status));
}

/* It has threads, so it stays. */
static bool load(void)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return weft_job_pmix_refuse("cannot load its library", dlerror());
#define LOAD(name)                                                                                \
    *(void **)&weft_job_pmix.name = dlsym(library, #name);                                        \
    if (!weft_job_pmix.name)                                                                      \
        return weft_job_pmix_refuse(LIBRARY " lacks", #name);
    WEFT_JOB_PMIX_CALLS(LOAD)
#undef LOAD
    return true;
}

/* PMIx_Init has no deadline of its own: it waits as long as a server that has accepted the
 * connection says nothing. So a thread of ours makes the call; if it does not come back in time,
 * it keeps this memory for ever. */
struct start {
    pthread_mutex_t lock;
    pthread_cond_t change;
    bool is_done;
    pmix_status_t status;
    pmix_proc_t self;
};

static void *make_start(void *argument)
{
    struct start *start = argument;
    pmix_proc_t self;
    pmix_status_t status = weft_job_pmix.PMIx_Init(&self, NULL, 0);
    pthread_mutex_lock(&start->lock);
    start->self = self;
    start->status = status;
    start->is_done = true;
    pthread_cond_signal(&start->change);
    pthread_mutex_unlock(&start->lock);
    return NULL;
}

static struct start *begin_start(void)
{
    struct start *start = calloc(1, sizeof(*start));
    pthread_t thread;
    pthread_condattr_t clock;
    if (!start)
        return NULL;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&start->lock, NULL);
    pthread_cond_init(&start->change, &clock);
    pthread_condattr_destroy(&clock);
    if (pthread_create(&thread, NULL, make_start, start) == 0) {
        pthread_detach(thread);
        return start;
    }
    free(start);
    return NULL;
}

bool weft_job_pmix_start(pmix_proc_t *self, uint64_t deadline)
{
    if (!load())
        return false;
    struct start *start = begin_start();
    if (!start)
        return weft_job_pmix_refuse("cannot start a thread", strerror(errno));
    struct timespec until = weft_deadline_timespec(deadline);
    pthread_mutex_lock(&start->lock);
    while (!start->is_done &&
           pthread_cond_timedwait(&start->change, &start->lock, &until) != ETIMEDOUT)
        continue;
    bool is_done = start->is_done;
    pthread_mutex_unlock(&start->lock);
    if (!is_done)
        return weft_job_pmix_refuse("its server does not answer",
                                    "WEFT_LAUNCH_TIMEOUT has passed");
    bool fine = weft_job_pmix_is_fine(start->status, "its server cannot be reached");
    *self = start->self;
    pthread_cond_destroy(&start->change);
    pthread_mutex_destroy(&start->lock);
    free(start);
    return fine;
}
