/* SPDX-License-Identifier: BSD-3-Clause */
/* The checked form of a data movement call, now or triggered. */
#ifndef WEFT_PORTALS_COMMAND_H
#define WEFT_PORTALS_COMMAND_H

#include "portals/process.h"

/* Where and what, the same in all calls. */
struct weft_portals_destination {
    ptl_process_t target;
    ptl_pt_index_t pt_index;
    ptl_match_bits_t match_bits;
    ptl_size_t remote_offset;
    void *user_ptr;
    ptl_hdr_data_t hdr_data;
};

/* One side of the program's memory. */
struct weft_portals_local {
    ptl_handle_md_t md;
    ptl_size_t offset;
};

struct weft_portals_arithmetic {
    ptl_op_t operation;
    ptl_datatype_t datatype;
    const void *operand;
};

struct weft_portals_request {
    enum weft_packet_kind kind;
    struct weft_portals_local put; /* of all but a get */
    struct weft_portals_local get; /* of a get, fetch or swap */
    ptl_size_t length;
    ptl_ack_req_t ack;
    struct weft_portals_destination to;
    struct weft_portals_arithmetic arithmetic; /* of atomic operations */
};

/* All of a command but its descriptors; false if the request is not valid. */
bool weft_portals_command_fill(const struct weft_nic_ni *ni,
                               const struct weft_portals_request *request,
                               struct weft_nic_command *command);

/* Does it now, or when `trigger` reaches `threshold`. */
int weft_portals_command_execute(const struct weft_portals_request *request);
int weft_portals_command_run_later(const struct weft_portals_request *request,
                                   ptl_handle_ct_t trigger, ptl_size_t threshold);

#endif
