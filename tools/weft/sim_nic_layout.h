/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the bytes of a message belong at the receiver. */
#ifndef WEFT_TOOLS_SIM_NIC_LAYOUT_H
#define WEFT_TOOLS_SIM_NIC_LAYOUT_H

#include "bench/ddt/ddt_layout.h"
#include "sim_nic_model.h"

/* The layout that a study names, as its program has it, or the vector of its blocks. False, having
 * said why. To be closed by ddt_layout_close. */
bool sim_nic_layout_open(const struct sim_nic_study *study, struct ddt_layout *layout);

/* False, having said why, if there is no layout of the name that the study has. */
bool sim_nic_layout_is_known(const struct sim_nic_study *study);

/* Whether all bytes of the packed message, none of which is 0, are where they belong, and all else
 * is 0. */
bool sim_nic_layout_holds(const struct ddt_layout *layout, const unsigned char *memory,
                          const unsigned char *packed);

/* A contiguous piece: where it is, from the first byte of memory and from that of the message. */
struct sim_nic_piece {
    size_t place, offset, length;
};

/* All of them, in the order of the message. */
void sim_nic_layout_each(const struct ddt_layout *layout,
                         void (*visit)(void *self, const struct sim_nic_piece *piece), void *self);

#endif
