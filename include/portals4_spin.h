/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sPIN for Portals 4: functions of the program that the NIC calls while a message arrives. They
 * are attached to a matching list entry; the header handler runs first, payload handlers run for
 * the packets, many at a time, and the completion handler runs last, before the event.
 *
 * portals4_spin(7) is the overview, docs/handlers.md the tutorial. Handlers are functions of the
 * program and as trusted as the rest of it: what goes through the calls of this file is checked,
 * what a handler does with a pointer of its own is not. Or they are functions of an image, which
 * the NIC interprets and which need not be trusted.
 */
#ifndef PORTALS4_SPIN_H
#define PORTALS4_SPIN_H

#include <portals4.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Handlers ----------------------------------------------------------------------------- */

typedef enum {
    PTL_REQUEST_PUT,
    PTL_REQUEST_GET,
    PTL_REQUEST_ATOMIC,
    PTL_REQUEST_FETCH_ATOMIC,
    PTL_REQUEST_SWAP
} ptl_request_type_t;

/* A message, as its first packet tells it. */
typedef struct {
    ptl_request_type_t type;
    ptl_size_t length; /* of the message, the user header included */
    ptl_process_t target_id;
    ptl_process_t source_id;
    ptl_match_bits_t match_bits;
    ptl_size_t offset; /* in the memory of the entry */
    ptl_hdr_data_t hdr_data;
    const void *user_hdr;       /* the first bytes of the data */
    ptl_size_t user_hdr_length; /* user_hdr_size, or less if the message is shorter */
} ptl_header_t;

/* The data of one packet, without the user header. */
typedef struct {
    ptl_size_t length;
    ptl_size_t offset;         /* in the message, counted from the end of the user header */
    const unsigned char *base; /* only until the handler returns */
} ptl_payload_t;

/* What handlers return. FAIL and SEGV end the message with PTL_NI_HANDLER or PTL_NI_SEGV; of
 * several errors the first is told. PENDING: the message ends without event and the entry stays.
 */
typedef enum {
    PTL_HANDLER_SUCCESS,              /* payload, completion */
    PTL_HANDLER_SUCCESS_PENDING,      /* completion */
    PTL_HANDLER_DROP,                 /* header: the whole message; payload: this packet */
    PTL_HANDLER_DROP_PENDING,         /* header */
    PTL_HANDLER_PROCESS_DATA,         /* header: go on with payload handlers */
    PTL_HANDLER_PROCESS_DATA_PENDING, /* header */
    PTL_HANDLER_PROCEED,              /* header: as if there were no handlers */
    PTL_HANDLER_PROCEED_PENDING,      /* header */
    PTL_HANDLER_FAIL,
    PTL_HANDLER_SEGV
} ptl_handler_result_t;

typedef ptl_handler_result_t (*ptl_header_handler_t)(const ptl_header_t *header, void *state);
typedef ptl_handler_result_t (*ptl_payload_handler_t)(const ptl_payload_t *payload, void *state);
typedef ptl_handler_result_t (*ptl_completion_handler_t)(ptl_size_t dropped_bytes,
                                                         int flow_control_triggered, void *state);

/* Memory of the NIC, which handlers share. */
typedef ptl_handle_any_t ptl_handle_hpu_t;
#define PTL_HPU_NONE ((ptl_handle_hpu_t)0xdfffffff)

/* How the packets of a message meet HPUs. DEFAULT: each takes the next one that is idle.
 * BLOCKED_RR: packets in sequences of `delta_p`, given in turn to `vhpus` virtual HPUs, each of
 * which works on one packet at a time. */
typedef enum { PTL_SCHED_DEFAULT, PTL_SCHED_BLOCKED_RR } ptl_sched_policy_t;

/* Handlers that need not be trusted: functions of an ELF file for RISC-V, which portals4_device.h
 * tells how to make. They reach the packet, their HPU memory and a stack, call what handlers may
 * call, and nothing else; they run as long as max_cycles_per_byte and WEFT_HANDLER_CYCLES allow.
 * A handler that goes farther is stopped there, and ends its message with PTL_NI_SEGV or
 * PTL_NI_HANDLER. */
typedef ptl_handle_any_t ptl_handle_image_t;

typedef struct {
    ptl_handle_image_t image;
    const char *header_handler; /* the name of a function; each may be NULL */
    const char *payload_handler;
    const char *completion_handler;
} ptl_image_handlers_t;

/* The file is copied. PTL_ARG_INVALID if it is no such file; the log says why. PTL_NO_SPACE if
 * there is not enough memory of the NIC. */
PTL_API int PtlHandlersLoad(ptl_handle_ni_t ni_handle, const void *file, ptl_size_t length,
                            ptl_handle_image_t *image);

/* PTL_IN_USE while entries have handlers of it. */
PTL_API int PtlHandlersUnload(ptl_handle_image_t *image);

/* In the options of ptl_handlers_t: handler_host_mem_start is an array of
 * handler_host_mem_length ptl_iovec_t. */
#define PTL_HANDLER_IOVEC (1u << 0)

typedef struct {
    ptl_header_handler_t header_handler; /* each may be NULL */
    ptl_payload_handler_t payload_handler;
    ptl_completion_handler_t completion_handler;
    ptl_handle_hpu_t hpu_memory;   /* its beginning is the `state`; or PTL_HPU_NONE */
    const void *hpu_initial_state; /* copied there by the append, unless NULL */
    ptl_size_t hpu_initial_state_length;
    void *handler_host_mem_start; /* memory of the program besides that of the entry */
    ptl_size_t handler_host_mem_length;
    unsigned int options;
    ptl_size_t user_hdr_size; /* bytes at the begin of a message that are its user header */
    ptl_sched_policy_t policy;
    unsigned int delta_p;              /* of PTL_SCHED_BLOCKED_RR: at least 1 */
    unsigned int vhpus;                /* of PTL_SCHED_BLOCKED_RR: at least 1 */
    const ptl_image_handlers_t *image; /* instead of the three above, which are then NULL */
} ptl_handlers_t;

/* As PtlMEAppend, with handlers. */
PTL_API int PtlMEAppendHandlers(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index,
                                const ptl_me_t *me, const ptl_handlers_t *handlers,
                                ptl_list_t ptl_list, void *user_ptr, ptl_handle_me_t *me_handle);

PTL_API int PtlHPUAllocMem(ptl_size_t length, ptl_handle_ni_t ni_handle,
                           ptl_handle_hpu_t *hpu_memory);
PTL_API int PtlHPUFreeMem(ptl_handle_hpu_t *hpu_memory);

typedef struct {
    ptl_size_t max_user_hdr_size;
    ptl_size_t max_payload_size; /* of a packet */
    ptl_size_t max_handler_mem;  /* of one PtlHPUAllocMem */
    ptl_size_t max_initial_state;
    ptl_size_t min_fragmentation_limit; /* the offset of a payload is a multiple of it, and so
                                           are all lengths but the last, if the length of the
                                           user header is; its base is one of 8 */
    ptl_size_t max_cycles_per_byte;     /* of payload handlers; PTL_CYCLES_UNLIMITED */
} ptl_handler_limits_t;

#define PTL_CYCLES_UNLIMITED UINT64_MAX

/* The limits in force. `desired`, unless NULL, lowers them first; its zeros change nothing. */
PTL_API int PtlNIHandlerLimits(ptl_handle_ni_t ni_handle, const ptl_handler_limits_t *desired,
                               ptl_handler_limits_t *actual);

/* ---- Messages that are made while they leave ---------------------------------------------- */

/* A packet to be filled: bytes [offset, offset + length) of the message. */
typedef struct {
    ptl_size_t length;
    ptl_size_t offset;
    unsigned char *base;
} ptl_outbound_t;

/* Fills a packet, straight where it leaves from, and returns PTL_HANDLER_SUCCESS; else the packet
 * leaves with zeros and the SEND event tells of PTL_NI_HANDLER or PTL_NI_SEGV. Of the calls of
 * the next section it may make those of DMA from the host, where an offset is in the descriptor,
 * and those of HPU memory. */
typedef ptl_handler_result_t (*ptl_outbound_handler_t)(const ptl_outbound_t *packet, void *state);

/* As PtlPut, but a handler writes the packets. `state`: for the handler; it must be in
 * `hpu_memory` unless that is PTL_HPU_NONE. */
typedef struct {
    ptl_outbound_handler_t handler;
    ptl_handle_hpu_t hpu_memory; /* held until the message has left; its beginning is the state */
    void *state;                 /* without such memory */
} ptl_outbound_handlers_t;

PTL_API int PtlProcessPut(ptl_handle_md_t md_handle, ptl_size_t length, ptl_ack_req_t ack_req,
                          ptl_process_t target_id, ptl_pt_index_t pt_index,
                          ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
                          ptl_hdr_data_t hdr_data, const ptl_outbound_handlers_t *handlers);

/* One message of `length` bytes that the program gives piece by piece: `size` bytes at
 * `local_offset` of the descriptor with each call. Its packets leave as they become full. Messages
 * that are sent to the same process later leave when this one has. */
typedef ptl_handle_any_t ptl_handle_sput_t;
PTL_API int PtlSPutStart(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t size,
                         ptl_size_t length, ptl_ack_req_t ack_req, ptl_process_t target_id,
                         ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
                         ptl_size_t remote_offset, void *user_ptr, ptl_hdr_data_t hdr_data,
                         ptl_handle_sput_t *sput_handle);

/* `end_of_message`: this is the last piece; the pieces must then have `length` bytes together. */
PTL_API int PtlSPutStream(ptl_handle_sput_t sput_handle, ptl_size_t local_offset, ptl_size_t size,
                          int end_of_message);

/* ---- What handlers may do ----------------------------------------------------------------- */

/* Only a running handler may make the calls of this section; others get PTL_FAIL, or 0 where a
 * number is returned. Those of memory of the NIC are for everybody who has it. A range that
 * is not within its memory does nothing, returns PTL_ARG_INVALID, and ends the message with
 * PTL_NI_SEGV. */

/* HPUs are numbered from 0. A handler stays on its HPU. */
#define PTL_MAX_HPUS 64
#define PTL_NUM_HPUS (PtlHandlerNumHPUs())
#define PTL_MY_HPU (PtlHandlerMyHPU())
#define PTL_MY_VHPU (PtlHandlerMyVHPU())
PTL_API unsigned int PtlHandlerNumHPUs(void);
PTL_API unsigned int PtlHandlerMyHPU(void);
PTL_API unsigned int PtlHandlerMyVHPU(void); /* of PTL_SCHED_BLOCKED_RR; else the HPU */

/* The message that the handler is called for, in handlers that get no header: many messages can be
 * under way at one entry. Only the header handler has the user header. */
PTL_API int PtlHandlerHeader(ptl_header_t *header);

/* Which memory of the program an offset is in. */
#define PTL_ME_HOST_MEM 0u
#define PTL_HANDLER_HOST_MEM (1u << 0)
/* Of PtlHandlerDMAToHostNB: no PTL_EVENT_DMA when the data is there. */
#define PTL_DMA_NO_EVENT (1u << 1)

typedef uint64_t ptl_dma_t;

PTL_API int PtlHandlerDMAToHostB(const void *local, ptl_size_t offset, ptl_size_t length,
                                 unsigned int options);
PTL_API int PtlHandlerDMAToHostNB(const void *local, ptl_size_t offset, ptl_size_t length,
                                  unsigned int options, ptl_dma_t *handle);
PTL_API int PtlHandlerDMAFromHostB(ptl_size_t offset, void *local, ptl_size_t length,
                                   unsigned int options);
PTL_API int PtlHandlerDMAFromHostNB(ptl_size_t offset, void *local, ptl_size_t length,
                                    unsigned int options, ptl_dma_t *handle);

/* Atomic, also with the program's own atomic operations. The value must be aligned; else they
 * return PTL_ARG_INVALID. The first swaps if `*compare` is there, else sets `*compare` to what
 * is; the second adds an integer type of at most 64 bits and gives what was there before. */
PTL_API int PtlHandlerDMACASB(ptl_size_t offset, uint64_t *compare, uint64_t swap,
                              unsigned int options);
PTL_API int PtlHandlerDMACASNB(ptl_size_t offset, uint64_t *compare, uint64_t swap,
                               unsigned int options, ptl_dma_t *handle);
PTL_API int PtlHandlerDMAFetchAddB(ptl_size_t offset, uint64_t increment, uint64_t *before,
                                   ptl_datatype_t datatype, unsigned int options);
PTL_API int PtlHandlerDMAFetchAddNB(ptl_size_t offset, uint64_t increment, uint64_t *before,
                                    ptl_datatype_t datatype, unsigned int options,
                                    ptl_dma_t *handle);

/* Whether what has the handle is done (1 or 0); waits until it is. */
PTL_API int PtlHandlerDMATest(ptl_dma_t handle);
PTL_API int PtlHandlerDMAWait(ptl_dma_t handle);

/* On memory of the NIC. 1 if it swapped, else 0. */
PTL_API int PtlHandlerCAS(uint64_t *value, uint64_t compare, uint64_t swap);
PTL_API int PtlHandlerFAdd(uint64_t *value, uint64_t *before, uint64_t increment);
PTL_API int PtlHandlerYield(void);

/* Whether an operation counts at the counter of the entry: when its acknowledgement or reply has
 * come, or when it was sent if there is none. */
typedef enum { PTL_NO_CT_REQ, PTL_CT_REQ, PTL_CT_BYTES_REQ } ptl_req_ct_t;

/* The other side is addressed as by PtlPut; its portal table index is that of the entry.
 * Acknowledgements, replies and failures are events in the queue of the portal table entry.
 * `FromDevice`: at most max_payload_size bytes, which may be changed when the call returns. */
PTL_API int PtlHandlerPutFromHost(ptl_size_t offset, ptl_size_t length, unsigned int options,
                                  ptl_req_ct_t ct, ptl_ack_req_t ack_req, ptl_process_t target_id,
                                  ptl_match_bits_t match_bits, ptl_size_t remote_offset,
                                  void *user_ptr, ptl_hdr_data_t hdr_data);
PTL_API int PtlHandlerPutFromDevice(const void *local, ptl_size_t length, ptl_req_ct_t ct,
                                    ptl_ack_req_t ack_req, ptl_process_t target_id,
                                    ptl_match_bits_t match_bits, ptl_size_t remote_offset,
                                    void *user_ptr, ptl_hdr_data_t hdr_data);
PTL_API int PtlHandlerGetToHost(ptl_size_t offset, ptl_size_t length, unsigned int options,
                                ptl_req_ct_t ct, ptl_process_t target_id,
                                ptl_match_bits_t match_bits, ptl_size_t remote_offset,
                                void *user_ptr);
/* `local`: in the hpu_memory of the entry, which keeps the data when the handler has ended. */
PTL_API int PtlHandlerGetToDevice(void *local, ptl_size_t length, ptl_req_ct_t ct,
                                  ptl_process_t target_id, ptl_match_bits_t match_bits,
                                  ptl_size_t remote_offset, void *user_ptr);
PTL_API int PtlHandlerAtomicFromHost(ptl_size_t offset, ptl_size_t length, unsigned int options,
                                     ptl_req_ct_t ct, ptl_ack_req_t ack_req,
                                     ptl_process_t target_id, ptl_match_bits_t match_bits,
                                     ptl_size_t remote_offset, void *user_ptr,
                                     ptl_hdr_data_t hdr_data, ptl_op_t operation,
                                     ptl_datatype_t datatype);
PTL_API int PtlHandlerAtomicFromDevice(const void *local, ptl_size_t length, ptl_req_ct_t ct,
                                       ptl_ack_req_t ack_req, ptl_process_t target_id,
                                       ptl_match_bits_t match_bits, ptl_size_t remote_offset,
                                       void *user_ptr, ptl_hdr_data_t hdr_data, ptl_op_t operation,
                                       ptl_datatype_t datatype);

/* The counter of the entry; PTL_ARG_INVALID if it has none. */
PTL_API int PtlHandlerCTInc(ptl_ct_event_t increment);
PTL_API int PtlHandlerCTGet(ptl_ct_event_t *event);
PTL_API int PtlHandlerCTSet(ptl_ct_event_t event);

#ifdef __cplusplus
}
#endif

#endif
