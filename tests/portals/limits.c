/* SPDX-License-Identifier: BSD-3-Clause */
/* The limits that an interface reports are those that it enforces. */
#include "portals/job.h"

/* An interface of this process alone, with limits that are soon reached. */
static void open_small(struct job *job)
{
    ptl_ni_limits_t small = {
        .max_entries = 20,
        .max_unexpected_headers = 10,
        .max_mds = 10,
        .max_cts = 11,
        .max_eqs = 12,
        .max_pt_index = 63,
        .max_iovecs = 9,
        .max_list_size = 8,
        .max_triggered_ops = 7,
        .max_msg_size = 100000,
        .max_atomic_size = 256,
        .max_fetch_atomic_size = 128,
        .max_waw_ordered_size = 64,
        .max_war_ordered_size = 64,
        .max_volatile_size = 64,
    };
    ok(PtlInit());
    ok(PtlNIInit(PTL_IFACE_DEFAULT, job_interface(job), job_pid(job), &small, &job->limits,
                 &job->ni));
    if (job->logical) {
        ptl_process_t map[2];
        job_physical_map(job, map);
        ok(PtlSetMap(job->ni, 1, map));
    }
    ok(PtlPTAlloc(job->ni, 0, PTL_EQ_NONE, 5, &job->pt));
}

static void close_small(struct job *job)
{
    ok(PtlNIFini(job->ni));
    PtlFini();
}

#define LIMIT(...) BEHAVIOUR(__VA_ARGS__, .ranks = 1, .bare = true)

BEHAVIOUR("every limit is at least what Portals promises", .ranks = 1)
{
    const ptl_ni_limits_t *l = &job->limits;
    holds(l->max_pt_index >= 63);
    holds(l->max_waw_ordered_size >= 64);
    holds(l->max_war_ordered_size >= 8);
    holds(l->max_entries > 0 && l->max_unexpected_headers > 0 && l->max_list_size > 0);
    holds(l->max_mds > 0 && l->max_cts > 0 && l->max_eqs > 0 && l->max_triggered_ops > 0);
    holds(l->max_iovecs > 0);
    /* The largest type of atomic operations must fit. */
    holds(l->max_atomic_size >= 2 * sizeof(long double));
    holds(l->max_fetch_atomic_size >= 2 * sizeof(long double));
    holds(l->max_msg_size >= l->max_atomic_size);
}

LIMIT("wishes that can be met are met")
{
    open_small(job);
    const ptl_ni_limits_t *l = &job->limits;
    holds(l->max_entries >= 20 && l->max_unexpected_headers >= 10 && l->max_mds >= 10);
    holds(l->max_cts >= 11 && l->max_eqs >= 12 && l->max_iovecs >= 9 && l->max_list_size >= 8);
    holds(l->max_triggered_ops >= 7 && l->max_msg_size >= 100000 && l->max_atomic_size >= 256);
    close_small(job);
}

LIMIT("PtlNIInit without wishes tells the default limits")
{
    ptl_ni_limits_t actual;
    memset(&actual, 0, sizeof actual);
    ok(PtlInit());
    ok(PtlNIInit(PTL_IFACE_DEFAULT, job_interface(job), job_pid(job), NULL, &actual, &job->ni));
    holds(actual.max_pt_index >= 63 && actual.max_entries > 0 && actual.max_msg_size > 0);
    close_small(job);
}

LIMIT("there are max_mds memory descriptors and no more, and one released makes room")
{
    open_small(job);
    ptl_md_t md = {.eq_handle = PTL_EQ_NONE, .ct_handle = PTL_CT_NONE};
    ptl_handle_md_t handle = PTL_INVALID_HANDLE;
    for (int i = 0; i < job->limits.max_mds; i++)
        if (!ok(PtlMDBind(job->ni, &md, &handle)))
            break;
    ptl_handle_md_t more;
    gives(PTL_NO_SPACE, PtlMDBind(job->ni, &md, &more));
    ok(PtlMDRelease(handle));
    ok(PtlMDBind(job->ni, &md, &more));
    gives(PTL_NO_SPACE, PtlMDBind(job->ni, &md, &more));
    close_small(job);
}

LIMIT("there are max_cts counters and no more, and one freed makes room")
{
    open_small(job);
    ptl_handle_ct_t handle = PTL_INVALID_HANDLE, more;
    for (int i = 0; i < job->limits.max_cts; i++)
        if (!ok(PtlCTAlloc(job->ni, &handle)))
            break;
    gives(PTL_NO_SPACE, PtlCTAlloc(job->ni, &more));
    ok(PtlCTFree(handle));
    ok(PtlCTAlloc(job->ni, &more));
    gives(PTL_NO_SPACE, PtlCTAlloc(job->ni, &more));
    close_small(job);
}

LIMIT("there are max_eqs event queues and no more, and one freed makes room")
{
    open_small(job);
    ptl_handle_eq_t handle = PTL_INVALID_HANDLE, more;
    for (int i = 0; i < job->limits.max_eqs; i++)
        if (!ok(PtlEQAlloc(job->ni, 4, &handle)))
            break;
    gives(PTL_NO_SPACE, PtlEQAlloc(job->ni, 4, &more));
    ok(PtlEQFree(handle));
    ok(PtlEQAlloc(job->ni, 4, &more));
    gives(PTL_NO_SPACE, PtlEQAlloc(job->ni, 4, &more));
    close_small(job);
}

LIMIT("there are max_entries list entries and no more, and one unlinked makes room")
{
    open_small(job);
    ptl_handle_me_t handle = PTL_INVALID_HANDLE, more;
    ptl_pt_index_t table = 6;
    /* No list is filled: each gets a few. */
    for (int i = 0; i < job->limits.max_entries; i++) {
        if (i % job->limits.max_list_size == 0) {
            table++;
            ok(PtlPTAlloc(job->ni, 0, PTL_EQ_NONE, table, &table));
        }
        if (!ok(append(&handle, NULL, 0, PTL_ME_OP_PUT, .pt = table)))
            break;
    }
    gives(PTL_NO_SPACE, append(&more, NULL, 0, PTL_ME_OP_PUT));
    ok(job_unlink(job, handle));
    ok(append(&more, NULL, 0, PTL_ME_OP_PUT));
    close_small(job);
}

LIMIT("a list has max_list_size entries and no more")
{
    open_small(job);
    ptl_handle_me_t handle = PTL_INVALID_HANDLE, more;
    for (int i = 0; i < job->limits.max_list_size; i++)
        if (!ok(append(&handle, NULL, 0, PTL_ME_OP_PUT)))
            break;
    gives(PTL_LIST_TOO_LONG, append(&more, NULL, 0, PTL_ME_OP_PUT));
    ok(job_unlink(job, handle));
    ok(append(&more, NULL, 0, PTL_ME_OP_PUT));
    close_small(job);
}

LIMIT("max_triggered_ops may wait and no more, and one that fires makes room")
{
    open_small(job);
    ptl_handle_ct_t ct = job_ct(job), other = job_ct(job);
    const ptl_ct_event_t one = {.success = 1};
    /* Over two counters: the limit is that of the interface. */
    for (int i = 0; i < job->limits.max_triggered_ops; i++)
        if (!ok(PtlTriggeredCTInc(ct, one, i % 2 ? ct : other, 5)))
            break;
    gives(PTL_NO_SPACE, PtlTriggeredCTInc(ct, one, ct, 5));
    gives(PTL_NO_SPACE, put_when(ct, 5, job_bind(job, NULL, 0, 0, PTL_EQ_NONE, PTL_CT_NONE), 0));
    ok(PtlCTInc(other, (ptl_ct_event_t){.success = 5}));
    ok(PtlTriggeredCTInc(other, one, ct, 100));
    close_small(job);
}

LIMIT("cancelled operations no longer count among max_triggered_ops")
{
    open_small(job);
    ptl_handle_ct_t ct = job_ct(job);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < job->limits.max_triggered_ops; i++)
            if (!ok(PtlTriggeredCTInc(ct, (ptl_ct_event_t){.success = 1}, ct, 5)))
                break;
        ok(PtlCTCancelTriggered(ct));
    }
    close_small(job);
}

LIMIT("a descriptor or list entry has max_iovecs pieces and no more")
{
    open_small(job);
    size_t most = (size_t)job->limits.max_iovecs;
    ptl_iovec_t *pieces = job_memory(job, (most + 1) * sizeof *pieces);
    ptl_md_t md = {.start = pieces,
                   .length = most,
                   .options = PTL_IOVEC,
                   .eq_handle = PTL_EQ_NONE,
                   .ct_handle = PTL_CT_NONE};
    ptl_handle_md_t handle;
    ptl_handle_me_t entry;
    ok(PtlMDBind(job->ni, &md, &handle));
    ok(append(&entry, pieces, most, PTL_ME_OP_PUT | PTL_IOVEC));
    md.length++;
    gives(PTL_ARG_INVALID, PtlMDBind(job->ni, &md, &handle));
    gives(PTL_ARG_INVALID, append(&entry, pieces, most + 1, PTL_ME_OP_PUT | PTL_IOVEC));
    close_small(job);
}

LIMIT("a message of more than max_msg_size bytes is refused")
{
    open_small(job);
    /* Memory that is never touched: the calls refuse, or find no entry. */
    ptl_handle_md_t md = job_bind(job, NULL, PTL_SIZE_MAX, 0, PTL_EQ_NONE, PTL_CT_NONE);
    ptl_size_t most = job->limits.max_msg_size;
    if (most < PTL_SIZE_MAX) {
        gives(PTL_ARG_INVALID, put(md, most + 1));
        gives(PTL_ARG_INVALID, get(md, most + 1));
        ok(get(md, most));
    }
    close_small(job);
}

LIMIT("atomic operations of more than their limits are refused")
{
    open_small(job);
    ptl_size_t atomic_most = job->limits.max_atomic_size;
    ptl_size_t fetch_most = job->limits.max_fetch_atomic_size;
    ptl_size_t size = (atomic_most > fetch_most ? atomic_most : fetch_most) + 8;
    ptl_handle_md_t md = job_bind(job, job_memory(job, size), size, 0, PTL_EQ_NONE, PTL_CT_NONE);
    ptl_handle_md_t in = job_bind(job, job_memory(job, size), size, 0, PTL_EQ_NONE, PTL_CT_NONE);
    ok(atomic(md, atomic_most, .operation = PTL_SUM, .datatype = PTL_INT8_T));
    gives(PTL_ARG_INVALID,
          atomic(md, atomic_most + 1, .operation = PTL_SUM, .datatype = PTL_INT8_T));
    ok(fetch(md, fetch_most, .get_md = in, .operation = PTL_SUM, .datatype = PTL_INT8_T));
    gives(PTL_ARG_INVALID,
          fetch(md, fetch_most + 1, .get_md = in, .operation = PTL_SUM, .datatype = PTL_INT8_T));
    gives(PTL_ARG_INVALID,
          swap(md, fetch_most + 1, .get_md = in, .operation = PTL_SWAP, .datatype = PTL_INT8_T));
    close_small(job);
}

LIMIT("the table goes to max_pt_index and no farther")
{
    open_small(job);
    ptl_pt_index_t last = (ptl_pt_index_t)job->limits.max_pt_index, index = 0;
    ok(PtlPTAlloc(job->ni, 0, PTL_EQ_NONE, last, &index));
    equals(index, last);
    gives(PTL_ARG_INVALID, PtlPTAlloc(job->ni, 0, PTL_EQ_NONE, last + 1, &index));
    gives(PTL_ARG_INVALID, PtlPTFree(job->ni, last + 1));
    close_small(job);
}
