/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of running handlers. Memory they reach from any thread; for what belongs to the NIC a
 * handler on a thread of its own becomes the owner, as any caller does.
 */
#include "nic/action.h"

#include <sched.h>

#include "nic/event.h"
#include "nic/hpu.h"
#include "nic/trigger.h"
#include "nic/tx.h"
#include "portals/command.h"
#include "portals/hpu_threads.h"

/* ---- Who runs ----------------------------------------------------------------------------- */

unsigned int PtlHandlerNumHPUs(void)
{
    const struct weft_nic_run *run = weft_nic_run_self();
    return run ? weft_nic_hpu_count(run->nic) : 0;
}

unsigned int PtlHandlerMyHPU(void)
{
    const struct weft_nic_run *run = weft_nic_run_self();
    return run ? run->hpu : 0;
}

unsigned int PtlHandlerMyVHPU(void)
{
    const struct weft_nic_run *run = weft_nic_run_self();
    if (!run)
        return 0;
    return run->vhpu == UINT32_MAX ? run->hpu : run->vhpu;
}

/* A handler of a message that arrives: only these have an entry to work for. */
static struct weft_nic_run *inbound_run(void)
{
    struct weft_nic_run *run = weft_nic_run_self();
    return run && run->activation ? run : NULL;
}

int PtlHandlerHeader(ptl_header_t *header)
{
    const struct weft_nic_run *run = inbound_run();
    if (!run)
        return PTL_FAIL;
    if (!header)
        return PTL_ARG_INVALID;
    *header = weft_nic_hpu_header(run->activation);
    return PTL_OK;
}

/* ---- Owning the NIC ----------------------------------------------------------------------- */

static void own(const struct weft_nic_run *run)
{
    if (!run->owns_nic)
        weft_portals_hpu_lock(weft_portals_process_self());
}

/* What counters have triggered starts now; an owner that called the handler does that later. */
static int disown(const struct weft_nic_run *run, int result)
{
    if (run->owns_nic)
        return result;
    struct weft_portals_process *process = weft_portals_process_self();
    weft_nic_trigger_run(run->nic);
    weft_portals_process_notify(process);
    pthread_mutex_unlock(&process->lock);
    return result;
}

/* ---- DMA ---------------------------------------------------------------------------------- */

static void *start_of(const struct weft_nic_run *run, ptl_size_t offset, unsigned options)
{
    return weft_nic_region_at(&weft_nic_run_memory(run, options)->region, offset);
}

static void report_write(const struct weft_nic_run *run, ptl_size_t offset, ptl_size_t length,
                         unsigned options)
{
    const struct weft_nic_delivery *delivery = weft_nic_run_delivery(run);
    own(run);
    weft_nic_event_dma(delivery, delivery->entry, start_of(run, offset, options), length);
    disown(run, PTL_OK);
}

#define DMA_OPTIONS (PTL_HANDLER_HOST_MEM | PTL_DMA_NO_EVENT)

/* PTL_OK if a handler may begin it. */
static int check_dma(const struct weft_nic_run *run, bool has_memory, unsigned options,
                     const ptl_dma_t *handle)
{
    if (!run)
        return PTL_FAIL;
    return handle && has_memory && !(options & ~DMA_OPTIONS) ? PTL_OK : PTL_ARG_INVALID;
}

int PtlHandlerDMAToHostNB(const void *local, ptl_size_t offset, ptl_size_t length,
                          unsigned int options, ptl_dma_t *handle)
{
    struct weft_nic_run *run = inbound_run();
    int result = check_dma(run, local || !length, options, handle);
    if (result == PTL_OK)
        result = weft_nic_action_write(run, local, offset, length, options, handle);
    if (result == PTL_OK && !(options & PTL_DMA_NO_EVENT))
        report_write(run, offset, length, options);
    return result;
}

int PtlHandlerDMAFromHostNB(ptl_size_t offset, void *local, ptl_size_t length,
                            unsigned int options, ptl_dma_t *handle)
{
    struct weft_nic_run *run = weft_nic_run_self();
    int result = check_dma(run, local || !length, options, handle);
    return result == PTL_OK ? weft_nic_action_read(run, offset, local, length, options, handle)
                            : result;
}

int PtlHandlerDMACASNB(ptl_size_t offset, uint64_t *compare, uint64_t swap, unsigned int options,
                       ptl_dma_t *handle)
{
    struct weft_nic_run *run = weft_nic_run_self();
    int result = check_dma(run, compare, options, handle);
    return result == PTL_OK
               ? weft_nic_action_compare_and_swap(run, offset, compare, swap, options, handle)
               : result;
}

int PtlHandlerDMAFetchAddNB(ptl_size_t offset, uint64_t increment, uint64_t *before,
                            ptl_datatype_t datatype, unsigned int options, ptl_dma_t *handle)
{
    struct weft_nic_run *run = weft_nic_run_self();
    int result = check_dma(run, before, options, handle);
    return result == PTL_OK ? weft_nic_action_fetch_add(run, offset, increment, before, datatype,
                                                        options, handle)
                            : result;
}

static int wait_for(int result, const ptl_dma_t *handle)
{
    return result == PTL_OK ? PtlHandlerDMAWait(*handle) : result;
}

int PtlHandlerDMAToHostB(const void *local, ptl_size_t offset, ptl_size_t length,
                         unsigned int options)
{
    ptl_dma_t handle;
    return wait_for(
        PtlHandlerDMAToHostNB(local, offset, length, options | PTL_DMA_NO_EVENT, &handle),
        &handle);
}

int PtlHandlerDMAFromHostB(ptl_size_t offset, void *local, ptl_size_t length, unsigned int options)
{
    ptl_dma_t handle;
    return wait_for(PtlHandlerDMAFromHostNB(offset, local, length, options, &handle), &handle);
}

int PtlHandlerDMACASB(ptl_size_t offset, uint64_t *compare, uint64_t swap, unsigned int options)
{
    ptl_dma_t handle;
    return wait_for(PtlHandlerDMACASNB(offset, compare, swap, options, &handle), &handle);
}

int PtlHandlerDMAFetchAddB(ptl_size_t offset, uint64_t increment, uint64_t *before,
                           ptl_datatype_t datatype, unsigned int options)
{
    ptl_dma_t handle;
    return wait_for(PtlHandlerDMAFetchAddNB(offset, increment, before, datatype, options, &handle),
                    &handle);
}

int PtlHandlerDMATest(ptl_dma_t handle)
{
    struct weft_nic_run *run = weft_nic_run_self();
    return run && weft_nic_action_test(run, handle);
}

int PtlHandlerDMAWait(ptl_dma_t handle)
{
    struct weft_nic_run *run = weft_nic_run_self();
    if (!run)
        return PTL_FAIL;
    weft_nic_action_wait(run, handle);
    return PTL_OK;
}

/* ---- HPU memory --------------------------------------------------------------------------- */

int PtlHandlerCAS(uint64_t *value, uint64_t compare, uint64_t swap)
{
    return __atomic_compare_exchange_n(value, &compare, swap, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

int PtlHandlerFAdd(uint64_t *value, uint64_t *before, uint64_t increment)
{
    *before = __atomic_fetch_add(value, increment, __ATOMIC_SEQ_CST);
    return PTL_OK;
}

int PtlHandlerYield(void)
{
    const struct weft_nic_run *run = weft_nic_run_self();
    if (!run)
        return PTL_FAIL;
    if (!run->owns_nic)
        sched_yield();
    return PTL_OK;
}

/* ---- Operations --------------------------------------------------------------------------- */

static unsigned counted(const struct weft_portals_request *request, ptl_req_ct_t ct)
{
    if (ct == PTL_NO_CT_REQ)
        return 0;
    unsigned bytes = ct == PTL_CT_BYTES_REQ ? PTL_MD_EVENT_CT_BYTES : 0;
    if (request->kind == WEFT_PACKET_GET)
        return bytes | PTL_MD_EVENT_CT_REPLY;
    return bytes | (request->ack == PTL_NO_ACK_REQ ? PTL_MD_EVENT_CT_SEND : PTL_MD_EVENT_CT_ACK);
}

/* The side of the operation that is here. */
struct local_side {
    struct weft_nic_md *md;
    ptl_size_t offset;
    const unsigned char *device; /* data of the handler; or NULL */
};

static int start(struct weft_nic_run *run, struct weft_portals_request *request,
                 struct local_side side, ptl_req_ct_t ct)
{
    struct weft_nic_delivery *delivery = weft_nic_run_delivery(run);
    struct weft_nic_command command;
    request->to.pt_index = delivery->request.pt_index;
    if ((unsigned)ct > PTL_CT_BYTES_REQ ||
        !weft_portals_command_fill(delivery->ni, request, &command))
        return PTL_ARG_INVALID;
    if (request->kind == WEFT_PACKET_GET) {
        command.get_md = side.md;
        command.get_offset = side.offset;
    } else {
        command.md = side.md;
        command.local_offset = side.offset;
        command.device = side.device;
        command.source = side.device ? WEFT_NIC_SOURCE_DEVICE : WEFT_NIC_SOURCE_MD;
    }
    command.options = PTL_MD_EVENT_SEND_DISABLE | counted(request, ct);
    own(run);
    return disown(run, weft_nic_tx_start(delivery->ni, &command));
}

static int start_from_host(struct weft_portals_request *request, ptl_size_t offset,
                           unsigned options, ptl_req_ct_t ct)
{
    struct weft_nic_run *run = inbound_run();
    if (!run)
        return PTL_FAIL;
    if (options & ~DMA_OPTIONS)
        return PTL_ARG_INVALID;
    struct weft_nic_md *md = weft_nic_run_memory(run, options);
    if (!weft_nic_region_has(&md->region, offset, request->length))
        return weft_nic_action_fault(run);
    return start(run, request, (struct local_side){md, offset, NULL}, ct);
}

static int start_from_device(struct weft_portals_request *request, const void *local,
                             ptl_req_ct_t ct)
{
    struct weft_nic_run *run = inbound_run();
    if (!run)
        return PTL_FAIL;
    const struct weft_nic_delivery *delivery = weft_nic_run_delivery(run);
    if ((!local && request->length) ||
        request->length > delivery->ni->handler_limits.max_payload_size)
        return PTL_ARG_INVALID;
    struct weft_nic_md *md = &delivery->execution->mds[WEFT_NIC_MEMORY_DEVICE];
    static const unsigned char nothing;
    return start(run, request, (struct local_side){md, 0, local ? local : &nothing}, ct);
}

/* Requests of arguments that have the same names in all calls. */
#define REQUEST(what, data, ...)                                                                  \
    &(struct weft_portals_request)                                                                \
    {                                                                                             \
        .kind = (what), .length = length,                                                         \
        .to = {.target = target_id,                                                               \
               .match_bits = match_bits,                                                          \
               .remote_offset = remote_offset,                                                    \
               .user_ptr = user_ptr,                                                              \
               .hdr_data = (data)},                                                               \
        __VA_ARGS__                                                                               \
    }
#define PUT REQUEST(WEFT_PACKET_PUT, hdr_data, .ack = ack_req)
#define GET REQUEST(WEFT_PACKET_GET, 0, .ack = PTL_NO_ACK_REQ)
#define ATOMIC                                                                                    \
    REQUEST(WEFT_PACKET_ATOMIC, hdr_data, .ack = ack_req,                                         \
            .arithmetic = {.operation = operation, .datatype = datatype})

int PtlHandlerPutFromHost(ptl_size_t offset, ptl_size_t length, unsigned int options,
                          ptl_req_ct_t ct, ptl_ack_req_t ack_req, ptl_process_t target_id,
                          ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
                          ptl_hdr_data_t hdr_data)
{
    return start_from_host(PUT, offset, options, ct);
}

int PtlHandlerPutFromDevice(const void *local, ptl_size_t length, ptl_req_ct_t ct,
                            ptl_ack_req_t ack_req, ptl_process_t target_id,
                            ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
                            ptl_hdr_data_t hdr_data)
{
    return start_from_device(PUT, local, ct);
}

int PtlHandlerGetToHost(ptl_size_t offset, ptl_size_t length, unsigned int options,
                        ptl_req_ct_t ct, ptl_process_t target_id, ptl_match_bits_t match_bits,
                        ptl_size_t remote_offset, void *user_ptr)
{
    return start_from_host(GET, offset, options, ct);
}

int PtlHandlerGetToDevice(void *local, ptl_size_t length, ptl_req_ct_t ct, ptl_process_t target_id,
                          ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr)
{
    struct weft_nic_run *run = inbound_run();
    if (!run)
        return PTL_FAIL;
    struct weft_nic_md *md = &weft_nic_run_delivery(run)->execution->mds[WEFT_NIC_MEMORY_DEVICE];
    ptl_size_t offset = (uintptr_t)local - (uintptr_t)md->region.start;
    if (!weft_nic_region_has(&md->region, offset, length))
        return weft_nic_action_fault(run);
    return start(run, GET, (struct local_side){md, offset, NULL}, ct);
}

int PtlHandlerAtomicFromHost(ptl_size_t offset, ptl_size_t length, unsigned int options,
                             ptl_req_ct_t ct, ptl_ack_req_t ack_req, ptl_process_t target_id,
                             ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
                             ptl_hdr_data_t hdr_data, ptl_op_t operation, ptl_datatype_t datatype)
{
    return start_from_host(ATOMIC, offset, options, ct);
}

int PtlHandlerAtomicFromDevice(const void *local, ptl_size_t length, ptl_req_ct_t ct,
                               ptl_ack_req_t ack_req, ptl_process_t target_id,
                               ptl_match_bits_t match_bits, ptl_size_t remote_offset,
                               void *user_ptr, ptl_hdr_data_t hdr_data, ptl_op_t operation,
                               ptl_datatype_t datatype)
{
    return start_from_device(ATOMIC, local, ct);
}

/* ---- The counter of the entry ------------------------------------------------------------- */

enum change { INCREMENT, SET, LOOK };

static int with_counter(enum change change, ptl_ct_event_t *value)
{
    struct weft_nic_run *run = inbound_run();
    if (!run)
        return PTL_FAIL;
    const struct weft_nic_delivery *delivery = weft_nic_run_delivery(run);
    own(run);
    struct weft_nic_ct *ct = weft_pool_find(&delivery->ni->cts, delivery->entry->ct);
    if (!ct)
        return disown(run, PTL_ARG_INVALID);
    bool is_done = true;
    if (change == INCREMENT) {
        is_done = weft_nic_trigger_add(ct, *value);
    } else if (change == SET) {
        ct->value = *value;
        weft_nic_trigger_reached(ct);
    } else {
        *value = ct->value;
    }
    return disown(run, is_done ? PTL_OK : PTL_ARG_INVALID);
}

int PtlHandlerCTInc(ptl_ct_event_t increment)
{
    return with_counter(INCREMENT, &increment);
}

int PtlHandlerCTGet(ptl_ct_event_t *event)
{
    return event ? with_counter(LOOK, event) : PTL_ARG_INVALID;
}

int PtlHandlerCTSet(ptl_ct_event_t event)
{
    return with_counter(SET, &event);
}
