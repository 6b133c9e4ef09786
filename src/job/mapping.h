/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The value of PMI_process_mapping: which ranks are on which host. "(vector,(0,3,2),(5,1,4))" puts
 * ranks 0 and 1 on host 0, 2 and 3 on host 1, 4 and 5 on host 2, and 6 to 9 on host 5; with more
 * ranks than that it begins again.
 */
#ifndef WEFT_JOB_MAPPING_H
#define WEFT_JOB_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

struct weft_job_mapping_block {
    uint32_t first_node, nodes, ranks_per_node;
};

/* More do not fit into the longest value that launchers have, which is of 1024 characters. */
#define WEFT_JOB_MAPPING_BLOCKS 128u

struct weft_job_mapping {
    uint32_t count;
    uint64_t ranks; /* until it begins again */
    struct weft_job_mapping_block blocks[WEFT_JOB_MAPPING_BLOCKS];
};

/* False if the text makes no sense. */
bool weft_job_mapping_parse(struct weft_job_mapping *mapping, const char *text);
uint32_t weft_job_mapping_node(const struct weft_job_mapping *mapping, uint32_t rank);

#endif
