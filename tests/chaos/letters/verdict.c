/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether what came of an attempt is what had to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chaos/letters/coverage.h"

static char text[RUN_COMPLAINT];

#define complain(...) (snprintf(text, sizeof text, __VA_ARGS__), text)

/* Flow control or death may have taken a part of it; how much, only the handlers know. */
static bool is_cut(const struct letter *letter, const struct forecast *forecast,
                   struct report report, struct hazards hazards)
{
    if (report.fail == PTL_NI_PT_DISABLED || report.fail == PTL_NI_UNDELIVERABLE)
        return true;
    if (report.fail == PTL_NI_OK)
        return false;
    return (hazards.flow_control && (!forecast->completes || letter->host.seen.told_flow)) ||
           hazards.sender_is_dead;
}

/* ---- The event ---------------------------------------------------------------------------- */

static const char *judge_report(const struct letter *letter, const struct forecast *forecast,
                                struct report report, struct hazards hazards)
{
    bool by_flow = report.fail == PTL_NI_PT_DISABLED && hazards.flow_control;
    bool by_death = report.fail == PTL_NI_UNDELIVERABLE && hazards.sender_is_dead;
    bool is_foreseen =
        forecast->fails ? forecast->fails >> report.fail & 1 : report.fail == PTL_NI_OK;
    if (!by_flow && !by_death && !is_foreseen)
        return complain("turn %u ends with failure %d instead of one of %x", report.turn,
                        (int)report.fail, forecast->fails);
    if (is_cut(letter, forecast, report, hazards) ? report.mlength > forecast->mlength
                                                  : report.mlength != forecast->mlength)
        return complain("turn %u with failure %d: mlength %llu instead of %llu", report.turn,
                        (int)report.fail, (unsigned long long)report.mlength,
                        (unsigned long long)forecast->mlength);
    return NULL;
}

/* ---- Memory ------------------------------------------------------------------------------- */

/* What the whole turn writes, into the shadow. */
static void write_shadow(const struct letter *letter, const struct turn *turn,
                         const struct forecast *forecast, unsigned char *shadow)
{
    const struct script *script = &letter->script;
    const unsigned char *data = letter_pattern + turn->pattern;
    unsigned char *entry = shadow + LETTER_MARGIN + script->offset;
    if (forecast->is_dropped || script->type == PTL_REQUEST_GET)
        return;
    if (forecast->is_deposited) {
        for (uint64_t i = 0; i < forecast->mlength; i++)
            entry[i] = script->type == PTL_REQUEST_ATOMIC ? entry[i] ^ data[i] : data[i];
        return;
    }
    struct piece piece = {0};
    while (script_next_piece(script, turn, &piece))
        if (forecast_is_stored(script, turn, &piece))
            memcpy(entry + piece.end - piece.length, data + piece.end - piece.length,
                   piece.length);
}

static const char *judge_memory(struct letter *letter, const struct turn *turn,
                                const struct forecast *forecast, bool cut)
{
    enum { SIZE = LETTER_LONGEST + LETTER_OFFSET + 2 * LETTER_MARGIN };
    unsigned char after[SIZE];
    memcpy(after, letter->shadow, SIZE);
    write_shadow(letter, turn, forecast, after);
    for (unsigned i = 0; i < SIZE; i++) {
        bool is_new = letter->memory[i] == after[i];
        if (!is_new && !(cut && letter->memory[i] == letter->shadow[i]))
            return complain("byte %d of the entry is %02x instead of %02x",
                            (int)i - (int)LETTER_MARGIN, letter->memory[i], after[i]);
    }
    memcpy(letter->shadow, letter->memory, SIZE);
    return NULL;
}

/* ---- What the handlers saw ---------------------------------------------------------------- */

static const char *judge_rules(const struct seen *seen)
{
    static const char *const rules[] = {"",
                                        "the header is wrong",
                                        "the user header is wrong",
                                        "a handler runs out of turn",
                                        "a payload is wrong",
                                        "an atomic operation is wrong",
                                        "a call of a handler fails, or does not",
                                        "what was fetched is wrong"};
    return seen->broken ? rules[seen->broken] : NULL;
}

static int by_offset(const void *a, const void *b)
{
    const struct visit *first = a, *second = b;
    return (first->offset > second->offset) - (first->offset < second->offset);
}

/* Each byte at most once, and without a cut, at least once. Gives the bytes that handlers kept. */
static const char *judge_bytes(const struct letter *letter, const struct turn *turn, bool cut,
                               uint64_t *kept)
{
    const struct seen *seen = &letter->host.seen;
    struct visit visits[LETTER_PACKETS];
    memcpy(visits, seen->visits, sizeof visits);
    qsort(visits, seen->payloads, sizeof *visits, by_offset);
    uint64_t end = 0, header = script_user_header(&letter->script, turn);
    for (unsigned i = 0; i < seen->payloads; i++) {
        if (cut ? visits[i].offset < end : visits[i].offset != end)
            return complain("a payload begins at %u, the one before ends at %llu",
                            visits[i].offset, (unsigned long long)end);
        end = visits[i].offset + visits[i].length;
        if (script_action(turn, visits[i].offset) != ACTION_DROP)
            *kept += visits[i].length;
    }
    if (!cut && seen->payloads && end != turn->length - header)
        return complain("payloads end at %llu of %u", (unsigned long long)end, turn->length);
    return NULL;
}

static unsigned vhpu_of(const struct script *script, const struct turn *turn,
                        const struct visit *visit)
{
    struct piece piece = {0};
    while (script_next_piece(script, turn, &piece) && piece.offset < visit->offset)
        ;
    return (piece.number - 1) / script->delta_p % script->vhpus;
}

static bool is_in_order(const struct seen *seen)
{
    for (unsigned i = 1; i < seen->payloads; i++)
        if (seen->visits[i].offset < seen->visits[i - 1].offset)
            return false;
    return true;
}

/* Those of one virtual HPU follow one another, in the order in which packets come. */
static const char *judge_vhpus(const struct letter *letter, const struct turn *turn, bool reorders)
{
    const struct script *script = &letter->script;
    const struct seen *seen = &letter->host.seen;
    if (script->policy == PTL_SCHED_DEFAULT)
        return NULL;
    coverage_of(COVERAGE_VIRTUAL_HPUS);
    for (unsigned i = 0; i < seen->payloads; i++) {
        const struct visit *visit = &seen->visits[i];
        if (visit->vhpu != vhpu_of(script, turn, visit))
            return complain("the payload at %u is on virtual HPU %u", visit->offset, visit->vhpu);
        for (unsigned j = 0; j < i; j++)
            if (seen->visits[j].vhpu == visit->vhpu &&
                (seen->visits[j].end > visit->begin ||
                 (!reorders && seen->visits[j].offset > visit->offset)))
                return complain("payloads at %u and %u share a virtual HPU, and overlap",
                                seen->visits[j].offset, visit->offset);
    }
    return NULL;
}

static const char *judge_order(const struct letter *letter)
{
    const struct seen *seen = &letter->host.seen;
    for (unsigned i = 0; i < seen->payloads; i++) {
        if (seen->visits[i].begin < seen->header.end)
            return "a payload handler begins before the header handler has ended";
        if (seen->visits[i].end > seen->completion.begin)
            return "the completion handler begins before a payload handler has ended";
    }
    return seen->completion.begin < seen->header.end
               ? "the completion handler begins before the header handler has ended"
               : NULL;
}

/* The completion handler was told of all bytes that no payload handler kept. The user header may
 * be among them: it was in the first packet. */
static const char *judge_dropped(const struct letter *letter, const struct turn *turn,
                                 const struct forecast *forecast, bool cut, uint64_t kept)
{
    const struct seen *seen = &letter->host.seen;
    uint64_t header = script_user_header(&letter->script, turn);
    if (!cut) {
        if (seen->told_dropped == forecast->dropped && !seen->told_flow &&
            seen->payloads == forecast->payloads)
            return NULL;
    } else if (!letter->script.has_payload || letter->script.type == PTL_REQUEST_GET ||
               seen->told_dropped + kept == turn->length - header ||
               seen->told_dropped + kept == turn->length) {
        return NULL;
    }
    return complain("the completion handler is told of %llu dropped bytes, flow control %llu, "
                    "after %llu payloads with %llu bytes",
                    (unsigned long long)seen->told_dropped, (unsigned long long)seen->told_flow,
                    (unsigned long long)seen->payloads, (unsigned long long)kept);
}

static const char *judge_sums(struct letter *letter)
{
    const struct letter_host *host = &letter->host;
    if (host->adds - letter->adds_before != host->seen.adds ||
        host->swaps - letter->swaps_before != host->seen.swaps)
        return complain("%llu adds and %llu swaps are in memory, of %llu and %llu",
                        (unsigned long long)(host->adds - letter->adds_before),
                        (unsigned long long)(host->swaps - letter->swaps_before),
                        (unsigned long long)host->seen.adds, (unsigned long long)host->seen.swaps);
    return NULL;
}

static const char *judge_seen(struct letter *letter, unsigned number,
                              const struct forecast *forecast, bool cut, bool reorders)
{
    const struct seen *seen = &letter->host.seen;
    const struct turn *turn = &letter->script.turns[number];
    const char *wrong = judge_rules(seen);
    if (wrong || !forecast->completes)
        return wrong;
    bool is_of_this = seen->turn == number && seen->completions == 1;
    if (!is_of_this)
        return cut ? NULL : "the completion handler did not run";
    uint64_t kept = 0;
    if (!(wrong = judge_bytes(letter, turn, cut, &kept)) && !(wrong = judge_order(letter)) &&
        !(wrong = judge_vhpus(letter, turn, reorders)) &&
        !(wrong = judge_dropped(letter, turn, forecast, cut, kept)))
        wrong = judge_sums(letter);
    return wrong;
}

/* ---- All of it ---------------------------------------------------------------------------- */

static void note_coverage(const struct letter *letter, const struct forecast *forecast,
                          struct report report)
{
    const struct script *script = &letter->script;
    const struct seen *seen = &letter->host.seen;
    bool is_of_this = seen->turn == report.turn && seen->completions == 1;
    coverage_of_failure(report.fail);
    if (is_of_this && seen->told_flow)
        coverage_of(COVERAGE_CUT_BY_FLOW_CONTROL);
    if (is_of_this && report.fail == PTL_NI_UNDELIVERABLE)
        coverage_of(COVERAGE_CUT_BY_DEATH);
    if (is_of_this && !is_in_order(seen))
        coverage_of(COVERAGE_OUT_OF_ORDER);
    if (forecast->is_pending && report.fail == PTL_NI_OK)
        coverage_of(COVERAGE_ENTRY_STAYED);
    if (forecast->is_pending && forecast->fails)
        coverage_of(COVERAGE_PENDING_FAILED);
    if (forecast->is_deposited && forecast->mlength < script->turns[report.turn].length)
        coverage_of(COVERAGE_TRUNCATED);
    if (forecast->mlength && script->type == PTL_REQUEST_GET)
        coverage_of(COVERAGE_GET);
    if (forecast->mlength && script->type == PTL_REQUEST_ATOMIC && forecast->is_deposited)
        coverage_of(COVERAGE_ATOMIC);
    if (!script->has_header)
        coverage_of(COVERAGE_NO_HEADER_HANDLER);
    if (!script->has_payload)
        coverage_of(COVERAGE_NO_PAYLOAD_HANDLER);
    if (!script->has_completion)
        coverage_of(COVERAGE_NO_COMPLETION_HANDLER);
}

const char *verdict_attempt(struct letter *letter, struct report report, struct hazards hazards)
{
    struct forecast forecast = forecast_turn(&letter->script, report.turn);
    bool cut = is_cut(letter, &forecast, report, hazards);
    const char *wrong = judge_report(letter, &forecast, report, hazards);
    if (!wrong)
        wrong = judge_memory(letter, &letter->script.turns[report.turn], &forecast, cut);
    if (!wrong)
        wrong = judge_seen(letter, report.turn, &forecast, cut, hazards.reorders);
    letter->adds_before = letter->host.adds;
    letter->swaps_before = letter->host.swaps;
    note_coverage(letter, &forecast, report);
    letter->host.seen = (struct seen){0}; /* an attempt that no entry takes changes nothing */
    return wrong;
}

bool verdict_note(struct report reports[LETTER_REPORTS], unsigned *count, struct report report)
{
    if (*count == LETTER_REPORTS)
        return false;
    reports[(*count)++] = report;
    return true;
}

static bool is_same(struct report a, struct report b)
{
    return a.turn == b.turn && a.fail == b.fail && a.mlength == b.mlength;
}

const char *verdict_reports(const struct letter *letter)
{
    unsigned event = 0;
    for (unsigned i = 0; i < letter->ack_count; i++) {
        struct report ack = letter->acks[i];
        bool is_pending = forecast_turn(&letter->script, ack.turn).is_pending;
        bool must_be_silent = is_pending && ack.fail == PTL_NI_OK;
        bool is_told = event < letter->event_count && is_same(letter->events[event], ack);
        if (is_told && must_be_silent)
            return complain("an event for turn %u, which ends PENDING", ack.turn);
        event += is_told;
        /* A table that is disabled refuses without an event. */
        if (!is_told && !must_be_silent && ack.fail != PTL_NI_PT_DISABLED)
            return complain("no event for turn %u, whose acknowledgement says failure %d",
                            ack.turn, (int)ack.fail);
    }
    if (event < letter->event_count)
        return complain("an event for turn %u says failure %d, and no acknowledgement does",
                        letter->events[event].turn, (int)letter->events[event].fail);
    return NULL;
}
