/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/job.h"

#include <stdlib.h>

/* Of every rank; the barrier has the last index of the table for itself. */
#define PT_OF_TESTS 4
#define EVENTS 512

unsigned job_interface(const struct job *job)
{
    return (job->logical ? PTL_NI_LOGICAL : PTL_NI_PHYSICAL) |
           (job->matching ? PTL_NI_MATCHING : PTL_NI_NO_MATCHING);
}

static ptl_process_t physical(const struct job *job, unsigned rank)
{
    ptl_process_t process;
    /* Nobody is at the address after the last rank, nor near it. */
    unsigned place = rank < job->size ? rank + 1 : job->size + 1000;
    process.phys.nid = job->world == JOB_SIM ? place : 1 + rank % job->hosts;
    process.phys.pid = job->world == JOB_SIM ? 1 : place;
    return process;
}

ptl_pid_t job_pid(const struct job *job)
{
    return physical(job, job->rank).phys.pid;
}

/* `map` has job->size + 1 elements: the last is the process that does not exist. */
void job_physical_map(const struct job *job, ptl_process_t *map)
{
    for (unsigned rank = 0; rank <= job->size; rank++)
        map[rank] = physical(job, rank);
}

ptl_process_t job_process(const struct job *job, unsigned rank)
{
    ptl_process_t process;
    if (!job->logical)
        return physical(job, rank);
    memset(&process, 0, sizeof process);
    process.rank = rank;
    return process;
}

bool job_same_process(const struct job *job, ptl_process_t a, ptl_process_t b)
{
    if (job->logical)
        return a.rank == b.rank;
    return a.phys.nid == b.phys.nid && a.phys.pid == b.phys.pid;
}

void *job_memory(struct job *job, size_t size)
{
    void *memory = calloc(1, size ? size : 1);
    if (!memory || job->memory_count == JOB_MEMORIES)
        abort();
    job->memories[job->memory_count++] = memory;
    return memory;
}

void job_free(struct job *job)
{
    while (job->memory_count)
        free(job->memories[--job->memory_count]);
}

void job_fill(void *start, size_t size, unsigned seed)
{
    unsigned char *bytes = start;
    /* Not a power of two, so that no two packets look the same. */
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)((seed + i) % 251);
}

bool job_filled(const void *start, size_t size, unsigned seed)
{
    const unsigned char *bytes = start;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != (seed + i) % 251)
            return false;
    return true;
}

/* ---- Barriers ----------------------------------------------------------------------------- */

/* Through memory that all ranks share, before they can talk and after they have stopped. */
void job_gate(struct job *job)
{
    unsigned arrived = ++job->gates * job->size;
    atomic_fetch_add(&job->verdict->gate, 1);
    for (ptl_time_t waited = 0; atomic_load(&job->verdict->gate) < arrived; waited++) {
        ptl_size_t never = PTL_SIZE_MAX;
        ptl_ct_event_t value;
        unsigned which;
        if (waited > job_patience(job)) {
            holds(!"a rank does not come to the gate");
            return;
        }
        PtlCTPoll(&job->barrier_ct, &never, 1, 1, &value, &which);
    }
}

static void open_barrier(struct job *job)
{
    ptl_pt_index_t index;
    ok(PtlCTAlloc(job->ni, &job->barrier_ct));
    ok(PtlPTAlloc(job->ni, 0, PTL_EQ_NONE, (ptl_pt_index_t)job->limits.max_pt_index, &index));
    post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM, .pt = index, .ct = &job->barrier_ct);
    job->barrier_md = job_bind(job, NULL, 0, 0, PTL_EQ_NONE, PTL_CT_NONE);
    job->barriers = 0;
}

static void wait_for_barrier(struct job *job, ptl_size_t arrived)
{
    ptl_ct_event_t value;
    unsigned which;
    ok(PtlCTPoll(&job->barrier_ct, &arrived, 1, job_patience(job), &value, &which));
}

static void call_at_barrier(struct job *job, unsigned rank)
{
    ok(put(job->barrier_md, 0, .to = rank, .pt = (ptl_pt_index_t)job->limits.max_pt_index));
}

void job_barrier(struct job *job)
{
    job->barriers++;
    if (job->rank) {
        call_at_barrier(job, 0);
        wait_for_barrier(job, job->barriers);
        return;
    }
    wait_for_barrier(job, (ptl_size_t)job->barriers * (job->size - 1));
    for (unsigned rank = 1; rank < job->size; rank++)
        call_at_barrier(job, rank);
}

void job_settle(struct job *job)
{
    job_barrier(job);
    job_barrier(job);
}

/* ---- Opening and closing ------------------------------------------------------------------ */

static ptl_ni_limits_t desired_limits(const struct job *job)
{
    ptl_ni_limits_t limits = {
        .max_entries = 4096,
        .max_unexpected_headers = 4096,
        .max_mds = 1024,
        .max_cts = 1024,
        .max_eqs = 1024,
        .max_pt_index = 63,
        .max_iovecs = 1024,
        .max_list_size = 4096,
        .max_triggered_ops = 1024,
        .max_msg_size = 1u << 30,
        .max_atomic_size = 512,
        .max_fetch_atomic_size = 512,
        .max_waw_ordered_size = 512,
        .max_war_ordered_size = 512,
        .max_volatile_size = 64,
    };
    const ptl_ni_limits_t *own = &job->behaviour->limits;
    if (own->max_entries)
        limits.max_entries = own->max_entries;
    if (own->max_unexpected_headers)
        limits.max_unexpected_headers = own->max_unexpected_headers;
    if (own->max_list_size)
        limits.max_list_size = own->max_list_size;
    return limits;
}

void job_open(struct job *job)
{
    ptl_ni_limits_t desired = desired_limits(job);
    ok(PtlInit());
    ok(PtlNIInit(PTL_IFACE_DEFAULT, job_interface(job), job_pid(job), &desired, &job->limits,
                 &job->ni));
    if (job->logical) {
        ptl_process_t *map = job_memory(job, (job->size + 1) * sizeof *map);
        job_physical_map(job, map);
        ok(PtlSetMap(job->ni, job->size + 1, map));
    }
    job->eq = job_eq(job, EVENTS);
    job->target_eq = job_eq(job, EVENTS);
    ok(PtlPTAlloc(job->ni, 0, job->target_eq, PT_OF_TESTS, &job->pt));
    open_barrier(job);
    job_gate(job);
}

void job_close(struct job *job)
{
    job_gate(job);
    ok(PtlNIFini(job->ni));
    PtlFini();
}

ptl_handle_eq_t job_eq(struct job *job, ptl_size_t count)
{
    ptl_handle_eq_t eq = PTL_INVALID_HANDLE;
    ok(PtlEQAlloc(job->ni, count, &eq));
    return eq;
}

ptl_handle_ct_t job_ct(struct job *job)
{
    ptl_handle_ct_t ct = PTL_INVALID_HANDLE;
    ok(PtlCTAlloc(job->ni, &ct));
    return ct;
}

ptl_handle_md_t job_bind(struct job *job, void *start, ptl_size_t length, unsigned options,
                         ptl_handle_eq_t eq, ptl_handle_ct_t ct)
{
    ptl_md_t md = {
        .start = start, .length = length, .options = options, .eq_handle = eq, .ct_handle = ct};
    ptl_handle_md_t handle = PTL_INVALID_HANDLE;
    ok(PtlMDBind(job->ni, &md, &handle));
    return handle;
}

ptl_handle_md_t job_md(struct job *job, void *start, ptl_size_t length)
{
    return job_bind(job, start, length, PTL_MD_EVENT_SEND_DISABLE, job->eq, PTL_CT_NONE);
}
