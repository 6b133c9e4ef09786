/* SPDX-License-Identifier: BSD-3-Clause */
/* What must come of a turn if nothing cuts it. Of several failures the first is told; handlers of
 * different packets may end in any order. */
#include "chaos/letters/letter.h"

static unsigned bit(ptl_ni_fail_t fail)
{
    return 1u << fail;
}

static bool fits(const struct script *script, const struct piece *piece)
{
    return script->offset + piece->end <= script->room;
}

bool forecast_is_stored(const struct script *script, const struct turn *turn,
                        const struct piece *piece)
{
    return piece->length && script_action(turn, piece->offset) < ACTION_DROP &&
           fits(script, piece);
}

/* ---- Stages ------------------------------------------------------------------------------- */

static unsigned failure_of(ptl_handler_result_t result)
{
    return bit(result == PTL_HANDLER_SEGV ? PTL_NI_SEGV : PTL_NI_HANDLER);
}

static void forecast_header(const struct script *script, const struct turn *turn,
                            struct forecast *forecast)
{
    if (!script->has_header)
        return;
    if (turn->header_strays)
        forecast->fails = bit(PTL_NI_SEGV);
    switch (turn->header) {
    case PTL_HANDLER_PROCESS_DATA_PENDING:
    case PTL_HANDLER_PROCEED_PENDING:
    case PTL_HANDLER_DROP_PENDING:
        forecast->is_pending = true;
        break;
    case PTL_HANDLER_PROCESS_DATA:
    case PTL_HANDLER_PROCEED:
    case PTL_HANDLER_DROP:
        break;
    default:
        if (!forecast->fails)
            forecast->fails = failure_of(turn->header);
    }
    forecast->is_deposited =
        turn->header == PTL_HANDLER_PROCEED || turn->header == PTL_HANDLER_PROCEED_PENDING;
    forecast->completes = forecast->completes && !forecast->is_deposited;
    forecast->is_dropped = !forecast->is_deposited && turn->header != PTL_HANDLER_PROCESS_DATA &&
                           turn->header != PTL_HANDLER_PROCESS_DATA_PENDING;
}

static unsigned forecast_payload(const struct script *script, const struct turn *turn,
                                 const struct piece *piece, struct forecast *forecast)
{
    forecast->payloads++;
    switch (script_action(turn, piece->offset)) {
    case ACTION_DROP:
        forecast->dropped += piece->length;
        return 0;
    case ACTION_SEGV:
    case ACTION_STRAY:
        return bit(PTL_NI_SEGV);
    case ACTION_FAIL:
    case ACTION_ODD:
        return bit(PTL_NI_HANDLER);
    default:
        return fits(script, piece) ? 0 : bit(PTL_NI_SEGV);
    }
}

static void forecast_payloads(const struct script *script, const struct turn *turn,
                              struct forecast *forecast)
{
    unsigned fails = 0;
    struct piece piece = {0};
    while (script_next_piece(script, turn, &piece))
        if (piece.length)
            fails |= forecast_payload(script, turn, &piece, forecast);
    if (!forecast->fails)
        forecast->fails = fails;
}

static void forecast_completion(const struct turn *turn, struct forecast *forecast)
{
    if (turn->completion == PTL_HANDLER_SUCCESS_PENDING)
        forecast->is_pending = true;
    if (forecast->fails)
        return;
    if (turn->completion_strays)
        forecast->fails = bit(PTL_NI_SEGV);
    else if (turn->completion != PTL_HANDLER_SUCCESS &&
             turn->completion != PTL_HANDLER_SUCCESS_PENDING)
        forecast->fails = failure_of(turn->completion);
}

/* What is read or changed in one go either is, or is not. */
static void forecast_answer(const struct script *script, const struct turn *turn,
                            struct forecast *forecast)
{
    if (script->type == PTL_REQUEST_PUT)
        return;
    uint64_t room = script->room - script->offset;
    forecast->mlength = turn->length < room ? turn->length : room;
    if (forecast->is_dropped || forecast->fails)
        forecast->mlength = 0;
    if (forecast->is_dropped && script->type == PTL_REQUEST_GET && !forecast->fails)
        forecast->fails = bit(PTL_NI_DROPPED);
}

/* The request for a get has no payload. */
static void forecast_data(const struct script *script, const struct turn *turn,
                          struct forecast *forecast)
{
    if (script->type == PTL_REQUEST_GET)
        return;
    if (forecast->is_dropped)
        forecast->dropped = turn->length;
    else if (!forecast->is_deposited)
        forecast_payloads(script, turn, forecast);
}

struct forecast forecast_turn(const struct script *script, unsigned number)
{
    const struct turn *turn = &script->turns[number];
    struct forecast forecast = {.completes = script->has_completion};
    forecast_header(script, turn, &forecast);
    forecast.is_deposited |= !forecast.is_dropped && !script->has_payload;
    forecast_data(script, turn, &forecast);
    uint64_t room = script->room - script->offset;
    forecast.mlength = turn->length - forecast.dropped;
    if (forecast.is_deposited && forecast.mlength > room)
        forecast.mlength = room;
    if (forecast.completes)
        forecast_completion(turn, &forecast);
    forecast_answer(script, turn, &forecast);
    return forecast;
}
