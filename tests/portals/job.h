/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A behaviour is one promise of the Portals interface, named in words. Its function is run by
 * every rank of a job: rank 0 is the target and the others are initiators; in a job of one
 * process, that process is both. The runner (run.c) tries each behaviour in every world and on
 * every interface that it fits. Nodes of the simulated world share their globals: behaviours keep
 * what they know on the stack or in job_memory.
 */
#ifndef WEFT_TESTS_PORTALS_JOB_H
#define WEFT_TESTS_PORTALS_JOB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "portals4.h"

/* ofi: a job of one host or two, whose processes do not choose their pids. */
enum job_world { JOB_SIM = 1, JOB_SHM = 2, JOB_OFI = 4, JOB_REAL = JOB_SHM | JOB_OFI };

struct job;

struct behaviour {
    const char *name;
    unsigned ranks;         /* 2 unless it says */
    unsigned sim_ranks;     /* where more are cheap; 0: as above */
    unsigned worlds;        /* enum job_world; 0: all */
    unsigned needs;         /* PTL_NI_*: only interfaces with these; 0: all */
    bool bare;              /* it opens the interface itself */
    bool apart;             /* one process cannot be both sides */
    unsigned timeout;       /* milliseconds after which a silent process counts as dead */
    ptl_ni_limits_t limits; /* desired where not 0 */
    unsigned contexts;      /* packets that may wait for HPUs; then there must be HPUs */
    unsigned crash;         /* milliseconds of virtual time; then node 0 is dead */
    void (*run)(struct job *job);
    struct behaviour *next;
};

/* BEHAVIOUR("name", .ranks = 4, ...) { ... } */
#define BEHAVIOUR(...) BEHAVIOUR_AT(__LINE__, __VA_ARGS__)
#define BEHAVIOUR_AT(line, ...) BEHAVIOUR_ON(line, __VA_ARGS__)
#define BEHAVIOUR_ON(line, ...) BEHAVIOUR_AS(behaviour_##line, __VA_ARGS__)
#define BEHAVIOUR_AS(id, ...)                                                                     \
    static void id##_run(struct job *job);                                                        \
    __attribute__((constructor)) static void id##_register(void)                                  \
    {                                                                                             \
        static struct behaviour behaviour = {__VA_ARGS__, .run = id##_run};                       \
        job_register(&behaviour);                                                                 \
    }                                                                                             \
    static void id##_run(struct job *job)

void job_register(struct behaviour *behaviour);

/* What went wrong, where the parent process can read it. */
#define JOB_COMPLAINTS 3
struct job_verdict {
    atomic_uint failures;
    atomic_uint gate;  /* how often a rank came to it */
    atomic_uint tally; /* for what the ranks of a behaviour count together */
    char complaints[JOB_COMPLAINTS][240];
};

#define JOB_MEMORIES 64
struct job {
    const struct behaviour *behaviour;
    unsigned rank, size;
    bool target, initiator;
    enum job_world world;
    unsigned hosts; /* that the ranks are dealt out to in turn, if the world is real */
    unsigned hpus;  /* 0: handlers run in the thread that receives */
    bool logical, matching;
    bool reorders; /* packets may overtake each other */

    /* Open unless the behaviour is bare. */
    ptl_handle_ni_t ni;
    ptl_ni_limits_t limits;
    ptl_handle_eq_t eq;        /* for events of the initiator */
    ptl_handle_eq_t target_eq; /* of `pt` */
    ptl_pt_index_t pt;

    /* Of the harness. */
    struct job_verdict *verdict;
    ptl_handle_ct_t barrier_ct;
    ptl_handle_md_t barrier_md;
    unsigned barriers, gates;
    void *memories[JOB_MEMORIES];
    unsigned memory_count;
};

/* ---- Setting the scene -------------------------------------------------------------------- */

unsigned job_interface(const struct job *job); /* options of PtlNIInit */
ptl_pid_t job_pid(const struct job *job);
void job_physical_map(const struct job *job, ptl_process_t *map);
void job_open(struct job *job);
void job_close(struct job *job);

/* The address of a rank; job->size is the address of a process that does not exist. */
ptl_process_t job_process(const struct job *job, unsigned rank);
bool job_same_process(const struct job *job, ptl_process_t a, ptl_process_t b);

/* Zeroed, and freed when the behaviour is over. */
void *job_memory(struct job *job, size_t size);
void job_free(struct job *job);

/* The bytes seed, seed + 1, ...; and whether they are there. */
void job_fill(void *start, size_t size, unsigned seed);
bool job_filled(const void *start, size_t size, unsigned seed);

/* Every rank has come here. Puts that a rank sent before it have been taken by the target when
 * the target leaves the second of two barriers: job_settle is two of them. */
void job_barrier(struct job *job);
/* The same without messages of the interface. */
void job_gate(struct job *job);
void job_settle(struct job *job);

ptl_handle_eq_t job_eq(struct job *job, ptl_size_t count);
ptl_handle_ct_t job_ct(struct job *job);
ptl_handle_md_t job_bind(struct job *job, void *start, ptl_size_t length, unsigned options,
                         ptl_handle_eq_t eq, ptl_handle_ct_t ct);
/* With events to job->eq, but none of sends. */
ptl_handle_md_t job_md(struct job *job, void *start, ptl_size_t length);

/* ---- Checks: a failed one is noted and the behaviour goes on, with less patience ---------- */

#define holds(condition) job_check(job, (condition), __FILE__, __LINE__, #condition)
#define equals(actual, expected)                                                                  \
    job_check_equal(job, (uint64_t)(actual), (uint64_t)(expected), __FILE__, __LINE__, #actual)
#define gives(expected, call) job_check_code(job, (call), (expected), __FILE__, __LINE__, #call)
#define ok(call) gives(PTL_OK, call)
/* The next event of the queue, which must be of this type (and fail so). */
#define next_event(eq, type) next_failure(eq, type, PTL_NI_OK)
#define next_failure(eq, type, fail) job_next_event(job, eq, type, fail, __FILE__, __LINE__)
#define no_event(eq) job_check_no_event(job, eq, __FILE__, __LINE__)
/* Waits until the counter has come so far, and it must not be farther. */
#define counts(ct, success, failure) job_check_count(job, ct, success, failure, __FILE__, __LINE__)

bool job_check(struct job *job, bool held, const char *file, int line, const char *what);
bool job_check_equal(struct job *job, uint64_t actual, uint64_t expected, const char *file,
                     int line, const char *what);
bool job_check_code(struct job *job, int actual, int expected, const char *file, int line,
                    const char *call);
ptl_event_t job_next_event(struct job *job, ptl_handle_eq_t eq, ptl_event_kind_t type,
                           ptl_ni_fail_t fail, const char *file, int line);
void job_check_no_event(struct job *job, ptl_handle_eq_t eq, const char *file, int line);
void job_check_count(struct job *job, ptl_handle_ct_t ct, ptl_size_t success, ptl_size_t failure,
                     const char *file, int line);

/* How long to wait for what must come, in milliseconds. */
ptl_time_t job_patience(const struct job *job);

/* ---- Messages and entries ----------------------------------------------------------------- */

/* What a message or list entry says; what is not named is 0, and these: */
struct message {
    ptl_handle_md_t md;
    ptl_size_t length;
    ptl_size_t local_offset;
    ptl_handle_md_t get_md; /* of fetching operations */
    ptl_size_t get_offset;
    ptl_ack_req_t ack;
    unsigned to;       /* rank 0: the target */
    ptl_pt_index_t pt; /* 0: job->pt */
    ptl_match_bits_t bits;
    ptl_size_t remote_offset;
    void *user_ptr;
    ptl_hdr_data_t hdr_data;
    const void *operand;
    ptl_op_t operation;
    ptl_datatype_t datatype;
    /* Set by the macros below. */
    struct job *job;
    bool triggered;
    ptl_handle_ct_t counter;
    ptl_size_t threshold;
};

/* put(md, length, .ack = PTL_ACK_REQ, ...) and so on are the plain calls, put_when(counter,
 * threshold, md, length, ...) the triggered ones. */
#define MESSAGE(...) ((struct message){__VA_ARGS__, .job = job})
#define MESSAGE_WHEN(ct, n, ...)                                                                  \
    ((struct message){__VA_ARGS__, .job = job, .triggered = true, .counter = ct, .threshold = n})
#define put(...) job_put(MESSAGE(__VA_ARGS__))
#define get(...) job_get(MESSAGE(__VA_ARGS__))
#define atomic(...) job_atomic(MESSAGE(__VA_ARGS__))
#define fetch(...) job_fetch(MESSAGE(__VA_ARGS__))
#define swap(...) job_swap(MESSAGE(__VA_ARGS__))
#define put_when(ct, n, ...) job_put(MESSAGE_WHEN(ct, n, __VA_ARGS__))
#define get_when(ct, n, ...) job_get(MESSAGE_WHEN(ct, n, __VA_ARGS__))
#define atomic_when(ct, n, ...) job_atomic(MESSAGE_WHEN(ct, n, __VA_ARGS__))
#define fetch_when(ct, n, ...) job_fetch(MESSAGE_WHEN(ct, n, __VA_ARGS__))
#define swap_when(ct, n, ...) job_swap(MESSAGE_WHEN(ct, n, __VA_ARGS__))

int job_put(struct message message);
int job_get(struct message message);
int job_atomic(struct message message);
int job_fetch(struct message message);
int job_swap(struct message message);

/* A list entry, matching or not as the interface is. Anybody may use it and it gives no LINK
 * event unless it says otherwise. */
struct posting {
    void *start;
    ptl_size_t length;
    unsigned options;
    ptl_list_t list;
    ptl_pt_index_t pt; /* 0: job->pt */
    const ptl_handle_ct_t *ct;
    const ptl_uid_t *uid;
    const ptl_process_t *from;
    ptl_match_bits_t bits, ignore;
    ptl_size_t min_free;
    void *user_ptr;
    bool link;
    struct job *job;
};

#define POSTING(...) ((struct posting){__VA_ARGS__, .job = job})
#define post(...) job_post(POSTING(__VA_ARGS__), __FILE__, __LINE__)
#define append(handle, ...) job_append(POSTING(__VA_ARGS__), handle)
#define search(how, ...) job_search(POSTING(__VA_ARGS__), how)

ptl_me_t job_entry(struct posting posting);
int job_append(struct posting posting, ptl_handle_me_t *handle);
ptl_handle_me_t job_post(struct posting posting, const char *file, int line);
int job_search(struct posting posting, ptl_search_op_t how);
int job_unlink(struct job *job, ptl_handle_me_t handle);

#endif
