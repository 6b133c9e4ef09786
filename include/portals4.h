/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Portals 4.3 network programming interface, as Weft provides it, with the names of 4.2 that
 * existing programs still use (PTL_INTERRUPTED, PTL_ME_ACK_DISABLE).
 *
 * Each call is described by a manual page of its name, for example PtlPut(3); portals4(7) is the
 * overview. All calls may be made from any thread. Calls return PTL_OK or another value of
 * enum ptl_retvals, and set their outputs only on success.
 */
#ifndef PORTALS4_H
#define PORTALS4_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PTL_API __attribute__((visibility("default")))
#else
#define PTL_API
#endif

#define PTL_MAJOR_VERSION 4
#define PTL_MINOR_VERSION 3

/* ---- Return values ------------------------------------------------------------------------ */

/* X(name, what it says) */
#define PTL_RETURN_MAP(X)                                                                         \
    X(OK, "success")                                                                              \
    X(ARG_INVALID, "an argument is not valid")                                                    \
    X(CT_NONE_REACHED, "no counter reached its test before the timeout")                          \
    X(EQ_DROPPED, "an event is returned, but events before it were lost: make the queue longer")  \
    X(EQ_EMPTY, "no event is there")                                                              \
    X(FAIL, "the call failed; the log says why")                                                  \
    X(IGNORED, "the call had nothing to do")                                                      \
    X(IN_USE, "operations are pending on the object: try again when they are done")               \
    X(INTERRUPTED, "the object was freed by another thread during the call")                      \
    X(LIST_TOO_LONG, "the list of the portal table entry is full: see max_list_size")             \
    X(NO_INIT, "call PtlInit first")                                                              \
    X(NO_SPACE, "out of memory, or a limit of the interface is reached: see PtlNIInit")           \
    X(PID_IN_USE, "another process of this host has the process identifier")                      \
    X(PT_FULL, "the portal table has no free entry")                                              \
    X(PT_EQ_NEEDED, "a portal table entry with flow control needs an event queue")                \
    X(PT_IN_USE, "the portal table entry is allocated already")                                   \
    X(ABORTED, "PtlAbort was called")

enum ptl_retvals {
#define PTL_RETURN_ENUM(name, text) PTL_##name,
    PTL_RETURN_MAP(PTL_RETURN_ENUM)
#undef PTL_RETURN_ENUM
        PTL_STATUS_LAST
};

/* ---- Basic types -------------------------------------------------------------------------- */

typedef uint64_t ptl_size_t;
typedef uint32_t ptl_pt_index_t;
typedef uint64_t ptl_match_bits_t;
typedef uint64_t ptl_hdr_data_t;
typedef unsigned int ptl_time_t; /* milliseconds */
typedef unsigned int ptl_interface_t;
typedef uint32_t ptl_nid_t;
typedef uint32_t ptl_pid_t;
typedef uint32_t ptl_rank_t;
typedef uint32_t ptl_uid_t;

typedef uint32_t ptl_handle_any_t;
typedef ptl_handle_any_t ptl_handle_ni_t;
typedef ptl_handle_any_t ptl_handle_eq_t;
typedef ptl_handle_any_t ptl_handle_ct_t;
typedef ptl_handle_any_t ptl_handle_md_t;
typedef ptl_handle_any_t ptl_handle_le_t;
typedef ptl_handle_any_t ptl_handle_me_t;

typedef union {
    ptl_rank_t rank; /* on a logical interface */
    struct {
        ptl_nid_t nid;
        ptl_pid_t pid;
    } phys; /* on a physical one */
} ptl_process_t;

#define PTL_SIZE_MAX ((ptl_size_t)UINT64_MAX)
#define PTL_EQ_NONE ((ptl_handle_eq_t)0x3fffffff)
#define PTL_CT_NONE ((ptl_handle_ct_t)0x5fffffff)
#define PTL_INVALID_HANDLE ((ptl_handle_any_t)0xffffffff)
#define PTL_IFACE_DEFAULT ((ptl_interface_t)0xffffffff)
#define PTL_NID_ANY ((ptl_nid_t)0xffffffff)
#define PTL_PID_ANY ((ptl_pid_t)0xffffffff)
#define PTL_PID_MAX ((ptl_pid_t)0x7fffffff)
#define PTL_RANK_ANY ((ptl_rank_t)0xffffffff)
#define PTL_UID_ANY ((ptl_uid_t)0xffffffff)
#define PTL_PT_ANY ((ptl_pt_index_t)0xffffffff)
#define PTL_TIME_FOREVER ((ptl_time_t)0xffffffff)

/* In the options of a memory descriptor or list entry: `start` is an array of `length`
 * ptl_iovec_t. */
#define PTL_IOVEC (1u << 0)

typedef struct {
    void *iov_base;
    ptl_size_t iov_len;
} ptl_iovec_t;

/* ---- Network interfaces ------------------------------------------------------------------- */

#define PTL_NI_MATCHING (1u << 0)
#define PTL_NI_NO_MATCHING (1u << 1)
#define PTL_NI_LOGICAL (1u << 2)
#define PTL_NI_PHYSICAL (1u << 3)

/* Features of an interface. */
#define PTL_TARGET_BIND_INACCESSIBLE (1u << 0) /* list entries may name unmapped memory */
#define PTL_TOTAL_DATA_ORDERING (1u << 1)      /* messages of one process are written in order */
#define PTL_COHERENT_ATOMICS (1u << 2)         /* the host sees atomics at once */

/* How an operation ended, in ni_fail_type of its event. X(name, what it says) */
#define PTL_NI_FAIL_MAP(X)                                                                        \
    X(OK, "success")                                                                              \
    X(UNDELIVERABLE, "the other process is dead or cannot be reached")                            \
    X(DROPPED, "the target had no entry that matches")                                            \
    X(PT_DISABLED, "the portal table entry of the target is disabled: enable it and send again")  \
    X(PERM_VIOLATION, "the entry of the target is for another user")                              \
    X(OP_VIOLATION, "the entry of the target does not allow this operation")                      \
    X(NO_MATCH, "the search found nothing")                                                       \
    X(SEGV, "the memory of the target is not accessible")                                         \
    X(HANDLER, "a handler of the target failed")

typedef unsigned char ptl_ni_fail_t;
enum {
#define PTL_NI_FAIL_ENUM(name, text) PTL_NI_##name,
    PTL_NI_FAIL_MAP(PTL_NI_FAIL_ENUM)
#undef PTL_NI_FAIL_ENUM
        PTL_NI_FAIL_LAST
};

typedef struct {
    int max_entries;            /* list entries */
    int max_unexpected_headers; /* messages that wait in an overflow list */
    int max_mds;
    int max_cts;
    int max_eqs;
    int max_pt_index; /* the last index, not their number */
    int max_iovecs;   /* pieces of one descriptor */
    int max_list_size;
    int max_triggered_ops;
    ptl_size_t max_msg_size;
    ptl_size_t max_atomic_size;
    ptl_size_t max_fetch_atomic_size;
    ptl_size_t max_waw_ordered_size;
    ptl_size_t max_war_ordered_size;
    ptl_size_t max_volatile_size;
    unsigned int features;
} ptl_ni_limits_t;

typedef enum {
    PTL_SR_DROP_COUNT,
    PTL_SR_PERMISSION_VIOLATIONS,
    PTL_SR_OPERATION_VIOLATIONS,
    PTL_SR_LAST
} ptl_sr_index_t;
#define PTL_SR_PERMISSIONS_VIOLATIONS PTL_SR_PERMISSION_VIOLATIONS
#define PTL_SR_OPERATIONS_VIOLATIONS PTL_SR_OPERATION_VIOLATIONS

typedef int ptl_sr_value_t;

PTL_API int PtlInit(void);
PTL_API void PtlFini(void);
PTL_API void PtlAbort(void);

PTL_API int PtlNIInit(ptl_interface_t iface, unsigned int options, ptl_pid_t pid,
                      const ptl_ni_limits_t *desired, ptl_ni_limits_t *actual,
                      ptl_handle_ni_t *ni_handle);
PTL_API int PtlNIFini(ptl_handle_ni_t ni_handle);
PTL_API int PtlNIStatus(ptl_handle_ni_t ni_handle, ptl_sr_index_t status_register,
                        ptl_sr_value_t *status);
PTL_API int PtlNIHandle(ptl_handle_any_t handle, ptl_handle_ni_t *ni_handle);
PTL_API int PtlSetMap(ptl_handle_ni_t ni_handle, ptl_size_t map_size,
                      const ptl_process_t *mapping);
PTL_API int PtlGetMap(ptl_handle_ni_t ni_handle, ptl_size_t map_size, ptl_process_t *mapping,
                      ptl_size_t *actual_map_size);

PTL_API int PtlGetUid(ptl_handle_ni_t ni_handle, ptl_uid_t *uid);
PTL_API int PtlGetId(ptl_handle_ni_t ni_handle, ptl_process_t *id);
PTL_API int PtlGetPhysId(ptl_handle_ni_t ni_handle, ptl_process_t *id);

/* ---- Portal table ------------------------------------------------------------------------- */

#define PTL_PT_ONLY_USE_ONCE (1u << 0) /* a promise: all its entries will be USE_ONCE */
#define PTL_PT_FLOWCTRL (1u << 1)
#define PTL_PT_ONLY_TRUNCATE (1u << 2) /* a promise: no entry will be NO_TRUNCATE */
#define PTL_PT_ALLOC_DISABLED (1u << 3)

PTL_API int PtlPTAlloc(ptl_handle_ni_t ni_handle, unsigned int options, ptl_handle_eq_t eq_handle,
                       ptl_pt_index_t pt_index_req, ptl_pt_index_t *pt_index);
PTL_API int PtlPTFree(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index);
PTL_API int PtlPTDisable(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index);
PTL_API int PtlPTEnable(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index);

/* ---- Memory descriptors ------------------------------------------------------------------- */

#define PTL_MD_EVENT_SUCCESS_DISABLE (1u << 1)
#define PTL_MD_EVENT_SEND_DISABLE (1u << 2)
#define PTL_MD_EVENT_CT_SEND (1u << 3)
#define PTL_MD_EVENT_CT_REPLY (1u << 4)
#define PTL_MD_EVENT_CT_ACK (1u << 5)
#define PTL_MD_EVENT_CT_BYTES (1u << 6)
#define PTL_MD_UNORDERED (1u << 7)
#define PTL_MD_VOLATILE (1u << 8)

typedef struct {
    void *start;
    ptl_size_t length;
    unsigned int options;
    ptl_handle_eq_t eq_handle;
    ptl_handle_ct_t ct_handle;
} ptl_md_t;

PTL_API int PtlMDBind(ptl_handle_ni_t ni_handle, const ptl_md_t *md, ptl_handle_md_t *md_handle);
PTL_API int PtlMDRelease(ptl_handle_md_t md_handle);

/* ---- List entries ------------------------------------------------------------------------- */

#define PTL_ME_OP_PUT (1u << 1)
#define PTL_ME_OP_GET (1u << 2)
#define PTL_ME_USE_ONCE (1u << 3)
#define PTL_ME_ACK_DISABLE (1u << 4)
#define PTL_ME_UNEXPECTED_HDR_DISABLE (1u << 5)
#define PTL_ME_IS_ACCESSIBLE (1u << 6)
#define PTL_ME_EVENT_LINK_DISABLE (1u << 7)
#define PTL_ME_EVENT_COMM_DISABLE (1u << 8)
#define PTL_ME_EVENT_FLOWCTRL_DISABLE (1u << 9)
#define PTL_ME_EVENT_SUCCESS_DISABLE (1u << 10)
#define PTL_ME_EVENT_OVER_DISABLE (1u << 11)
#define PTL_ME_EVENT_UNLINK_DISABLE (1u << 12)
#define PTL_ME_EVENT_CT_COMM (1u << 13)
#define PTL_ME_EVENT_CT_OVERFLOW (1u << 14)
#define PTL_ME_EVENT_CT_BYTES (1u << 15)
/* On matching interfaces only. */
#define PTL_ME_MANAGE_LOCAL (1u << 16)
#define PTL_ME_NO_TRUNCATE (1u << 17)
#define PTL_ME_MAY_ALIGN (1u << 18)

#define PTL_LE_OP_PUT PTL_ME_OP_PUT
#define PTL_LE_OP_GET PTL_ME_OP_GET
#define PTL_LE_USE_ONCE PTL_ME_USE_ONCE
#define PTL_LE_ACK_DISABLE PTL_ME_ACK_DISABLE
#define PTL_LE_UNEXPECTED_HDR_DISABLE PTL_ME_UNEXPECTED_HDR_DISABLE
#define PTL_LE_IS_ACCESSIBLE PTL_ME_IS_ACCESSIBLE
#define PTL_LE_EVENT_LINK_DISABLE PTL_ME_EVENT_LINK_DISABLE
#define PTL_LE_EVENT_COMM_DISABLE PTL_ME_EVENT_COMM_DISABLE
#define PTL_LE_EVENT_FLOWCTRL_DISABLE PTL_ME_EVENT_FLOWCTRL_DISABLE
#define PTL_LE_EVENT_SUCCESS_DISABLE PTL_ME_EVENT_SUCCESS_DISABLE
#define PTL_LE_EVENT_OVER_DISABLE PTL_ME_EVENT_OVER_DISABLE
#define PTL_LE_EVENT_UNLINK_DISABLE PTL_ME_EVENT_UNLINK_DISABLE
#define PTL_LE_EVENT_CT_COMM PTL_ME_EVENT_CT_COMM
#define PTL_LE_EVENT_CT_OVERFLOW PTL_ME_EVENT_CT_OVERFLOW
#define PTL_LE_EVENT_CT_BYTES PTL_ME_EVENT_CT_BYTES

typedef enum { PTL_PRIORITY_LIST, PTL_OVERFLOW_LIST } ptl_list_t;
#define PTL_OVERFLOW PTL_OVERFLOW_LIST

typedef enum { PTL_SEARCH_ONLY, PTL_SEARCH_DELETE } ptl_search_op_t;

typedef struct {
    void *start;
    ptl_size_t length;
    ptl_handle_ct_t ct_handle;
    ptl_uid_t uid;
    unsigned int options;
} ptl_le_t;

typedef struct {
    void *start;
    ptl_size_t length;
    ptl_handle_ct_t ct_handle;
    ptl_uid_t uid;
    unsigned int options;
    ptl_process_t match_id;
    ptl_match_bits_t match_bits;
    ptl_match_bits_t ignore_bits; /* a set bit: any value of it matches */
    ptl_size_t min_free;          /* with MANAGE_LOCAL: unlink when less than this is free */
} ptl_me_t;

PTL_API int PtlLEAppend(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_le_t *le,
                        ptl_list_t ptl_list, void *user_ptr, ptl_handle_le_t *le_handle);
PTL_API int PtlLEUnlink(ptl_handle_le_t le_handle);
PTL_API int PtlLESearch(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_le_t *le,
                        ptl_search_op_t ptl_search_op, void *user_ptr);
PTL_API int PtlMEAppend(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_me_t *me,
                        ptl_list_t ptl_list, void *user_ptr, ptl_handle_me_t *me_handle);
PTL_API int PtlMEUnlink(ptl_handle_me_t me_handle);
PTL_API int PtlMESearch(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_me_t *me,
                        ptl_search_op_t ptl_search_op, void *user_ptr);

/* ---- Events ------------------------------------------------------------------------------- */

typedef enum {
    PTL_EVENT_GET,
    PTL_EVENT_GET_OVERFLOW,
    PTL_EVENT_PUT,
    PTL_EVENT_PUT_OVERFLOW,
    PTL_EVENT_ATOMIC,
    PTL_EVENT_ATOMIC_OVERFLOW,
    PTL_EVENT_FETCH_ATOMIC,
    PTL_EVENT_FETCH_ATOMIC_OVERFLOW,
    PTL_EVENT_REPLY,
    PTL_EVENT_SEND,
    PTL_EVENT_ACK,
    PTL_EVENT_PT_DISABLED,
    PTL_EVENT_LINK,
    PTL_EVENT_AUTO_UNLINK,
    PTL_EVENT_AUTO_FREE,
    PTL_EVENT_SEARCH,
    PTL_EVENT_DMA /* of handlers: portals4_spin.h */
} ptl_event_kind_t;

typedef enum {
    PTL_MIN,
    PTL_MAX,
    PTL_SUM,
    PTL_PROD,
    PTL_LOR,
    PTL_LAND,
    PTL_BOR,
    PTL_BAND,
    PTL_LXOR,
    PTL_BXOR,
    PTL_SWAP,
    PTL_CSWAP,    /* swap if operand == target */
    PTL_CSWAP_NE, /* ... != ... */
    PTL_CSWAP_LE, /* ... <= ... */
    PTL_CSWAP_LT,
    PTL_CSWAP_GE,
    PTL_CSWAP_GT,
    PTL_MSWAP, /* replace the bits that are set in the operand */
    PTL_DIFF,  /* target - data */
    PTL_OP_LAST
} ptl_op_t;

typedef enum {
    PTL_INT8_T,
    PTL_UINT8_T,
    PTL_INT16_T,
    PTL_UINT16_T,
    PTL_INT32_T,
    PTL_UINT32_T,
    PTL_FLOAT,
    PTL_INT64_T,
    PTL_UINT64_T,
    PTL_DOUBLE,
    PTL_FLOAT_COMPLEX,
    PTL_DOUBLE_COMPLEX,
    PTL_LONG_DOUBLE,
    PTL_LONG_DOUBLE_COMPLEX,
    PTL_DATATYPE_LAST
} ptl_datatype_t;

typedef struct {
    void *start; /* where the data is: in an overflow entry for the _OVERFLOW events */
    void *user_ptr;
    ptl_hdr_data_t hdr_data;
    ptl_match_bits_t match_bits;
    ptl_size_t rlength; /* requested */
    ptl_size_t mlength; /* moved */
    ptl_size_t remote_offset;
    ptl_uid_t uid;
    ptl_process_t initiator;
    ptl_event_kind_t type;
    ptl_list_t ptl_list;
    ptl_pt_index_t pt_index;
    ptl_ni_fail_t ni_fail_type;
    ptl_op_t atomic_operation;
    ptl_datatype_t atomic_type;
} ptl_event_t;

PTL_API int PtlEQAlloc(ptl_handle_ni_t ni_handle, ptl_size_t count, ptl_handle_eq_t *eq_handle);
PTL_API int PtlEQFree(ptl_handle_eq_t eq_handle);
PTL_API int PtlEQGet(ptl_handle_eq_t eq_handle, ptl_event_t *event);
PTL_API int PtlEQWait(ptl_handle_eq_t eq_handle, ptl_event_t *event);
PTL_API int PtlEQPoll(const ptl_handle_eq_t *eq_handles, unsigned int size, ptl_time_t timeout,
                      ptl_event_t *event, unsigned int *which);

/* ---- Counters ----------------------------------------------------------------------------- */

typedef struct {
    ptl_size_t success;
    ptl_size_t failure;
} ptl_ct_event_t;

PTL_API int PtlCTAlloc(ptl_handle_ni_t ni_handle, ptl_handle_ct_t *ct_handle);
PTL_API int PtlCTFree(ptl_handle_ct_t ct_handle);
PTL_API int PtlCTCancelTriggered(ptl_handle_ct_t ct_handle);
PTL_API int PtlCTGet(ptl_handle_ct_t ct_handle, ptl_ct_event_t *event);
PTL_API int PtlCTWait(ptl_handle_ct_t ct_handle, ptl_size_t test, ptl_ct_event_t *event);
PTL_API int PtlCTPoll(const ptl_handle_ct_t *ct_handles, const ptl_size_t *tests,
                      unsigned int size, ptl_time_t timeout, ptl_ct_event_t *event,
                      unsigned int *which);
PTL_API int PtlCTSet(ptl_handle_ct_t ct_handle, ptl_ct_event_t new_ct);
PTL_API int PtlCTInc(ptl_handle_ct_t ct_handle, ptl_ct_event_t increment);

/* ---- Data movement ------------------------------------------------------------------------ */

typedef enum { PTL_NO_ACK_REQ, PTL_ACK_REQ, PTL_CT_ACK_REQ, PTL_OC_ACK_REQ } ptl_ack_req_t;

PTL_API int PtlPut(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
                   ptl_ack_req_t ack_req, ptl_process_t target_id, ptl_pt_index_t pt_index,
                   ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
                   ptl_hdr_data_t hdr_data);
PTL_API int PtlGet(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
                   ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
                   ptl_size_t remote_offset, void *user_ptr);
PTL_API int PtlAtomic(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
                      ptl_ack_req_t ack_req, ptl_process_t target_id, ptl_pt_index_t pt_index,
                      ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
                      ptl_hdr_data_t hdr_data, ptl_op_t operation, ptl_datatype_t datatype);
PTL_API int PtlFetchAtomic(ptl_handle_md_t get_md_handle, ptl_size_t local_get_offset,
                           ptl_handle_md_t put_md_handle, ptl_size_t local_put_offset,
                           ptl_size_t length, ptl_process_t target_id, ptl_pt_index_t pt_index,
                           ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
                           ptl_hdr_data_t hdr_data, ptl_op_t operation, ptl_datatype_t datatype);
PTL_API int PtlSwap(ptl_handle_md_t get_md_handle, ptl_size_t local_get_offset,
                    ptl_handle_md_t put_md_handle, ptl_size_t local_put_offset, ptl_size_t length,
                    ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
                    ptl_size_t remote_offset, void *user_ptr, ptl_hdr_data_t hdr_data,
                    const void *operand, ptl_op_t operation, ptl_datatype_t datatype);
PTL_API int PtlAtomicSync(void);

/* ---- Triggered operations ----------------------------------------------------------------- */

PTL_API int PtlTriggeredPut(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
                            ptl_ack_req_t ack_req, ptl_process_t target_id,
                            ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
                            ptl_size_t remote_offset, void *user_ptr, ptl_hdr_data_t hdr_data,
                            ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold);
PTL_API int PtlTriggeredGet(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
                            ptl_process_t target_id, ptl_pt_index_t pt_index,
                            ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
                            ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold);
PTL_API int PtlTriggeredAtomic(ptl_handle_md_t md_handle, ptl_size_t local_offset,
                               ptl_size_t length, ptl_ack_req_t ack_req, ptl_process_t target_id,
                               ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
                               ptl_size_t remote_offset, void *user_ptr, ptl_hdr_data_t hdr_data,
                               ptl_op_t operation, ptl_datatype_t datatype,
                               ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold);
PTL_API int PtlTriggeredFetchAtomic(ptl_handle_md_t get_md_handle, ptl_size_t local_get_offset,
                                    ptl_handle_md_t put_md_handle, ptl_size_t local_put_offset,
                                    ptl_size_t length, ptl_process_t target_id,
                                    ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
                                    ptl_size_t remote_offset, void *user_ptr,
                                    ptl_hdr_data_t hdr_data, ptl_op_t operation,
                                    ptl_datatype_t datatype, ptl_handle_ct_t trig_ct_handle,
                                    ptl_size_t threshold);
PTL_API int PtlTriggeredSwap(ptl_handle_md_t get_md_handle, ptl_size_t local_get_offset,
                             ptl_handle_md_t put_md_handle, ptl_size_t local_put_offset,
                             ptl_size_t length, ptl_process_t target_id, ptl_pt_index_t pt_index,
                             ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
                             ptl_hdr_data_t hdr_data, const void *operand, ptl_op_t operation,
                             ptl_datatype_t datatype, ptl_handle_ct_t trig_ct_handle,
                             ptl_size_t threshold);
PTL_API int PtlTriggeredCTInc(ptl_handle_ct_t ct_handle, ptl_ct_event_t increment,
                              ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold);
PTL_API int PtlTriggeredCTSet(ptl_handle_ct_t ct_handle, ptl_ct_event_t new_ct,
                              ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold);
PTL_API int PtlTriggeredMEAppend(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index,
                                 const ptl_me_t *me, ptl_list_t ptl_list, void *user_ptr,
                                 ptl_handle_me_t *me_handle, ptl_handle_ct_t trig_ct_handle,
                                 ptl_size_t threshold);
PTL_API int PtlTriggeredMEUnlink(ptl_handle_me_t me_handle, ptl_handle_ct_t trig_ct_handle,
                                 ptl_size_t threshold);

/* ---- Bundles and handles ------------------------------------------------------------------ */

PTL_API int PtlStartBundle(ptl_handle_ni_t ni_handle);
PTL_API int PtlEndBundle(ptl_handle_ni_t ni_handle);

PTL_API int PtlHandleIsEqual(ptl_handle_any_t handle1, ptl_handle_any_t handle2);

#ifdef __cplusplus
}
#endif

#endif
