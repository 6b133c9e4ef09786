/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of one process share Portals: they send to themselves, wait, allocate and release, and
 * open, close and abort what others use at that moment. To be run under a thread sanitizer as
 * well.
 */
#include <portals4.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support/tap.h"

#define THREADS 4u
#define MESSAGES 100u
#define ROUNDS 30u
#define SIZE 20000u /* several packets */
#define PATIENCE 60 /* seconds */

static ptl_handle_ni_t ni;
static ptl_process_t self;
static atomic_uint failures;

/* ---- Threads ------------------------------------------------------------------------------- */

static void need(bool holds, int line)
{
    if (holds)
        return;
    failures++;
    fprintf(stderr, "# line %d does not hold\n", line);
}
#define NEED(condition) need((condition), __LINE__)

static void start(pthread_t *thread, void *(*body)(void *), void *argument)
{
    if (pthread_create(thread, NULL, body, argument))
        abort();
}

/* A thread that hangs would use what we free: the test cannot go on. */
static void join(pthread_t thread)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE;
    if (pthread_timedjoin_np(thread, NULL, &until))
        abort();
}

static void pause_for(unsigned microseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)microseconds * 1000}, NULL);
}

/* ---- An interface -------------------------------------------------------------------------- */

static void open_interface(void)
{
    NEED(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL,
                   &ni) == PTL_OK);
    NEED(PtlGetPhysId(ni, &self) == PTL_OK);
}

/* What one thread sends from and receives into. */
struct box {
    ptl_handle_eq_t eq;
    ptl_handle_ct_t ct;
    ptl_handle_md_t md;
    ptl_handle_me_t me;
    ptl_pt_index_t pt;
    unsigned char source[SIZE], target[SIZE];
};

/* The first error, or PTL_OK. What was made before an error goes with the interface. */
static int fill_box(struct box *box)
{
    int result;
    ptl_md_t md = {box->source, SIZE, PTL_MD_EVENT_CT_ACK, PTL_EQ_NONE, PTL_CT_NONE};
    ptl_me_t me = {.start = box->target,
                   .length = SIZE,
                   .ct_handle = PTL_CT_NONE,
                   .uid = PTL_UID_ANY,
                   .options = PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE,
                   .match_id = {.phys = {PTL_NID_ANY, PTL_PID_ANY}}};
    if ((result = PtlEQAlloc(ni, 16, &box->eq)) || (result = PtlCTAlloc(ni, &box->ct)) ||
        (result = PtlPTAlloc(ni, 0, box->eq, PTL_PT_ANY, &box->pt)))
        return result;
    md.ct_handle = box->ct;
    if ((result = PtlMDBind(ni, &md, &box->md)))
        return result;
    return PtlMEAppend(ni, box->pt, &me, PTL_PRIORITY_LIST, NULL, &box->me);
}

static void empty_box(const struct box *box)
{
    NEED(PtlMEUnlink(box->me) == PTL_OK);
    NEED(PtlPTFree(ni, box->pt) == PTL_OK);
    NEED(PtlMDRelease(box->md) == PTL_OK);
    NEED(PtlCTFree(box->ct) == PTL_OK);
    NEED(PtlEQFree(box->eq) == PTL_OK);
}

/* A message to ourselves, and the wait for both of its ends. */
static int send_and_wait(struct box *box, ptl_size_t number)
{
    ptl_event_t event;
    ptl_ct_event_t count;
    memset(box->source, (int)number, SIZE);
    int result = PtlPut(box->md, 0, SIZE, PTL_CT_ACK_REQ, self, box->pt, 0, 0, NULL, number);
    if (result == PTL_OK)
        result = PtlEQWait(box->eq, &event);
    if (result != PTL_OK)
        return result;
    NEED(event.type == PTL_EVENT_PUT && event.ni_fail_type == PTL_NI_OK);
    NEED(event.hdr_data == number && memcmp(box->source, box->target, SIZE) == 0);
    return PtlCTWait(box->ct, number, &count);
}

/* ---- Everybody works ----------------------------------------------------------------------- */

static ptl_handle_ct_t shared_ct;
static ptl_handle_eq_t shared_eq;

static void *work(void *argument)
{
    struct box *box = argument;
    for (unsigned i = 0; i < MESSAGES; i++) {
        ptl_ct_event_t count;
        ptl_event_t event;
        unsigned which;
        NEED(fill_box(box) == PTL_OK);
        NEED(send_and_wait(box, 1) == PTL_OK && send_and_wait(box, 2) == PTL_OK);
        NEED(PtlCTGet(box->ct, &count) == PTL_OK && count.success == 2 && count.failure == 0);
        NEED(PtlCTInc(shared_ct, (ptl_ct_event_t){1, 0}) == PTL_OK);
        NEED(PtlEQPoll(&shared_eq, 1, 0, &event, &which) == PTL_EQ_EMPTY);
        empty_box(box);
    }
    return NULL;
}

static struct box boxes[THREADS];

static void check_work(void)
{
    pthread_t threads[THREADS];
    const ptl_size_t all = THREADS * MESSAGES;
    ptl_ct_event_t count = {0, 0};
    unsigned which;
    open_interface();
    NEED(PtlCTAlloc(ni, &shared_ct) == PTL_OK && PtlEQAlloc(ni, 1, &shared_eq) == PTL_OK);
    for (unsigned i = 0; i < THREADS; i++)
        start(&threads[i], work, &boxes[i]);
    NEED(PtlCTPoll(&shared_ct, &all, 1, PATIENCE * 1000, &count, &which) == PTL_OK);
    for (unsigned i = 0; i < THREADS; i++)
        join(threads[i]);
    check_uint(count.success, all);
    NEED(PtlNIFini(ni) == PTL_OK);
}

/* ---- What others wait for goes away -------------------------------------------------------- */

static atomic_uint waiting, results[PTL_STATUS_LAST];

static void *wait_for_queue(void *argument)
{
    ptl_event_t event;
    (void)argument;
    waiting++;
    results[PtlEQWait(shared_eq, &event)]++;
    return NULL;
}

static void *wait_for_counter(void *argument)
{
    ptl_ct_event_t count;
    (void)argument;
    waiting++;
    results[PtlCTWait(shared_ct, PTL_SIZE_MAX, &count)]++;
    return NULL;
}

/* Sends until it may not any more. */
static void *send_for_ever(void *argument)
{
    struct box *box = argument;
    int result = fill_box(box);
    waiting++;
    for (ptl_size_t i = 1; result == PTL_OK; i++)
        result = send_and_wait(box, i);
    results[result]++;
    return NULL;
}

static void free_objects(void)
{
    NEED(PtlEQFree(shared_eq) == PTL_OK && PtlCTFree(shared_ct) == PTL_OK);
}

static void close_interface(void)
{
    NEED(PtlNIFini(ni) == PTL_OK);
}

/* Two that wait, and two that send if `send`: all must end. One that was about to wait, or between
 * two calls, finds its object gone. */
static void end_all(void (*end)(void), bool send, unsigned microseconds)
{
    pthread_t threads[THREADS];
    waiting = 0;
    open_interface();
    NEED(PtlCTAlloc(ni, &shared_ct) == PTL_OK && PtlEQAlloc(ni, 1, &shared_eq) == PTL_OK);
    for (unsigned i = 0; i < THREADS; i++)
        start(&threads[i],
              i < 2 && send ? send_for_ever
              : i % 2       ? wait_for_queue
                            : wait_for_counter,
              &boxes[i]);
    while (waiting < THREADS)
        pause_for(100);
    pause_for(microseconds);
    end();
    for (unsigned i = 0; i < THREADS; i++)
        join(threads[i]);
}

static void check_ends(const char *what, void (*end)(void), bool send, int expected, int too_late)
{
    memset((void *)results, 0, sizeof results);
    for (unsigned round = 0; round < ROUNDS; round++) {
        NEED(PtlInit() == PTL_OK);
        end_all(end, send, round * 100);
        PtlFini();
    }
    tap_note("%s: %u times as expected, %u too late", what, results[expected], results[too_late]);
    check_uint(results[expected] + (expected == too_late ? 0 : results[too_late]),
               ROUNDS * THREADS);
    check(results[expected] > 0);
}

/* ---- Interfaces come and go ---------------------------------------------------------------- */

static const unsigned kinds[] = {
    PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL,
    PTL_NI_MATCHING | PTL_NI_LOGICAL, PTL_NI_MATCHING | PTL_NI_PHYSICAL};

static void *come_and_go(void *argument)
{
    const unsigned *kind = argument;
    for (unsigned round = 0; round < ROUNDS; round++) {
        ptl_handle_ni_t mine;
        ptl_handle_eq_t eq;
        ptl_event_t event;
        unsigned which;
        NEED(PtlNIInit(PTL_IFACE_DEFAULT, *kind, PTL_PID_ANY, NULL, NULL, &mine) == PTL_OK);
        NEED(PtlEQAlloc(mine, 1, &eq) == PTL_OK);
        NEED(PtlEQPoll(&eq, 1, round % 2, &event, &which) == PTL_EQ_EMPTY);
        NEED(PtlEQFree(eq) == PTL_OK);
        NEED(PtlNIFini(mine) == PTL_OK);
    }
    return NULL;
}

static void check_coming_and_going(void)
{
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        start(&threads[i], come_and_go, (void *)&kinds[i]);
    for (unsigned i = 0; i < THREADS; i++)
        join(threads[i]);
}

int main(void)
{
    char folder[] = "/tmp/weft-threads-XXXXXX", rendezvous[sizeof folder + 16];
    if (!mkdtemp(folder))
        abort();
    snprintf(rendezvous, sizeof rendezvous, "%s/rendezvous", folder);
    setenv("WEFT_RENDEZVOUS", rendezvous, 1);
    NEED(PtlInit() == PTL_OK);
    check_work();
    check_coming_and_going();
    PtlFini();
    check_ends("freed", free_objects, false, PTL_INTERRUPTED, PTL_ARG_INVALID);
    check_ends("closed", close_interface, true, PTL_INTERRUPTED, PTL_ARG_INVALID);
    check_ends("finished", PtlFini, true, PTL_INTERRUPTED, PTL_NO_INIT);
    /* Who finds what he waits for without waiting is not stopped: no senders here. */
    check_ends("aborted", PtlAbort, false, PTL_ABORTED, PTL_ABORTED);
    check_uint(failures, 0);
    /* Only a folder that the last world has left is empty. */
    check(rmdir(folder) == 0);
    return tap_done();
}
