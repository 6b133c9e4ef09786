/* SPDX-License-Identifier: BSD-3-Clause */
/* Handlers that follow a script, and count what they saw. */
#ifndef WEFT_TESTS_SPIN_PLAY_H
#define WEFT_TESTS_SPIN_PLAY_H

#include "spin/spin.h"

#define PLAY_SIZE 20000 /* several packets */

/* In HPU memory: what the handlers shall return. */
struct script {
    ptl_handler_result_t header, payload, completion;
    bool only_first; /* `payload` is for the first packet, and SUCCESS for the others */
};

/* In handler host memory. */
struct seen {
    uint64_t headers, payloads, completions;
    uint64_t bytes, first_length, dropped, flow;
    uint64_t out_of_order;
};

struct play {
    struct script script;
    struct seen seen;
    struct spin_case what;
    unsigned char memory[PLAY_SIZE]; /* of the entry; payload handlers deposit what they get */
};

/* One message of PLAY_SIZE bytes whose handlers follow the script, but not sent yet. */
struct play *play_new(struct job *job, struct script script);
struct play *play_run(struct job *job, struct script script);
struct play *play_failing(struct job *job, struct script script, ptl_ni_fail_t fail);

bool play_is_untouched(const struct play *play);

#endif
