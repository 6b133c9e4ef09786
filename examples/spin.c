/* SPDX-License-Identifier: BSD-3-Clause */
#include "spin.h"

#include <portals4_job.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TABLE_INDEX 8
#define BARRIER UINT64_MAX /* match bits */
#define PATIENCE 20000     /* milliseconds */

void spin_need(int result, const char *call)
{
    if (result == PTL_OK)
        return;
    fprintf(stderr, "%s says %d\n", call, result);
    exit(1);
}

void *spin_memory(ptl_size_t size)
{
    void *memory = calloc(1, size);
    NEED(memory ? PTL_OK : PTL_NO_SPACE);
    return memory;
}

/* ---- Jobs --------------------------------------------------------------------------------- */

void spin_open(struct spin *spin, unsigned fewest)
{
    ptl_size_t size;
    NEED(PtlInit());
    NEED(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, PTL_PID_ANY, NULL, NULL,
                   &spin->ni));
    NEED(weft_job_init(spin->ni, &spin->rank, &size));
    if (size < fewest) {
        fprintf(stderr, "needs %u processes: mpirun -n %u, for example\n", fewest, fewest);
        exit(1);
    }
    spin->size = (ptl_rank_t)size;
    NEED(PtlEQAlloc(spin->ni, 4096, &spin->events));
    NEED(PtlPTAlloc(spin->ni, 0, spin->events, TABLE_INDEX, &spin->pt));
    spin->arrived = spin_counter(spin);
    spin->expected = 0;
    spin->absent = PTL_RANK_ANY;
    spin_post(spin, NULL, 0, PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_COMM_DISABLE,
              BARRIER, spin->arrived, NULL);
}

void spin_close(struct spin *spin)
{
    spin_barrier(spin);
    NEED(PtlNIFini(spin->ni));
    PtlFini();
}

static ptl_handle_md_t bind(struct spin *spin, const void *start, ptl_size_t length,
                            unsigned options, ptl_handle_ct_t ct)
{
    ptl_handle_md_t handle;
    ptl_md_t md = {.start = (void *)start,
                   .length = length,
                   .options = options,
                   .eq_handle = PTL_EQ_NONE,
                   .ct_handle = ct};
    NEED(PtlMDBind(spin->ni, &md, &handle));
    return handle;
}

/* At first the other rank may not have its entry yet: then the put is dropped, and sent again. */
static void call_at_barrier(struct spin *spin, ptl_rank_t rank)
{
    ptl_handle_ct_t ct = spin_counter(spin);
    ptl_handle_md_t md = bind(spin, NULL, 0, PTL_MD_EVENT_CT_ACK, ct);
    ptl_ct_event_t value = {0, 0};
    for (int tries = 0; value.success == 0 && tries < PATIENCE; tries++) {
        if (tries > 0)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        NEED(PtlPut(md, 0, 0, PTL_CT_ACK_REQ, (ptl_process_t){.rank = rank}, spin->pt, BARRIER, 0,
                    NULL, 0));
        NEED(PtlCTWait(ct, value.failure + 1, &value));
    }
    NEED(value.success ? PTL_OK : PTL_FAIL);
    NEED(PtlMDRelease(md));
    NEED(PtlCTFree(ct));
}

void spin_barrier(struct spin *spin)
{
    if (spin->rank > 0) {
        call_at_barrier(spin, 0);
        spin_wait(spin->arrived, ++spin->expected);
        return;
    }
    for (ptl_rank_t rank = 1; rank < spin->size; rank++)
        spin->expected += rank != spin->absent;
    spin_wait(spin->arrived, spin->expected);
    for (ptl_rank_t rank = 1; rank < spin->size; rank++)
        if (rank != spin->absent)
            call_at_barrier(spin, rank);
}

/* ---- Entries and messages ----------------------------------------------------------------- */

ptl_handle_me_t spin_post(struct spin *spin, void *start, ptl_size_t length, unsigned options,
                          ptl_match_bits_t bits, ptl_handle_ct_t ct,
                          const ptl_handlers_t *handlers)
{
    static const ptl_handlers_t none = {.hpu_memory = PTL_HPU_NONE};
    ptl_handle_me_t handle;
    ptl_me_t me = {.start = start,
                   .length = length,
                   .ct_handle = ct,
                   .uid = PTL_UID_ANY,
                   .options = options | PTL_ME_EVENT_LINK_DISABLE,
                   .match_id = {.rank = PTL_RANK_ANY},
                   .match_bits = bits};
    NEED(PtlMEAppendHandlers(spin->ni, spin->pt, &me, handlers ? handlers : &none,
                             PTL_PRIORITY_LIST, NULL, &handle));
    return handle;
}

void spin_put(struct spin *spin, const void *start, ptl_size_t length, ptl_rank_t rank,
              ptl_match_bits_t bits, ptl_size_t remote_offset, ptl_hdr_data_t hdr_data)
{
    ptl_handle_ct_t ct = spin_counter(spin);
    ptl_handle_md_t md = bind(spin, start, length, PTL_MD_EVENT_CT_ACK, ct);
    NEED(PtlPut(md, 0, length, PTL_CT_ACK_REQ, (ptl_process_t){.rank = rank}, spin->pt, bits,
                remote_offset, NULL, hdr_data));
    spin_wait(ct, 1);
    NEED(PtlMDRelease(md));
    NEED(PtlCTFree(ct));
}

void spin_get(struct spin *spin, void *start, ptl_size_t length, ptl_rank_t rank,
              ptl_match_bits_t bits, ptl_size_t remote_offset)
{
    ptl_handle_ct_t ct = spin_counter(spin);
    ptl_handle_md_t md = bind(spin, start, length, PTL_MD_EVENT_CT_REPLY, ct);
    NEED(
        PtlGet(md, 0, length, (ptl_process_t){.rank = rank}, spin->pt, bits, remote_offset, NULL));
    spin_wait(ct, 1);
    NEED(PtlMDRelease(md));
    NEED(PtlCTFree(ct));
}

/* ---- Waiting ------------------------------------------------------------------------------ */

ptl_handle_ct_t spin_counter(struct spin *spin)
{
    ptl_handle_ct_t ct;
    NEED(PtlCTAlloc(spin->ni, &ct));
    return ct;
}

void spin_wait(ptl_handle_ct_t ct, ptl_size_t count)
{
    ptl_ct_event_t value;
    unsigned which;
    NEED(PtlCTPoll(&ct, &count, 1, PATIENCE, &value, &which));
    NEED(value.failure ? PTL_FAIL : PTL_OK);
}

ptl_event_t spin_event(struct spin *spin, ptl_event_kind_t type)
{
    ptl_event_t event;
    unsigned which;
    NEED(PtlEQPoll(&spin->events, 1, PATIENCE, &event, &which));
    NEED(event.type == type && event.ni_fail_type == PTL_NI_OK ? PTL_OK : PTL_FAIL);
    return event;
}

void spin_say(bool is_right, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    puts(is_right ? "" : ": WRONG");
    if (!is_right)
        exit(1);
}
