/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes that a test starts, stops and kills, and the memory through which they tell each
 * other how far they are. The test itself never opens an interface: settings are read once per
 * process, and each of its children has its own.
 */
#ifndef WEFT_TESTS_SURVIVE_STAGE_H
#define WEFT_TESTS_SURVIVE_STAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define STAGE_MILLISECOND UINT64_C(1000000)
#define STAGE_SECOND (1000 * STAGE_MILLISECOND)

/* Of WEFT_TIMEOUT in all tests of this folder, and how late a failure may be told. */
#define STAGE_TIMEOUT "1000"
#define STAGE_LIMIT (2 * STAGE_SECOND)

struct stage {
    atomic_uint test; /* how far each is, in numbers that the test gives a meaning */
    atomic_uint survivor;
    atomic_uint victim;
    atomic_uint third;
    atomic_bool asks_to_stop;
    atomic_bool is_doomed;    /* it is about to be killed */
    _Atomic uint64_t dead_at; /* 0: not yet */
    _Atomic uint64_t latency; /* from then until the last operation had ended */
    atomic_uint failed;       /* operations that ended with a failure */
};

extern struct stage *stage;

/* A folder and a rendezvous file for the processes of this test, who meet in shared memory, or
 * by a provider of libfabric if it is not NULL. Then they are a job of so many ranks, and each has
 * to join it before it opens an interface, with the pid that follows from its rank. */
void stage_open(const char *provider, unsigned ranks);
bool stage_is_far(void);
void stage_join(unsigned pid);

/* Everybody is at the beginning again. */
void stage_reset(void);

/* Checks that they left nothing behind, here and in the shared memory of the host. */
void stage_close(void);

/* Runs `role` in a new process, whose progress thread looks in every `progress` microseconds. */
pid_t stage_start(void (*role)(void), const char *progress);

/* Waits for the end of a process; it hangs no longer than the patience of the test. */
bool stage_ended_well(pid_t process);

/* Sets stage->is_doomed, kills, and sets stage->dead_at. The process stays a zombie until it is
 * reaped. */
void stage_kill(pid_t process);
void stage_reap(pid_t process);
/* As good as killed. */
void stage_stop_for_good(pid_t process);

/* Returns when it has stopped; SIGCONT lets it go on. */
void stage_stop(pid_t process);

uint64_t stage_now(void);

/* In a child, which has no TAP of its own: says what went wrong and ends. */
#define need(condition) stage_need((condition), __FILE__, __LINE__, #condition)
void stage_need(bool holds, const char *file, int line, const char *what);

/* Evaluates until it is true; ends a child, or the test, that would wait for ever. */
#define wait_until(condition)                                                                     \
    for (uint64_t until_ = stage_patience(); !(condition);)                                       \
    stage_pause(until_, __FILE__, __LINE__, #condition)
uint64_t stage_patience(void);
void stage_pause(uint64_t until, const char *file, int line, const char *what);

/* Time since stage->dead_at, without that in which this process could not run because others had
 * the processors: all the time, it calls stage_tick. */
uint64_t stage_since_death(void);
void stage_tick(void);

/* What this process holds: open files, threads, and maps of the segments of others. Sockets are
 * libfabric's, which closes them when it pleases. */
struct stage_holdings {
    unsigned files, threads, maps;
};
struct stage_holdings stage_holdings(void);

#endif
