/* SPDX-License-Identifier: BSD-3-Clause */
/* The events of a node. */
#include "chaos/letters/coverage.h"
#include "chaos/letters/office.h"

#define LONGEST_PAUSE 20000u /* nanoseconds, until a table is enabled again */

void letter_conclude(struct desk *desk, struct letter *letter, struct report report)
{
    struct hazards hazards = {.flow_control = desk->office->design.has_flow_control,
                              .sender_is_dead = desk_is_dead(desk, letter->from),
                              .reorders = run_reorders(&desk->office->design.world)};
    const char *wrong = verdict_attempt(letter, report, hazards);
    letter->is_concluded = true;
    if (wrong)
        desk_fail(desk, "letter %llu from node %u to node %u: %s",
                  (unsigned long long)letter->script.match_bits, letter->from, letter->to, wrong);
}

/* ---- Events of entries -------------------------------------------------------------------- */

static ptl_event_kind_t event_of(ptl_request_type_t type)
{
    return type == PTL_REQUEST_PUT   ? PTL_EVENT_PUT
           : type == PTL_REQUEST_GET ? PTL_EVENT_GET
                                     : PTL_EVENT_ATOMIC;
}

static void put_letter(struct desk *desk, struct letter *letter, const ptl_event_t *event)
{
    struct report report = {(unsigned)event->hdr_data, event->ni_fail_type, event->mlength};
    if (event->type != event_of(letter->script.type))
        desk_fail(desk, "an event of type %d for another request", (int)event->type);
    if (!verdict_note(letter->events, &letter->event_count, report))
        desk_fail(desk, "a letter has too many events");
    if (report.turn > letter->turn)
        desk_fail(desk, "an event for turn %u, which nobody has sent", report.turn);
    /* A sender that is dead cannot look at it; one that lives does so when it is told, which may
     * have been long before. */
    else if (desk_is_dead(desk, letter->from) && !letter->is_concluded &&
             report.turn == letter->turn)
        letter_conclude(desk, letter, report);
}

static void put_tally(struct desk *desk, struct tally *tally, const ptl_event_t *event)
{
    tally->events++;
    tally->rlengths += event->rlength;
    if (event->ni_fail_type == PTL_NI_OK)
        desk->office->told[event->initiator.phys.nid - 1][desk->number]++;
}

static void unlinked(struct desk *desk, struct letter *letter)
{
    if (letter->event_count == 0) {
        desk_fail(desk, "an entry is unlinked that nothing came to");
        return;
    }
    letter->is_linked = false;
    letter->is_repostable = letter->events[letter->event_count - 1].fail == PTL_NI_PT_DISABLED;
}

/* ---- Events of what handlers and the program sent ----------------------------------------- */

/* Of something that nobody promised to deliver. */
static void judge_failure(struct desk *desk, const ptl_event_t *event)
{
    unsigned peer = event->initiator.phys.nid - 1;
    bool is_dead = event->ni_fail_type == PTL_NI_UNDELIVERABLE && desk_is_dead(desk, peer);
    bool is_disabled =
        event->ni_fail_type == PTL_NI_PT_DISABLED && desk->office->design.has_flow_control;
    if (event->ni_fail_type != PTL_NI_OK && !is_dead && !is_disabled)
        desk_fail(desk, "event %d to node %u says failure %d", (int)event->type, peer,
                  (int)event->ni_fail_type);
}

static void acknowledged(struct desk *desk, const ptl_event_t *event)
{
    judge_failure(desk, event);
    if (event->ni_fail_type != PTL_NI_OK)
        return;
    desk->office->acked[desk->number][event->initiator.phys.nid - 1]++;
    if (event->mlength != event->rlength)
        desk_fail(desk, "a tally takes less than it was sent");
}

static void table_disabled(struct desk *desk)
{
    coverage_of(COVERAGE_TABLE_DISABLED);
    desk->disabled++;
    desk->enable_at = run_now(&desk->office->run) + 1 + rng_magnitude(&desk->rng, LONGEST_PAUSE);
}

static void take(struct desk *desk, const ptl_event_t *event)
{
    enum tag *tag = event->user_ptr;
    switch (event->type) {
    case PTL_EVENT_PUT:
    case PTL_EVENT_GET:
    case PTL_EVENT_ATOMIC:
        if (*tag == TAG_LETTER)
            put_letter(desk, (struct letter *)tag, event);
        else
            put_tally(desk, (struct tally *)tag, event);
        break;
    case PTL_EVENT_AUTO_UNLINK:
        unlinked(desk, (struct letter *)tag);
        break;
    case PTL_EVENT_DMA:
        ((struct letter *)tag)->tells++;
        break;
    case PTL_EVENT_PT_DISABLED:
        table_disabled(desk);
        break;
    case PTL_EVENT_ACK:
        acknowledged(desk, event);
        desk->forwards_ok += event->ni_fail_type == PTL_NI_OK;
        desk->forwards_failed += event->ni_fail_type != PTL_NI_OK;
        break;
    case PTL_EVENT_REPLY:
        judge_failure(desk, event);
        desk->fetches++;
        break;
    case PTL_EVENT_SEND:
        judge_failure(desk, event);
        break;
    default:
        desk_fail(desk, "an event of type %d", (int)event->type);
    }
}

static void take_own(struct desk *desk, const ptl_event_t *event)
{
    enum tag *tag = event->user_ptr;
    if (event->type == PTL_EVENT_SEND) {
        judge_failure(desk, event);
    } else if (event->type != PTL_EVENT_ACK && event->type != PTL_EVENT_REPLY) {
        desk_fail(desk, "an event of type %d", (int)event->type);
    } else if (*tag == TAG_LETTER) {
        send_acknowledged(desk, (struct letter *)tag, event);
    } else {
        acknowledged(desk, event);
        desk->tallies_under_way--;
    }
}

/* ---- Reading ------------------------------------------------------------------------------ */

static void drain(struct desk *desk, ptl_handle_eq_t queue,
                  void (*take_event)(struct desk *desk, const ptl_event_t *event))
{
    ptl_event_t event;
    int result;
    while ((result = PtlEQGet(queue, &event)) == PTL_OK && !desk->office->run.has_failed)
        take_event(desk, &event);
    if (result != PTL_EQ_EMPTY && result != PTL_OK)
        desk_fail(desk, "PtlEQGet returns %d", result);
}

/* What was cut is posted again first. */
static void enable(struct desk *desk)
{
    if (!desk->enable_at || run_now(&desk->office->run) < desk->enable_at)
        return;
    post_letters(desk);
    desk->enable_at = 0;
    desk->enabled_at = run_now(&desk->office->run);
    desk->enabled++;
    coverage_of(COVERAGE_TABLE_ENABLED);
    if (PtlPTEnable(desk->ni, OFFICE_TABLE) != PTL_OK)
        desk_fail(desk, "PtlPTEnable fails");
}

void drain_all(struct desk *desk)
{
    drain(desk, desk->queue, take);
    drain(desk, desk->own_queue, take_own);
    if (!desk->office->run.has_failed)
        enable(desk);
}
