/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that answers questions, a line at a time. Failures end this program. */
#ifndef WEFT_BENCH_HARNESS_PARTNER_H
#define WEFT_BENCH_HARNESS_PARTNER_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct partner {
    const char *name;
    int patience_ms; /* with an answer; -1: for ever */
    pid_t pid;
    FILE *to, *from;
};

/* The program of this name that belongs to the command: in the tree that it was built in, or where
 * it was installed. False if there is none. */
bool partner_find(const char *name, char *path, size_t size);

/* Starts it; `prepare`, if not NULL, is called in the new process before. */
void partner_start(struct partner *partner, char *const *arguments, void (*prepare)(void *context),
                   void *context);
void partner_ask(const struct partner *partner, const char *request);
void partner_answer(const struct partner *partner, char *line, size_t size);
void partner_stop(struct partner *partner);

#endif
