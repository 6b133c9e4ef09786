/* SPDX-License-Identifier: BSD-3-Clause */
/* Which entry of the priority list takes a message. */
#include "portals/job.h"

#define MATCHING .needs = PTL_NI_MATCHING

/* The number that the entry of the next put event was given as its user_ptr. */
#define MARK(number) .user_ptr = (void *)(uintptr_t)(number)
#define next_mark(type) ((uintptr_t)next_event(job->target_eq, type).user_ptr)

/* Sends one empty put for each of the match bits. */
static void put_each(struct job *job, const ptl_match_bits_t *bits, unsigned count)
{
    job_barrier(job);
    ptl_handle_md_t md = job_md(job, NULL, 0);
    for (unsigned i = 0; job->initiator && i < count; i++)
        ok(put(md, 0, .bits = bits[i], .hdr_data = i));
}

BEHAVIOUR("match bits choose the entry", MATCHING)
{
    if (job->target)
        for (unsigned i = 1; i <= 3; i++)
            post(NULL, 0, PTL_ME_OP_PUT, .bits = i * 100, MARK(i));
    put_each(job, (ptl_match_bits_t[]){300, 100, 200, 300}, 4);
    if (job->target) {
        equals(next_mark(PTL_EVENT_PUT), 3);
        equals(next_mark(PTL_EVENT_PUT), 1);
        equals(next_mark(PTL_EVENT_PUT), 2);
        equals(next_mark(PTL_EVENT_PUT), 3);
    }
}

BEHAVIOUR("a message whose match bits no entry has is dropped", MATCHING)
{
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT, .bits = 1);
    job_barrier(job);
    if (job->initiator) {
        ok(put(job_md(job, NULL, 0), 0, .bits = 0x8000000000000001u, .ack = PTL_ACK_REQ));
        next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_DROPPED);
    }
    job_settle(job);
    no_event(job->target_eq);
}

BEHAVIOUR("ignored bits do not count, the others do", MATCHING)
{
    if (job->target) {
        post(NULL, 0, PTL_ME_OP_PUT, .bits = 0xa0, .ignore = 0x0f, MARK(1));
        post(NULL, 0, PTL_ME_OP_PUT, .bits = 0xb7, .ignore = 0xff00000000000000u, MARK(2));
    }
    put_each(job, (ptl_match_bits_t[]){0xa5, 0x12000000000000b7u, 0xaf, 0xb7}, 4);
    if (job->target) {
        equals(next_mark(PTL_EVENT_PUT), 1);
        equals(next_mark(PTL_EVENT_PUT), 2);
        equals(next_mark(PTL_EVENT_PUT), 1);
        equals(next_mark(PTL_EVENT_PUT), 2);
    }
    job_barrier(job);
}

BEHAVIOUR("match bits that the entry ignores need not be 0 in the entry", MATCHING)
{
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT, .bits = 0xdead, .ignore = ~(ptl_match_bits_t)0, MARK(1));
    put_each(job, (ptl_match_bits_t[]){5, 0xbeef}, 2);
    if (job->target) {
        equals(next_mark(PTL_EVENT_PUT), 1);
        equals(next_mark(PTL_EVENT_PUT), 1);
    }
}

BEHAVIOUR("the first of several entries that match takes the message")
{
    if (job->target)
        for (unsigned i = 1; i <= 4; i++)
            post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE, MARK(i));
    put_each(job, (ptl_match_bits_t[4]){0}, 4);
    if (job->target)
        for (unsigned i = 1; i <= 4; i++)
            equals(next_mark(PTL_EVENT_PUT), i);
}

BEHAVIOUR("an entry without PTL_ME_USE_ONCE takes any number of messages")
{
    if (job->target) {
        post(NULL, 0, PTL_ME_OP_PUT, MARK(1));
        post(NULL, 0, PTL_ME_OP_PUT, MARK(2));
    }
    put_each(job, (ptl_match_bits_t[20]){0}, 20);
    if (job->target)
        for (unsigned i = 0; i < 20; i++)
            equals(next_mark(PTL_EVENT_PUT), 1);
}

BEHAVIOUR("without matching the first entry takes messages with any match bits",
          .needs = PTL_NI_NO_MATCHING)
{
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT, MARK(1));
    put_each(job, (ptl_match_bits_t[]){0, 5, ~(ptl_match_bits_t)0}, 3);
    if (job->target)
        for (unsigned i = 0; i < 3; i++)
            equals(next_mark(PTL_EVENT_PUT), 1);
}

BEHAVIOUR("PTL_ME_USE_ONCE gives the message's event, then PTL_EVENT_AUTO_UNLINK")
{
    char mark;
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE, .user_ptr = &mark);
    put_each(job, (ptl_match_bits_t[]){0}, 1);
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_PUT);
        ptl_event_t event = next_event(job->target_eq, PTL_EVENT_AUTO_UNLINK);
        holds(event.user_ptr == &mark);
        equals(event.pt_index, job->pt);
    }
}

BEHAVIOUR("a use-once entry that is gone leaves the message to nobody")
{
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE);
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, NULL, 0);
        ok(put(md, 0, .ack = PTL_ACK_REQ));
        ok(put(md, 0, .ack = PTL_ACK_REQ));
        next_event(job->eq, PTL_EVENT_ACK);
        next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_DROPPED);
    }
    job_barrier(job);
}

BEHAVIOUR("a wildcard before exact entries takes what they would take", MATCHING)
{
    if (job->target) {
        post(NULL, 0, PTL_ME_OP_PUT, .bits = 1, MARK(1));
        post(NULL, 0, PTL_ME_OP_PUT, .ignore = ~(ptl_match_bits_t)0, MARK(2));
        post(NULL, 0, PTL_ME_OP_PUT, .bits = 2, MARK(3));
    }
    put_each(job, (ptl_match_bits_t[]){2, 1, 7}, 3);
    if (job->target) {
        equals(next_mark(PTL_EVENT_PUT), 2);
        equals(next_mark(PTL_EVENT_PUT), 1);
        equals(next_mark(PTL_EVENT_PUT), 2);
    }
}

BEHAVIOUR("a wildcard after exact entries takes only what they leave", MATCHING)
{
    if (job->target) {
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE, .bits = 1,
             MARK(1));
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE, .bits = 1,
             MARK(2));
        post(NULL, 0, PTL_ME_OP_PUT, .ignore = 0xff, MARK(3));
    }
    put_each(job, (ptl_match_bits_t[]){1, 9, 1, 1}, 4);
    if (job->target) {
        equals(next_mark(PTL_EVENT_PUT), 1);
        equals(next_mark(PTL_EVENT_PUT), 3);
        equals(next_mark(PTL_EVENT_PUT), 2);
        equals(next_mark(PTL_EVENT_PUT), 3);
    }
}

BEHAVIOUR("exact entries and wildcards by turns are tried in the order of the list", MATCHING)
{
    enum { ROUNDS = 10 };
    if (job->target)
        for (unsigned i = 0; i < ROUNDS; i++)
            post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE, .bits = 5,
                 .ignore = i % 2 ? 0xff00 : 0, MARK(i));
    put_each(job, (ptl_match_bits_t[ROUNDS]){5, 5, 5, 5, 5, 5, 5, 5, 5, 5}, ROUNDS);
    if (job->target)
        for (unsigned i = 0; i < ROUNDS; i++)
            equals(next_mark(PTL_EVENT_PUT), i);
}

BEHAVIOUR("an unlinked entry takes nothing, and the next one does")
{
    if (job->target) {
        ptl_handle_me_t first = post(NULL, 0, PTL_ME_OP_PUT, MARK(1));
        ptl_handle_me_t second = post(NULL, 0, PTL_ME_OP_PUT, MARK(2));
        post(NULL, 0, PTL_ME_OP_PUT, MARK(3));
        ok(job_unlink(job, second));
        ok(job_unlink(job, first));
        gives(PTL_ARG_INVALID, job_unlink(job, first));
    }
    put_each(job, (ptl_match_bits_t[]){0}, 1);
    if (job->target)
        equals(next_mark(PTL_EVENT_PUT), 3);
}

BEHAVIOUR("unlinking an entry that unlinked itself says PTL_ARG_INVALID")
{
    ptl_handle_me_t handle = PTL_INVALID_HANDLE;
    if (job->target)
        handle = post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE);
    put_each(job, (ptl_match_bits_t[]){0}, 1);
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_PUT);
        next_event(job->target_eq, PTL_EVENT_AUTO_UNLINK);
        gives(PTL_ARG_INVALID, job_unlink(job, handle));
    }
}

/* Between real processes, looking whether a message has begun would be a race with it. */
BEHAVIOUR("an entry that a message is being written to cannot be unlinked", .worlds = JOB_SIM)
{
    enum { SIZE = 4000000 };
    unsigned char *bytes = job_memory(job, SIZE);
    ptl_handle_me_t entry = PTL_INVALID_HANDLE;
    if (job->target)
        entry = post(bytes, SIZE, PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator) {
        unsigned char *out = job_memory(job, SIZE);
        memset(out, 1, SIZE);
        ok(put(job_md(job, out, SIZE), SIZE));
    }
    if (job->target) {
        for (unsigned tries = 0; !bytes[0] && tries < 1000000; tries++)
            no_event(job->eq); /* lets it come */
        gives(PTL_IN_USE, job_unlink(job, entry));
        no_event(job->target_eq);
        next_event(job->target_eq, PTL_EVENT_PUT);
        equals(bytes[SIZE - 1], 1);
        ok(job_unlink(job, entry));
    }
    job_barrier(job);
}

BEHAVIOUR("messages find their entry among thousands, whatever their order", MATCHING)
{
    enum { ENTRIES = 3000, STEP = 1999 };
    ptl_handle_ct_t ct = job_ct(job);
    if (job->target)
        for (unsigned i = 0; i < ENTRIES; i++)
            post(NULL, 0,
                 PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE |
                     PTL_ME_EVENT_CT_COMM,
                 .bits = i, .ct = &ct, MARK(i));
    job_barrier(job);
    ptl_handle_md_t md = job_bind(job, NULL, 0, 0, PTL_EQ_NONE, PTL_CT_NONE);
    for (unsigned i = 0, at = 0; i < ENTRIES; i++, at = (at + STEP) % ENTRIES) {
        if (job->initiator)
            ok(put(md, 0, .bits = at));
        if (job->target && !equals(next_mark(PTL_EVENT_PUT), at))
            break;
        if (i % 100 == 99)
            job_barrier(job);
    }
    if (job->target)
        counts(ct, ENTRIES, 0);
}

/* ---- Who may use an entry ----------------------------------------------------------------- */

BEHAVIOUR("an entry for one process takes no message of another", MATCHING, .ranks = 4)
{
    if (job->target) {
        for (unsigned rank = 1; rank < job->size; rank++) {
            ptl_process_t from = job_process(job, rank);
            post(NULL, 0, PTL_ME_OP_PUT, .from = &from, MARK(rank));
        }
    }
    job_barrier(job);
    if (job->initiator)
        ok(put(job_md(job, NULL, 0), 0, .hdr_data = job->rank));
    if (job->target)
        for (unsigned i = 1; i < job->size; i++) {
            ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT);
            equals((uintptr_t)event.user_ptr, event.hdr_data);
        }
}

BEHAVIOUR("an entry for a process that sends nothing is passed over", MATCHING)
{
    if (job->target) {
        ptl_process_t stranger = job_process(job, job->size);
        post(NULL, 0, PTL_ME_OP_PUT, .from = &stranger, MARK(1));
        post(NULL, 0, PTL_ME_OP_PUT, MARK(2));
    }
    put_each(job, (ptl_match_bits_t[]){0}, 1);
    if (job->target)
        equals(next_mark(PTL_EVENT_PUT), 2);
}

BEHAVIOUR("an entry for any process before one for one process takes its messages", MATCHING,
          .ranks = 3)
{
    if (job->target) {
        ptl_process_t one = job_process(job, 1);
        post(NULL, 0, PTL_ME_OP_PUT, .from = &one, .bits = 1, MARK(1));
        post(NULL, 0, PTL_ME_OP_PUT, .bits = 1, MARK(2));
        ptl_process_t two = job_process(job, 2);
        post(NULL, 0, PTL_ME_OP_PUT, .from = &two, .bits = 1, MARK(3));
    }
    job_barrier(job);
    if (job->initiator)
        ok(put(job_md(job, NULL, 0), 0, .bits = 1, .hdr_data = job->rank));
    if (job->target)
        for (unsigned i = 0; i < 2; i++) {
            ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT);
            equals((uintptr_t)event.user_ptr, event.hdr_data);
        }
}

BEHAVIOUR("PTL_NID_ANY and PTL_PID_ANY are wildcards each on its own",
          .needs = PTL_NI_MATCHING | PTL_NI_PHYSICAL, .apart = true)
{
    if (job->target) {
        ptl_process_t other = job_process(job, 1), wrong = other;
        wrong.phys.pid += 1;
        wrong.phys.nid = PTL_NID_ANY;
        post(NULL, 0, PTL_ME_OP_PUT, .from = &wrong, MARK(1));
        wrong = (ptl_process_t){.phys = {.nid = other.phys.nid + 1, .pid = PTL_PID_ANY}};
        post(NULL, 0, PTL_ME_OP_PUT, .from = &wrong, MARK(2));
        ptl_process_t right = {.phys = {.nid = PTL_NID_ANY, .pid = other.phys.pid}};
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE,
             .from = &right, MARK(3));
        right = (ptl_process_t){.phys = {.nid = other.phys.nid, .pid = PTL_PID_ANY}};
        post(NULL, 0, PTL_ME_OP_PUT, .from = &right, MARK(4));
    }
    put_each(job, (ptl_match_bits_t[2]){0}, 2);
    if (job->target) {
        equals(next_mark(PTL_EVENT_PUT), 3);
        equals(next_mark(PTL_EVENT_PUT), 4);
    }
}

BEHAVIOUR("an entry of the wrong kind for the interface is refused", .ranks = 1)
{
    ptl_me_t me = job_entry(POSTING(NULL, 0, PTL_ME_OP_PUT));
    ptl_le_t le = {.ct_handle = PTL_CT_NONE, .uid = PTL_UID_ANY, .options = me.options};
    ptl_handle_any_t handle;
    if (job->matching) {
        gives(PTL_ARG_INVALID,
              PtlLEAppend(job->ni, job->pt, &le, PTL_PRIORITY_LIST, NULL, &handle));
        gives(PTL_ARG_INVALID, PtlLESearch(job->ni, job->pt, &le, PTL_SEARCH_ONLY, NULL));
    } else {
        gives(PTL_ARG_INVALID,
              PtlMEAppend(job->ni, job->pt, &me, PTL_PRIORITY_LIST, NULL, &handle));
        gives(PTL_ARG_INVALID, PtlMESearch(job->ni, job->pt, &me, PTL_SEARCH_ONLY, NULL));
    }
}

BEHAVIOUR("wrong arguments of an append are refused", .ranks = 1)
{
    ptl_handle_me_t handle;
    ptl_handle_ct_t stale = job_ct(job);
    ok(PtlCTFree(stale));
    gives(PTL_ARG_INVALID, append(&handle, NULL, 0, PTL_ME_OP_PUT, .pt = 63000));
    gives(PTL_ARG_INVALID, append(&handle, NULL, 0, PTL_ME_OP_PUT, .list = (ptl_list_t)7));
    gives(PTL_ARG_INVALID, append(&handle, NULL, 0, PTL_ME_OP_PUT, .ct = &stale));
    gives(PTL_ARG_INVALID, append(&handle, NULL, 0, PTL_ME_OP_PUT | 1u << 28));
    gives(PTL_ARG_INVALID, append(NULL, NULL, 0, PTL_ME_OP_PUT));
}
