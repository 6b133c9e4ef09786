/* SPDX-License-Identifier: BSD-3-Clause */
/* The match, where it takes time: a world asks when the NIC is to get a packet that has come. */
#ifndef WEFT_NIC_GATE_H
#define WEFT_NIC_GATE_H

#include <stdbool.h>

#include "nic/config.h"
#include "nic/server.h"

/* Packets pass in the order in which they come. */
static inline uint64_t weft_nic_gate_pass(struct weft_nic_server *gate,
                                          const struct weft_nic_stages *stages, uint64_t now,
                                          bool opens_message)
{
    uint64_t service = opens_message ? stages->match : stages->look_up;
    return weft_nic_server_nanoseconds(
        weft_nic_server_serve(gate, now, service * WEFT_NIC_SERVER_PS));
}

#endif
