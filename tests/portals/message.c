/* SPDX-License-Identifier: BSD-3-Clause */
/* The data movement calls and list entries with names for their many arguments. */
#include "portals/job.h"

/* Fills in what the message leaves open. */
static ptl_process_t address(struct message *m)
{
    if (!m->pt)
        m->pt = m->job->pt;
    return job_process(m->job, m->to);
}

int job_put(struct message m)
{
    ptl_process_t target = address(&m);
    if (m.triggered)
        return PtlTriggeredPut(m.md, m.local_offset, m.length, m.ack, target, m.pt, m.bits,
                               m.remote_offset, m.user_ptr, m.hdr_data, m.counter, m.threshold);
    return PtlPut(m.md, m.local_offset, m.length, m.ack, target, m.pt, m.bits, m.remote_offset,
                  m.user_ptr, m.hdr_data);
}

int job_get(struct message m)
{
    ptl_process_t target = address(&m);
    if (m.triggered)
        return PtlTriggeredGet(m.md, m.local_offset, m.length, target, m.pt, m.bits,
                               m.remote_offset, m.user_ptr, m.counter, m.threshold);
    return PtlGet(m.md, m.local_offset, m.length, target, m.pt, m.bits, m.remote_offset,
                  m.user_ptr);
}

int job_atomic(struct message m)
{
    ptl_process_t target = address(&m);
    if (m.triggered)
        return PtlTriggeredAtomic(m.md, m.local_offset, m.length, m.ack, target, m.pt, m.bits,
                                  m.remote_offset, m.user_ptr, m.hdr_data, m.operation, m.datatype,
                                  m.counter, m.threshold);
    return PtlAtomic(m.md, m.local_offset, m.length, m.ack, target, m.pt, m.bits, m.remote_offset,
                     m.user_ptr, m.hdr_data, m.operation, m.datatype);
}

int job_fetch(struct message m)
{
    ptl_process_t target = address(&m);
    if (m.triggered)
        return PtlTriggeredFetchAtomic(m.get_md, m.get_offset, m.md, m.local_offset, m.length,
                                       target, m.pt, m.bits, m.remote_offset, m.user_ptr,
                                       m.hdr_data, m.operation, m.datatype, m.counter,
                                       m.threshold);
    return PtlFetchAtomic(m.get_md, m.get_offset, m.md, m.local_offset, m.length, target, m.pt,
                          m.bits, m.remote_offset, m.user_ptr, m.hdr_data, m.operation,
                          m.datatype);
}

int job_swap(struct message m)
{
    ptl_process_t target = address(&m);
    if (m.triggered)
        return PtlTriggeredSwap(m.get_md, m.get_offset, m.md, m.local_offset, m.length, target,
                                m.pt, m.bits, m.remote_offset, m.user_ptr, m.hdr_data, m.operand,
                                m.operation, m.datatype, m.counter, m.threshold);
    return PtlSwap(m.get_md, m.get_offset, m.md, m.local_offset, m.length, target, m.pt, m.bits,
                   m.remote_offset, m.user_ptr, m.hdr_data, m.operand, m.operation, m.datatype);
}

/* ---- List entries ------------------------------------------------------------------------- */

ptl_me_t job_entry(struct posting p)
{
    ptl_me_t me = {
        .start = p.start,
        .length = p.length,
        .ct_handle = p.ct ? *p.ct : PTL_CT_NONE,
        .uid = p.uid ? *p.uid : PTL_UID_ANY,
        .options = p.options | (p.link ? 0 : PTL_ME_EVENT_LINK_DISABLE),
        .match_bits = p.bits,
        .ignore_bits = p.ignore,
        .min_free = p.min_free,
    };
    if (p.from)
        me.match_id = *p.from;
    else if (p.job->logical)
        me.match_id.rank = PTL_RANK_ANY;
    else
        me.match_id = (ptl_process_t){.phys = {.nid = PTL_NID_ANY, .pid = PTL_PID_ANY}};
    return me;
}

static ptl_le_t without_matching(ptl_me_t me)
{
    return (ptl_le_t){.start = me.start,
                      .length = me.length,
                      .ct_handle = me.ct_handle,
                      .uid = me.uid,
                      .options = me.options};
}

int job_append(struct posting p, ptl_handle_me_t *handle)
{
    ptl_me_t me = job_entry(p);
    ptl_le_t le = without_matching(me);
    ptl_pt_index_t pt = p.pt ? p.pt : p.job->pt;
    if (p.job->matching)
        return PtlMEAppend(p.job->ni, pt, &me, p.list, p.user_ptr, handle);
    return PtlLEAppend(p.job->ni, pt, &le, p.list, p.user_ptr, handle);
}

ptl_handle_me_t job_post(struct posting p, const char *file, int line)
{
    ptl_handle_me_t handle = PTL_INVALID_HANDLE;
    job_check_code(p.job, job_append(p, &handle), PTL_OK, file, line, "append");
    return handle;
}

int job_search(struct posting p, ptl_search_op_t how)
{
    ptl_me_t me = job_entry(p);
    ptl_le_t le = without_matching(me);
    ptl_pt_index_t pt = p.pt ? p.pt : p.job->pt;
    if (p.job->matching)
        return PtlMESearch(p.job->ni, pt, &me, how, p.user_ptr);
    return PtlLESearch(p.job->ni, pt, &le, how, p.user_ptr);
}

int job_unlink(struct job *job, ptl_handle_me_t handle)
{
    return job->matching ? PtlMEUnlink(handle) : PtlLEUnlink(handle);
}
