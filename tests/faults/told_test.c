/* SPDX-License-Identifier: BSD-3-Clause */
/* What fails for want of memory where no call can return that is told nevertheless. */
#include <portals4.h>
#include <string.h>

#include "faults/simulated.h"
#include "packet/packet.h"
#include "portals/process.h"

#define MILLISECOND UINT64_C(1000000)
#define TIMEOUT 50u   /* milliseconds until a silent node counts as dead */
#define PATIENCE 500u /* milliseconds for what must come */
#define CALLS 30u     /* for memory while a put is under way; there are fewer */

static struct {
    struct fault fault;
    ptl_event_t ack;
    unsigned came, dropped; /* packets of the put at its target */
    bool is_open, is_over;
} scene;

/* ---- Services ----------------------------------------------------------------------------- */

static void pause_for(uint64_t milliseconds)
{
    struct weft_nic_world *world = weft_portals_process_self()->world;
    world->ops->sleep(world, world->ops->now(world) + milliseconds * MILLISECOND);
}

static ptl_handle_ni_t open_interface(ptl_handle_eq_t *eq)
{
    ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
    PtlInit();
    PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL, &ni);
    PtlEQAlloc(ni, 16, eq);
    return ni;
}

static void close_interface(ptl_handle_ni_t ni)
{
    PtlNIFini(ni);
    PtlFini();
}

/* Nodes whose packets are not lost, but might be. */
static int simulate(unsigned nodes, void (*program)(unsigned node, void *argument),
                    void (*trace)(void *argument, unsigned node,
                                  const struct weft_trace_line *record))
{
    const struct weft_sim_config config = {.nodes = nodes,
                                           .seed = 1,
                                           .latency = 1000,
                                           .packet_size = 1024,
                                           .timeout = TIMEOUT * MILLISECOND,
                                           .limit = 2000 * MILLISECOND,
                                           .trace = trace};
    int code = weft_portals_simulate(&config, program, NULL);
    fault_arm(NULL);
    return code;
}

/* ---- A packet that nobody can take -------------------------------------------------------- */

static void count_packets(void *argument, unsigned node, const struct weft_trace_line *record)
{
    (void)argument;
    bool is_put = record->what == WEFT_TRACE_RECEIVE && (record->a & 255) == WEFT_PACKET_PUT;
    bool is_dropped = record->what == WEFT_TRACE_DROP && record->a == WEFT_PACKET_FAULT_MEMORY;
    scene.came += node == 1 && is_put;
    scene.dropped += node == 1 && is_dropped;
}

/* The window of the sender is there before memory goes, that of the receiver is not. */
static void put_without_memory(ptl_handle_ni_t ni, ptl_handle_eq_t eq)
{
    static char bytes[8];
    const ptl_md_t wish = {.start = bytes,
                           .length = sizeof bytes,
                           .options = PTL_MD_EVENT_SEND_DISABLE,
                           .eq_handle = eq,
                           .ct_handle = PTL_CT_NONE};
    const ptl_process_t to = {.phys = {.nid = 2, .pid = WEFT_SIM_PID}};
    ptl_handle_md_t md;
    unsigned which;
    PtlMDBind(ni, &wish, &md);
    PtlPut(md, 0, sizeof bytes, PTL_ACK_REQ, to, 0, 0, 0, NULL, 0);
    fault_arm(&scene.fault);
    PtlEQPoll(&eq, 1, PATIENCE, &scene.ack, &which);
    fault_arm(NULL);
}

static void sender_or_receiver(unsigned node, void *argument)
{
    (void)argument;
    ptl_handle_eq_t eq = PTL_EQ_NONE;
    ptl_handle_ni_t ni = open_interface(&eq);
    scene.is_open |= node == 1;
    while (node == 0 ? !scene.is_open : !scene.is_over)
        pause_for(1);
    if (node == 0)
        put_without_memory(ni, eq);
    scene.is_over = true;
    close_interface(ni);
}

/* There is no entry for the put: that its sender is told so shows that it was taken. */
static bool comes_through(void)
{
    return scene.ack.type == PTL_EVENT_ACK && scene.ack.ni_fail_type == PTL_NI_DROPPED &&
           scene.came > scene.dropped;
}

/* Which of the calls for memory is that of the receiver's window is not ours to know; of others
 * the simulation itself may die. */
static void a_packet_without_memory_is_dropped_and_comes_again(void)
{
    unsigned runs_with_drop = 0;
    bool all_come_through = true;
    for (uint64_t nth = 1; nth <= CALLS; nth++) {
        memset(&scene, 0, sizeof scene);
        scene.fault = (struct fault){.kind = FAULT_MEMORY, .nth = nth};
        int code = simulate(2, sender_or_receiver, count_packets);
        all_come_through &= code == -ENOMEM || (code == 0 && comes_through());
        runs_with_drop += scene.dropped == 1 && code == 0;
    }
    check(all_come_through);
    check(runs_with_drop > 0);
    bool last_call_was_never_made = scene.fault.calls[FAULT_MEMORY] < CALLS;
    check(last_call_was_never_made);
}

/* ---- An entry that nobody appends --------------------------------------------------------- */

static ptl_handle_me_t append_later(ptl_handle_ni_t ni, ptl_handle_eq_t eq,
                                    ptl_handle_ct_t trigger, ptl_handle_ct_t counter)
{
    static char bytes[8];
    static ptl_iovec_t vector = {bytes, sizeof bytes};
    static ptl_me_t me;
    me = (ptl_me_t){.start = &vector,
                    .length = 1,
                    .ct_handle = counter,
                    .uid = PTL_UID_ANY,
                    .options = PTL_ME_OP_PUT | PTL_IOVEC | PTL_ME_EVENT_CT_COMM |
                               PTL_ME_EVENT_LINK_DISABLE,
                    .match_id = {.phys = {PTL_NID_ANY, PTL_PID_ANY}}};
    ptl_handle_me_t entry = PTL_INVALID_HANDLE;
    ptl_pt_index_t table;
    PtlPTAlloc(ni, 0, eq, PTL_PT_ANY, &table);
    check_int(PtlTriggeredMEAppend(ni, table, &me, PTL_PRIORITY_LIST, &scene, &entry, trigger, 1),
              PTL_OK);
    return entry;
}

static void append_without_memory(unsigned node, void *argument)
{
    (void)node;
    (void)argument;
    ptl_handle_eq_t eq = PTL_EQ_NONE;
    ptl_handle_ni_t ni = open_interface(&eq);
    ptl_handle_ct_t trigger = PTL_CT_NONE, counter = PTL_CT_NONE;
    ptl_event_t event = {.type = PTL_EVENT_PUT};
    ptl_ct_event_t count = {0};
    unsigned which;
    PtlCTAlloc(ni, &trigger);
    PtlCTAlloc(ni, &counter);
    ptl_handle_me_t entry = append_later(ni, eq, trigger, counter);
    fault_arm(&scene.fault);
    check_int(PtlCTInc(trigger, (ptl_ct_event_t){.success = 1}), PTL_OK);
    fault_arm(NULL);
    check_int(PtlEQPoll(&eq, 1, PATIENCE, &event, &which), PTL_OK);
    check_int(event.type, PTL_EVENT_LINK);
    check_int(event.ni_fail_type, PTL_NI_UNDELIVERABLE);
    check(event.user_ptr == &scene);
    PtlCTGet(counter, &count);
    check_uint(count.failure, 1);
    check_int(PtlMEUnlink(entry), PTL_ARG_INVALID);
    close_interface(ni);
}

static void an_append_without_memory_fails_with_an_event(void)
{
    memset(&scene, 0, sizeof scene);
    scene.fault = (struct fault){.kind = FAULT_MEMORY, .nth = 1, .for_ever = true};
    check_int(simulate(1, append_without_memory, NULL), 0);
}

int main(void)
{
    a_packet_without_memory_is_dropped_and_comes_again();
    an_append_without_memory_fails_with_an_event();
    return tap_done();
}
