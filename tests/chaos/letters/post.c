/* SPDX-License-Identifier: BSD-3-Clause */
/* The entries of a node: letters as far as the memory of the NIC allows, tallies, a library. */
#include <inttypes.h>
#include <string.h>

#include "chaos/letters/coverage.h"
#include "chaos/letters/office.h"
#include "nic/interface.h"
#include "portals/process.h"

static void expect(struct desk *desk, int result, const char *what)
{
    if (result != PTL_OK)
        desk_fail(desk, "%s returns %d", what, result);
}

#define ok(desk, call) expect(desk, call, #call)

/* ---- Opening ------------------------------------------------------------------------------ */

static void open_library(struct desk *desk)
{
    ptl_me_t me = {.start = letter_pattern,
                   .length = sizeof letter_pattern,
                   .ct_handle = PTL_CT_NONE,
                   .uid = PTL_UID_ANY,
                   .options =
                       PTL_ME_OP_GET | PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_COMM_DISABLE,
                   .match_id = {.phys = {PTL_NID_ANY, PTL_PID_ANY}},
                   .match_bits = OFFICE_LIBRARY_BITS};
    ok(desk, PtlMEAppend(desk->ni, OFFICE_TABLE, &me, PTL_PRIORITY_LIST, NULL, &desk->library));
}

static void open_tally(struct desk *desk, struct tally *tally)
{
    ok(desk, PtlHPUAllocMem(sizeof(struct tally_counts), desk->ni, &tally->hpu_memory));
    ptl_handlers_t handlers = tally_handlers(tally);
    ptl_me_t me = {.start = tally->memory,
                   .length = sizeof tally->memory,
                   .ct_handle = PTL_CT_NONE,
                   .uid = PTL_UID_ANY,
                   .options = PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE,
                   .match_id = {.phys = {PTL_NID_ANY, PTL_PID_ANY}},
                   .match_bits = tally->match_bits};
    ok(desk, PtlMEAppendHandlers(desk->ni, OFFICE_TABLE, &me, &handlers, PTL_PRIORITY_LIST, tally,
                                 &tally->entry));
}

void post_open(struct desk *desk)
{
    ptl_pt_index_t table;
    unsigned options = desk->office->design.has_flow_control ? PTL_PT_FLOWCTRL : 0;
    ok(desk, PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL,
                       NULL, &desk->ni));
    ok(desk, PtlEQAlloc(desk->ni, OFFICE_EVENTS, &desk->queue));
    ok(desk, PtlCTAlloc(desk->ni, &desk->counter));
    ok(desk, PtlPTAlloc(desk->ni, options, desk->queue, OFFICE_TABLE, &table));
    if (desk->office->run.has_failed)
        return;
    struct weft_nic *nic = weft_portals_process_self()->nic;
    desk->nic = nic;
    desk->table = &weft_nic_ni_of(nic, PTL_NI_MATCHING | PTL_NI_PHYSICAL)->pts[OFFICE_TABLE];
    open_library(desk);
    for (unsigned i = 0; i < OFFICE_TALLIES; i++)
        open_tally(desk, &desk->tallies[i]);
}

/* ---- Letters ------------------------------------------------------------------------------ */

static bool has_memory(struct desk *desk, struct letter *letter)
{
    if (letter->hpu_memory != PTL_HPU_NONE)
        return true;
    int result = PtlHPUAllocMem(sizeof(struct letter_state), desk->ni, &letter->hpu_memory);
    if (result == PTL_NO_SPACE)
        coverage_of(COVERAGE_NO_SPACE);
    else
        expect(desk, result, "PtlHPUAllocMem");
    return result == PTL_OK;
}

static void post(struct desk *desk, struct letter *letter)
{
    const struct script *script = &letter->script;
    const struct letter_state state = {.script = *script};
    ptl_handlers_t handlers = letter_handlers(letter, &state);
    ptl_me_t me = {.start = letter->memory + LETTER_MARGIN,
                   .length = script->room,
                   .ct_handle = desk->counter,
                   .uid = PTL_UID_ANY,
                   .options =
                       PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_USE_ONCE | PTL_ME_EVENT_LINK_DISABLE,
                   .match_id = script->source,
                   .match_bits = script->match_bits};
    ok(desk, PtlMEAppendHandlers(desk->ni, OFFICE_TABLE, &me, &handlers, PTL_PRIORITY_LIST, letter,
                                 &letter->entry));
    if (letter->event_count)
        coverage_of(COVERAGE_POSTED_AGAIN);
    letter->is_linked = true;
    letter->is_repostable = false;
}

/* Nobody will send to it any more. Its last message may not have ended: then the next try. */
static void retire(struct desk *desk, struct letter *letter)
{
    if (letter->is_linked) {
        int result = PtlMEUnlink(letter->entry);
        letter->is_linked = result != PTL_OK;
        if (result != PTL_OK && result != PTL_IN_USE && result != PTL_ARG_INVALID)
            desk_fail(desk, "PtlMEUnlink returns %d", result);
    }
    if (letter->is_linked || letter->hpu_memory == PTL_HPU_NONE)
        return;
    int result = PtlHPUFreeMem(&letter->hpu_memory);
    if (result == PTL_IN_USE)
        coverage_of(COVERAGE_MEMORY_IN_USE);
    else
        expect(desk, result, "PtlHPUFreeMem");
}

void post_letters(struct desk *desk)
{
    const struct office *office = desk->office;
    size_t first = rng_below(&desk->rng, office->letter_count + 1);
    for (unsigned i = 0; i < office->letter_count; i++) {
        struct letter *letter = office->letters[(first + i) % office->letter_count];
        if (letter->to != desk->number)
            continue;
        if (letter->is_finished || desk_is_dead(desk, letter->from))
            retire(desk, letter);
        else if (!letter->is_linked && letter->is_repostable && has_memory(desk, letter))
            post(desk, letter);
    }
}

/* ---- The end ------------------------------------------------------------------------------ */

static void judge_letter(struct desk *desk, const struct letter *letter)
{
    const char *wrong = desk_is_dead(desk, letter->from) ? NULL : verdict_reports(letter);
    if (wrong)
        desk_fail(desk, "letter %" PRIu64 " of node %u: %s", letter->script.match_bits,
                  letter->from, wrong);
    if (letter->tells != letter->host.tells)
        desk_fail(desk, "%" PRIu64 " DMA events of %" PRIu64, letter->tells, letter->host.tells);
    bool is_fetched = letter->host.fetched[0] == 0 || memcmp(letter->host.fetched, letter_pattern,
                                                             sizeof letter->host.fetched) == 0;
    if (!is_fetched)
        desk_fail(desk, "what a handler fetched to the host is wrong");
}

static bool close_letters(struct desk *desk)
{
    bool all = true;
    for (unsigned i = 0; i < desk->office->letter_count; i++) {
        struct letter *letter = desk->office->letters[i];
        if (letter->to != desk->number)
            continue;
        retire(desk, letter);
        all &= !letter->is_linked && letter->hpu_memory == PTL_HPU_NONE;
    }
    return all;
}

static void close_tally(struct desk *desk, struct tally *tally)
{
    const char *wrong = tally_judge(tally);
    if (wrong)
        desk_fail(desk, "%s", wrong);
    ok(desk, PtlMEUnlink(tally->entry));
    ok(desk, PtlHPUFreeMem(&tally->hpu_memory));
}

static void judge_counter(struct desk *desk)
{
    ptl_ct_event_t value = {0};
    uint64_t increments = 0;
    for (unsigned i = 0; i < desk->office->letter_count; i++)
        if (desk->office->letters[i]->to == desk->number)
            increments += desk->office->letters[i]->host.increments;
    ok(desk, PtlCTGet(desk->counter, &value));
    if (value.success != increments + desk->forwards_ok || value.failure != desk->forwards_failed)
        desk_fail(desk,
                  "the counter says %" PRIu64 " and %" PRIu64 " after %" PRIu64
                  " increments and %" PRIu64 " forwards, %" PRIu64 " of them failed",
                  value.success, value.failure, increments, desk->forwards_ok,
                  desk->forwards_failed);
}

static void judge_nic(struct desk *desk)
{
    const struct weft_nic_hpu_stage *hpu = &desk->nic->hpu;
    if (hpu->used || desk->table->contexts || !weft_list_is_empty(&hpu->active) ||
        !weft_list_is_empty(&hpu->ready))
        desk_fail(desk, "%u contexts are in use when nothing is under way", hpu->used);
    if (hpu->memory_used)
        desk_fail(desk, "%" PRIu64 " B of NIC memory are in use when all is freed",
                  hpu->memory_used);
    if (desk->disabled != desk->enabled || !desk->table->enabled)
        desk_fail(desk, "disabled %" PRIu64 " times, enabled %" PRIu64, desk->disabled,
                  desk->enabled);
}

void post_close(struct desk *desk)
{
    uint64_t nap = 0;
    while (!close_letters(desk) && !desk->office->run.has_failed) {
        run_nap(&nap);
        drain_all(desk);
    }
    for (unsigned i = 0; i < desk->office->letter_count; i++)
        if (desk->office->letters[i]->to == desk->number)
            judge_letter(desk, desk->office->letters[i]);
    for (unsigned i = 0; i < OFFICE_TALLIES; i++)
        close_tally(desk, &desk->tallies[i]);
    judge_counter(desk);
    judge_nic(desk);
    ok(desk, PtlMEUnlink(desk->library));
    ok(desk, PtlPTFree(desk->ni, OFFICE_TABLE));
    ok(desk, PtlCTFree(desk->counter));
    ok(desk, PtlEQFree(desk->queue));
}
