/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/sandbox_call.h"

#include <portals4_device.h>
#include <string.h>

/* What calls cost this processor is bounded, too, if not in cycles: no core moves more than this
 * in a cycle, and no handler starts more operations. */
#define MOST_BYTES 64
#define MOST_OPERATIONS 1024

struct weft_portals_sandbox_frame {
    struct weft_portals_session *session;
    unsigned slot; /* of the next argument: 8 registers, then places on the stack */
    bool is_stopped;
    enum weft_riscv_stop why;
};

static void stop(struct weft_portals_sandbox_frame *call, enum weft_riscv_stop why)
{
    if (!call->is_stopped)
        call->why = why;
    call->is_stopped = true;
}

/* ---- Arguments, by the calling convention ------------------------------------------------- */

#define REGISTERS 8

static bool is_64(const struct weft_portals_sandbox_frame *call)
{
    return call->session->cpu.text->xlen == 64;
}

/* What fits into a register. */
static uint64_t take(struct weft_portals_sandbox_frame *call)
{
    struct weft_riscv_core *cpu = &call->session->cpu;
    unsigned slot = call->slot++;
    if (slot < REGISTERS)
        return cpu->x[WEFT_RISCV_A0 + slot];
    size_t width = cpu->text->xlen / 8;
    uint64_t value = 0;
    const void *place =
        weft_riscv_core_read(cpu, cpu->x[WEFT_RISCV_SP] + (slot - REGISTERS) * width, width);
    if (place)
        memcpy(&value, place, width);
    else
        stop(call, WEFT_RISCV_NO_LOAD);
    return value;
}

static unsigned take_word(struct weft_portals_sandbox_frame *call)
{
    return (unsigned)take(call);
}

static uint64_t take_pair(struct weft_portals_sandbox_frame *call)
{
    uint64_t low = take(call);
    return is_64(call) ? low : low | take(call) << 32;
}

/* On the stack of RV32, numbers of 64 bits are aligned. */
static uint64_t take_number(struct weft_portals_sandbox_frame *call)
{
    if (!is_64(call) && call->slot > REGISTERS && call->slot % 2)
        call->slot++;
    return take_pair(call);
}

static ptl_process_t take_process(struct weft_portals_sandbox_frame *call)
{
    ptl_process_t process;
    uint64_t bits = take_pair(call);
    memcpy(&process, &bits, sizeof process);
    return process;
}

/* ---- Memory that the handler names -------------------------------------------------------- */

static bool may_move(struct weft_portals_sandbox_frame *call, uint64_t size)
{
    struct weft_portals_session *session = call->session;
    uint64_t most = session->budget / session->cpu.text->profile.ticks * MOST_BYTES;
    if (size > most || session->moved > most - size) {
        stop(call, WEFT_RISCV_PAUSED);
        return false;
    }
    session->moved += size;
    return true;
}

static const void *take_source(struct weft_portals_sandbox_frame *call, uint64_t address,
                               uint64_t size)
{
    const void *bytes = weft_riscv_core_read(&call->session->cpu, address, size);
    static const unsigned char nothing;
    if (size == 0)
        return &nothing;
    if (!bytes)
        stop(call, WEFT_RISCV_NO_LOAD);
    return bytes;
}

static void *take_target(struct weft_portals_sandbox_frame *call, uint64_t address, uint64_t size)
{
    void *bytes = weft_riscv_core_write(&call->session->cpu, address, size);
    static unsigned char nothing;
    if (size == 0)
        return &nothing;
    if (!bytes)
        stop(call, WEFT_RISCV_NO_STORE);
    return bytes;
}

static uint64_t read_number(struct weft_portals_sandbox_frame *call, uint64_t address)
{
    uint64_t value = 0;
    const void *from = take_source(call, address, sizeof value);
    if (from)
        memcpy(&value, from, sizeof value);
    return value;
}

static void write_back(struct weft_portals_sandbox_frame *call, uint64_t address,
                       const void *value, size_t size)
{
    void *to = take_target(call, address, size);
    if (to)
        memcpy(to, value, size);
}

/* Atomic operations need a place that is aligned. */
static uint64_t *take_value(struct weft_portals_sandbox_frame *call, uint64_t address)
{
    uint64_t *value = take_target(call, address, sizeof *value);
    if (value && address % sizeof *value) {
        call->session->cpu.fault = address;
        stop(call, WEFT_RISCV_NO_STORE);
        return NULL;
    }
    return value;
}

/* ---- Who runs ----------------------------------------------------------------------------- */

static int call_PtlHandlerNumHPUs(struct weft_portals_sandbox_frame *call)
{
    (void)call;
    return (int)PtlHandlerNumHPUs();
}

static int call_PtlHandlerMyHPU(struct weft_portals_sandbox_frame *call)
{
    (void)call;
    return (int)PtlHandlerMyHPU();
}

static int call_PtlHandlerMyVHPU(struct weft_portals_sandbox_frame *call)
{
    (void)call;
    return (int)PtlHandlerMyVHPU();
}

static int call_PtlHandlerHeader(struct weft_portals_sandbox_frame *call)
{
    uint64_t address = take(call);
    ptl_header_t header;
    int result = PtlHandlerHeader(&header);
    if (result == PTL_OK)
        write_back(call, address, &header, sizeof header);
    return result;
}

/* ---- DMA ---------------------------------------------------------------------------------- */

static int dma_to_host(struct weft_portals_sandbox_frame *call, bool blocks)
{
    uint64_t local = take(call);
    uint64_t offset = take_number(call);
    uint64_t length = take_number(call);
    unsigned options = take_word(call);
    uint64_t place = blocks ? 0 : take(call);
    ptl_dma_t handle = 0;
    const void *from = take_source(call, local, length);
    if (call->is_stopped || !may_move(call, length))
        return PTL_FAIL;
    if (blocks)
        return PtlHandlerDMAToHostB(from, offset, length, options);
    int result = PtlHandlerDMAToHostNB(from, offset, length, options, &handle);
    if (result == PTL_OK)
        write_back(call, place, &handle, sizeof handle);
    return result;
}

static int call_PtlHandlerDMAToHostB(struct weft_portals_sandbox_frame *call)
{
    return dma_to_host(call, true);
}

static int call_PtlHandlerDMAToHostNB(struct weft_portals_sandbox_frame *call)
{
    return dma_to_host(call, false);
}

static int dma_from_host(struct weft_portals_sandbox_frame *call, bool blocks)
{
    uint64_t offset = take_number(call);
    uint64_t local = take(call);
    uint64_t length = take_number(call);
    unsigned options = take_word(call);
    uint64_t place = blocks ? 0 : take(call);
    ptl_dma_t handle = 0;
    void *to = take_target(call, local, length);
    if (call->is_stopped || !may_move(call, length))
        return PTL_FAIL;
    if (blocks)
        return PtlHandlerDMAFromHostB(offset, to, length, options);
    int result = PtlHandlerDMAFromHostNB(offset, to, length, options, &handle);
    if (result == PTL_OK)
        write_back(call, place, &handle, sizeof handle);
    return result;
}

static int call_PtlHandlerDMAFromHostB(struct weft_portals_sandbox_frame *call)
{
    return dma_from_host(call, true);
}

static int call_PtlHandlerDMAFromHostNB(struct weft_portals_sandbox_frame *call)
{
    return dma_from_host(call, false);
}

static int dma_swap(struct weft_portals_sandbox_frame *call, bool blocks)
{
    uint64_t offset = take_number(call);
    uint64_t place = take(call);
    uint64_t swap = take_number(call);
    unsigned options = take_word(call);
    uint64_t handle_place = blocks ? 0 : take(call);
    ptl_dma_t handle = 0;
    uint64_t compare = read_number(call, place);
    if (call->is_stopped)
        return PTL_FAIL;
    int result = blocks ? PtlHandlerDMACASB(offset, &compare, swap, options)
                        : PtlHandlerDMACASNB(offset, &compare, swap, options, &handle);
    if (result == PTL_OK)
        write_back(call, place, &compare, sizeof compare);
    if (result == PTL_OK && !blocks)
        write_back(call, handle_place, &handle, sizeof handle);
    return result;
}

static int call_PtlHandlerDMACASB(struct weft_portals_sandbox_frame *call)
{
    return dma_swap(call, true);
}

static int call_PtlHandlerDMACASNB(struct weft_portals_sandbox_frame *call)
{
    return dma_swap(call, false);
}

static int dma_add(struct weft_portals_sandbox_frame *call, bool blocks)
{
    uint64_t offset = take_number(call);
    uint64_t increment = take_number(call);
    uint64_t place = take(call);
    ptl_datatype_t datatype = (ptl_datatype_t)take_word(call);
    unsigned options = take_word(call);
    uint64_t handle_place = blocks ? 0 : take(call);
    ptl_dma_t handle = 0;
    uint64_t before = 0;
    if (call->is_stopped)
        return PTL_FAIL;
    int result =
        blocks ? PtlHandlerDMAFetchAddB(offset, increment, &before, datatype, options)
               : PtlHandlerDMAFetchAddNB(offset, increment, &before, datatype, options, &handle);
    if (result == PTL_OK)
        write_back(call, place, &before, sizeof before);
    if (result == PTL_OK && !blocks)
        write_back(call, handle_place, &handle, sizeof handle);
    return result;
}

static int call_PtlHandlerDMAFetchAddB(struct weft_portals_sandbox_frame *call)
{
    return dma_add(call, true);
}

static int call_PtlHandlerDMAFetchAddNB(struct weft_portals_sandbox_frame *call)
{
    return dma_add(call, false);
}

static int call_PtlHandlerDMATest(struct weft_portals_sandbox_frame *call)
{
    return PtlHandlerDMATest(take_number(call));
}

static int call_PtlHandlerDMAWait(struct weft_portals_sandbox_frame *call)
{
    return PtlHandlerDMAWait(take_number(call));
}

/* ---- HPU memory --------------------------------------------------------------------------- */

static int call_PtlHandlerCAS(struct weft_portals_sandbox_frame *call)
{
    uint64_t *value = take_value(call, take(call));
    uint64_t compare = take_number(call);
    uint64_t swap = take_number(call);
    return value ? PtlHandlerCAS(value, compare, swap) : 0;
}

static int call_PtlHandlerFAdd(struct weft_portals_sandbox_frame *call)
{
    uint64_t *value = take_value(call, take(call));
    uint64_t place = take(call);
    uint64_t increment = take_number(call);
    uint64_t before = 0;
    if (call->is_stopped)
        return PTL_FAIL;
    int result = PtlHandlerFAdd(value, &before, increment);
    write_back(call, place, &before, sizeof before);
    return result;
}

static int call_PtlHandlerYield(struct weft_portals_sandbox_frame *call)
{
    (void)call;
    return PtlHandlerYield();
}

/* ---- Operations --------------------------------------------------------------------------- */

/* The arguments that all of them have after their own side. What a handler says for a user_ptr is
 * not told to the program, which may take it for a pointer: it gets that of the entry. */
struct weft_portals_sandbox_target {
    ptl_req_ct_t ct;
    ptl_ack_req_t ack;
    ptl_process_t target;
    ptl_match_bits_t match_bits;
    ptl_size_t remote_offset;
    ptl_hdr_data_t hdr_data;
};

static struct weft_portals_sandbox_target take_side(struct weft_portals_sandbox_frame *call,
                                                    bool is_get)
{
    struct weft_portals_sandbox_target side = {.ct = (ptl_req_ct_t)take_word(call)};
    if (!is_get)
        side.ack = (ptl_ack_req_t)take_word(call);
    side.target = take_process(call);
    side.match_bits = take_number(call);
    side.remote_offset = take_number(call);
    take(call);
    if (!is_get)
        side.hdr_data = take_number(call);
    return side;
}

static void *user_ptr(const struct weft_portals_sandbox_frame *call)
{
    return weft_nic_run_delivery(call->session->run)->entry->user_ptr;
}

static bool may_start(struct weft_portals_sandbox_frame *call, uint64_t length)
{
    if (!call->is_stopped && ++call->session->operations > MOST_OPERATIONS)
        stop(call, WEFT_RISCV_PAUSED);
    return !call->is_stopped && may_move(call, length);
}

static int call_PtlHandlerPutFromHost(struct weft_portals_sandbox_frame *call)
{
    uint64_t offset = take_number(call);
    uint64_t length = take_number(call);
    unsigned options = take_word(call);
    struct weft_portals_sandbox_target side = take_side(call, false);
    if (!may_start(call, 0))
        return PTL_FAIL;
    return PtlHandlerPutFromHost(offset, length, options, side.ct, side.ack, side.target,
                                 side.match_bits, side.remote_offset, user_ptr(call),
                                 side.hdr_data);
}

static int call_PtlHandlerPutFromDevice(struct weft_portals_sandbox_frame *call)
{
    uint64_t local = take(call);
    uint64_t length = take_number(call);
    struct weft_portals_sandbox_target side = take_side(call, false);
    const void *from = take_source(call, local, length);
    if (!may_start(call, length))
        return PTL_FAIL;
    return PtlHandlerPutFromDevice(from, length, side.ct, side.ack, side.target, side.match_bits,
                                   side.remote_offset, user_ptr(call), side.hdr_data);
}

static int call_PtlHandlerGetToHost(struct weft_portals_sandbox_frame *call)
{
    uint64_t offset = take_number(call);
    uint64_t length = take_number(call);
    unsigned options = take_word(call);
    struct weft_portals_sandbox_target side = take_side(call, true);
    if (!may_start(call, 0))
        return PTL_FAIL;
    return PtlHandlerGetToHost(offset, length, options, side.ct, side.target, side.match_bits,
                               side.remote_offset, user_ptr(call));
}

static int call_PtlHandlerGetToDevice(struct weft_portals_sandbox_frame *call)
{
    uint64_t local = take(call);
    uint64_t length = take_number(call);
    struct weft_portals_sandbox_target side = take_side(call, true);
    void *to = take_target(call, local, length);
    if (!may_start(call, length))
        return PTL_FAIL;
    return PtlHandlerGetToDevice(to, length, side.ct, side.target, side.match_bits,
                                 side.remote_offset, user_ptr(call));
}

static int call_PtlHandlerAtomicFromHost(struct weft_portals_sandbox_frame *call)
{
    uint64_t offset = take_number(call);
    uint64_t length = take_number(call);
    unsigned options = take_word(call);
    struct weft_portals_sandbox_target side = take_side(call, false);
    ptl_op_t operation = (ptl_op_t)take_word(call);
    ptl_datatype_t datatype = (ptl_datatype_t)take_word(call);
    if (!may_start(call, 0))
        return PTL_FAIL;
    return PtlHandlerAtomicFromHost(offset, length, options, side.ct, side.ack, side.target,
                                    side.match_bits, side.remote_offset, user_ptr(call),
                                    side.hdr_data, operation, datatype);
}

static int call_PtlHandlerAtomicFromDevice(struct weft_portals_sandbox_frame *call)
{
    uint64_t local = take(call);
    uint64_t length = take_number(call);
    struct weft_portals_sandbox_target side = take_side(call, false);
    ptl_op_t operation = (ptl_op_t)take_word(call);
    ptl_datatype_t datatype = (ptl_datatype_t)take_word(call);
    const void *from = take_source(call, local, length);
    if (!may_start(call, length))
        return PTL_FAIL;
    return PtlHandlerAtomicFromDevice(from, length, side.ct, side.ack, side.target,
                                      side.match_bits, side.remote_offset, user_ptr(call),
                                      side.hdr_data, operation, datatype);
}

/* ---- The counter of the entry ------------------------------------------------------------- */

/* Two numbers; on RV32 that is too much for registers, and they come by reference. */
static ptl_ct_event_t take_count(struct weft_portals_sandbox_frame *call)
{
    ptl_ct_event_t count = {0, 0};
    if (is_64(call)) {
        count.success = take(call);
        count.failure = take(call);
        return count;
    }
    const void *from = take_source(call, take(call), sizeof count);
    if (from)
        memcpy(&count, from, sizeof count);
    return count;
}

static int call_PtlHandlerCTInc(struct weft_portals_sandbox_frame *call)
{
    ptl_ct_event_t count = take_count(call);
    return call->is_stopped ? PTL_FAIL : PtlHandlerCTInc(count);
}

static int call_PtlHandlerCTGet(struct weft_portals_sandbox_frame *call)
{
    uint64_t place = take(call);
    ptl_ct_event_t count;
    int result = PtlHandlerCTGet(&count);
    if (result == PTL_OK)
        write_back(call, place, &count, sizeof count);
    return result;
}

static int call_PtlHandlerCTSet(struct weft_portals_sandbox_frame *call)
{
    ptl_ct_event_t count = take_count(call);
    return call->is_stopped ? PTL_FAIL : PtlHandlerCTSet(count);
}

/* ---- All ---------------------------------------------------------------------------------- */

static int (*const calls[])(struct weft_portals_sandbox_frame *call) = {
#define ENTRY(number, name) [number] = call_##name,
    PTL_DEVICE_CALL_MAP(ENTRY)
#undef ENTRY
};

bool weft_portals_sandbox_call(struct weft_portals_session *session, enum weft_riscv_stop *why)
{
    struct weft_riscv_core *cpu = &session->cpu;
    uint64_t number = cpu->x[WEFT_RISCV_T0];
    struct weft_portals_sandbox_frame call = {.session = session};
    if (number >= sizeof calls / sizeof calls[0]) {
        *why = WEFT_RISCV_NO_INSTRUCTION;
        return false;
    }
    weft_portals_session_charge(session);
    weft_portals_session_open_stack(session, cpu->x[WEFT_RISCV_SP]); /* what it names is there */
    int result = calls[number](&call);
    *why = call.why;
    cpu->x[WEFT_RISCV_A0] = is_64(&call) ? (uint64_t)(int64_t)result : (uint32_t)result;
    return !call.is_stopped;
}
