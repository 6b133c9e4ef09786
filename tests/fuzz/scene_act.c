/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether these calls succeed depends on what came before: only that all goes on well matters. */
#include "fuzz/scene.h"

#define LATE 0u /* the number of the entry whose memory triggered appends use */

static struct scene_interface *interface_of(unsigned ni)
{
    return &scene.interfaces[ni];
}

/* ---- Operations ---------------------------------------------------------------------------- */

static ptl_handle_md_t some_md(unsigned ni, unsigned argument)
{
    return argument & 2 ? interface_of(ni)->vector_md : interface_of(ni)->md;
}

static ptl_size_t some_length(unsigned argument)
{
    return argument & 4 ? 700 : 16;
}

static void put(unsigned ni, unsigned argument)
{
    PtlPut(some_md(ni, argument), 1, some_length(argument), (ptl_ack_req_t)(argument >> 3 & 3),
           scene_process(ni, argument & 1), 0, 0, 0, NULL, 0);
}

static void get(unsigned ni, unsigned argument)
{
    PtlGet(some_md(ni, argument), 1, some_length(argument), scene_process(ni, argument & 1), 0, 0,
           0, NULL);
}

static void fetch(unsigned ni, unsigned argument)
{
    PtlFetchAtomic(some_md(ni, argument), 8, interface_of(ni)->md, 0, 16,
                   scene_process(ni, argument & 1), 0, 0, 0, NULL, 0, PTL_SUM, PTL_UINT64_T);
}

static void swap(unsigned ni, unsigned argument)
{
    uint64_t operand = argument;
    PtlSwap(some_md(ni, argument), 8, interface_of(ni)->md, 0, 8, scene_process(ni, argument & 1),
            0, 0, 0, NULL, 0, &operand, PTL_CSWAP, PTL_UINT64_T);
}

static void put_later(unsigned ni, unsigned argument)
{
    PtlTriggeredPut(some_md(ni, argument), 0, some_length(argument), PTL_ACK_REQ,
                    scene_process(ni, argument & 1), 0, 0, 0, NULL, 0, interface_of(ni)->ct,
                    argument >> 3);
}

/* ---- Lists --------------------------------------------------------------------------------- */

static void search(unsigned ni, unsigned argument, ptl_search_op_t op)
{
    struct scene_interface *interface = interface_of(ni);
    ptl_me_t me = {.ct_handle = interface->ct,
                   .uid = PTL_UID_ANY,
                   .options = PTL_ME_OP_PUT | PTL_ME_EVENT_CT_OVERFLOW |
                              (argument & 1 ? PTL_ME_USE_ONCE : 0),
                   .match_id = scene_process(ni, argument >> 1 & 1),
                   .match_bits = argument >> 2,
                   .ignore_bits = argument & 2 ? 7 : 0};
    ptl_le_t le = {.ct_handle = me.ct_handle, .uid = me.uid, .options = me.options};
    if (ni & 1)
        PtlLESearch(interface->ni, 2, &le, op, NULL);
    else
        PtlMESearch(interface->ni, 2, &me, op, NULL);
}

static void search_only(unsigned ni, unsigned argument)
{
    search(ni, argument, PTL_SEARCH_ONLY);
}

static void search_and_delete(unsigned ni, unsigned argument)
{
    search(ni, argument, PTL_SEARCH_DELETE);
}

static void append_again(unsigned ni, unsigned argument)
{
    unsigned number = argument % SCENE_ENTRIES;
    ptl_handle_any_t entry = interface_of(ni)->entries[number];
    if ((ni & 1 ? PtlLEUnlink(entry) : PtlMEUnlink(entry)) == PTL_OK)
        scene_append(ni, number);
}

static void handle_again(unsigned ni, unsigned argument)
{
    unsigned number = argument % SCENE_HANDLED;
    if (!(ni & 1) && PtlMEUnlink(interface_of(ni)->handled[number]) == PTL_OK)
        scene_handle(ni, number);
}

/* Takes what waits in the overflow list. */
static ptl_me_t expectation(unsigned ni, unsigned argument)
{
    return (ptl_me_t){.start = interface_of(ni)->memory[LATE],
                      .length = 100,
                      .ct_handle = interface_of(ni)->ct,
                      .uid = PTL_UID_ANY,
                      .options = PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_USE_ONCE |
                                 PTL_ME_EVENT_CT_OVERFLOW,
                      .match_id = scene_process(ni, argument & 1),
                      .match_bits = argument >> 1};
}

static void expect(unsigned ni, unsigned argument)
{
    ptl_handle_any_t handle;
    ptl_me_t me = expectation(ni, argument);
    PtlMEAppend(interface_of(ni)->ni, 2, &me, PTL_PRIORITY_LIST, NULL, &handle);
}

static void expect_later(unsigned ni, unsigned argument)
{
    struct scene_interface *interface = interface_of(ni);
    interface->late = expectation(ni, argument);
    ptl_handle_any_t handle;
    PtlTriggeredMEAppend(interface->ni, 2, &interface->late, PTL_PRIORITY_LIST, NULL, &handle,
                         interface->ct, argument >> 3);
}

static void unlink_later(unsigned ni, unsigned argument)
{
    PtlTriggeredMEUnlink(interface_of(ni)->entries[argument % SCENE_ENTRIES], interface_of(ni)->ct,
                         argument >> 5);
}

static void enable(unsigned ni, unsigned argument)
{
    PtlPTEnable(interface_of(ni)->ni, argument % SCENE_PTS);
}

/* ---- Queues and counters ------------------------------------------------------------------- */

static void drain(unsigned ni, unsigned argument)
{
    (void)ni;
    (void)argument;
    scene_drain();
}

static void count(unsigned ni, unsigned argument)
{
    PtlCTInc(interface_of(ni)->ct, (ptl_ct_event_t){argument, 0});
}

/* Those who still name the old ones must notice that they are gone. */
static void replace_counter(unsigned ni, unsigned argument)
{
    struct scene_interface *interface = interface_of(ni);
    if (argument & 1)
        PtlCTCancelTriggered(interface->ct);
    PtlCTFree(interface->ct);
    stub_require(PtlCTAlloc(interface->ni, &interface->ct) == PTL_OK);
}

static void replace_queue(unsigned ni, unsigned argument)
{
    struct scene_interface *interface = interface_of(ni);
    ptl_handle_eq_t *eq = argument & 1 ? &interface->eq : &interface->few;
    PtlEQFree(*eq);
    stub_require(PtlEQAlloc(interface->ni, argument >> 1, eq) == PTL_OK);
}

/* ---- The world ----------------------------------------------------------------------------- */

static void fail_peer(unsigned ni, unsigned argument)
{
    (void)ni;
    weft_nic_peer_failed(scene.process.nic, stub_peer(argument & 1));
}

static void fail_route(unsigned ni, unsigned argument)
{
    (void)ni;
    scene.stub.routes[argument & 1].route.failed = true;
}

static void let_time_pass(unsigned ni, unsigned argument)
{
    (void)ni;
    scene.stub.time += (uint64_t)argument * 1000000;
}

static void refuse_some(unsigned ni, unsigned argument)
{
    (void)ni;
    scene.stub.refusals = argument % 5;
}

void scene_act(unsigned what, unsigned ni, unsigned argument)
{
    static void (*const acts[])(unsigned ni, unsigned argument) = {drain,
                                                                   search_only,
                                                                   search_and_delete,
                                                                   append_again,
                                                                   expect,
                                                                   count,
                                                                   fail_peer,
                                                                   let_time_pass,
                                                                   refuse_some,
                                                                   put,
                                                                   get,
                                                                   fetch,
                                                                   swap,
                                                                   put_later,
                                                                   expect_later,
                                                                   unlink_later,
                                                                   enable,
                                                                   fail_route,
                                                                   replace_counter,
                                                                   replace_queue,
                                                                   handle_again};
    if (!interface_of(ni)->is_open)
        return;
    acts[what % (sizeof acts / sizeof *acts)](ni, argument);
    weft_portals_process_step(&scene.process);
}
