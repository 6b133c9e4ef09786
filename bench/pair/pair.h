/* SPDX-License-Identifier: BSD-3-Clause */
/* Two processes, a crew of two, that measure messages between them. */
#ifndef WEFT_BENCH_PAIR_PAIR_H
#define WEFT_BENCH_PAIR_PAIR_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/harness/crew.h"

struct bare_ofi_card;

struct pair_shape {
    struct crew_world world;
    size_t largest; /* message, in bytes */
    size_t window;  /* messages of a stream before the receiver answers */
    size_t slots;   /* of the bare ring */
    size_t packet;  /* bytes of the longest */
};

enum pair_loop {
    PAIR_PING_PONG,  /* seconds of one way there and back */
    PAIR_STREAM,     /* seconds of one message */
    PAIR_GET,        /* seconds of one get; 0 if the engine has none */
    PAIR_UNEXPECTED, /* seconds of one append that finds its message waiting */
    PAIR_CHAIN       /* seconds of one way there and back, by triggered puts */
};

enum pair_engine {
    PAIR_EVENTS,     /* Weft: each message is told by a full event */
    PAIR_COUNTERS,   /* Weft: messages are counted */
    PAIR_MATCH_LAST, /* Weft: the message matches the entry behind `posted` others */
    PAIR_MATCH_ANY,  /* one of the `posted` entries, chosen at random */
    PAIR_MATCH_WILD, /* as PAIR_MATCH_LAST, with entries that match anything behind it */
    PAIR_RING,       /* the bare ring */
    PAIR_LIBFABRIC,  /* plain libfabric */
    PAIR_SOCKET,     /* a bare socket */
    PAIR_ENGINES
};

struct pair_job {
    enum pair_loop loop;
    enum pair_engine engine;
    size_t there; /* bytes of a message, and of the answer in a ping-pong */
    size_t back;
    size_t count;  /* of messages; streams do whole windows */
    size_t posted; /* entries, or messages that wait */
};

/* What has nothing but the message, in a world. */
enum pair_engine pair_bare_engine(const struct crew_world *world);

/* Returns when both are ready. */
void pair_start(const struct pair_shape *shape);

/* What the pair runs on, if that is libfabric. */
const struct bare_ofi_card *pair_network(void);

double pair_run(const struct pair_job *job);

#endif
