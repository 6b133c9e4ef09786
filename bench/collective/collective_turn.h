/* SPDX-License-Identifier: BSD-3-Clause */
/* What is measured of a collective, the same for schedules and for an MPI. */
#ifndef WEFT_BENCH_COLLECTIVE_COLLECTIVE_TURN_H
#define WEFT_BENCH_COLLECTIVE_COLLECTIVE_TURN_H

#include <stdbool.h>
#include <stddef.h>

#define COLLECTIVE_MOST_BYTES ((size_t)1 << 20)

enum collective_kind {
    COLLECTIVE_BCAST, /* from each process in turn */
    COLLECTIVE_ALLREDUCE,
    COLLECTIVE_BARRIER,
    COLLECTIVE_COMPARED, /* with those of MPIs: the ones above */
    COLLECTIVE_REDUCE = COLLECTIVE_COMPARED,
    COLLECTIVE_ALLGATHER, /* the bytes of a turn are those of all blocks */
    COLLECTIVE_ALLTOALL,
    COLLECTIVE_KINDS
};

/* X(name, word) */
#define COLLECTIVE_COURSE_MAP(X)                                                                  \
    X(BLOCKING, "blocking")       /* one after the other, in one call */                          \
    X(NONBLOCKING, "nonblocking") /* the same by two calls */                                     \
    X(OVERLAP, "overlap")         /* with a computation between them */                           \
    X(SKEW, "skew")               /* one process computes, and another waits for the end */

enum collective_course {
#define COLLECTIVE_COURSE_ENUM(name, word) COLLECTIVE_##name,
    COLLECTIVE_COURSE_MAP(COLLECTIVE_COURSE_ENUM)
#undef COLLECTIVE_COURSE_ENUM
        COLLECTIVE_COURSES
};

extern const char *const collective_kind_names[COLLECTIVE_KINDS];
extern const char *const collective_course_names[COLLECTIVE_COURSES];

struct collective_turn {
    enum collective_kind kind;
    int way; /* of weft_collective.h */
    enum collective_course course;
    size_t bytes;   /* whole doubles */
    size_t count;   /* of collectives */
    double compute; /* seconds, where there is a computation */
};

struct collective_times {
    double one;  /* seconds of one collective: of its end alone if others compute */
    double busy; /* that its calls take from a thread that computes, if there is a computation, */
    double more; /* and how much longer that takes with a collective than without */
};

/* How they are done. */
struct collective_ops {
    void (*meet)(void);
    void (*open)(const struct collective_turn *turn);
    void (*block)(const struct collective_turn *turn, unsigned root);
    void (*begin)(const struct collective_turn *turn, unsigned root);
    void (*end)(void);
    void (*close)(void);
};

/* By whom. `sources` and `results` are doubles, as many as the turn says. */
struct collective_calls {
    const struct collective_ops *ops;
    unsigned rank, size;
    double *sources, *results;
};

struct collective_calls collective_calls_open(const struct collective_ops *ops, unsigned rank,
                                              unsigned size);
void collective_calls_close(struct collective_calls *calls);

/* False if the data that came is not what it must be. */
bool collective_turn_run(const struct collective_calls *calls, const struct collective_turn *turn,
                         struct collective_times *times);

#endif
