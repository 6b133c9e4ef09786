/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entries that stay, and that many nodes send to at once: their handlers only count, twice over,
 * in HPU memory and in handler host memory. All bytes of a message to them are alike.
 */
#ifndef WEFT_TESTS_CHAOS_LETTERS_TALLY_H
#define WEFT_TESTS_CHAOS_LETTERS_TALLY_H

#include "chaos/letters/letter.h"

#define TALLY_LONGEST 4096u

struct tally_counts {
    uint64_t headers, payloads, completions, bytes, dropped, broken;
};

struct tally {
    enum tag tag;
    ptl_match_bits_t match_bits;
    bool has_header, has_payload, has_completion;
    struct {
        struct tally_counts counts, copy;
    } host;
    unsigned char memory[TALLY_LONGEST];
    ptl_handle_hpu_t hpu_memory;
    ptl_handle_me_t entry;
    uint64_t events, rlengths;
};

void tally_draw(struct rng *rng, struct tally *tally, ptl_match_bits_t match_bits);
ptl_handlers_t tally_handlers(struct tally *tally);

/* When nothing is under way; NULL, or what is wrong. */
const char *tally_judge(const struct tally *tally);

#endif
