/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that take things away while handlers run, or while what they started is not over. */
#include <time.h>

#include "spin/record.h"

/* On HPUs, so that the program goes on while a handler runs. */
#define ON_HPUS .contexts = 64

/* Handler host memory. */
struct watch {
    uint64_t begun, ended, may_end;
};

/* HPU memory. */
struct plan {
    uint64_t is_virtual;
    uint64_t waits; /* until the program says so */
};

static uint64_t add(size_t where, uint64_t value)
{
    uint64_t before = 0;
    PtlHandlerDMAFetchAddB(where, value, &before, PTL_UINT64_T, PTL_HANDLER_HOST_MEM);
    return before;
}

#define ADD(what, value) add(offsetof(struct watch, what), value)

static void sleep_a_while(void)
{
    const struct timespec nap = {.tv_nsec = 20000000};
    nanosleep(&nap, NULL);
}

/* Tells the program that it has begun, by an event, and then takes long. */
static ptl_handler_result_t take_long(const ptl_header_t *header, void *state)
{
    enum { LONG_TIME = 100000, PATIENCE = 100000000 };
    const struct plan *plan = state;
    ptl_dma_t handle;
    (void)header;
    ADD(begun, 1);
    PtlHandlerDMAToHostNB(state, 0, 0, PTL_ME_HOST_MEM, &handle);
    if (plan->is_virtual)
        for (unsigned i = 0; i < LONG_TIME; i++)
            ADD(may_end, 0);
    else if (!plan->waits)
        sleep_a_while();
    for (unsigned i = 0; plan->waits && !plan->is_virtual && !ADD(may_end, 0) && i < PATIENCE; i++)
        PtlHandlerYield();
    ADD(ended, 1);
    return PTL_HANDLER_DROP;
}

struct scene {
    struct watch watch;
    struct plan plan;
    struct spin_case what;
};

static struct scene *start_long(struct job *job, bool waits, bool stays)
{
    struct scene *scene = job_memory(job, sizeof *scene);
    scene->plan = (struct plan){job->world == JOB_SIM, waits};
    scene->what = (struct spin_case){.header = take_long,
                                     .state = &scene->plan,
                                     .state_length = sizeof scene->plan,
                                     .host = &scene->watch,
                                     .host_length = sizeof scene->watch,
                                     .stays = stays};
    spin_start(job, &scene->what);
    if (job->target)
        next_event(job->target_eq, PTL_EVENT_DMA);
    return scene;
}

static void let_end(struct scene *scene)
{
    __atomic_store_n(&scene->watch.may_end, 1, __ATOMIC_SEQ_CST);
}

BEHAVIOUR("an entry cannot be unlinked, nor its memory freed, while its handlers run", SPIN,
          ON_HPUS)
{
    for (unsigned stays = 0; stays < 2; stays++) {
        struct scene *scene = start_long(job, true, stays);
        if (job->target) {
            ptl_handle_hpu_t memory = scene->what.handlers.hpu_memory;
            gives(PTL_IN_USE, PtlMEUnlink(scene->what.me));
            gives(PTL_IN_USE, PtlHPUFreeMem(&memory));
            gives(PTL_IN_USE, PtlPTFree(job->ni, job->pt));
            holds(memory == scene->what.handlers.hpu_memory);
            let_end(scene);
        }
        spin_finish(job, &scene->what);
    }
}

BEHAVIOUR("PtlPTDisable waits for handlers", SPIN, ON_HPUS)
{
    struct scene *scene = start_long(job, false, true);
    if (job->target) {
        ok(PtlPTDisable(job->ni, job->pt));
        equals(scene->watch.begun, 1);
        equals(scene->watch.ended, 1);
    }
    spin_finish(job, &scene->what);
}

/* Everybody leaves without a farewell. */
static void leave(struct job *job)
{
    ok(PtlNIFini(job->ni));
    PtlFini();
}

BEHAVIOUR("PtlNIFini waits for handlers, and takes their memory along", SPIN, ON_HPUS,
          .bare = true)
{
    job_open(job);
    struct scene *scene = start_long(job, false, true);
    if (!job->target)
        next_event(job->eq, PTL_EVENT_ACK);
    leave(job);
    if (job->target)
        equals(scene->watch.ended, 1);
}

static ptl_handler_result_t slow_packet(const ptl_payload_t *payload, void *state)
{
    (void)payload;
    (void)state;
    ADD(begun, 1);
    record_dawdle(100);
    ADD(ended, 1);
    return PTL_HANDLER_SUCCESS;
}

static ptl_handler_result_t tell_begin(const ptl_header_t *header, void *state)
{
    ptl_dma_t handle;
    (void)header;
    PtlHandlerDMAToHostNB(state, 0, 0, PTL_ME_HOST_MEM, &handle);
    return PTL_HANDLER_PROCESS_DATA;
}

BEHAVIOUR("an interface may close in the middle of a message with handlers", SPIN, .timeout = 300,
          .bare = true, .apart = true)
{
    enum { SIZE = 8000000 };
    struct record_book *book = job_memory(job, sizeof *book);
    job_open(job);
    struct spin_case what = {.header = tell_begin,
                             .payload = slow_packet,
                             .state_length = 8,
                             .host = book,
                             .host_length = sizeof *book,
                             .size = SIZE};
    spin_start(job, &what);
    if (job->target)
        next_event(job->target_eq, PTL_EVENT_DMA);
    leave(job);
}

/* ---- Operations that are not over --------------------------------------------------------- */

static ptl_handler_result_t ask_nobody(const ptl_header_t *header, void *state)
{
    const ptl_process_t *nobody = state;
    (void)header;
    return PtlHandlerGetToDevice(state, sizeof *nobody, PTL_NO_CT_REQ, *nobody, 0, 0, NULL) ==
                   PTL_OK
               ? PTL_HANDLER_DROP
               : PTL_HANDLER_FAIL;
}

/* Of the message and of what its handler has begun either may be told first. Says whether the
 * latter is over, too. */
static bool await_message(struct job *job)
{
    ptl_event_t events[PTL_EVENT_DMA + 1];
    memset(events, 0, sizeof events);
    spin_events(job, job->target_eq, 1, events);
    bool is_over = events[PTL_EVENT_REPLY].type == PTL_EVENT_REPLY;
    if (is_over) {
        equals(events[PTL_EVENT_REPLY].ni_fail_type, PTL_NI_UNDELIVERABLE);
        next_event(job->target_eq, PTL_EVENT_PUT);
    } else {
        equals(events[PTL_EVENT_PUT].type, PTL_EVENT_PUT);
        equals(events[PTL_EVENT_PUT].ni_fail_type, PTL_NI_OK);
    }
    return is_over;
}

/* The message is over, but perhaps not what its handler has begun: the target says whether. */
static bool start_get(struct job *job, struct spin_case *what, ptl_process_t *nobody, bool stays)
{
    bool is_over = false;
    *nobody = job_process(job, job->size);
    *what = (struct spin_case){
        .header = ask_nobody, .state = nobody, .state_length = sizeof *nobody, .stays = stays};
    spin_start(job, what);
    if (job->target)
        is_over = await_message(job);
    if (job->initiator)
        next_event(job->eq, PTL_EVENT_ACK);
    return is_over;
}

/* How soon a world finds out that nobody is there is its own affair: it may be over already. */
static void expect_held(struct job *job, struct spin_case *what, bool is_over)
{
    ptl_event_t event;
    int unlinked = PtlMEUnlink(what->me);
    int freed = PtlHPUFreeMem(&what->handlers.hpu_memory);
    if (!is_over && PtlEQGet(job->target_eq, &event) != PTL_OK) {
        gives(PTL_IN_USE, unlinked);
        gives(PTL_IN_USE, freed);
        next_failure(job->target_eq, PTL_EVENT_REPLY, PTL_NI_UNDELIVERABLE);
    }
    if (what->stays && unlinked != PTL_OK)
        ok(PtlMEUnlink(what->me));
    if (freed != PTL_OK)
        spin_free(job, &what->handlers);
}

static void expect_get_holds(struct job *job, bool stays)
{
    struct spin_case what;
    ptl_process_t nobody;
    bool is_over = start_get(job, &what, &nobody, stays);
    if (job->target)
        expect_held(job, &what, is_over);
    job_barrier(job);
}

BEHAVIOUR("an entry stays as long as operations of its handlers are not over, its memory, too",
          SPIN, .timeout = 300, .apart = true)
{
    expect_get_holds(job, true);
}

BEHAVIOUR("operations of its handlers hold an entry that was for one message", SPIN,
          .timeout = 300, .apart = true)
{
    expect_get_holds(job, false);
}

BEHAVIOUR("an interface may close while operations of handlers are not over", SPIN, .timeout = 300,
          .bare = true, .apart = true)
{
    struct spin_case what;
    ptl_process_t nobody;
    job_open(job);
    start_get(job, &what, &nobody, true);
    job_gate(job);
    leave(job);
}
