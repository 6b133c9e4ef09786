/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/spin/spin_member.h"

#include <portals4_job.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/harness/measure.h"
#include "bench/pair/side.h"

#define QUEUE 4096
#define CREW 8

void member_must(int result, const char *what)
{
    side_must(result, what);
}

unsigned char *member_region(const struct member *member, enum spin_region region)
{
    return member->memory + region * SPIN_MOST_BYTES;
}

/* ---- Entries ------------------------------------------------------------------------------ */

static ptl_handle_me_t append(struct member *member, enum spin_bits bits, void *start,
                              size_t length, const ptl_handlers_t *handlers)
{
    ptl_me_t me = {.start = start,
                   .length = length,
                   .ct_handle = bits == SPIN_DONE ? member->done : member->bytes,
                   .uid = PTL_UID_ANY,
                   .options = PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_CT_COMM |
                              PTL_ME_EVENT_SUCCESS_DISABLE,
                   .match_id = {.rank = PTL_RANK_ANY},
                   .match_bits = bits};
    ptl_handle_me_t handle;
    if (bits != SPIN_DONE)
        me.options |= PTL_ME_EVENT_CT_BYTES;
    if (handlers)
        SIDE_MUST(PtlMEAppendHandlers(member->ni, member->pt, &me, handlers, PTL_PRIORITY_LIST,
                                      NULL, &handle));
    else
        SIDE_MUST(PtlMEAppend(member->ni, member->pt, &me, PTL_PRIORITY_LIST, NULL, &handle));
    return handle;
}

void member_post(struct member *member, enum spin_bits bits, enum spin_region region,
                 size_t length, const ptl_handlers_t *handlers)
{
    unsigned i = member->posted_count++;
    member->posted[i].entry =
        append(member, bits, member_region(member, region), length, handlers);
    member->posted[i].memory = handlers ? handlers->hpu_memory : PTL_HPU_NONE;
}

static void unlink_all(struct member *member)
{
    while (member->posted_count > 0) {
        unsigned i = --member->posted_count;
        int result;
        while ((result = PtlMEUnlink(member->posted[i].entry)) == PTL_IN_USE)
            continue;
        side_must(result, "PtlMEUnlink");
        if (member->posted[i].memory != PTL_HPU_NONE)
            SIDE_MUST(PtlHPUFreeMem(&member->posted[i].memory));
    }
}

/* ---- Messages ----------------------------------------------------------------------------- */

static void wait_for(ptl_handle_ct_t counter, ptl_size_t *expected, ptl_size_t more)
{
    ptl_ct_event_t value;
    *expected += more;
    SIDE_MUST(PtlCTWait(counter, *expected, &value));
    if (value.failure)
        side_fail("a message failed");
}

static void send(struct member *member, unsigned to, enum spin_bits bits, enum spin_region region,
                 size_t length, ptl_ack_req_t ack)
{
    SIDE_MUST(PtlPut(member->md, region * SPIN_MOST_BYTES, length, ack,
                     (ptl_process_t){.rank = to}, member->pt, bits, 0, NULL, 0));
}

void member_put(struct member *member, unsigned to, enum spin_bits bits, enum spin_region region,
                size_t length)
{
    send(member, to, bits, region, length, PTL_NO_ACK_REQ);
}

void member_put_and_wait(struct member *member, unsigned to, enum spin_bits bits,
                         enum spin_region region, size_t length)
{
    send(member, to, bits, region, length, PTL_CT_ACK_REQ);
    wait_for(member->acks, &member->acks_expected, 1);
}

void member_await(struct member *member, size_t bytes)
{
    wait_for(member->bytes, &member->bytes_expected, bytes);
}

void member_tell(struct member *member, unsigned to)
{
    member_put(member, to, SPIN_DONE, SPIN_SOURCE, 0);
}

void member_hear(struct member *member, unsigned count)
{
    wait_for(member->done, &member->done_expected, count);
}

/* ---- Life --------------------------------------------------------------------------------- */

static void open_interface(struct member *member)
{
    ptl_md_t md = {.length = SPIN_REGIONS * SPIN_MOST_BYTES,
                   .eq_handle = PTL_EQ_NONE,
                   .options = PTL_MD_EVENT_CT_ACK};
    member->memory = md.start = side_allocate(md.length);
    SIDE_MUST(PtlInit());
    SIDE_MUST(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, PTL_PID_ANY, NULL,
                        NULL, &member->ni));
    SIDE_MUST(weft_job_init(member->ni, NULL, NULL));
    SIDE_MUST(PtlEQAlloc(member->ni, QUEUE, &member->eq));
    SIDE_MUST(PtlCTAlloc(member->ni, &member->done));
    SIDE_MUST(PtlCTAlloc(member->ni, &member->bytes));
    SIDE_MUST(PtlCTAlloc(member->ni, &member->acks));
    md.ct_handle = member->acks;
    SIDE_MUST(PtlMDBind(member->ni, &md, &member->md));
    SIDE_MUST(PtlPTAlloc(member->ni, 0, member->eq, 1, &member->pt));
    append(member, SPIN_DONE, NULL, 0, NULL);
}

/* Seconds of a round, at rank 0; 0 elsewhere. */
static double do_job(struct member *member, const struct spin_job *job)
{
    const struct spin_case_info *info = &spin_cases[job->which];
    /* Handlers take bytes that no program waits for. */
    SIDE_MUST(PtlCTSet(member->bytes, (ptl_ct_event_t){0, 0}));
    member->bytes_expected = 0;
    info->prepare(member, job);
    crew_meet(info->ranks);
    double begin = measure_now();
    info->run(member, job);
    double end = measure_now();
    crew_meet(info->ranks);
    if (!info->is_right(member, job))
        side_fail("the data is not what it should be");
    unlink_all(member);
    return member->rank == 0 ? (end - begin) / (double)job->count : 0;
}

static struct member own;
static struct spin_job job;

static void open_member(unsigned rank)
{
    own.rank = rank;
    open_interface(&own);
}

static double work(void)
{
    return do_job(&own, &job);
}

void spin_start(const struct crew_world *world, size_t hpus)
{
    crew_set(WEFT_SETTING_HPUS, hpus);
    const struct crew_member every = {&job, sizeof(job), open_member, work, PtlFini};
    crew_start(&(struct crew_plan){CREW, *world, true, every});
}

double spin_run(const struct spin_job *wanted)
{
    return crew_run(wanted, spin_cases[wanted->which].ranks);
}
