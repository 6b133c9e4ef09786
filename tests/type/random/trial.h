/* SPDX-License-Identifier: BSD-3-Clause */
/* A trial: a random type, a second one to copy to, and all that is checked of them. */
#ifndef WEFT_TESTS_TRIAL_H
#define WEFT_TESTS_TRIAL_H

#include "support/side.h"

struct trial {
    struct model *model, *peer;
    size_t count;
    uint64_t seed; /* of the choices that the checks make */
};

/* While a trial runs. */
struct bench {
    struct window windows[2]; /* memory of the type and of its peer */
    struct window packed;
    const struct trial *trial;
    struct side side, peer;
    struct rng rng;
    unsigned char *stream;   /* packed bytes that a check works on */
    unsigned char *expected; /* the packed bytes of the type, memory being as side_fill left it */
    char what[400];          /* went wrong */
};

bool bench_open(struct bench *bench);
void bench_close(struct bench *bench);

struct trial trial_generate(uint64_t seed, uint64_t index);
void trial_free(struct trial *trial);

/* Says what is wrong; always false. */
__attribute__((format(printf, 2, 3))) bool trial_fail(struct bench *bench, const char *format,
                                                      ...);

/* A check is a function that returns false after trial_fail. */
typedef bool (*trial_check)(struct bench *bench);

/* Whether all checks, up to a NULL, hold; else bench->what says which did not. */
bool trial_run(struct bench *bench, const struct trial *trial, const trial_check *checks);

/* Cuts [0, total) into ranges at random bytes and calls `visit` for each, in random order, until
 * one returns an error. */
typedef int (*trial_visit)(struct bench *bench, size_t offset, size_t length);
int trial_ranges(struct bench *bench, size_t total, trial_visit visit);

#endif
