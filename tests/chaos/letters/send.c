/* SPDX-License-Identifier: BSD-3-Clause */
/* What a node sends, and what it is told of that. */
#include <string.h>

#include "chaos/letters/coverage.h"
#include "chaos/letters/office.h"
#include "nic/state.h"

#define UNIFORM_VALUES 16u
#define MOST_TALLIES 24u
#define MOST_TRIES 8u
#define LONGEST_REST 50000u /* nanoseconds, after a table was found disabled */

static unsigned char uniform[UNIFORM_VALUES][TALLY_LONGEST];

__attribute__((constructor)) static void fill_uniform(void)
{
    for (unsigned i = 0; i < UNIFORM_VALUES; i++)
        memset(uniform[i], (int)i, TALLY_LONGEST);
}

void send_open(struct desk *desk)
{
    ptl_md_t md = {.start = letter_pattern,
                   .length = sizeof letter_pattern,
                   .options = PTL_MD_EVENT_SEND_DISABLE,
                   .ct_handle = PTL_CT_NONE};
    if (PtlEQAlloc(desk->ni, OFFICE_EVENTS, &desk->own_queue) != PTL_OK)
        desk_fail(desk, "PtlEQAlloc fails");
    md.eq_handle = desk->own_queue;
    if (PtlMDBind(desk->ni, &md, &desk->md) != PTL_OK)
        desk_fail(desk, "PtlMDBind fails");
    md.start = uniform;
    md.length = sizeof uniform;
    if (PtlMDBind(desk->ni, &md, &desk->uniform_md) != PTL_OK)
        desk_fail(desk, "PtlMDBind fails");
    desk->tallies_left = MOST_TALLIES;
}

void send_close(struct desk *desk)
{
    if (PtlMDRelease(desk->md) != PTL_OK || PtlMDRelease(desk->uniform_md) != PTL_OK ||
        PtlEQFree(desk->own_queue) != PTL_OK)
        desk_fail(desk, "a descriptor or a queue cannot be freed");
}

/* ---- Letters ------------------------------------------------------------------------------ */

static int start_get(struct desk *desk, struct letter *letter)
{
    const struct script *script = &letter->script;
    ptl_md_t md = {.start = letter->landing,
                   .length = sizeof letter->landing,
                   .eq_handle = desk->own_queue,
                   .ct_handle = PTL_CT_NONE};
    int result = PtlMDBind(desk->ni, &md, &letter->landing_md);
    if (result != PTL_OK)
        return result;
    memset(letter->landing, LETTER_GUARD, sizeof letter->landing);
    return PtlGet(letter->landing_md, 0, script->turns[0].length, script->target, OFFICE_TABLE,
                  script->match_bits, script->offset, letter);
}

static int start(struct desk *desk, struct letter *letter)
{
    const struct script *script = &letter->script;
    const struct turn *turn = &script->turns[letter->turn];
    if (script->type == PTL_REQUEST_GET)
        return start_get(desk, letter);
    if (script->type == PTL_REQUEST_ATOMIC)
        return PtlAtomic(desk->md, turn->pattern, turn->length, PTL_ACK_REQ, script->target,
                         OFFICE_TABLE, script->match_bits, script->offset, letter, letter->turn,
                         PTL_BXOR, PTL_UINT8_T);
    return PtlPut(desk->md, turn->pattern, turn->length, PTL_ACK_REQ, script->target, OFFICE_TABLE,
                  script->match_bits, script->offset, letter, letter->turn);
}

/* What a get brought is what was in the entry, and nothing if it failed; or a part of it if the
 * target died meanwhile. */
static void judge_landing(struct desk *desk, struct letter *letter, ptl_size_t length)
{
    const unsigned char *entry = letter->memory + LETTER_MARGIN + letter->script.offset;
    if (memcmp(letter->landing, entry, length) != 0)
        desk_fail(desk, "a get brings what is not in the entry");
    bool is_cut = desk_is_dead(desk, letter->to);
    for (ptl_size_t i = length; i < sizeof letter->landing; i++)
        if (letter->landing[i] != LETTER_GUARD && !(is_cut && letter->landing[i] == entry[i]))
            desk_fail(desk, "a get brings too much");
    if (PtlMDRelease(letter->landing_md) != PTL_OK)
        desk_fail(desk, "PtlMDRelease fails");
}

static void send_letter(struct desk *desk, struct letter *letter)
{
    letter->is_sent = true;
    letter->sent_at = run_now(&desk->office->run);
    letter->is_concluded = false;
    desk->office->sent++;
    if (letter->tries)
        coverage_of(COVERAGE_SENT_AGAIN);
    int result = start(desk, letter);
    if (result != PTL_OK)
        desk_fail(desk, "request %d cannot be sent: %d", (int)letter->script.type, result);
}

static void send_due(struct desk *desk, struct letter *letter)
{
    if (letter->from != desk->number || letter->is_finished || letter->is_sent)
        return;
    if (desk_is_dead(desk, letter->to))
        letter->is_finished = true;
    else if (letter->is_linked && run_now(&desk->office->run) >= letter->not_before &&
             rng_one_in(&desk->rng, 2))
        send_letter(desk, letter);
}

/* A table that refuses was disabled at some time since the letter was sent. */
static void judge_refusal(struct desk *desk, const struct letter *letter)
{
    const struct desk *target = &desk->office->desks[letter->to];
    if (target->table->enabled && target->enabled_at < letter->sent_at)
        desk_fail(desk, "the table of node %u is enabled, and refuses", letter->to);
}

static void rest(struct desk *desk, struct letter *letter)
{
    judge_refusal(desk, letter);
    letter->not_before = run_now(&desk->office->run) +
                         rng_magnitude(&desk->rng, (size_t)LONGEST_REST << letter->tries);
    letter->is_finished = ++letter->tries == MOST_TRIES;
    if (letter->is_finished)
        coverage_of(COVERAGE_GIVEN_UP);
}

void send_acknowledged(struct desk *desk, struct letter *letter, const ptl_event_t *event)
{
    struct report report = {letter->turn, event->ni_fail_type, event->mlength};
    if (!letter->is_sent) {
        desk_fail(desk, "a second acknowledgement");
        return;
    }
    letter->is_sent = false;
    if (letter->script.type == PTL_REQUEST_GET)
        judge_landing(desk, letter, report.mlength);
    if (report.fail == PTL_NI_UNDELIVERABLE) {
        letter->is_finished = true;
        if (!desk_is_dead(desk, letter->to))
            desk_fail(desk, "node %u lives, and cannot be reached", letter->to);
        coverage_of_failure(report.fail);
        return;
    }
    if (!verdict_note(letter->acks, &letter->ack_count, report))
        desk_fail(desk, "a letter has too many acknowledgements");
    letter_conclude(desk, letter, report);
    if (report.fail == PTL_NI_PT_DISABLED)
        rest(desk, letter);
    else if (forecast_turn(&letter->script, letter->turn).is_pending)
        letter->turn++;
    else
        letter->is_finished = true;
}

/* ---- Tallies ------------------------------------------------------------------------------ */

static void send_to_tally(struct desk *desk)
{
    unsigned to = (unsigned)rng_below(&desk->rng, desk->office->design.world.nodes);
    struct tally *tally = &desk->office->desks[to].tallies[rng_below(&desk->rng, OFFICE_TALLIES)];
    size_t length = rng_magnitude(&desk->rng, TALLY_LONGEST);
    size_t value = rng_below(&desk->rng, UNIFORM_VALUES);
    desk->tallies_left--;
    desk->tallies_under_way++;
    desk->office->sent++;
    int result = PtlPut(desk->uniform_md, value * TALLY_LONGEST, length, PTL_ACK_REQ,
                        office_process(to), OFFICE_TABLE, tally->match_bits, 0, tally, 0);
    if (result != PTL_OK)
        desk_fail(desk, "PtlPut returns %d", result);
}

void send_step(struct desk *desk)
{
    struct office *office = desk->office;
    for (unsigned i = 0; i < office->letter_count; i++)
        send_due(desk, office->letters[i]);
    unsigned chance = office->design.tally_chance;
    if (chance && desk->tallies_left && rng_one_in(&desk->rng, chance))
        send_to_tally(desk);
}
