/* SPDX-License-Identifier: BSD-3-Clause */
/* Several threads of one process, and PtlAbort. */
#include <pthread.h>
#include <time.h>

#include "portals/job.h"

/* ---- Waiters that are woken --------------------------------------------------------------- */

enum wait_kind { EQ_WAIT, EQ_POLL, CT_WAIT, CT_POLL, WAIT_KINDS };

struct waiter {
    enum wait_kind kind;
    ptl_handle_any_t handle;
    int result;
};

static void *wait_for_ever(void *argument)
{
    struct waiter *waiter = argument;
    const ptl_size_t never = PTL_SIZE_MAX;
    ptl_event_t event;
    ptl_ct_event_t value;
    unsigned which;
    switch (waiter->kind) {
    case EQ_WAIT:
        waiter->result = PtlEQWait(waiter->handle, &event);
        break;
    case EQ_POLL:
        waiter->result = PtlEQPoll(&waiter->handle, 1, PTL_TIME_FOREVER, &event, &which);
        break;
    case CT_WAIT:
        waiter->result = PtlCTWait(waiter->handle, never, &value);
        break;
    default:
        waiter->result = PtlCTPoll(&waiter->handle, &never, 1, PTL_TIME_FOREVER, &value, &which);
    }
    return NULL;
}

static bool join(struct job *job, pthread_t thread)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += job_patience(job) / 1000 + 1;
    return holds(pthread_timedjoin_np(thread, NULL, &until) == 0);
}

/* A bare behaviour opens its interface itself, anew for every try. */
static void open_alone(struct job *job)
{
    ok(PtlInit());
    ok(PtlNIInit(PTL_IFACE_DEFAULT, job_interface(job), job_pid(job), NULL, NULL, &job->ni));
}

/* Lets a thread wait on a new object, calls `wake`, and wants `expected`. A thread that was so
 * slow that its object was gone before it waited is told so, and another one tries. */
static void wake_waiter(struct job *job, enum wait_kind kind, int (*wake)(struct waiter *waiter),
                        int expected)
{
    struct waiter waiter = {.kind = kind, .result = PTL_ARG_INVALID};
    for (unsigned tries = 1; waiter.result == PTL_ARG_INVALID && tries < 100; tries++) {
        const struct timespec nap = {.tv_nsec = (long)tries * 1000 * 1000};
        pthread_t thread;
        bool queue = kind == EQ_WAIT || kind == EQ_POLL;
        if (job->behaviour->bare)
            open_alone(job);
        waiter.handle = queue ? job_eq(job, 8) : job_ct(job);
        waiter.result = PTL_STATUS_LAST;
        holds(pthread_create(&thread, NULL, wait_for_ever, &waiter) == 0);
        nanosleep(&nap, NULL);
        ok(wake(&waiter));
        if (!join(job, thread))
            return;
        if (job->behaviour->bare)
            PtlFini();
    }
    gives(expected, waiter.result);
}

static int free_object(struct waiter *waiter)
{
    bool queue = waiter->kind == EQ_WAIT || waiter->kind == EQ_POLL;
    return queue ? PtlEQFree(waiter->handle) : PtlCTFree(waiter->handle);
}

BEHAVIOUR("PtlEQFree wakes a thread in PtlEQWait with PTL_INTERRUPTED", .ranks = 1,
          .worlds = JOB_REAL)
{
    wake_waiter(job, EQ_WAIT, free_object, PTL_INTERRUPTED);
}

BEHAVIOUR("PtlEQFree wakes a thread in PtlEQPoll with PTL_INTERRUPTED", .ranks = 1,
          .worlds = JOB_REAL)
{
    wake_waiter(job, EQ_POLL, free_object, PTL_INTERRUPTED);
}

BEHAVIOUR("PtlCTFree wakes a thread in PtlCTWait with PTL_INTERRUPTED", .ranks = 1,
          .worlds = JOB_REAL)
{
    wake_waiter(job, CT_WAIT, free_object, PTL_INTERRUPTED);
}

BEHAVIOUR("PtlCTFree wakes a thread in PtlCTPoll with PTL_INTERRUPTED", .ranks = 1,
          .worlds = JOB_REAL)
{
    wake_waiter(job, CT_POLL, free_object, PTL_INTERRUPTED);
}

static int end_interface(struct waiter *waiter)
{
    ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
    int code = PtlNIHandle(waiter->handle, &ni);
    return code == PTL_OK ? PtlNIFini(ni) : code;
}

BEHAVIOUR("PtlNIFini wakes threads that wait with PTL_INTERRUPTED", .ranks = 1, .bare = true,
          .worlds = JOB_REAL)
{
    for (unsigned kind = 0; kind < WAIT_KINDS; kind++)
        wake_waiter(job, (enum wait_kind)kind, end_interface, PTL_INTERRUPTED);
}

static int abort_all(struct waiter *waiter)
{
    (void)waiter;
    PtlAbort();
    return PTL_OK;
}

BEHAVIOUR("PtlAbort wakes threads that wait with PTL_ABORTED", .ranks = 1, .bare = true,
          .worlds = JOB_REAL)
{
    for (unsigned kind = 0; kind < WAIT_KINDS; kind++)
        wake_waiter(job, (enum wait_kind)kind, abort_all, PTL_ABORTED);
}

BEHAVIOUR("after PtlAbort waiting calls return at once with PTL_ABORTED", .ranks = 1, .bare = true)
{
    struct waiter waiter;
    open_alone(job);
    ptl_handle_eq_t eq = job_eq(job, 8);
    ptl_handle_ct_t ct = job_ct(job);
    PtlAbort();
    for (unsigned kind = 0; kind < WAIT_KINDS; kind++) {
        waiter.kind = (enum wait_kind)kind;
        waiter.handle = kind == EQ_WAIT || kind == EQ_POLL ? eq : ct;
        wait_for_ever(&waiter);
        gives(PTL_ABORTED, waiter.result);
    }
    PtlFini();
}

BEHAVIOUR("PtlAbort before PtlInit does nothing", .ranks = 1, .bare = true)
{
    PtlAbort();
    open_alone(job);
    ptl_handle_eq_t eq = job_eq(job, 8);
    ptl_event_t event;
    unsigned which;
    gives(PTL_EQ_EMPTY, PtlEQPoll(&eq, 1, 0, &event, &which));
    ok(PtlNIFini(job->ni));
    PtlFini();
}

/* ---- Threads that work -------------------------------------------------------------------- */

#define THREADS 4
#define MESSAGES 200

struct sender {
    struct job *job;
    ptl_handle_md_t md;
    unsigned number;
    bool failed;
};

static void *send_many(void *argument)
{
    struct sender *sender = argument;
    struct job *job = sender->job;
    for (unsigned i = 0; i < MESSAGES; i++)
        if (put(sender->md, 8, .local_offset = sender->number * 8,
                .hdr_data = sender->number * 1000 + i) != PTL_OK)
            sender->failed = true;
    return NULL;
}

BEHAVIOUR("threads of a process can send at once, and each keeps its order", .worlds = JOB_REAL)
{
    ptl_handle_eq_t eq = job_eq(job, THREADS * MESSAGES);
    ptl_pt_index_t pt = 0;
    ok(PtlPTFree(job->ni, job->pt));
    ok(PtlPTAlloc(job->ni, 0, eq, job->pt, &pt));
    if (job->target)
        post(job_memory(job, 8), 8, PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator) {
        pthread_t threads[THREADS];
        struct sender senders[THREADS];
        ptl_handle_md_t md = job_md(job, job_memory(job, THREADS * 8), THREADS * 8);
        for (unsigned i = 0; i < THREADS; i++) {
            senders[i] = (struct sender){.job = job, .md = md, .number = i};
            holds(pthread_create(&threads[i], NULL, send_many, &senders[i]) == 0);
        }
        for (unsigned i = 0; i < THREADS; i++)
            holds(join(job, threads[i]) && !senders[i].failed);
    }
    if (job->target) {
        unsigned next[THREADS] = {0};
        for (unsigned i = 0; i < THREADS * MESSAGES; i++) {
            ptl_event_t event = next_event(eq, PTL_EVENT_PUT);
            equals(event.hdr_data % 1000, next[event.hdr_data / 1000 % THREADS]++);
        }
    }
    job_barrier(job);
}

static void *take_one(void *argument)
{
    struct waiter *waiter = argument;
    ptl_event_t event;
    waiter->result = PtlEQWait(waiter->handle, &event);
    return NULL;
}

BEHAVIOUR("each event wakes one of the threads that wait for it", .worlds = JOB_REAL)
{
    ptl_handle_eq_t eq = job->target_eq;
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT);
    job_barrier(job);
    pthread_t threads[THREADS];
    struct waiter waiters[THREADS];
    for (unsigned i = 0; job->target && i < THREADS; i++) {
        waiters[i] = (struct waiter){.handle = eq, .result = PTL_STATUS_LAST};
        holds(pthread_create(&threads[i], NULL, take_one, &waiters[i]) == 0);
    }
    if (job->initiator)
        for (unsigned i = 0; i < THREADS; i++)
            ok(put(job_md(job, NULL, 0), 0));
    for (unsigned i = 0; job->target && i < THREADS; i++)
        if (join(job, threads[i]))
            ok(waiters[i].result);
    job_settle(job);
    no_event(eq);
}
