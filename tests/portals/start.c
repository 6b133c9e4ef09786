/* SPDX-License-Identifier: BSD-3-Clause */
/* PtlInit, PtlNIInit and their ends; who am I; handles. */
#include <time.h>

#include "portals/job.h"

static int open_interface(struct job *job, ptl_handle_ni_t *ni)
{
    return PtlNIInit(PTL_IFACE_DEFAULT, job_interface(job), job_pid(job), NULL, NULL, ni);
}

/* With an interface handle that is, or once was, right. */
static void expect_no_init(struct job *job, ptl_handle_any_t handle)
{
    ptl_handle_any_t other;
    ptl_process_t id;
    ptl_uid_t uid;
    ptl_sr_value_t value;
    ptl_pt_index_t index;
    ptl_size_t size;
    ptl_event_t event;
    ptl_ct_event_t count;
    ptl_md_t md = {.eq_handle = PTL_EQ_NONE, .ct_handle = PTL_CT_NONE};
    gives(PTL_NO_INIT, open_interface(job, &other));
    gives(PTL_NO_INIT, PtlNIFini(handle));
    gives(PTL_NO_INIT, PtlNIStatus(handle, PTL_SR_DROP_COUNT, &value));
    gives(PTL_NO_INIT, PtlNIHandle(handle, &other));
    gives(PTL_NO_INIT, PtlGetMap(handle, 1, &id, &size));
    gives(PTL_NO_INIT, PtlGetUid(handle, &uid));
    gives(PTL_NO_INIT, PtlGetId(handle, &id));
    gives(PTL_NO_INIT, PtlGetPhysId(handle, &id));
    gives(PTL_NO_INIT, PtlPTAlloc(handle, 0, PTL_EQ_NONE, PTL_PT_ANY, &index));
    gives(PTL_NO_INIT, PtlMDBind(handle, &md, &other));
    gives(PTL_NO_INIT, PtlEQAlloc(handle, 8, &other));
    gives(PTL_NO_INIT, PtlEQGet(handle, &event));
    gives(PTL_NO_INIT, PtlCTAlloc(handle, &other));
    gives(PTL_NO_INIT, PtlCTGet(handle, &count));
    gives(PTL_NO_INIT, PtlMEUnlink(handle));
    gives(PTL_NO_INIT, PtlAtomicSync());
    gives(PTL_NO_INIT, PtlStartBundle(handle));
}

BEHAVIOUR("calls before PtlInit say PTL_NO_INIT", .ranks = 1, .bare = true)
{
    expect_no_init(job, 0);
}

BEHAVIOUR("calls after the last PtlFini say PTL_NO_INIT", .ranks = 1, .bare = true)
{
    ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
    ok(PtlInit());
    ok(open_interface(job, &ni));
    ok(PtlNIFini(ni));
    PtlFini();
    expect_no_init(job, ni);
}

BEHAVIOUR("PtlInit counts its calls, and only the last PtlFini ends Portals", .ranks = 1,
          .bare = true)
{
    ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
    ptl_process_t id;
    ok(PtlInit());
    ok(PtlInit());
    PtlFini();
    ok(open_interface(job, &ni));
    ok(PtlGetPhysId(ni, &id));
    ok(PtlNIFini(ni));
    PtlFini();
    gives(PTL_NO_INIT, open_interface(job, &ni));
}

BEHAVIOUR("PtlInit after the last PtlFini begins anew", .ranks = 1, .bare = true)
{
    for (unsigned round = 0; round < 3; round++) {
        ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
        ptl_process_t id;
        ok(PtlInit());
        ok(open_interface(job, &ni));
        ok(PtlGetPhysId(ni, &id));
        equals(id.phys.pid, job_pid(job));
        ok(PtlNIFini(ni));
        PtlFini();
    }
}

BEHAVIOUR("the last PtlFini ends an interface that was left open", .ranks = 1, .bare = true)
{
    ptl_handle_ni_t ni = PTL_INVALID_HANDLE, again = PTL_INVALID_HANDLE;
    ptl_process_t id;
    ok(PtlInit());
    ok(open_interface(job, &ni));
    PtlFini();
    ok(PtlInit());
    gives(PTL_ARG_INVALID, PtlGetPhysId(ni, &id));
    ok(open_interface(job, &again));
    ok(PtlNIFini(again));
    PtlFini();
}

BEHAVIOUR("PtlNIInit twice gives one interface, which lives until the second PtlNIFini",
          .ranks = 1)
{
    ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
    ptl_process_t id;
    ok(open_interface(job, &ni));
    holds(PtlHandleIsEqual(ni, job->ni));
    ok(PtlNIFini(ni));
    ok(PtlGetPhysId(job->ni, &id));
}

BEHAVIOUR("a second PtlNIInit ignores its wishes and tells the limits in force", .ranks = 1)
{
    ptl_ni_limits_t wish = job->limits, actual;
    memset(&actual, 0, sizeof actual);
    wish.max_mds += 5;
    wish.max_entries /= 2;
    ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
    ok(PtlNIInit(PTL_IFACE_DEFAULT, job_interface(job), job_pid(job), &wish, &actual, &ni));
    equals(actual.max_mds, job->limits.max_mds);
    equals(actual.max_entries, job->limits.max_entries);
    equals(actual.max_msg_size, job->limits.max_msg_size);
    ok(PtlNIFini(ni));
}

BEHAVIOUR("after the last PtlNIFini all handles of the interface are stale", .ranks = 1,
          .bare = true)
{
    ptl_handle_ni_t ni = PTL_INVALID_HANDLE, again = PTL_INVALID_HANDLE;
    ptl_handle_eq_t eq = PTL_INVALID_HANDLE;
    ptl_handle_ct_t ct = PTL_INVALID_HANDLE;
    ptl_event_t event;
    ptl_ct_event_t count;
    ptl_process_t id;
    ok(PtlInit());
    ok(open_interface(job, &ni));
    ok(PtlEQAlloc(ni, 8, &eq));
    ok(PtlCTAlloc(ni, &ct));
    ok(PtlNIFini(ni));
    gives(PTL_ARG_INVALID, PtlGetPhysId(ni, &id));
    gives(PTL_ARG_INVALID, PtlNIFini(ni));
    ok(open_interface(job, &again));
    gives(PTL_ARG_INVALID, PtlEQGet(eq, &event));
    gives(PTL_ARG_INVALID, PtlCTGet(ct, &count));
    ok(PtlNIFini(again));
    PtlFini();
}

BEHAVIOUR("the four interfaces of a process are separate and share its address", .ranks = 1)
{
    static const unsigned options[] = {
        PTL_NI_LOGICAL | PTL_NI_MATCHING, PTL_NI_LOGICAL | PTL_NI_NO_MATCHING,
        PTL_NI_PHYSICAL | PTL_NI_MATCHING, PTL_NI_PHYSICAL | PTL_NI_NO_MATCHING};
    ptl_handle_ni_t ni[4];
    ptl_process_t mine, id;
    ok(PtlGetPhysId(job->ni, &mine));
    for (unsigned i = 0; i < 4; i++) {
        ni[i] = PTL_INVALID_HANDLE;
        ok(PtlNIInit(PTL_IFACE_DEFAULT, options[i], PTL_PID_ANY, NULL, NULL, &ni[i]));
        ok(PtlGetPhysId(ni[i], &id));
        holds(id.phys.nid == mine.phys.nid && id.phys.pid == mine.phys.pid);
        for (unsigned j = 0; j < i; j++)
            holds(!PtlHandleIsEqual(ni[i], ni[j]));
    }
    for (unsigned i = 0; i < 4; i++)
        ok(PtlNIFini(ni[i]));
}

BEHAVIOUR("PtlNIInit wants exactly one of matching and not, and of logical and physical",
          .ranks = 1)
{
    static const unsigned wrong[] = {0,
                                     PTL_NI_MATCHING,
                                     PTL_NI_PHYSICAL,
                                     PTL_NI_MATCHING | PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL,
                                     PTL_NI_MATCHING | PTL_NI_LOGICAL | PTL_NI_PHYSICAL,
                                     PTL_NI_MATCHING | PTL_NI_PHYSICAL | 1u << 12};
    ptl_handle_ni_t ni;
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
        gives(PTL_ARG_INVALID,
              PtlNIInit(PTL_IFACE_DEFAULT, wrong[i], PTL_PID_ANY, NULL, NULL, &ni));
}

BEHAVIOUR("PtlNIInit refuses an interface that does not exist and a null handle", .ranks = 1)
{
    ptl_handle_ni_t ni;
    gives(PTL_ARG_INVALID, PtlNIInit(77, job_interface(job), PTL_PID_ANY, NULL, NULL, &ni));
    gives(PTL_ARG_INVALID,
          PtlNIInit(PTL_IFACE_DEFAULT, job_interface(job), PTL_PID_ANY, NULL, NULL, NULL));
}

/* Real processes that have no interface to talk through yet. */
static void await_tally(struct job *job, unsigned arrived)
{
    const struct timespec nap = {.tv_nsec = 1000 * 1000};
    for (ptl_time_t waited = 0; atomic_load(&job->verdict->tally) < arrived; waited++) {
        if (!holds(waited <= job_patience(job)))
            return;
        nanosleep(&nap, NULL);
    }
}

BEHAVIOUR("a process identifier that another process has is refused", .worlds = JOB_SHM,
          .bare = true, .apart = true)
{
    ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
    ok(PtlInit());
    if (job->target) {
        ok(open_interface(job, &ni));
        atomic_fetch_add(&job->verdict->tally, 1);
        await_tally(job, 2);
        ok(PtlNIFini(ni));
    } else {
        ptl_pid_t taken = job_pid(job) - 1;
        await_tally(job, 1);
        gives(PTL_PID_IN_USE,
              PtlNIInit(PTL_IFACE_DEFAULT, job_interface(job), taken, NULL, NULL, &ni));
        atomic_fetch_add(&job->verdict->tally, 1);
    }
    PtlFini();
}

BEHAVIOUR("after the last PtlNIFini a process may take another process identifier", .ranks = 1,
          .bare = true, .worlds = JOB_SHM)
{
    ok(PtlInit());
    for (ptl_pid_t pid = 50; pid < 53; pid++) {
        ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
        ptl_process_t id;
        ok(PtlNIInit(PTL_IFACE_DEFAULT, job_interface(job), pid, NULL, NULL, &ni));
        ok(PtlGetPhysId(ni, &id));
        equals(id.phys.pid, pid);
        ok(PtlNIFini(ni));
    }
    PtlFini();
}

BEHAVIOUR("PTL_PID_ANY gets an identifier that can be sent to", .ranks = 1, .bare = true,
          .needs = PTL_NI_PHYSICAL)
{
    ok(PtlInit());
    ok(PtlNIInit(PTL_IFACE_DEFAULT, job_interface(job), PTL_PID_ANY, NULL, &job->limits,
                 &job->ni));
    ptl_process_t self;
    ok(PtlGetId(job->ni, &self));
    holds(self.phys.pid != PTL_PID_ANY && self.phys.pid <= PTL_PID_MAX);
    ptl_handle_ct_t ct = job_ct(job);
    ok(PtlPTAlloc(job->ni, 0, PTL_EQ_NONE, 3, &job->pt));
    post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM, .ct = &ct);
    ptl_handle_md_t md = job_bind(job, NULL, 0, 0, PTL_EQ_NONE, PTL_CT_NONE);
    ok(PtlPut(md, 0, 0, PTL_NO_ACK_REQ, self, job->pt, 0, 0, NULL, 0));
    counts(ct, 1, 0);
    ok(PtlNIFini(job->ni));
    PtlFini();
}

/* ---- Identity ----------------------------------------------------------------------------- */

BEHAVIOUR("PtlGetPhysId tells the address at which others reach the process")
{
    ptl_process_t id;
    ptl_process_t *map = job_memory(job, (job->size + 1) * sizeof *map);
    ok(PtlGetPhysId(job->ni, &id));
    job_physical_map(job, map);
    equals(id.phys.nid, map[job->rank].phys.nid);
    equals(id.phys.pid, map[job->rank].phys.pid);
}

BEHAVIOUR("PtlGetId tells the rank on a logical interface and the address on a physical one")
{
    ptl_process_t id;
    ok(PtlGetId(job->ni, &id));
    holds(job_same_process(job, id, job_process(job, job->rank)));
}

BEHAVIOUR("PtlGetUid tells the user, who is also in the events at the target")
{
    ptl_uid_t uid = PTL_UID_ANY;
    ok(PtlGetUid(job->ni, &uid));
    holds(uid != PTL_UID_ANY);
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator)
        ok(put(job_md(job, NULL, 0), 0));
    if (job->target)
        equals(next_event(job->target_eq, PTL_EVENT_PUT).uid, uid);
}

/* ---- Handles ------------------------------------------------------------------------------ */

BEHAVIOUR("PtlNIHandle tells the interface of every kind of object", .ranks = 1)
{
    ptl_handle_any_t objects[] = {job->ni, job->eq, job_ct(job), job_md(job, NULL, 0),
                                  post(NULL, 0, PTL_ME_OP_PUT)};
    for (unsigned i = 0; i < sizeof objects / sizeof *objects; i++) {
        ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
        ok(PtlNIHandle(objects[i], &ni));
        holds(PtlHandleIsEqual(ni, job->ni));
    }
}

BEHAVIOUR("PtlNIHandle refuses what is no object", .ranks = 1)
{
    ptl_handle_ni_t ni;
    ptl_handle_ct_t ct = job_ct(job);
    ok(PtlCTFree(ct));
    gives(PTL_ARG_INVALID, PtlNIHandle(ct, &ni));
    gives(PTL_ARG_INVALID, PtlNIHandle(PTL_INVALID_HANDLE, &ni));
    gives(PTL_ARG_INVALID, PtlNIHandle(PTL_EQ_NONE, &ni));
    gives(PTL_ARG_INVALID, PtlNIHandle(job->ni, NULL));
}

BEHAVIOUR("PtlHandleIsEqual tells whether two handles are equal, whatever they are", .ranks = 1)
{
    ptl_handle_ct_t ct = job_ct(job);
    holds(PtlHandleIsEqual(ct, ct));
    holds(PtlHandleIsEqual(PTL_INVALID_HANDLE, PTL_INVALID_HANDLE));
    holds(!PtlHandleIsEqual(ct, job_ct(job)));
    holds(!PtlHandleIsEqual(ct, job->ni));
    holds(!PtlHandleIsEqual(ct, PTL_INVALID_HANDLE));
}

BEHAVIOUR("a handle of one kind is not taken for another", .ranks = 1)
{
    ptl_event_t event;
    ptl_ct_event_t count;
    ptl_process_t id;
    ptl_handle_ct_t ct = job_ct(job);
    ptl_handle_md_t md = job_md(job, NULL, 0);
    gives(PTL_ARG_INVALID, PtlEQGet(ct, &event));
    gives(PTL_ARG_INVALID, PtlCTGet(job->eq, &count));
    gives(PTL_ARG_INVALID, PtlMDRelease(ct));
    gives(PTL_ARG_INVALID, job_unlink(job, md));
    gives(PTL_ARG_INVALID, PtlGetId(md, &id));
    gives(PTL_ARG_INVALID, PtlEQFree(md));
    gives(PTL_ARG_INVALID, PtlCTFree(job->ni));
    ok(PtlMDRelease(md));
}

BEHAVIOUR("the handle of a freed object stays stale when its place is used again", .ranks = 1)
{
    ptl_ct_event_t count;
    for (unsigned round = 0; round < 20; round++) {
        ptl_handle_ct_t old = job_ct(job);
        ok(PtlCTFree(old));
        ptl_handle_ct_t new = job_ct(job);
        gives(PTL_ARG_INVALID, PtlCTGet(old, &count));
        gives(PTL_ARG_INVALID, PtlCTFree(old));
        ok(PtlCTGet(new, &count));
        ok(PtlCTFree(new));
    }
}
