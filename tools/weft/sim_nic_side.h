/* SPDX-License-Identifier: BSD-3-Clause */
/* A node that takes part in an exchange: an interface, a counter of what comes, memory to send. */
#ifndef WEFT_TOOLS_SIM_NIC_SIDE_H
#define WEFT_TOOLS_SIM_NIC_SIDE_H

#include "sim_nic_node.h"

/* The first thing that went wrong on any of them, which is all zeros to begin with. */
struct sim_nic_fault {
    const char *what;
};

struct sim_nic_side {
    struct sim_nic_fault *fault;
    ptl_handle_ni_t ni;
    ptl_pt_index_t index;
    ptl_handle_ct_t bytes; /* that came */
    ptl_handle_md_t md;
};

/* Whether a call went well; if not, that is kept. */
bool sim_nic_side_need(const struct sim_nic_side *side, int result, const char *what);

/* All of these are false if something went wrong. The memory to send may be NULL. */
bool sim_nic_side_open(struct sim_nic_side *side, struct sim_nic_fault *fault, void *sends,
                       size_t length);

/* An entry that counts the bytes that come. */
ptl_me_t sim_nic_side_entry(const struct sim_nic_side *side, void *start, size_t length);

/* Without handlers if they are NULL. */
bool sim_nic_side_append(const struct sim_nic_side *side, const ptl_me_t *me,
                         const ptl_handlers_t *handlers);

/* Code for cores, with a state that is copied to the memory of the NIC. */
bool sim_nic_side_append_image(const struct sim_nic_side *side, const ptl_me_t *me,
                               ptl_image_handlers_t *image, ptl_handlers_t *handlers);

ptl_process_t sim_nic_side_node(unsigned node);
bool sim_nic_side_put(const struct sim_nic_side *side, unsigned to, size_t length);
bool sim_nic_side_await(const struct sim_nic_side *side, size_t bytes);

/* Runs a program on all nodes. */
bool sim_nic_side_simulate(const struct weft_sim_config *config,
                           void (*program)(unsigned node, void *argument), void *argument,
                           const struct sim_nic_fault *fault);

#endif
