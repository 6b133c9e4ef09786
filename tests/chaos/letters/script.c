/* SPDX-License-Identifier: BSD-3-Clause */
#include "chaos/letters/letter.h"

#include "packet/packet.h"

unsigned char letter_pattern[LETTER_PATTERN];

__attribute__((constructor)) static void draw_pattern(void)
{
    struct rng rng = {2};
    for (unsigned i = 0; i < LETTER_PATTERN; i++)
        letter_pattern[i] = (unsigned char)rng_next(&rng);
}

/* ---- Turns -------------------------------------------------------------------------------- */

static ptl_handler_result_t pick(struct rng *rng, const ptl_handler_result_t *from, size_t count)
{
    return from[rng_below(rng, count)];
}

static ptl_handler_result_t draw_header(struct rng *rng)
{
    /* A header handler that ends with SUCCESS does not know what it wants: that is a failure. */
    static const ptl_handler_result_t rare[] = {PTL_HANDLER_PROCEED, PTL_HANDLER_PROCEED,
                                                PTL_HANDLER_DROP,    PTL_HANDLER_FAIL,
                                                PTL_HANDLER_SEGV,    PTL_HANDLER_SUCCESS};
    return rng_one_in(rng, 3) ? pick(rng, rare, sizeof rare / sizeof *rare)
                              : PTL_HANDLER_PROCESS_DATA;
}

static ptl_handler_result_t draw_completion(struct rng *rng)
{
    static const ptl_handler_result_t rare[] = {PTL_HANDLER_FAIL, PTL_HANDLER_SEGV,
                                                PTL_HANDLER_DROP};
    return rng_one_in(rng, 6) ? pick(rng, rare, sizeof rare / sizeof *rare) : PTL_HANDLER_SUCCESS;
}

static bool is_failure(ptl_handler_result_t header)
{
    return header == PTL_HANDLER_FAIL || header == PTL_HANDLER_SEGV ||
           header == PTL_HANDLER_SUCCESS;
}

/* The header handler says so, or the completion handler if it will run and does not fail. */
static void make_pending(struct rng *rng, struct turn *turn, bool completes)
{
    bool by_completion = completes && turn->completion == PTL_HANDLER_SUCCESS &&
                         turn->header != PTL_HANDLER_PROCEED;
    if (by_completion && (rng_one_in(rng, 2) || is_failure(turn->header))) {
        turn->completion = PTL_HANDLER_SUCCESS_PENDING;
        return;
    }
    if (is_failure(turn->header))
        turn->header = PTL_HANDLER_PROCESS_DATA;
    turn->header++; /* each is followed by its pending form */
}

static void draw_turn(struct rng *rng, struct turn *turn, size_t longest)
{
    turn->header = draw_header(rng);
    turn->completion = draw_completion(rng);
    turn->header_strays = rng_one_in(rng, 30);
    turn->completion_strays = rng_one_in(rng, 30);
    turn->is_calm = rng_one_in(rng, 2);
    turn->seed = rng_next(rng);
    turn->length = (uint32_t)(rng_one_in(rng, 12) ? 0 : rng_magnitude(rng, longest));
    turn->pattern = (uint32_t)rng_below(rng, LETTER_PATTERN - LETTER_LONGEST);
}

enum action script_action(const struct turn *turn, uint64_t offset)
{
    struct rng rng = rng_stream(turn->seed, offset);
    bool is_rough = !turn->is_calm && rng_one_in(&rng, 3);
    return (enum action)(is_rough ? ACTION_DROP + rng_below(&rng, ACTIONS - ACTION_DROP)
                                  : rng_below(&rng, ACTION_DROP));
}

/* ---- Scripts ------------------------------------------------------------------------------ */

static void draw_policy(struct rng *rng, struct script *script)
{
    script->policy = rng_one_in(rng, 2) ? PTL_SCHED_DEFAULT : PTL_SCHED_BLOCKED_RR;
    script->delta_p = (unsigned)rng_between(rng, 1, 4);
    script->vhpus = (unsigned)rng_between(rng, 1, 5);
}

static uint32_t longest(const struct script *script)
{
    uint32_t most = 0;
    for (unsigned i = 0; i < script->turn_count; i++)
        most = script->turns[i].length > most ? script->turns[i].length : most;
    return most;
}

void script_draw(struct rng *rng, struct script *script, uint32_t packet_size)
{
    static const uint32_t user_headers[] = {0, 0, 5, 8, 64, 256};
    static const ptl_request_type_t types[] = {PTL_REQUEST_GET, PTL_REQUEST_ATOMIC};
    script->type = rng_one_in(rng, 4) ? types[rng_below(rng, 2)] : PTL_REQUEST_PUT;
    script->has_header = !rng_one_in(rng, 10);
    script->has_payload = !rng_one_in(rng, 10);
    script->has_completion = !rng_one_in(rng, 10);
    /* The header says which turn it is, unless it is that of a get. */
    bool can_tell = script->has_header && script->type != PTL_REQUEST_GET;
    script->turn_count =
        can_tell && rng_one_in(rng, 3) ? (unsigned)rng_between(rng, 2, LETTER_TURNS) : 1;
    for (unsigned i = 0; i < script->turn_count; i++) {
        draw_turn(rng, &script->turns[i],
                  script->type == PTL_REQUEST_ATOMIC ? LETTER_ATOMIC : LETTER_LONGEST);
        if (i + 1 < script->turn_count)
            make_pending(rng, &script->turns[i], script->has_completion);
    }
    script->offset = (uint32_t)rng_below(rng, LETTER_OFFSET + 1);
    script->room = script->offset + longest(script);
    if (rng_one_in(rng, 8))
        script->room = script->offset + (uint32_t)rng_below(rng, longest(script) + 1);
    script->user_header = user_headers[rng_below(rng, 6)];
    script->packet_size = packet_size;
    draw_policy(rng, script);
}

uint32_t script_user_header(const struct script *script, const struct turn *turn)
{
    return script->user_header < turn->length ? script->user_header : turn->length;
}

bool script_next_piece(const struct script *script, const struct turn *turn, struct piece *piece)
{
    enum weft_packet_kind kind = piece->number ? WEFT_PACKET_DATA : WEFT_PACKET_PUT;
    uint64_t room = script->packet_size + WEFT_PACKET_HEADERS - weft_packet_headers(kind);
    room -= room % WEFT_PACKET_CUT;
    uint64_t header = script_user_header(script, turn);
    if (piece->end >= turn->length)
        return false;
    piece->number++;
    piece->begin = piece->end;
    piece->end = piece->begin + room < turn->length ? piece->begin + room : turn->length;
    uint64_t first = piece->begin < header ? header : piece->begin;
    piece->offset = first - header;
    piece->length = piece->end - first;
    return true;
}
