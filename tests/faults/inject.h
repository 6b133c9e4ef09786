/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls to the system that fail on purpose: the nth of a kind, or that and all that follow.
 * calls.c puts itself between Weft and the C library, in one of two ways. redirect.sh makes a copy
 * of Weft's objects whose calls have other names: programs that are linked with it fail nothing of
 * their own. As a shared library for LD_PRELOAD it serves programs that are what they are; there
 * preload.c decides whose calls count.
 */
#ifndef WEFT_TESTS_FAULTS_INJECT_H
#define WEFT_TESTS_FAULTS_INJECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* X(name, text) */
#define FAULT_KIND_MAP(X)                                                                         \
    X(MEMORY, "memory") /* malloc and its kin */                                                  \
    X(OPEN, "open")     /* whatever makes a descriptor and is not below */                        \
    X(MMAP, "mmap")                                                                               \
    X(MEMFD, "memfd")                                                                             \
    X(PIDFD, "pidfd")                                                                             \
    X(SOCKET, "socket")                                                                           \
    X(CONNECT, "connect")                                                                         \
    X(SEND, "send") /* and writes to sockets */                                                   \
    X(THREAD, "thread")

enum fault_kind {
#define FAULT_KIND_ENUM(name, text) FAULT_##name,
    FAULT_KIND_MAP(FAULT_KIND_ENUM)
#undef FAULT_KIND_ENUM
        FAULT_KINDS
};

const char *fault_kind_text(enum fault_kind kind);

/* FAULT_KINDS if it is none. */
enum fault_kind fault_kind_of(const char *text);

struct fault {
    enum fault_kind kind;
    uint64_t nth; /* from 1; 0: nothing fails */
    bool for_ever;
    atomic_uint_least64_t calls[FAULT_KINDS]; /* so far */
};

/* From now on the calls of this process are counted in `fault`, and fail as it says. NULL ends
 * that. */
void fault_arm(struct fault *fault);

/* Counts a call; true if it must fail. */
bool fault_strikes(enum fault_kind kind);

#endif
