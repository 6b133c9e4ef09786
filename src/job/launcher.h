/* SPDX-License-Identifier: BSD-3-Clause */
/* What each kind of launcher provides to wireup.c. */
#ifndef WEFT_JOB_LAUNCHER_H
#define WEFT_JOB_LAUNCHER_H

#include <stdbool.h>

#include "job/wireup.h"

struct weft_job_launcher {
    const char *name;

    /* The environment speaks of it. */
    bool (*is_there)(void);

    /* NULL if it fails, and the log says why. Fills in rank, size and node, and the token. */
    struct weft_job_wireup *(*open)(struct weft_job *job,
                                    unsigned char token[WEFT_JOB_TOKEN_SIZE]);
};

/* What can be done once it is open. Arguments are valid: wireup.c has seen to it. */
struct weft_job_wireup_ops {
    int (*publish)(struct weft_job_wireup *wireup, const void *card, size_t size);
    int (*fetch)(struct weft_job_wireup *wireup, uint32_t rank, void *card, size_t room,
                 size_t *size);
    int (*node)(struct weft_job_wireup *wireup, uint32_t rank, uint32_t *node);
    /* The process ends. Frees nothing: worlds may still be open, and have threads. NULL if nobody
     * needs to be told. */
    void (*leave)(struct weft_job_wireup *wireup);
};

/* A launcher puts its own fields behind this. */
struct weft_job_wireup {
    const struct weft_job_wireup_ops *ops;
    uint32_t size; /* of the job; wireup.c fills it in */
    bool has_left;
};

/* Of the size of the launcher's own structure, all zero but for the operations. NULL without
 * memory, and the log says so. */
void *weft_job_wireup_new(size_t size, const struct weft_job_wireup_ops *ops);

extern const struct weft_job_launcher weft_job_launcher_pmix;
extern const struct weft_job_launcher weft_job_launcher_pmi;
extern const struct weft_job_launcher weft_job_launcher_file;
extern const struct weft_job_launcher weft_job_launcher_given;

#endif
