/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entries with handlers. What a handler does and returns follows from what the message says of
 * itself, so it is the input that chooses; right or wrong, its calls must reach nothing but the
 * memory that they are for.
 */
#include <portals4_spin.h>
#include <string.h>

#include "fuzz/scene.h"

#define DEVICE_MEMORY 64u
#define HOST_MEMORY 128u
#define USER_HEADER 8u
#define LOCAL 96u

/* ---- What handlers do ---------------------------------------------------------------------- */

static unsigned char local[LOCAL];

static void move(unsigned what, unsigned options)
{
    ptl_size_t offset = what * 3 % 400, length = what % LOCAL;
    uint64_t value = what;
    ptl_dma_t handle;
    switch (what / 16 % 4) {
    case 0:
        if (PtlHandlerDMAToHostNB(local, offset, length, options, &handle) == PTL_OK &&
            !PtlHandlerDMATest(handle))
            PtlHandlerDMAWait(handle);
        break;
    case 1:
        PtlHandlerDMAFromHostB(offset, local, length, options);
        break;
    case 2:
        PtlHandlerDMACASB(offset, &value, what, options);
        break;
    default:
        PtlHandlerDMAFetchAddB(offset, what, &value, (ptl_datatype_t)(what % PTL_DATATYPE_LAST),
                               options);
    }
}

static void send(const ptl_header_t *header, unsigned what, unsigned options, void *state)
{
    ptl_size_t offset = what * 3 % 400, length = what % LOCAL;
    ptl_req_ct_t ct = (ptl_req_ct_t)(what % 3);
    ptl_ack_req_t ack = (ptl_ack_req_t)(what >> 2 & 3);
    ptl_process_t to = header->source_id;
    options &= PTL_HANDLER_HOST_MEM;
    switch (what / 16 % 5) {
    case 0:
        PtlHandlerPutFromHost(offset, length, options, ct, ack, to, what, 0, NULL, 0);
        break;
    case 1:
        PtlHandlerPutFromDevice(local, length, ct, ack, to, what, 0, NULL, 0);
        break;
    case 2:
        PtlHandlerGetToHost(offset, length, options, ct, to, what, 0, NULL);
        break;
    case 3:
        PtlHandlerGetToDevice(state, length, ct, to, what, 0, NULL);
        break;
    default:
        PtlHandlerAtomicFromHost(offset, length, options, ct, ack, to, what, 0, NULL, 0, PTL_SUM,
                                 PTL_UINT32_T);
    }
}

static void count(unsigned what)
{
    ptl_ct_event_t event = {what, 0};
    PtlHandlerCTGet(&event);
    if (what & 16)
        PtlHandlerCTInc((ptl_ct_event_t){1, 0});
    else
        PtlHandlerCTSet(event);
    PtlHandlerYield();
}

static ptl_handler_result_t act(const ptl_header_t *header, unsigned what, void *state)
{
    unsigned options = what >> 6 & (PTL_HANDLER_HOST_MEM | PTL_DMA_NO_EVENT);
    if (state)
        memset(state, (int)what, DEVICE_MEMORY);
    if (what % 3 == 0)
        move(what, options);
    else if (what % 3 == 1)
        send(header, what, options, state);
    else
        count(what);
    return (ptl_handler_result_t)(what % (PTL_HANDLER_SEGV + 1));
}

static unsigned choice_of(const ptl_header_t *header)
{
    return (unsigned)(header->offset ^ header->match_bits >> 2 ^ header->hdr_data) & 0x3ff;
}

static unsigned sum_of(const void *bytes, ptl_size_t size)
{
    unsigned sum = 0;
    for (ptl_size_t i = 0; i < size; i++)
        sum += ((const unsigned char *)bytes)[i];
    return sum;
}

static ptl_header_t this_header(void)
{
    ptl_header_t header;
    stub_require(PtlHandlerHeader(&header) == PTL_OK);
    stub_require(header.user_hdr_length <= USER_HEADER && header.user_hdr_length <= header.length);
    return header;
}

static ptl_handler_result_t on_header(const ptl_header_t *header, void *state)
{
    this_header();
    sum_of(header->user_hdr, header->user_hdr_length);
    return act(header, choice_of(header), state);
}

/* Offsets and lengths can be relied on. */
static ptl_handler_result_t on_payload(const ptl_payload_t *payload, void *state)
{
    ptl_header_t header = this_header();
    ptl_size_t length = header.length - header.user_hdr_length;
    stub_require(payload->offset <= length && payload->length <= length - payload->offset);
    return act(&header, choice_of(&header) ^ sum_of(payload->base, payload->length) >> 2, state);
}

static ptl_handler_result_t on_completion(ptl_size_t dropped_bytes, int flow_control_triggered,
                                          void *state)
{
    ptl_header_t header = this_header();
    stub_require(dropped_bytes <= header.length);
    return act(&header, choice_of(&header) + (flow_control_triggered ? 1 : 2), state);
}

/* ---- Their entries ------------------------------------------------------------------------- */

struct plan {
    unsigned pt;
    ptl_list_t list;
    unsigned options;
    ptl_size_t length;
    ptl_match_bits_t bits, ignore;
    ptl_handlers_t handlers;
};

#define PUT_AND_GET (PTL_ME_OP_PUT | PTL_ME_OP_GET)
#define ALL_THREE                                                                                 \
    .header_handler = on_header, .payload_handler = on_payload, .completion_handler = on_completion

static const struct plan plans[SCENE_HANDLED] = {
    {5,
     PTL_PRIORITY_LIST,
     PUT_AND_GET | PTL_ME_EVENT_CT_COMM,
     256,
     0,
     ~3ull,
     {ALL_THREE, .user_hdr_size = USER_HEADER}},
    {5,
     PTL_PRIORITY_LIST,
     PUT_AND_GET | PTL_ME_USE_ONCE,
     100,
     1,
     ~3ull,
     {.payload_handler = on_payload, .policy = PTL_SCHED_BLOCKED_RR, .delta_p = 1, .vhpus = 3}},
    {5,
     PTL_PRIORITY_LIST,
     PTL_ME_OP_PUT | PTL_ME_MANAGE_LOCAL,
     300,
     2,
     ~3ull,
     {.header_handler = on_header, .completion_handler = on_completion}},
    {5, PTL_OVERFLOW_LIST, PUT_AND_GET, 200, 3, ~3ull, {ALL_THREE}},
    {6, PTL_PRIORITY_LIST, PUT_AND_GET, 500, 0, ~0ull, {ALL_THREE}},
};

void scene_handle(unsigned ni, unsigned number)
{
    struct scene_interface *interface = &scene.interfaces[ni];
    const struct plan *plan = &plans[number];
    ptl_me_t me = {.start = interface->handled_memory[number],
                   .length = plan->length,
                   .ct_handle = interface->ct,
                   .uid = PTL_UID_ANY,
                   .options = plan->options,
                   .match_id = {.phys = {PTL_NID_ANY, PTL_PID_ANY}},
                   .match_bits = plan->bits,
                   .ignore_bits = plan->ignore};
    ptl_handlers_t handlers = plan->handlers;
    if (!(ni & 2))
        me.match_id.rank = PTL_RANK_ANY;
    handlers.hpu_memory = interface->hpu_memory;
    handlers.handler_host_mem_start = interface->host_memory;
    handlers.handler_host_mem_length = HOST_MEMORY;
    int result = PtlMEAppendHandlers(interface->ni, plan->pt, &me, &handlers, plan->list, NULL,
                                     &interface->handled[number]);
    stub_require(result == PTL_OK);
}

void scene_fill_handlers(unsigned ni)
{
    struct scene_interface *interface = &scene.interfaces[ni];
    stub_require(PtlHPUAllocMem(DEVICE_MEMORY, interface->ni, &interface->hpu_memory) == PTL_OK);
    interface->host_memory = scene_memory(interface, HOST_MEMORY);
    for (unsigned i = 0; i < SCENE_HANDLED; i++) {
        interface->handled_memory[i] = scene_memory(interface, plans[i].length);
        scene_handle(ni, i);
    }
}
