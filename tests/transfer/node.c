/* SPDX-License-Identifier: BSD-3-Clause */
#include "transfer/node.h"

#include "portals/process.h"
#include "transfer/net.h"

bool node_open(struct node_net *node, unsigned number, unsigned nodes)
{
    ptl_process_t map[NODES_AT_MOST];
    for (unsigned i = 0; i < nodes; i++)
        map[i] = (ptl_process_t){.phys = {.nid = i + 1, .pid = 1}};
    return PtlInit() == PTL_OK &&
           PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, 1, NULL, NULL,
                     &node->ni) == PTL_OK &&
           PtlSetMap(node->ni, nodes, map) == PTL_OK &&
           weft_net_attach(node->ni, number, nodes, 0, &node->net) == WEFT_OK;
}

void node_close(struct node_net *node)
{
    weft_close(node->net);
    PtlNIFini(node->ni);
    PtlFini();
}

uint64_t node_time(void)
{
    struct weft_nic_world *world = weft_portals_process_self()->world;
    return world->ops->now(world);
}
