/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/stub_process.h"

#include <string.h>

#include "support/tap.h"

void stub_process_open(struct stub_process *process, bool is_reliable, unsigned kind)
{
    static const ptl_process_t map[] = {{.phys = {7, 100}}, {.phys = {7, 101}}};
    ptl_pt_index_t index;
    memset(process, 0, sizeof *process);
    stub_open(&process->stub, is_reliable);
    weft_portals_process_init(&process->process);
    process->process.world = &process->stub.world;
    process->process.world_is_given = true;
    weft_portals_process_become(&process->process);
    check_int(PtlInit(), PTL_OK);
    check_int(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | kind, PTL_PID_ANY, NULL, NULL,
                        &process->ni),
              PTL_OK);
    if (kind == PTL_NI_LOGICAL)
        check_int(PtlSetMap(process->ni, STUB_PEERS, map), PTL_OK);
    check_int(PtlEQAlloc(process->ni, 16, &process->eq), PTL_OK);
    check_int(PtlPTAlloc(process->ni, 0, process->eq, STUB_PT, &index), PTL_OK);
    for (unsigned i = 0; i < STUB_PEERS; i++)
        process->peers[i] = weft_nic_peer(process->process.nic, stub_peer(i));
}

void stub_process_close(struct stub_process *process)
{
    PtlFini();
    stub_close(&process->stub);
}

struct weft_packet stub_process_packet(const struct stub_process *process,
                                       enum weft_packet_kind kind, unsigned peer, uint32_t payload)
{
    unsigned number = 0;
    while (!process->process.nic->nis[number].open)
        number++;
    return (struct weft_packet){.head = {.version = WEFT_PACKET_VERSION,
                                         .kind = (uint8_t)kind,
                                         .flags = (uint8_t)number,
                                         .length = payload,
                                         .source_nid = stub_peer(peer).nid,
                                         .source_pid = stub_peer(peer).pid}};
}
