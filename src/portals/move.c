/* SPDX-License-Identifier: BSD-3-Clause */
/* The data movement calls, at once and triggered: each fills in one request. */
#include <stdatomic.h>

#include "portals/command.h"

/* Of arguments that have the same names in all calls. */
#define DESTINATION(data)                                                                         \
    {                                                                                             \
        target_id, pt_index, match_bits, remote_offset, user_ptr, data                            \
    }

int PtlPut(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
           ptl_ack_req_t ack_req, ptl_process_t target_id, ptl_pt_index_t pt_index,
           ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
           ptl_hdr_data_t hdr_data)
{
    return weft_portals_command_execute(
        &(struct weft_portals_request){.kind = WEFT_PACKET_PUT,
                                       .put = {md_handle, local_offset},
                                       .length = length,
                                       .ack = ack_req,
                                       .to = DESTINATION(hdr_data)});
}

int PtlGet(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
           ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
           ptl_size_t remote_offset, void *user_ptr)
{
    return weft_portals_command_execute(
        &(struct weft_portals_request){.kind = WEFT_PACKET_GET,
                                       .get = {md_handle, local_offset},
                                       .length = length,
                                       .to = DESTINATION(0)});
}

int PtlAtomic(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
              ptl_ack_req_t ack_req, ptl_process_t target_id, ptl_pt_index_t pt_index,
              ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
              ptl_hdr_data_t hdr_data, ptl_op_t operation, ptl_datatype_t datatype)
{
    return weft_portals_command_execute(
        &(struct weft_portals_request){.kind = WEFT_PACKET_ATOMIC,
                                       .put = {md_handle, local_offset},
                                       .length = length,
                                       .ack = ack_req,
                                       .to = DESTINATION(hdr_data),
                                       .arithmetic = {operation, datatype, NULL}});
}

int PtlFetchAtomic(ptl_handle_md_t get_md_handle, ptl_size_t local_get_offset,
                   ptl_handle_md_t put_md_handle, ptl_size_t local_put_offset, ptl_size_t length,
                   ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
                   ptl_size_t remote_offset, void *user_ptr, ptl_hdr_data_t hdr_data,
                   ptl_op_t operation, ptl_datatype_t datatype)
{
    return weft_portals_command_execute(
        &(struct weft_portals_request){.kind = WEFT_PACKET_FETCH_ATOMIC,
                                       .put = {put_md_handle, local_put_offset},
                                       .get = {get_md_handle, local_get_offset},
                                       .length = length,
                                       .to = DESTINATION(hdr_data),
                                       .arithmetic = {operation, datatype, NULL}});
}

int PtlSwap(ptl_handle_md_t get_md_handle, ptl_size_t local_get_offset,
            ptl_handle_md_t put_md_handle, ptl_size_t local_put_offset, ptl_size_t length,
            ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
            ptl_size_t remote_offset, void *user_ptr, ptl_hdr_data_t hdr_data, const void *operand,
            ptl_op_t operation, ptl_datatype_t datatype)
{
    return weft_portals_command_execute(
        &(struct weft_portals_request){.kind = WEFT_PACKET_SWAP,
                                       .put = {put_md_handle, local_put_offset},
                                       .get = {get_md_handle, local_get_offset},
                                       .length = length,
                                       .to = DESTINATION(hdr_data),
                                       .arithmetic = {operation, datatype, operand}});
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
    return weft_portals_command_run_later(
        &(struct weft_portals_request){.kind = WEFT_PACKET_PUT,
                                       .put = {md_handle, local_offset},
                                       .length = length,
                                       .ack = ack_req,
                                       .to = DESTINATION(hdr_data)},
        trig_ct_handle, threshold);
}

int PtlTriggeredGet(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
                    ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
                    ptl_size_t remote_offset, void *user_ptr, ptl_handle_ct_t trig_ct_handle,
                    ptl_size_t threshold)
{
    return weft_portals_command_run_later(
        &(struct weft_portals_request){.kind = WEFT_PACKET_GET,
                                       .get = {md_handle, local_offset},
                                       .length = length,
                                       .to = DESTINATION(0)},
        trig_ct_handle, threshold);
}

int PtlTriggeredAtomic(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
                       ptl_ack_req_t ack_req, ptl_process_t target_id, ptl_pt_index_t pt_index,
                       ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
                       ptl_hdr_data_t hdr_data, ptl_op_t operation, ptl_datatype_t datatype,
                       ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold)
{
    return weft_portals_command_run_later(
        &(struct weft_portals_request){.kind = WEFT_PACKET_ATOMIC,
                                       .put = {md_handle, local_offset},
                                       .length = length,
                                       .ack = ack_req,
                                       .to = DESTINATION(hdr_data),
                                       .arithmetic = {operation, datatype, NULL}},
        trig_ct_handle, threshold);
}

int PtlTriggeredFetchAtomic(ptl_handle_md_t get_md_handle, ptl_size_t local_get_offset,
                            ptl_handle_md_t put_md_handle, ptl_size_t local_put_offset,
                            ptl_size_t length, ptl_process_t target_id, ptl_pt_index_t pt_index,
                            ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
                            ptl_hdr_data_t hdr_data, ptl_op_t operation, ptl_datatype_t datatype,
                            ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold)
{
    return weft_portals_command_run_later(
        &(struct weft_portals_request){.kind = WEFT_PACKET_FETCH_ATOMIC,
                                       .put = {put_md_handle, local_put_offset},
                                       .get = {get_md_handle, local_get_offset},
                                       .length = length,
                                       .to = DESTINATION(hdr_data),
                                       .arithmetic = {operation, datatype, NULL}},
        trig_ct_handle, threshold);
}

int PtlTriggeredSwap(ptl_handle_md_t get_md_handle, ptl_size_t local_get_offset,
                     ptl_handle_md_t put_md_handle, ptl_size_t local_put_offset, ptl_size_t length,
                     ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
                     ptl_size_t remote_offset, void *user_ptr, ptl_hdr_data_t hdr_data,
                     const void *operand, ptl_op_t operation, ptl_datatype_t datatype,
                     ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold)
{
    return weft_portals_command_run_later(
        &(struct weft_portals_request){.kind = WEFT_PACKET_SWAP,
                                       .put = {put_md_handle, local_put_offset},
                                       .get = {get_md_handle, local_get_offset},
                                       .length = length,
                                       .to = DESTINATION(hdr_data),
                                       .arithmetic = {operation, datatype, operand}},
        trig_ct_handle, threshold);
}
