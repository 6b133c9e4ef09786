/* SPDX-License-Identifier: BSD-3-Clause */
/* A net on each simulated node, whose rank is its number. */
#ifndef WEFT_TESTS_TRANSFER_NODE_H
#define WEFT_TESTS_TRANSFER_NODE_H

#include <portals4.h>

#include <weft_net.h>

#define NODES_AT_MOST 16

struct node_net {
    weft_net *net;
    ptl_handle_ni_t ni;
};

/* False if something went wrong. It returns when all nodes have come. */
bool node_open(struct node_net *node, unsigned number, unsigned nodes);
void node_close(struct node_net *node);

/* Virtual, in nanoseconds. */
uint64_t node_time(void);

#endif
