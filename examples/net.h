/* SPDX-License-Identifier: BSD-3-Clause */
/* What the examples of weft_net.h share. */
#ifndef WEFT_EXAMPLES_NET_H
#define WEFT_EXAMPLES_NET_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <weft_net.h>

#define must(call) must_at((call), #call)

static inline void must_at(int error, const char *call)
{
    if (error == WEFT_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", call, weft_error_name(error), weft_error_text(error));
    exit(1);
}

static inline void *memory(size_t bytes)
{
    void *start = calloc(1, bytes);
    if (!start)
        must(WEFT_ERR_MEMORY);
    return start;
}

static inline double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline weft_type *ready(weft_type *type)
{
    must(weft_type_commit(type));
    return type;
}

/* Rank 0 has heard of all, then all hear of it. */
static inline void barrier(weft_net *net)
{
    const weft_type *byte = weft_basic(WEFT_BYTE);
    if (weft_rank(net) > 0) {
        must(weft_send(net, byte, 0, NULL, 0, 9999));
        must(weft_recv(net, byte, 0, NULL, 0, 9999, NULL));
        return;
    }
    for (int rank = 1; rank < weft_size(net); rank++)
        must(weft_recv(net, byte, 0, NULL, rank, 9999, NULL));
    for (int rank = 1; rank < weft_size(net); rank++)
        must(weft_send(net, byte, 0, NULL, rank, 9999));
}

/* The time of the fastest of `rounds`, in microseconds. */
static inline double fastest(weft_net *net, unsigned rounds, void (*round)(void *), void *argument)
{
    double best = 1e30;
    for (unsigned i = 0; i < rounds; i++) {
        barrier(net);
        double begin = seconds();
        round(argument);
        double time = seconds() - begin;
        best = time < best ? time : best;
    }
    return best * 1e6;
}

#endif
