/* SPDX-License-Identifier: BSD-3-Clause */
/* What handlers do to single values: in memory of the host, which the program shares, and in
 * memory of the NIC, which they share with each other. */
#include "spin/spin.h"

/* Handler host memory. */
enum note { CODE, CODE_2, COMPARE, COMPARE_2, BEFORE, VALUE, WAIT, NOTES };

struct scene {
    uint64_t notes[64];
    uint64_t memory[64];
    struct spin_case what;
};

static struct scene *scene_new(struct job *job, ptl_header_handler_t header)
{
    struct scene *scene = job_memory(job, sizeof *scene);
    scene->what = (struct spin_case){.header = header,
                                     .host = scene->notes,
                                     .host_length = sizeof scene->notes,
                                     .start = scene->memory,
                                     .length = sizeof scene->memory};
    return scene;
}

/* ---- Compare and swap on the host --------------------------------------------------------- */

static ptl_handler_result_t swap_twice(const ptl_header_t *header, void *state)
{
    uint64_t compare = 40, compare_2 = 40;
    ptl_dma_t handle;
    (void)header;
    (void)state;
    spin_note(CODE, (uint64_t)PtlHandlerDMACASB(8, &compare, 41, PTL_ME_HOST_MEM));
    spin_note(COMPARE, compare);
    spin_note(CODE_2, (uint64_t)PtlHandlerDMACASNB(8, &compare_2, 42, PTL_ME_HOST_MEM, &handle));
    spin_note(WAIT, (uint64_t)PtlHandlerDMAWait(handle));
    spin_note(COMPARE_2, compare_2);
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("DMACAS swaps if the value is there, and else says what is", SPIN)
{
    struct scene *scene = scene_new(job, swap_twice);
    scene->memory[1] = 40;
    spin_run(job, &scene->what);
    if (job->target) {
        equals(scene->notes[CODE], PTL_OK);
        equals(scene->notes[COMPARE], 40);
        equals(scene->notes[CODE_2], PTL_OK);
        equals(scene->notes[WAIT], PTL_OK);
        equals(scene->notes[COMPARE_2], 41);
        equals(scene->memory[1], 41);
        equals(scene->memory[0] + scene->memory[2], 0);
    }
}

static ptl_handler_result_t misaligned(const ptl_header_t *header, void *state)
{
    uint64_t compare = 0, before = 0;
    unsigned wrong = 0;
    (void)header;
    (void)state;
    for (unsigned offset = 1; offset < 8; offset++) {
        wrong += PtlHandlerDMACASB(offset, &compare, 1, PTL_ME_HOST_MEM) != PTL_ARG_INVALID;
        wrong += PtlHandlerDMAFetchAddB(offset, 1, &before, PTL_UINT64_T, PTL_ME_HOST_MEM) !=
                 PTL_ARG_INVALID;
    }
    wrong +=
        PtlHandlerDMAFetchAddB(2, 1, &before, PTL_INT32_T, PTL_ME_HOST_MEM) != PTL_ARG_INVALID;
    wrong +=
        PtlHandlerDMAFetchAddB(1, 1, &before, PTL_UINT16_T, PTL_ME_HOST_MEM) != PTL_ARG_INVALID;
    spin_note(VALUE, wrong + 100);
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("an atomic DMA of a value that is not aligned is refused and changes nothing", SPIN)
{
    struct scene *scene = scene_new(job, misaligned);
    spin_run(job, &scene->what);
    if (job->target) {
        equals(scene->notes[VALUE], 100);
        equals(scene->memory[0] + scene->memory[1], 0);
    }
}

static ptl_handler_result_t split_value(const ptl_header_t *header, void *state)
{
    uint64_t compare = 0, before;
    (void)header;
    (void)state;
    spin_note(CODE, (uint64_t)PtlHandlerDMACASB(8, &compare, 1, PTL_ME_HOST_MEM));
    spin_note(CODE_2, (uint64_t)PtlHandlerDMAFetchAddB(12, 1, &before, PTL_UINT32_T, 0));
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("an atomic DMA of a value in two pieces is refused, in one piece it is done", SPIN)
{
    struct scene *scene = scene_new(job, split_value);
    ptl_iovec_t *pieces = job_memory(job, 2 * sizeof *pieces);
    pieces[0] = (ptl_iovec_t){scene->memory, 12};
    pieces[1] = (ptl_iovec_t){scene->memory + 8, 12};
    scene->what.start = pieces;
    scene->what.length = 2;
    scene->what.options = PTL_IOVEC;
    spin_run(job, &scene->what);
    if (job->target) {
        equals(scene->notes[CODE], PTL_ARG_INVALID);
        equals(scene->notes[CODE_2], PTL_OK);
        equals(scene->memory[1], 0);
        equals(scene->memory[8], 1);
    }
}

/* ---- Fetch and add on the host ------------------------------------------------------------ */

static const struct {
    ptl_datatype_t type;
    unsigned size;
} integers[] = {{PTL_INT8_T, 1},  {PTL_UINT8_T, 1},  {PTL_INT16_T, 2}, {PTL_UINT16_T, 2},
                {PTL_INT32_T, 4}, {PTL_UINT32_T, 4}, {PTL_INT64_T, 8}, {PTL_UINT64_T, 8}};
#define INTEGERS (sizeof integers / sizeof *integers)

/* Adds 2 to the largest value of each type, at multiples of 16, blocking or not. */
static ptl_handler_result_t add_all(const ptl_header_t *header, void *state)
{
    unsigned wrong = 0;
    (void)header;
    (void)state;
    for (unsigned i = 0; i < INTEGERS; i++) {
        uint64_t before = 0, again = 0;
        ptl_dma_t handle;
        uint64_t all = integers[i].size == 8 ? UINT64_MAX : (1ull << 8 * integers[i].size) - 1;
        wrong += PtlHandlerDMAFetchAddB(i * 16, 1, &before, integers[i].type, 0) != PTL_OK;
        wrong +=
            PtlHandlerDMAFetchAddNB(i * 16, 1, &again, integers[i].type, 0, &handle) != PTL_OK;
        wrong += PtlHandlerDMAWait(handle) != PTL_OK;
        wrong += before != all || again != 0;
    }
    spin_note(VALUE, wrong + 100);
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("DMAFetchAdd adds integers of every size, and touches nothing beside them", SPIN)
{
    struct scene *scene = scene_new(job, add_all);
    memset(scene->memory, 0xff, sizeof scene->memory);
    spin_run(job, &scene->what);
    if (!job->target)
        return;
    equals(scene->notes[VALUE], 100);
    for (unsigned i = 0; i < INTEGERS; i++) {
        unsigned bits = 8 * integers[i].size;
        uint64_t rest = bits == 64 ? 0 : UINT64_MAX << bits;
        equals(scene->memory[2 * i], rest | 1);
        equals(scene->memory[2 * i + 1], UINT64_MAX);
    }
}

static ptl_handler_result_t add_strange_types(const ptl_header_t *header, void *state)
{
    static const int strange[] = {PTL_FLOAT,       PTL_DOUBLE,        PTL_FLOAT_COMPLEX,
                                  PTL_LONG_DOUBLE, PTL_DATATYPE_LAST, -1};
    unsigned wrong = 0;
    uint64_t before;
    (void)header;
    (void)state;
    for (unsigned i = 0; i < sizeof strange / sizeof *strange; i++)
        wrong += PtlHandlerDMAFetchAddB(0, 1, &before, (ptl_datatype_t)strange[i], 0) !=
                 PTL_ARG_INVALID;
    spin_note(VALUE, wrong + 100);
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("DMAFetchAdd refuses what is no integer", SPIN)
{
    struct scene *scene = scene_new(job, add_strange_types);
    spin_run(job, &scene->what);
    if (job->target) {
        equals(scene->notes[VALUE], 100);
        equals(scene->memory[0], 0);
    }
}

/* ---- Many at a time ----------------------------------------------------------------------- */

#define STEPS 50
#define LONG 60000

/* HPU memory. */
struct shared {
    uint64_t added, swapped, packets;
};

static ptl_handler_result_t add_much(const ptl_payload_t *payload, void *state)
{
    struct shared *shared = state;
    uint64_t before;
    (void)payload;
    PtlHandlerFAdd(&shared->packets, &before, 1);
    for (unsigned i = 0; i < STEPS; i++) {
        PtlHandlerFAdd(&shared->added, &before, 1);
        do
            before = __atomic_load_n(&shared->swapped, __ATOMIC_RELAXED);
        while (!PtlHandlerCAS(&shared->swapped, before, before + 1));
        PtlHandlerDMAFetchAddB(0, 1, &before, PTL_UINT64_T, PTL_ME_HOST_MEM);
        uint64_t seen = before;
        do
            before = seen;
        while (PtlHandlerDMACASB(8, &seen, before + 1, PTL_ME_HOST_MEM) == PTL_OK &&
               seen != before);
        if (i % 10 == 0)
            PtlHandlerYield();
    }
    return PTL_HANDLER_SUCCESS;
}

/* A message without data asks for the sums, when no other is under way. */
static ptl_handler_result_t tell_sums(const ptl_header_t *header, void *state)
{
    if (header->length)
        return PTL_HANDLER_PROCESS_DATA;
    PtlHandlerDMAToHostB(state, 0, sizeof(struct shared), PTL_HANDLER_HOST_MEM);
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("what payload handlers count at the same time adds up", SPIN, .ranks = 4)
{
    unsigned initiators = job->size - 1;
    struct scene *scene = scene_new(job, tell_sums);
    struct shared *shared = (struct shared *)scene->notes;
    scene->what.payload = add_much;
    scene->what.state_length = sizeof *shared;
    scene->what.stays = true;
    scene->what.size = LONG;
    spin_start(job, &scene->what);
    for (unsigned i = 0; i < initiators && job->target; i++)
        next_event(job->target_eq, PTL_EVENT_PUT);
    if (job->initiator)
        next_event(job->eq, PTL_EVENT_ACK);
    job_barrier(job);
    if (job->rank == job->size - 1)
        ok(put(job_md(job, NULL, 0), 0));
    if (!job->target)
        return;
    next_event(job->target_eq, PTL_EVENT_PUT);
    uint64_t all = shared->packets * STEPS;
    holds(shared->packets >= initiators);
    equals(shared->added, all);
    equals(shared->swapped, all);
    equals(scene->memory[0], all);
    equals(scene->memory[1], all);
    spin_close(job, &scene->what);
}

/* ---- On memory of the NIC ----------------------------------------------------------------- */

static ptl_handler_result_t use_hpu_memory(const ptl_header_t *header, void *state)
{
    uint64_t *value = state, before = 0;
    unsigned wrong = 0;
    (void)header;
    *value = 5;
    wrong += PtlHandlerCAS(value, 4, 9) != 0 || *value != 5;
    wrong += PtlHandlerCAS(value, 5, 9) != 1 || *value != 9;
    wrong += PtlHandlerFAdd(value, &before, 3) != PTL_OK || before != 9 || *value != 12;
    spin_note(VALUE, wrong + 100);
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("CAS says whether it swapped, FAdd what was there before", SPIN)
{
    struct scene *scene = scene_new(job, use_hpu_memory);
    scene->what.state_length = 64;
    spin_run(job, &scene->what);
    if (job->target)
        equals(scene->notes[VALUE], 100);
}
