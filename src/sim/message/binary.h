/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Graphs as LogGOPSim's txt2bin writes them. Numbers are little-endian, and places are counted
 * behind the first one:
 *
 *     u64 4223, u32 ranks, u8 last CPU, u8 last NIC, for each rank u64 begin and u64 end
 *     for each rank: u32 operations, u32 roots, u32 for each root, the operations, followers as
 * u32
 *
 * An operation has 39 bytes: u32 waits, u8 kind (1 send, 2 recv, 3 calc), u32 peer, u64 size,
 * u32 tag, u8 CPU, u8 NIC, and how many followers wait for its end and for its beginning, each
 * with where they begin, u32 all.
 */
#ifndef WEFT_SIM_MESSAGE_BINARY_H
#define WEFT_SIM_MESSAGE_BINARY_H

#include "sim/message/text.h"

bool weft_sim_binary_is(const void *bytes, size_t size);

/* As weft_sim_text_read; the line of a mistake is 0. */
bool weft_sim_binary_read(struct weft_sim_graph *graph, const void *bytes, size_t size,
                          struct weft_sim_mistake *mistake);

#endif
