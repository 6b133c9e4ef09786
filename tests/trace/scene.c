/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: scene sim FILE SEED LOSS RECORDS   both processes in virtual time, LOSS in a million
 *        scene target | initiator           one of two processes in real time; the target says
 *                                           when it is ready
 *        scene forget                       a process that ends without closing its interface
 *        scene fork                         a process that opens an interface, ends it and forks;
 *                                           then both open one
 *        scene handlers FILE                a ring as if there had been handlers
 *
 * Something to trace: PUTS puts and one get from the initiator to the target. trace_test.py runs
 * it and knows what must be in the timelines.
 */
#include <portals4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nic/world_ops.h"
#include "portals/simulate.h"
#include "trace/timeline.h"

#define PUTS 20
#define SIZE 10000
#define TARGET 1u
#define INITIATOR 2u
#define ENTRY 3
#define PATIENCE 30000 /* milliseconds */

#define NEED(call) need((call) == PTL_OK, #call)

static void need(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "scene: this went wrong: %s\n", what);
    exit(1);
}

/* ---- Two processes ------------------------------------------------------------------------ */

static ptl_handle_ni_t open_interface(ptl_pid_t pid)
{
    ptl_handle_ni_t ni;
    NEED(PtlInit());
    NEED(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, pid, NULL, NULL, &ni));
    return ni;
}

static void close_interface(ptl_handle_ni_t ni)
{
    NEED(PtlNIFini(ni));
    PtlFini();
}

static void await_events(ptl_handle_eq_t eq, unsigned count)
{
    for (; count > 0; count--) {
        ptl_event_t event;
        unsigned which;
        NEED(PtlEQPoll(&eq, 1, PATIENCE, &event, &which));
        need(event.ni_fail_type == PTL_NI_OK, "an event says that something failed");
    }
}

/* Its events: LINK, a PUT for each put, GET. */
static void be_target(ptl_pid_t pid, bool says_when_ready)
{
    ptl_handle_ni_t ni = open_interface(pid);
    ptl_pt_index_t index;
    ptl_handle_eq_t eq;
    ptl_handle_me_t handle;
    char *memory = calloc(1, SIZE);
    ptl_me_t me = {.start = memory,
                   .length = SIZE,
                   .ct_handle = PTL_CT_NONE,
                   .uid = PTL_UID_ANY,
                   .options = PTL_ME_OP_PUT | PTL_ME_OP_GET,
                   .match_id.phys = {PTL_NID_ANY, PTL_PID_ANY}};
    NEED(PtlEQAlloc(ni, 2 * PUTS, &eq));
    NEED(PtlPTAlloc(ni, 0, eq, ENTRY, &index));
    NEED(PtlMEAppend(ni, index, &me, PTL_PRIORITY_LIST, NULL, &handle));
    if (says_when_ready) {
        puts("ready");
        fflush(stdout);
    }
    await_events(eq, 1 + PUTS + 1);
    close_interface(ni);
    free(memory);
}

/* Its events: SEND and ACK for each put, REPLY. */
static void be_initiator(ptl_pid_t pid, ptl_process_t target)
{
    ptl_handle_ni_t ni = open_interface(pid);
    ptl_handle_md_t handle;
    char *memory = calloc(1, SIZE);
    ptl_md_t md = {.start = memory, .length = SIZE, .ct_handle = PTL_CT_NONE};
    NEED(PtlEQAlloc(ni, 2 * PUTS + 1, &md.eq_handle));
    NEED(PtlMDBind(ni, &md, &handle));
    for (unsigned i = 0; i < PUTS; i++)
        NEED(PtlPut(handle, 0, SIZE, PTL_ACK_REQ, target, ENTRY, 0, 0, NULL, 0));
    await_events(md.eq_handle, 2 * PUTS);
    NEED(PtlGet(handle, 0, SIZE, target, ENTRY, 0, 0, NULL));
    await_events(md.eq_handle, 1);
    close_interface(ni);
    free(memory);
}

/* An entry that can be linked once, which is one event. */
static void open_and_close(void)
{
    ptl_handle_ni_t ni = open_interface(PTL_PID_ANY);
    ptl_pt_index_t index;
    ptl_handle_eq_t eq;
    ptl_handle_me_t handle;
    ptl_me_t me = {.ct_handle = PTL_CT_NONE, .uid = PTL_UID_ANY, .options = PTL_ME_OP_PUT};
    NEED(PtlEQAlloc(ni, 1, &eq));
    NEED(PtlPTAlloc(ni, 0, eq, ENTRY, &index));
    NEED(PtlMEAppend(ni, index, &me, PTL_PRIORITY_LIST, NULL, &handle));
    await_events(eq, 1);
    close_interface(ni);
}

static void open_in_both(void)
{
    open_and_close();
    int status = 0;
    pid_t child = fork();
    need(child >= 0, "fork");
    open_and_close();
    if (child > 0)
        need(waitpid(child, &status, 0) == child && status == 0, "the child");
}

/* ---- Virtual time ------------------------------------------------------------------------- */

static void node_program(unsigned node, void *argument)
{
    (void)argument;
    if (node == 0)
        be_target(PTL_PID_ANY, false);
    else
        be_initiator(PTL_PID_ANY, (ptl_process_t){.phys = {1, WEFT_SIM_PID}});
}

static uint32_t number(const char *text)
{
    return (uint32_t)strtoul(text, NULL, 10);
}

static int simulate(char **argv)
{
    uint32_t loss = number(argv[2]);
    struct weft_sim_totals totals;
    struct weft_sim_config config = {.nodes = 2,
                                     .seed = number(argv[1]),
                                     .latency = 1000,
                                     .bandwidth = 10000,
                                     .packet_size = 2048,
                                     .timeout = 1000000000,
                                     .reliable = loss == 0,
                                     .loss = loss,
                                     .limit = UINT64_C(1000000000000),
                                     .ring = weft_trace_ring_open(number(argv[3]))};
    need(config.ring != NULL, "no memory");
    int result = weft_portals_simulate_plan(&config, node_program, NULL,
                                            &(struct weft_portals_plan){.totals = &totals});
    need(result == 0, "the simulation does not come to an end");
    printf("%llu %llu\n", (unsigned long long)totals.sent, (unsigned long long)totals.delivered);
    result =
        weft_trace_timeline_write(&(struct weft_trace_timeline){.ring = config.ring}, argv[0]);
    weft_trace_ring_close(config.ring);
    return result != 0;
}

/* ---- Handlers ----------------------------------------------------------------------------- */

static void add(struct weft_trace_ring *ring, uint64_t time, enum weft_trace_what what, uint64_t a,
                uint64_t b)
{
    weft_trace_ring_add(
        ring, &(struct weft_trace_record){
                  .trace = {.time = time, .a = a, .b = b, .what = what}, .nid = 1, .pid = 1});
}

static uint64_t on_hpu(uint64_t hpu, uint64_t kind)
{
    return kind | hpu << 8;
}

static int write_handlers(const char *path)
{
    struct weft_trace_ring *ring = weft_trace_ring_open(64);
    need(ring != NULL, "no memory");
    uint64_t header = WEFT_TRACE_HANDLER_HEADER, payload = WEFT_TRACE_HANDLER_PAYLOAD,
             completion = WEFT_TRACE_HANDLER_COMPLETION;
    /* The begin of this one is lost. */
    add(ring, 500, WEFT_TRACE_HANDLER_END, on_hpu(3, payload), 0);
    add(ring, 1000, WEFT_TRACE_HANDLER, on_hpu(0, header), 8);
    add(ring, 1250, WEFT_TRACE_DMA, on_hpu(0, WEFT_TRACE_DMA_FROM_HOST), 64);
    add(ring, 2001, WEFT_TRACE_HANDLER_END, on_hpu(0, header), 1);
    /* Two at once, and one that makes way for another. */
    add(ring, 2001, WEFT_TRACE_HANDLER, on_hpu(0, payload), 2048);
    add(ring, 2002, WEFT_TRACE_HANDLER, on_hpu(1, payload), 100);
    add(ring, 2500, WEFT_TRACE_HANDLER, on_hpu(1, header), 8);
    add(ring, 2600, WEFT_TRACE_HANDLER_END, on_hpu(1, header), 2);
    add(ring, 3000, WEFT_TRACE_HANDLER_END, on_hpu(1, payload), 3);
    add(ring, 3500, WEFT_TRACE_HANDLER_END, on_hpu(0, payload), 0);
    /* It has not ended. */
    add(ring, 4000, WEFT_TRACE_HANDLER, on_hpu(1, completion), 0);
    add(ring, 5000, WEFT_TRACE_DMA, on_hpu(1, WEFT_TRACE_DMA_ATOMIC), 8);
    int result = weft_trace_timeline_write(&(struct weft_trace_timeline){.ring = ring}, path);
    weft_trace_ring_close(ring);
    return result != 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "sim") == 0 && argc == 6)
        return simulate(argv + 2);
    if (strcmp(what, "handlers") == 0 && argc == 3)
        return write_handlers(argv[2]);
    if (strcmp(what, "target") == 0)
        be_target(TARGET, true);
    else if (strcmp(what, "initiator") == 0)
        be_initiator(INITIATOR, (ptl_process_t){.phys = {1, TARGET}});
    else if (strcmp(what, "forget") == 0)
        open_interface(TARGET);
    else if (strcmp(what, "fork") == 0)
        open_in_both();
    else
        need(false, "the arguments");
    return 0;
}
