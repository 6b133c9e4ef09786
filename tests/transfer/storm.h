/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random transfers among all ranks of a net, each of which knows what it must get. A storm follows
 * from its seed, which is the same on all ranks; in virtual time, so does all that happens.
 */
#ifndef WEFT_TESTS_TRANSFER_STORM_H
#define WEFT_TESTS_TRANSFER_STORM_H

#include <weft_net.h>

struct storm {
    weft_net *net;
    uint64_t seed;
    int patience;       /* milliseconds */
    size_t longest;     /* some messages are up to so long; 0: a usual length */
    unsigned transfers; /* of all ranks: the storm adds its own */
    size_t longest_yet;
    char why[160]; /* what went wrong; empty: nothing */
};

/* Messages of all lengths, between layouts that have nothing in common, with and without
 * wildcards, some too long for their receives; receives are cancelled, while messages come for
 * them, too. */
void storm_of_messages(struct storm *storm);

/* Puts and gets of any ranges of regions. */
void storm_of_regions(struct storm *storm);

#endif
