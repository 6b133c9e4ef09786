/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the operations of one rank, which stay where the text is. */
#ifndef WEFT_SIM_MESSAGE_LABEL_H
#define WEFT_SIM_MESSAGE_LABEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weft_sim_label {
    const char *name;
    size_t length;
    uint32_t operation;
    uint32_t turn; /* it counts only in that of the table */
};

/* Starts as zeros. */
struct weft_sim_labels {
    struct weft_sim_label *labels;
    uint32_t room; /* a power of two, or 0 */
    uint32_t count;
    uint32_t turn;
};

void weft_sim_labels_fini(struct weft_sim_labels *labels);

/* Forgets all. */
void weft_sim_labels_clear(struct weft_sim_labels *labels);

/* False without memory. The name must not be there. */
bool weft_sim_labels_add(struct weft_sim_labels *labels, const char *name, size_t length,
                         uint32_t operation);

/* NONE if there is no such name. */
uint32_t weft_sim_labels_find(const struct weft_sim_labels *labels, const char *name,
                              size_t length);

#endif
