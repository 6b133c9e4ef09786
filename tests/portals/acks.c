/* SPDX-License-Identifier: BSD-3-Clause */
/* Acknowledgements, and the ways in which a message can fail at its target. */
#include "portals/job.h"

/* A descriptor with queue and counter, both for acknowledgements only. */
static ptl_handle_md_t ack_md(struct job *job, ptl_handle_ct_t ct)
{
    return job_bind(job, job_memory(job, 16), 16, PTL_MD_EVENT_SEND_DISABLE | PTL_MD_EVENT_CT_ACK,
                    job->eq, ct);
}

BEHAVIOUR("PTL_NO_ACK_REQ gives no acknowledgement of any kind")
{
    ptl_handle_ct_t ct = job_ct(job);
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator)
        ok(put(ack_md(job, ct), 16, .ack = PTL_NO_ACK_REQ));
    if (job->target)
        next_event(job->target_eq, PTL_EVENT_PUT);
    job_settle(job);
    no_event(job->eq);
    counts(ct, 0, 0);
}

BEHAVIOUR("PTL_ACK_REQ gives an event and a count")
{
    ptl_handle_ct_t ct = job_ct(job);
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator) {
        ok(put(ack_md(job, ct), 16, .ack = PTL_ACK_REQ));
        next_event(job->eq, PTL_EVENT_ACK);
        counts(ct, 1, 0);
    }
    job_barrier(job);
}

BEHAVIOUR("PTL_CT_ACK_REQ gives a count and no event")
{
    ptl_handle_ct_t ct = job_ct(job);
    if (job->target)
        post(job_memory(job, 10), 10, PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator) {
        ok(put(ack_md(job, ct), 16, .ack = PTL_CT_ACK_REQ));
        counts(ct, 1, 0);
    }
    job_settle(job);
    no_event(job->eq);
}

BEHAVIOUR("PTL_OC_ACK_REQ counts a message that was taken")
{
    ptl_handle_ct_t ct = job_ct(job);
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator) {
        ok(put(ack_md(job, ct), 16, .ack = PTL_OC_ACK_REQ));
        counts(ct, 1, 0);
    }
    job_settle(job);
    no_event(job->eq);
}

BEHAVIOUR("PTL_OC_ACK_REQ says that the operation is over, not what became of it")
{
    ptl_handle_ct_t ct = job_ct(job);
    job_barrier(job);
    if (job->initiator) {
        ok(put(ack_md(job, ct), 16, .ack = PTL_OC_ACK_REQ)); /* nobody takes it */
        counts(ct, 1, 0);
    }
    job_settle(job);
    no_event(job->eq);
}

BEHAVIOUR("PTL_OC_ACK_REQ counts operations even where bytes are counted")
{
    ptl_handle_ct_t ct = job_ct(job);
    if (job->target)
        post(job_memory(job, 16), 16, PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator) {
        ok(put(job_bind(job, job_memory(job, 16), 16, PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_BYTES,
                        PTL_EQ_NONE, ct),
               16, .ack = PTL_OC_ACK_REQ));
        counts(ct, 1, 0);
    }
    job_barrier(job);
}

BEHAVIOUR("PTL_ME_ACK_DISABLE suppresses acknowledgements, and the descriptor can be released")
{
    ptl_handle_ct_t ct = job_ct(job);
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_ACK_DISABLE);
    job_barrier(job);
    ptl_handle_md_t md = PTL_INVALID_HANDLE;
    if (job->initiator) {
        md = ack_md(job, ct);
        ok(put(md, 16, .ack = PTL_ACK_REQ));
        ok(put(md, 16, .ack = PTL_CT_ACK_REQ));
    }
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_PUT);
        next_event(job->target_eq, PTL_EVENT_PUT);
    }
    job_settle(job);
    no_event(job->eq);
    counts(ct, 0, 0);
    if (job->initiator) {
        int code = PTL_IN_USE;
        for (unsigned tries = 0; code == PTL_IN_USE && tries < 1000; tries++) {
            ptl_size_t never = 1;
            ptl_ct_event_t value;
            unsigned which;
            code = PtlMDRelease(md);
            PtlCTPoll(&ct, &never, 1, 1, &value, &which);
        }
        gives(PTL_OK, code);
    }
}

BEHAVIOUR("PTL_ME_ACK_DISABLE does not suppress replies")
{
    if (job->target)
        post(job_memory(job, 8), 8, PTL_ME_OP_GET | PTL_ME_ACK_DISABLE);
    job_barrier(job);
    if (job->initiator) {
        ok(get(job_md(job, job_memory(job, 8), 8), 8));
        next_event(job->eq, PTL_EVENT_REPLY);
    }
    job_barrier(job);
}

BEHAVIOUR("an atomic operation is acknowledged like a put")
{
    ptl_handle_ct_t ct = job_ct(job);
    if (job->target)
        post(job_memory(job, 8), 8, PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = ack_md(job, ct);
        ok(atomic(md, 8, .ack = PTL_ACK_REQ, .operation = PTL_SUM, .datatype = PTL_INT8_T));
        equals(next_event(job->eq, PTL_EVENT_ACK).mlength, 8);
        ok(atomic(md, 16, .ack = PTL_CT_ACK_REQ, .operation = PTL_SUM, .datatype = PTL_INT8_T));
        counts(ct, 2, 0);
    }
    job_settle(job);
    no_event(job->eq);
}

BEHAVIOUR("the acknowledgement comes after the data is in place")
{
    uint64_t *value = job_memory(job, 8);
    if (job->target)
        post(value, 8, PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_COMM_DISABLE);
    job_barrier(job);
    if (job->initiator) {
        uint64_t *out = job_memory(job, 8), *in = job_memory(job, 8);
        ptl_handle_md_t md = job_md(job, out, 8), in_md = job_md(job, in, 8);
        for (uint64_t i = 1; i < 10; i++) {
            *out = i;
            ok(put(md, 8, .ack = PTL_ACK_REQ));
            next_event(job->eq, PTL_EVENT_ACK);
            ok(get(in_md, 8));
            next_event(job->eq, PTL_EVENT_REPLY);
            equals(*in, i);
        }
    }
    job_barrier(job);
}

/* ---- Violations --------------------------------------------------------------------------- */

BEHAVIOUR("an entry for another user refuses every operation with PTL_NI_PERM_VIOLATION")
{
    uint64_t *value = job_memory(job, 8);
    if (job->target) {
        ptl_uid_t stranger = 0;
        ok(PtlGetUid(job->ni, &stranger));
        stranger++;
        post(value, 8, PTL_ME_OP_PUT | PTL_ME_OP_GET, .uid = &stranger);
        post(value, 8, PTL_ME_OP_PUT | PTL_ME_OP_GET); /* the first one matches: no second try */
    }
    job_barrier(job);
    if (job->initiator) {
        uint64_t *out = job_memory(job, 8);
        *out = 9;
        ptl_handle_md_t md = job_md(job, out, 8), in = job_md(job, job_memory(job, 8), 8);
        ok(put(md, 8, .ack = PTL_ACK_REQ));
        next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_PERM_VIOLATION);
        ok(get(in, 8));
        next_failure(job->eq, PTL_EVENT_REPLY, PTL_NI_PERM_VIOLATION);
        ok(atomic(md, 8, .ack = PTL_ACK_REQ, .operation = PTL_SUM, .datatype = PTL_INT64_T));
        next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_PERM_VIOLATION);
        ok(fetch(md, 8, .get_md = in, .operation = PTL_SUM, .datatype = PTL_INT64_T));
        next_failure(job->eq, PTL_EVENT_REPLY, PTL_NI_PERM_VIOLATION);
    }
    job_settle(job);
    if (job->target) {
        equals(*value, 0);
        no_event(job->target_eq);
    }
}

BEHAVIOUR("an entry for the user of the initiator takes its messages")
{
    if (job->target) {
        ptl_uid_t mine = 0;
        ok(PtlGetUid(job->ni, &mine));
        post(NULL, 0, PTL_ME_OP_PUT, .uid = &mine);
    }
    job_barrier(job);
    if (job->initiator) {
        ok(put(job_md(job, NULL, 0), 0, .ack = PTL_ACK_REQ));
        next_event(job->eq, PTL_EVENT_ACK);
    }
    job_barrier(job);
}

/* Tries all operations on an entry with such options; `allowed` has bits for put, get, atomic and
 * fetch. */
static void try_operations(struct job *job, unsigned options, unsigned allowed)
{
    if (job->target)
        post(job_memory(job, 8), 8, options | PTL_ME_EVENT_COMM_DISABLE);
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, job_memory(job, 8), 8);
        ptl_handle_md_t in = job_md(job, job_memory(job, 8), 8);
        ptl_ni_fail_t fail[4];
        for (unsigned i = 0; i < 4; i++)
            fail[i] = allowed >> i & 1 ? PTL_NI_OK : PTL_NI_OP_VIOLATION;
        ok(put(md, 8, .ack = PTL_ACK_REQ));
        next_failure(job->eq, PTL_EVENT_ACK, fail[0]);
        ok(get(in, 8));
        next_failure(job->eq, PTL_EVENT_REPLY, fail[1]);
        ok(atomic(md, 8, .ack = PTL_ACK_REQ, .operation = PTL_SUM, .datatype = PTL_INT64_T));
        next_failure(job->eq, PTL_EVENT_ACK, fail[2]);
        ok(swap(md, 8, .get_md = in, .operation = PTL_SWAP, .datatype = PTL_INT64_T));
        next_failure(job->eq, PTL_EVENT_REPLY, fail[3]);
    }
    job_barrier(job);
}

BEHAVIOUR("an entry without any PTL_ME_OP refuses all with PTL_NI_OP_VIOLATION")
{
    try_operations(job, 0, 0);
}

BEHAVIOUR("an entry with PTL_ME_OP_PUT takes puts and atomic operations only")
{
    try_operations(job, PTL_ME_OP_PUT, 1 | 4);
}

BEHAVIOUR("an entry with PTL_ME_OP_GET takes gets only")
{
    try_operations(job, PTL_ME_OP_GET, 2);
}

BEHAVIOUR("an entry with PTL_ME_OP_PUT and PTL_ME_OP_GET takes everything")
{
    try_operations(job, PTL_ME_OP_PUT | PTL_ME_OP_GET, 1 | 2 | 4 | 8);
}

BEHAVIOUR("a use-once entry is not used up by a message that violates it")
{
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE);
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, job_memory(job, 8), 8);
        ok(get(md, 8));
        next_failure(job->eq, PTL_EVENT_REPLY, PTL_NI_OP_VIOLATION);
        ok(put(md, 8, .ack = PTL_ACK_REQ));
        next_event(job->eq, PTL_EVENT_ACK);
    }
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_PUT);
        next_event(job->target_eq, PTL_EVENT_AUTO_UNLINK);
    }
    job_barrier(job);
}

BEHAVIOUR("a failed put or get leaves all memory as it was")
{
    unsigned char *bytes = job_memory(job, 20000);
    if (job->target) {
        job_fill(bytes, 20000, 1);
        post(bytes, 20000, PTL_ME_OP_PUT, .bits = 0);
    }
    ptl_pt_index_t other = 0;
    ok(PtlPTAlloc(job->ni, 0, job->target_eq, 21, &other));
    if (job->target)
        post(bytes, 20000, PTL_ME_OP_GET, .pt = other);
    job_barrier(job);
    if (job->initiator) {
        unsigned char *memory = job_memory(job, 20000);
        job_fill(memory, 20000, 99);
        ptl_handle_md_t md = job_md(job, memory, 20000);
        ok(get(md, 20000));
        equals(next_failure(job->eq, PTL_EVENT_REPLY, PTL_NI_OP_VIOLATION).mlength, 0);
        ok(put(md, 20000, .pt = other, .ack = PTL_ACK_REQ));
        equals(next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_OP_VIOLATION).mlength, 0);
        holds(job_filled(memory, 20000, 99));
    }
    job_barrier(job);
    if (job->target)
        holds(job_filled(bytes, 20000, 1));
}
