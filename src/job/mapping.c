/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/mapping.h"

#include <string.h>

/* Numbers are below this, so that sums and products of them do not overflow. */
#define LIMIT (UINT32_C(1) << 31)

static bool skip(const char **text, const char *what)
{
    size_t length = strlen(what);
    if (strncmp(*text, what, length) != 0)
        return false;
    *text += length;
    return true;
}

static bool take_number(const char **text, uint32_t *number)
{
    uint64_t value = 0;
    const char *at = *text;
    for (; *at >= '0' && *at <= '9' && value < LIMIT; at++)
        value = value * 10 + (uint64_t)(*at - '0');
    bool is_number = at > *text && value < LIMIT;
    *number = (uint32_t)value;
    *text = at;
    return is_number;
}

static bool take_block(const char **text, struct weft_job_mapping_block *block)
{
    return skip(text, ",(") && take_number(text, &block->first_node) && skip(text, ",") &&
           take_number(text, &block->nodes) && skip(text, ",") &&
           take_number(text, &block->ranks_per_node) && skip(text, ")") && block->nodes > 0 &&
           block->ranks_per_node > 0 && block->first_node + block->nodes <= LIMIT;
}

static uint64_t ranks_of(const struct weft_job_mapping_block *block)
{
    return (uint64_t)block->nodes * block->ranks_per_node;
}

bool weft_job_mapping_parse(struct weft_job_mapping *mapping, const char *text)
{
    mapping->count = 0;
    mapping->ranks = 0;
    if (!skip(&text, "(vector"))
        return false;
    while (*text == ',' && mapping->count < WEFT_JOB_MAPPING_BLOCKS) {
        struct weft_job_mapping_block *block = &mapping->blocks[mapping->count++];
        if (!take_block(&text, block) || mapping->ranks + ranks_of(block) < mapping->ranks)
            return false;
        mapping->ranks += ranks_of(block);
    }
    return strcmp(text, ")") == 0 && mapping->count > 0;
}

uint32_t weft_job_mapping_node(const struct weft_job_mapping *mapping, uint32_t rank)
{
    uint64_t rest = rank % mapping->ranks;
    const struct weft_job_mapping_block *block = mapping->blocks;
    for (; rest >= ranks_of(block); block++)
        rest -= ranks_of(block);
    return block->first_node + (uint32_t)(rest / block->ranks_per_node);
}
