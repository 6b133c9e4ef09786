/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data that does not simply lie in a descriptor: messages whose packets a handler writes ([DiG19],
 * section 3.1.2), and messages that the program gives piece by piece (section 3.1.1).
 */
#ifndef WEFT_NIC_OUTBOUND_H
#define WEFT_NIC_OUTBOUND_H

#include "nic/action.h"

/* Lets the handler write a packet, by `run`, and what went wrong then. */
ptl_handler_result_t weft_nic_outbound_run(struct weft_nic_run *run,
                                           const struct weft_nic_command *command, uint64_t offset,
                                           unsigned char *to, size_t size);
ptl_ni_fail_t weft_nic_outbound_fail(ptl_handler_result_t result, ptl_ni_fail_t fault);

/* Both, for the owner of the NIC. */
ptl_ni_fail_t weft_nic_outbound_fill(struct weft_nic *nic, const struct weft_nic_command *command,
                                     uint64_t offset, unsigned char *to, size_t size);

struct weft_nic_stream {
    struct weft_nic_stream_piece {
        uint64_t offset; /* in the descriptor */
        uint64_t length;
    } * pieces;
    size_t count, room;
    size_t first;   /* that has bytes left, */
    uint64_t taken; /* and how many of it have left */
    uint64_t given; /* bytes of all pieces */
    bool is_ended;
};

/* NULL without memory. */
struct weft_nic_stream *weft_nic_stream_open(void);
void weft_nic_stream_close(struct weft_nic_stream *stream);

/* False without memory. */
bool weft_nic_stream_add(struct weft_nic_stream *stream, uint64_t offset, uint64_t length);

/* The next bytes, which must be there. */
void weft_nic_stream_read(struct weft_nic_stream *stream, const struct weft_nic_region *region,
                          unsigned char *to, size_t size);

#endif
