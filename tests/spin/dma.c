/* SPDX-License-Identifier: BSD-3-Clause */
/* Handlers move data between the NIC and both memories of the host. */
#include "spin/spin.h"

#define AREA 4000

enum note { CODE, CODE_2, TEST, WAIT, LATE_TEST, LOOKS, WRONG, NOTES };

/* Handler host memory: notes, then room for data. */
struct host {
    uint64_t notes[NOTES];
    unsigned char area[AREA];
};

#define AREA_AT offsetof(struct host, area)

struct scene {
    struct host host;
    unsigned char memory[AREA];
    struct spin_case what;
};

static struct scene *scene_new(struct job *job, ptl_header_handler_t header)
{
    struct scene *scene = job_memory(job, sizeof *scene);
    scene->what = (struct spin_case){.header = header,
                                     .host = &scene->host,
                                     .host_length = sizeof scene->host,
                                     .start = scene->memory,
                                     .length = AREA,
                                     .state_length = AREA,
                                     .size = 0};
    return scene;
}

static struct scene *scene_run(struct job *job, ptl_header_handler_t header)
{
    struct scene *scene = scene_new(job, header);
    spin_run(job, &scene->what);
    return scene;
}

/* ---- To the host -------------------------------------------------------------------------- */

static ptl_handler_result_t write_both(const ptl_header_t *header, void *state)
{
    (void)header;
    job_fill(state, AREA, 1);
    spin_note(CODE, (uint64_t)PtlHandlerDMAToHostB(state, 100, 1000, PTL_ME_HOST_MEM));
    spin_note(CODE_2,
              (uint64_t)PtlHandlerDMAToHostB(state, AREA_AT + 7, 1001, PTL_HANDLER_HOST_MEM));
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("DMAToHostB writes the memory of the entry, or that of the handlers", SPIN)
{
    struct scene *scene = scene_run(job, write_both);
    if (job->target) {
        equals(scene->host.notes[CODE], PTL_OK);
        equals(scene->host.notes[CODE_2], PTL_OK);
        holds(job_filled(scene->memory + 100, 1000, 1));
        equals(scene->memory[99] + scene->memory[1100], 0);
        holds(job_filled(scene->host.area + 7, 1001, 1));
        equals(scene->host.area[6] + scene->host.area[1008], 0);
        no_event(job->target_eq);
    }
}

static ptl_handler_result_t write_and_wait(const ptl_header_t *header, void *state)
{
    ptl_dma_t handle;
    (void)header;
    job_fill(state, AREA, 1);
    spin_note(CODE, (uint64_t)PtlHandlerDMAToHostNB(state, 0, AREA, PTL_DMA_NO_EVENT, &handle));
    spin_note(WAIT, (uint64_t)PtlHandlerDMAWait(handle));
    spin_note(TEST, (uint64_t)PtlHandlerDMATest(handle));
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("DMAToHostNB is done when its handle has been waited for", SPIN)
{
    struct scene *scene = scene_run(job, write_and_wait);
    if (job->target) {
        equals(scene->host.notes[CODE], PTL_OK);
        equals(scene->host.notes[WAIT], PTL_OK);
        equals(scene->host.notes[TEST], 1);
        holds(job_filled(scene->memory, AREA, 1));
        no_event(job->target_eq);
    }
}

static ptl_handler_result_t write_and_test(const ptl_header_t *header, void *state)
{
    enum { MOST = 1000000 };
    ptl_dma_t handle;
    uint64_t looks = 0;
    (void)header;
    PtlHandlerDMAToHostNB(state, 0, AREA, PTL_DMA_NO_EVENT, &handle);
    while (!PtlHandlerDMATest(handle) && looks < MOST)
        looks++;
    spin_note(LATE_TEST, (uint64_t)PtlHandlerDMATest(handle));
    spin_note(LOOKS, looks);
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("DMATest says yes in the end, in virtual time not before the data could be there", SPIN)
{
    struct scene *scene = scene_run(job, write_and_test);
    if (job->target) {
        equals(scene->host.notes[LATE_TEST], 1);
        if (job->world == JOB_SIM && job->hpus)
            holds(scene->host.notes[LOOKS] > 0);
    }
}

/* ---- Events of what was written ----------------------------------------------------------- */

static ptl_handler_result_t write_with_event(const ptl_header_t *header, void *state)
{
    ptl_dma_t handle;
    (void)header;
    PtlHandlerDMAToHostNB(state, 5, 33, PTL_ME_HOST_MEM, &handle);
    PtlHandlerDMAToHostNB(state, AREA_AT, 0, PTL_HANDLER_HOST_MEM, &handle);
    PtlHandlerDMAToHostNB(state, 5, 33, PTL_DMA_NO_EVENT, &handle);
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("DMAToHostNB gives PTL_EVENT_DMA before the event of the message, unless told not to",
          SPIN)
{
    struct scene *scene = scene_new(job, write_with_event);
    spin_start(job, &scene->what);
    if (job->target) {
        ptl_event_t event = next_event(job->target_eq, PTL_EVENT_DMA);
        holds(event.start == scene->memory + 5);
        equals(event.mlength, 33);
        equals(event.pt_index, job->pt);
        holds(job_same_process(job, event.initiator, job_process(job, job->size - 1)));
        event = next_event(job->target_eq, PTL_EVENT_DMA);
        holds(event.start == scene->host.area);
        equals(event.mlength, 0);
    }
    spin_finish(job, &scene->what);
    if (job->target)
        no_event(job->target_eq);
}

/* ---- From the host ------------------------------------------------------------------------ */

/* What is read from both memories goes back to other places. */
static ptl_handler_result_t read_both(const ptl_header_t *header, void *state)
{
    unsigned char *local = state;
    ptl_dma_t handle;
    (void)header;
    spin_note(CODE, (uint64_t)PtlHandlerDMAFromHostB(11, local, 500, PTL_ME_HOST_MEM));
    spin_note(CODE_2, (uint64_t)PtlHandlerDMAFromHostNB(AREA_AT + 3, local + 500, 500,
                                                        PTL_HANDLER_HOST_MEM, &handle));
    spin_note(WAIT, (uint64_t)PtlHandlerDMAWait(handle));
    spin_note(TEST, (uint64_t)PtlHandlerDMATest(handle));
    PtlHandlerDMAToHostB(local, 2000, 1000, PTL_ME_HOST_MEM);
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("DMAFromHostB and NB read the memory of the entry and that of the handlers", SPIN)
{
    struct scene *scene = scene_new(job, read_both);
    job_fill(scene->memory + 11, 500, 20);
    job_fill(scene->host.area + 3, 500, 40);
    spin_run(job, &scene->what);
    if (job->target) {
        equals(scene->host.notes[CODE], PTL_OK);
        equals(scene->host.notes[CODE_2], PTL_OK);
        equals(scene->host.notes[WAIT], PTL_OK);
        equals(scene->host.notes[TEST], 1);
        holds(job_filled(scene->memory + 2000, 500, 20));
        holds(job_filled(scene->memory + 2500, 500, 40));
        no_event(job->target_eq);
    }
}

/* ---- Memory in pieces --------------------------------------------------------------------- */

static ptl_handler_result_t over_pieces(const ptl_header_t *header, void *state)
{
    unsigned char *local = state;
    (void)header;
    job_fill(local, 300, 1);
    PtlHandlerDMAToHostB(local, 50, 300, PTL_ME_HOST_MEM);
    PtlHandlerDMAFromHostB(50, local + 1000, 300, PTL_ME_HOST_MEM);
    return job_filled(local + 1000, 300, 1) ? PTL_HANDLER_DROP : PTL_HANDLER_FAIL;
}

static bool pieces_are_filled(const unsigned char *memory)
{
    return memory[49] == 0 && job_filled(memory + 50, 50, 1) && memory[100] == 0 &&
           job_filled(memory + 1000, 200, 51) && job_filled(memory + 2000, 50, 251) &&
           memory[2050] == 0;
}

BEHAVIOUR("a range of an entry of PTL_IOVEC lies in its pieces", SPIN)
{
    struct scene *scene = scene_new(job, over_pieces);
    ptl_iovec_t *pieces = job_memory(job, 3 * sizeof *pieces);
    pieces[0] = (ptl_iovec_t){scene->memory, 100};
    pieces[1] = (ptl_iovec_t){scene->memory + 1000, 200};
    pieces[2] = (ptl_iovec_t){scene->memory + 2000, 1000};
    scene->what.start = pieces;
    scene->what.length = 3;
    scene->what.options = PTL_IOVEC;
    spin_run(job, &scene->what);
    if (job->target)
        holds(pieces_are_filled(scene->memory));
}

static ptl_handler_result_t over_handler_pieces(const ptl_header_t *header, void *state)
{
    unsigned char *local = state;
    (void)header;
    job_fill(local, 300, 1);
    PtlHandlerDMAToHostB(local, 50, 300, PTL_HANDLER_HOST_MEM);
    PtlHandlerDMAFromHostB(50, local + 1000, 300, PTL_HANDLER_HOST_MEM);
    return job_filled(local + 1000, 300, 1) ? PTL_HANDLER_DROP : PTL_HANDLER_FAIL;
}

BEHAVIOUR("a range of handler memory of PTL_HANDLER_IOVEC lies in its pieces", SPIN)
{
    struct scene *scene = scene_new(job, over_handler_pieces);
    ptl_iovec_t *pieces = job_memory(job, 3 * sizeof *pieces);
    pieces[0] = (ptl_iovec_t){scene->memory, 100};
    pieces[1] = (ptl_iovec_t){scene->memory + 1000, 200};
    pieces[2] = (ptl_iovec_t){scene->memory + 2000, 1000};
    scene->what.host = pieces;
    scene->what.host_length = 3;
    scene->what.handlers.options = PTL_HANDLER_IOVEC;
    spin_run(job, &scene->what);
    if (job->target)
        holds(pieces_are_filled(scene->memory));
}

BEHAVIOUR("the array of pieces may go when the entry is appended", SPIN)
{
    struct scene *scene = scene_new(job, over_handler_pieces);
    ptl_iovec_t pieces[3] = {
        {scene->memory, 100}, {scene->memory + 1000, 200}, {scene->memory + 2000, 1000}};
    scene->what.host = pieces;
    scene->what.host_length = 3;
    scene->what.handlers.options = PTL_HANDLER_IOVEC;
    if (job->target)
        spin_open(job, &scene->what);
    memset(pieces, 0, sizeof pieces);
    job_barrier(job);
    if (job->initiator)
        ok(put(job_md(job, NULL, 0), 0));
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_PUT);
        holds(pieces_are_filled(scene->memory));
    }
    job_barrier(job);
}

/* ---- Who runs ----------------------------------------------------------------------------- */

enum who { HPUS, MY_HPU, MY_VHPU };

static ptl_handler_result_t tell_who(const ptl_header_t *header, void *state)
{
    (void)header;
    (void)state;
    spin_note(HPUS, PTL_NUM_HPUS);
    spin_note(MY_HPU, PTL_MY_HPU);
    spin_note(MY_VHPU, PTL_MY_VHPU);
    return PtlHandlerYield() == PTL_OK ? PTL_HANDLER_DROP : PTL_HANDLER_FAIL;
}

BEHAVIOUR("a handler knows how many HPUs there are, and on which it is", SPIN)
{
    struct scene *scene = scene_run(job, tell_who);
    if (job->target) {
        equals(scene->host.notes[HPUS], job->hpus ? job->hpus : 1);
        holds(scene->host.notes[MY_HPU] < scene->host.notes[HPUS]);
        equals(scene->host.notes[MY_VHPU], scene->host.notes[MY_HPU]);
        holds(scene->host.notes[HPUS] <= PTL_MAX_HPUS);
    }
}
