/* SPDX-License-Identifier: BSD-3-Clause */
/* A process with a real NIC and one interface, whose peers are played by the test. */
#ifndef WEFT_TESTS_NIC_STUB_PROCESS_H
#define WEFT_TESTS_NIC_STUB_PROCESS_H

#include <portals4.h>

#include "fuzz/stub_world.h"
#include "portals/process.h"

#define STUB_PT 1

struct stub_process {
    struct stub_world stub;
    struct weft_portals_process process;
    struct weft_nic_peer *peers[STUB_PEERS];
    ptl_handle_ni_t ni;
    ptl_handle_eq_t eq; /* of STUB_PT, too */
};

/* `kind`: PTL_NI_LOGICAL or PTL_NI_PHYSICAL. */
void stub_process_open(struct stub_process *process, bool is_reliable, unsigned kind);
void stub_process_close(struct stub_process *process);

/* The head of what a peer sends. */
struct weft_packet stub_process_packet(const struct stub_process *process,
                                       enum weft_packet_kind kind, unsigned peer,
                                       uint32_t payload);

#endif
