/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks and addresses, status registers, bundles. */
#include <portals4_layout.h>

#include "portals/job.h"

BEHAVIOUR("PtlGetMap gives back what PtlSetMap was given", .needs = PTL_NI_LOGICAL)
{
    ptl_process_t *expected = job_memory(job, (job->size + 1) * sizeof *expected);
    ptl_process_t *map = job_memory(job, (job->size + 1) * sizeof *map);
    ptl_size_t size = 0;
    job_physical_map(job, expected);
    ok(PtlGetMap(job->ni, job->size + 1, map, &size));
    equals(size, job->size + 1);
    for (unsigned rank = 0; rank <= job->size; rank++) {
        equals(map[rank].phys.nid, expected[rank].phys.nid);
        equals(map[rank].phys.pid, expected[rank].phys.pid);
    }
}

BEHAVIOUR("PtlGetMap into a short array fills it and tells the whole size",
          .needs = PTL_NI_LOGICAL)
{
    ptl_process_t map[2], *expected = job_memory(job, (job->size + 1) * sizeof *expected);
    ptl_size_t size = 0;
    map[1].phys.nid = map[1].phys.pid = 4711;
    job_physical_map(job, expected);
    ok(PtlGetMap(job->ni, 1, map, &size));
    equals(size, job->size + 1);
    equals(map[0].phys.nid, expected[0].phys.nid);
    equals(map[0].phys.pid, expected[0].phys.pid);
    equals(map[1].phys.nid, 4711);
}

BEHAVIOUR("PtlSetMap again replaces the ranks, and messages follow it", .ranks = 3,
          .needs = PTL_NI_LOGICAL)
{
    /* Everybody is one rank farther than before; old rank 0 is now rank 1. */
    ptl_process_t *map = job_memory(job, (job->size + 2) * sizeof *map);
    ptl_process_t *shifted = job_memory(job, (job->size + 1) * sizeof *shifted);
    job_physical_map(job, map);
    for (unsigned rank = 0; rank < job->size; rank++)
        shifted[(rank + 1) % job->size] = map[rank];
    ptl_handle_ct_t ct = job_ct(job);
    post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM, .ct = &ct, .bits = job->rank);
    job_settle(job);
    /* All must agree on the ranks while messages are under way. */
    job_gate(job);
    ok(PtlSetMap(job->ni, job->size, shifted));
    job_gate(job);
    ptl_process_t id;
    ok(PtlGetId(job->ni, &id));
    equals(id.rank, (job->rank + 1) % job->size);
    ok(put(job_md(job, NULL, 0), 0, .to = 1));
    if (job->rank == 0)
        counts(ct, job->size, 0);
    job_gate(job);
    ok(PtlSetMap(job->ni, job->size + 1, map));
    job_gate(job);
}

BEHAVIOUR("a process that a map lists twice has the first of its ranks", .ranks = 3,
          .needs = PTL_NI_LOGICAL)
{
    ptl_process_t *map = job_memory(job, (job->size + 2) * sizeof *map);
    ptl_process_t *doubled = job_memory(job, (job->size + 2) * sizeof *doubled);
    job_physical_map(job, map);
    job_physical_map(job, doubled);
    doubled[1] = map[2];
    job_gate(job);
    ok(PtlSetMap(job->ni, job->size, doubled));
    ptl_process_t id;
    ok(PtlGetId(job->ni, &id));
    if (job->rank == 2)
        equals(id.rank, 1);
    job_gate(job);
    ok(PtlSetMap(job->ni, job->size + 1, map));
    job_gate(job);
}

BEHAVIOUR("an event tells the rank that the target's map gives the initiator", .ranks = 4,
          .needs = PTL_NI_LOGICAL)
{
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator)
        ok(put(job_md(job, NULL, 0), 0, .hdr_data = job->rank));
    if (job->target)
        for (unsigned i = 1; i < job->size; i++) {
            ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT);
            equals(event.initiator.rank, event.hdr_data);
        }
}

BEHAVIOUR("a physical interface has no map of ranks", .ranks = 1, .needs = PTL_NI_PHYSICAL)
{
    ptl_process_t map[2];
    ptl_size_t size;
    job_physical_map(job, map);
    gives(PTL_ARG_INVALID, PtlSetMap(job->ni, 1, map));
    gives(PTL_ARG_INVALID, PtlGetMap(job->ni, 1, map, &size));
}

BEHAVIOUR("a rank outside the map is refused", .ranks = 1, .needs = PTL_NI_LOGICAL)
{
    ptl_handle_md_t md = job_md(job, NULL, 0);
    gives(PTL_ARG_INVALID, put(md, 0, .to = job->size + 1));
    gives(PTL_ARG_INVALID, get(md, 0, .to = job->size + 7));
    gives(PTL_ARG_INVALID, put(md, 0, .to = PTL_RANK_ANY));
}

/* A physical interface of the same process, matching if the first is not. */
static struct job second_interface(struct job *job)
{
    struct job second = *job;
    second.matching = !job->matching;
    second.logical = false;
    ok(PtlNIInit(PTL_IFACE_DEFAULT, job_interface(&second), PTL_PID_ANY, NULL, NULL, &second.ni));
    second.eq = job_eq(&second, 16);
    second.target_eq = job_eq(&second, 16);
    ok(PtlPTAlloc(second.ni, 0, second.target_eq, job->pt, &second.pt));
    return second;
}

static void post_on(struct job *job, void *start, ptl_size_t length)
{
    post(start, length, PTL_ME_OP_PUT);
}

BEHAVIOUR("messages of one interface do not reach another of the same process")
{
    struct job second = second_interface(job);
    if (job->target)
        post_on(&second, NULL, 0);
    job_barrier(job);
    if (job->initiator) {
        ok(put(job_md(job, NULL, 0), 0, .ack = PTL_ACK_REQ));
        next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_DROPPED);
    }
    job_settle(job);
    no_event(second.target_eq);
    ok(PtlNIFini(second.ni));
}

static void send_and_end(struct job *job, void *start, ptl_size_t length)
{
    ok(put(job_md(job, start, length), length));
    ok(PtlNIFini(job->ni));
}

BEHAVIOUR("PtlNIFini waits until what was sent has left, and no longer", .apart = true)
{
    enum { SIZE = 2000000 };
    unsigned char *bytes = job_memory(job, SIZE);
    struct job second = second_interface(job);
    if (job->target)
        post_on(&second, bytes, SIZE);
    job_barrier(job);
    if (job->initiator) {
        job_fill(bytes, SIZE, 6);
        send_and_end(&second, bytes, SIZE);
        memset(bytes, 0, SIZE);
    }
    if (job->target) {
        next_event(second.target_eq, PTL_EVENT_PUT);
        holds(job_filled(bytes, SIZE, 6));
        ok(PtlNIFini(second.ni));
    }
    job_barrier(job);
}

/* ---- Status registers --------------------------------------------------------------------- */

static ptl_sr_value_t status(struct job *job, ptl_sr_index_t which)
{
    ptl_sr_value_t value = -1;
    ok(PtlNIStatus(job->ni, which, &value));
    return value;
}

static void expect_status(struct job *job, int dropped, int permission, int operation)
{
    equals(status(job, PTL_SR_DROP_COUNT), dropped);
    equals(status(job, PTL_SR_PERMISSION_VIOLATIONS), permission);
    equals(status(job, PTL_SR_OPERATION_VIOLATIONS), operation);
}

BEHAVIOUR("the status registers begin at 0 and there are no others", .ranks = 1)
{
    ptl_sr_value_t value;
    expect_status(job, 0, 0, 0);
    gives(PTL_ARG_INVALID, PtlNIStatus(job->ni, PTL_SR_LAST, &value));
    gives(PTL_ARG_INVALID, PtlNIStatus(job->ni, PTL_SR_LAYOUT_LAST, &value));
    gives(PTL_ARG_INVALID, PtlNIStatus(job->ni, PTL_SR_DROP_COUNT, NULL));
    gives(PTL_ARG_INVALID, PtlNIStatus(PTL_INVALID_HANDLE, PTL_SR_DROP_COUNT, &value));
}

BEHAVIOUR("dropped messages are counted at the target")
{
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, job_memory(job, 8), 8);
        ok(put(md, 8, .ack = PTL_ACK_REQ));
        next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_DROPPED);
        ok(get(md, 8));
        next_failure(job->eq, PTL_EVENT_REPLY, PTL_NI_DROPPED);
    }
    job_settle(job);
    expect_status(job, job->target ? 2 : 0, 0, 0);
}

BEHAVIOUR("violations are counted at the target, each in its register")
{
    if (job->target) {
        ptl_uid_t mine = 0;
        ok(PtlGetUid(job->ni, &mine));
        ptl_uid_t stranger = mine + 1;
        post(NULL, 0, PTL_ME_OP_PUT, .uid = &stranger, .ct = NULL);
    }
    job_barrier(job);
    ptl_handle_md_t md = job_md(job, job_memory(job, 8), 8);
    if (job->initiator) {
        ok(put(md, 8, .ack = PTL_ACK_REQ));
        next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_PERM_VIOLATION);
    }
    job_settle(job);
    expect_status(job, 0, job->target ? 1 : 0, 0);
    ptl_pt_index_t other;
    ok(PtlPTAlloc(job->ni, 0, PTL_EQ_NONE, 6, &other));
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT, .pt = other);
    job_barrier(job);
    if (job->initiator) {
        ok(get(md, 8, .pt = other));
        next_failure(job->eq, PTL_EVENT_REPLY, PTL_NI_OP_VIOLATION);
    }
    job_settle(job);
    expect_status(job, 0, job->target ? 1 : 0, job->target ? 1 : 0);
}

/* ---- Bundles ------------------------------------------------------------------------------ */

BEHAVIOUR("messages of a bundle have left when it ends, and bundles nest")
{
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, NULL, 0);
        ok(PtlStartBundle(job->ni));
        ok(put(md, 0, .hdr_data = 1));
        ok(PtlStartBundle(job->ni));
        ok(put(md, 0, .hdr_data = 2));
        ok(PtlEndBundle(job->ni));
        ok(put(md, 0, .hdr_data = 3));
        ok(PtlEndBundle(job->ni));
    }
    if (job->target)
        for (unsigned i = 1; i <= 3; i++)
            equals(next_event(job->target_eq, PTL_EVENT_PUT).hdr_data, i);
    gives(PTL_ARG_INVALID, PtlStartBundle(PTL_INVALID_HANDLE));
    gives(PTL_ARG_INVALID, PtlEndBundle(PTL_INVALID_HANDLE));
}

BEHAVIOUR("PtlAtomicSync returns when atomic operations that have ended can be seen")
{
    uint64_t *value = job_memory(job, 8);
    *value = 5;
    if (job->target)
        post(value, 8, PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator) {
        uint64_t *more = job_memory(job, 8);
        *more = 37;
        ok(atomic(job_md(job, more, 8), 8, .operation = PTL_SUM, .datatype = PTL_UINT64_T));
    }
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_ATOMIC);
        ok(PtlAtomicSync());
        equals(*value, 42);
    }
}
