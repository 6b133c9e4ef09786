/* SPDX-License-Identifier: BSD-3-Clause */
/* The data movement calls, at once and triggered: each fills in one request. */
#include <stdatomic.h>

#include "portals/command.h"

/* Requests of arguments that have the same names in all calls, at once and triggered. */
#define REQUEST(what, data, ...)                                                                  \
    &(struct weft_portals_request)                                                                \
    {                                                                                             \
        .kind = (what), .length = length,                                                         \
        .to = {target_id, pt_index, match_bits, remote_offset, user_ptr, data}, __VA_ARGS__       \
    }
#define PUT REQUEST(WEFT_PACKET_PUT, hdr_data, .put = {md_handle, local_offset}, .ack = ack_req)
#define GET REQUEST(WEFT_PACKET_GET, 0, .get = {md_handle, local_offset})
#define ATOMIC                                                                                    \
    REQUEST(WEFT_PACKET_ATOMIC, hdr_data, .put = {md_handle, local_offset}, .ack = ack_req,       \
            .arithmetic = {operation, datatype, NULL})
#define FETCH(what, with)                                                                         \
    REQUEST(what, hdr_data, .put = {put_md_handle, local_put_offset},                             \
            .get = {get_md_handle, local_get_offset}, .arithmetic = {operation, datatype, with})
#define FETCH_ATOMIC FETCH(WEFT_PACKET_FETCH_ATOMIC, NULL)
#define SWAP FETCH(WEFT_PACKET_SWAP, operand)

int PtlPut(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
           ptl_ack_req_t ack_req, ptl_process_t target_id, ptl_pt_index_t pt_index,
           ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
           ptl_hdr_data_t hdr_data)
{
    return weft_portals_command_execute(PUT);
}

int PtlGet(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
           ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
           ptl_size_t remote_offset, void *user_ptr)
{
    return weft_portals_command_execute(GET);
}

int PtlAtomic(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
              ptl_ack_req_t ack_req, ptl_process_t target_id, ptl_pt_index_t pt_index,
              ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
              ptl_hdr_data_t hdr_data, ptl_op_t operation, ptl_datatype_t datatype)
{
    return weft_portals_command_execute(ATOMIC);
}

int PtlFetchAtomic(ptl_handle_md_t get_md_handle, ptl_size_t local_get_offset,
                   ptl_handle_md_t put_md_handle, ptl_size_t local_put_offset, ptl_size_t length,
                   ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
                   ptl_size_t remote_offset, void *user_ptr, ptl_hdr_data_t hdr_data,
                   ptl_op_t operation, ptl_datatype_t datatype)
{
    return weft_portals_command_execute(FETCH_ATOMIC);
}

int PtlSwap(ptl_handle_md_t get_md_handle, ptl_size_t local_get_offset,
            ptl_handle_md_t put_md_handle, ptl_size_t local_put_offset, ptl_size_t length,
            ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
            ptl_size_t remote_offset, void *user_ptr, ptl_hdr_data_t hdr_data, const void *operand,
            ptl_op_t operation, ptl_datatype_t datatype)
{
    return weft_portals_command_execute(SWAP);
}

int PtlAtomicSync(void)
{
    /* The NIC computes in the memory of the host, with the host's own processor. */
    atomic_thread_fence(memory_order_seq_cst);
    return weft_portals_process_self()->init_count ? PTL_OK : PTL_NO_INIT;
}

/* ---- Triggered ---------------------------------------------------------------------------- */

int PtlTriggeredPut(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
                    ptl_ack_req_t ack_req, ptl_process_t target_id, ptl_pt_index_t pt_index,
                    ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
                    ptl_hdr_data_t hdr_data, ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold)
{
    return weft_portals_command_run_later(PUT, trig_ct_handle, threshold);
}

int PtlTriggeredGet(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
                    ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
                    ptl_size_t remote_offset, void *user_ptr, ptl_handle_ct_t trig_ct_handle,
                    ptl_size_t threshold)
{
    return weft_portals_command_run_later(GET, trig_ct_handle, threshold);
}

int PtlTriggeredAtomic(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
                       ptl_ack_req_t ack_req, ptl_process_t target_id, ptl_pt_index_t pt_index,
                       ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
                       ptl_hdr_data_t hdr_data, ptl_op_t operation, ptl_datatype_t datatype,
                       ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold)
{
    return weft_portals_command_run_later(ATOMIC, trig_ct_handle, threshold);
}

int PtlTriggeredFetchAtomic(ptl_handle_md_t get_md_handle, ptl_size_t local_get_offset,
                            ptl_handle_md_t put_md_handle, ptl_size_t local_put_offset,
                            ptl_size_t length, ptl_process_t target_id, ptl_pt_index_t pt_index,
                            ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
                            ptl_hdr_data_t hdr_data, ptl_op_t operation, ptl_datatype_t datatype,
                            ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold)
{
    return weft_portals_command_run_later(FETCH_ATOMIC, trig_ct_handle, threshold);
}

int PtlTriggeredSwap(ptl_handle_md_t get_md_handle, ptl_size_t local_get_offset,
                     ptl_handle_md_t put_md_handle, ptl_size_t local_put_offset, ptl_size_t length,
                     ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
                     ptl_size_t remote_offset, void *user_ptr, ptl_hdr_data_t hdr_data,
                     const void *operand, ptl_op_t operation, ptl_datatype_t datatype,
                     ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold)
{
    return weft_portals_command_run_later(SWAP, trig_ct_handle, threshold);
}
