/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every rank of a job sends a greeting to rank 0. Any of these starts it with four:
 *
 *   mpirun.openmpi -n 4 ./portals_hello
 *   mpirun.mpich -n 4 ./portals_hello
 *   srun -n 4 ./portals_hello
 *   for rank in 0 1 2 3; do
 *       WEFT_RANK=$rank WEFT_SIZE=4 WEFT_RENDEZVOUS=$PWD/hello.job ./portals_hello &
 *   done; wait
 */
#include <portals4.h>
#include <portals4_job.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MAILBOX 7
#define GREETING 64

#define NEED(call) need((call), #call)

static void need(int result, const char *call)
{
    if (result == PTL_OK)
        return;
    fprintf(stderr, "%s says %d\n", call, result);
    exit(1);
}

/* Rank 0 may not have its mailbox yet: then the put is dropped, and sent again. */
static void send(ptl_handle_ni_t ni, ptl_rank_t rank)
{
    char greeting[GREETING];
    ptl_md_t md = {.start = greeting, .length = GREETING, .options = PTL_MD_EVENT_CT_ACK};
    ptl_handle_md_t handle;
    ptl_ct_event_t count = {0, 0};
    snprintf(greeting, sizeof(greeting), "rank %u says hello", rank);
    md.eq_handle = PTL_EQ_NONE;
    NEED(PtlCTAlloc(ni, &md.ct_handle));
    NEED(PtlMDBind(ni, &md, &handle));
    for (int tries = 0; count.success == 0 && tries < 1000; tries++) {
        if (tries > 0)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        NEED(PtlCTSet(md.ct_handle, (ptl_ct_event_t){0, 0}));
        NEED(PtlPut(handle, 0, GREETING, PTL_CT_ACK_REQ, (ptl_process_t){.rank = 0}, MAILBOX, 0,
                    rank * GREETING, NULL, 0));
        NEED(PtlCTWait(md.ct_handle, 1, &count));
    }
    NEED(count.success ? PTL_OK : PTL_FAIL);
    NEED(PtlMDRelease(handle));
    NEED(PtlCTFree(md.ct_handle));
}

int main(void)
{
    ptl_handle_ni_t ni;
    ptl_rank_t rank;
    ptl_size_t size;
    ptl_pt_index_t mailbox;
    ptl_handle_le_t handle;
    ptl_ct_event_t count;
    NEED(PtlInit());
    NEED(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_LOGICAL, PTL_PID_ANY, NULL, NULL,
                   &ni));
    NEED(weft_job_init(ni, &rank, &size));

    /* Each rank writes to its own place of the memory of rank 0, which counts what arrives. */
    char(*greetings)[GREETING] = calloc(size, GREETING);
    ptl_le_t le = {.start = greetings, .length = size * GREETING, .uid = PTL_UID_ANY};
    le.options = PTL_LE_OP_PUT | PTL_LE_EVENT_CT_COMM;
    NEED(PtlCTAlloc(ni, &le.ct_handle));
    if (rank == 0) {
        NEED(PtlPTAlloc(ni, 0, PTL_EQ_NONE, MAILBOX, &mailbox));
        NEED(PtlLEAppend(ni, mailbox, &le, PTL_PRIORITY_LIST, NULL, &handle));
    }
    send(ni, rank);
    if (rank == 0) {
        NEED(PtlCTWait(le.ct_handle, size, &count));
        for (ptl_size_t i = 0; i < size; i++)
            puts(greetings[i]);
        NEED(PtlLEUnlink(handle));
        NEED(PtlPTFree(ni, mailbox));
    }
    NEED(PtlCTFree(le.ct_handle));
    NEED(PtlNIFini(ni));
    PtlFini();
    free(greetings);
    return 0;
}
