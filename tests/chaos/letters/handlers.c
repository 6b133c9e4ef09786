/* SPDX-License-Identifier: BSD-3-Clause */
/* The handlers of a letter. They know their HPU memory and nothing else; what they find wrong they
 * write down there. */
#include <stddef.h>
#include <string.h>

#include "chaos/letters/coverage.h"
#include "nic/action.h"

/* Rules that handlers check themselves, in the order of the text of verdict.c. */
enum rule {
    RULE_NONE,
    RULE_HEADER,
    RULE_USER_HEADER,
    RULE_ORDER,
    RULE_DATA,
    RULE_COUNT,
    RULE_CALL,
    RULE_FETCHED
};

static void require(struct seen *seen, bool holds, enum rule rule)
{
    if (!holds && !seen->broken)
        seen->broken = rule;
}

static const struct turn *turn_of(const struct letter_state *state)
{
    return &state->script.turns[state->seen.turn];
}

/* ---- Time --------------------------------------------------------------------------------- */

static uint64_t begin_of(const struct weft_nic_run *run)
{
    return run->nic->world->ops->now(run->nic->world);
}

/* Where handlers take no time, their clock does not move. */
static uint64_t end_of(const struct weft_nic_run *run)
{
    return run->clock > begin_of(run) ? run->clock : begin_of(run);
}

static void begin_visit(struct visit *visit)
{
    visit->hpu = PTL_MY_HPU;
    visit->vhpu = PTL_MY_VHPU;
    visit->begin = begin_of(weft_nic_run_self());
}

static void end_visit(struct visit *visit)
{
    visit->end = end_of(weft_nic_run_self());
}

/* ---- Calls that must succeed, or must not ------------------------------------------------- */

#define HOST(field) offsetof(struct letter_host, field)

static void call(struct seen *seen, int result)
{
    require(seen, result == PTL_OK, RULE_CALL);
}

static void add_to_host(struct seen *seen, ptl_size_t offset)
{
    uint64_t before;
    call(seen, PtlHandlerDMAFetchAddB(offset, 1, &before, PTL_UINT64_T, PTL_HANDLER_HOST_MEM));
}

/* What was not begun, for want of memory, will not be told of either. */
static void begin(struct seen *seen, ptl_size_t counter, int result)
{
    call(seen, result);
    if (result == PTL_OK)
        add_to_host(seen, counter);
}

static void stray(struct letter_state *state)
{
    require(&state->seen,
            PtlHandlerDMAToHostB(state, state->script.room, 1, PTL_ME_HOST_MEM) == PTL_ARG_INVALID,
            RULE_CALL);
}

static void write_down(struct letter_state *state)
{
    call(&state->seen,
         PtlHandlerDMAToHostB(&state->seen, HOST(seen), sizeof state->seen, PTL_HANDLER_HOST_MEM));
}

/* ---- Header ------------------------------------------------------------------------------- */

static bool is_process(ptl_process_t a, ptl_process_t b)
{
    return a.phys.nid == b.phys.nid && a.phys.pid == b.phys.pid;
}

static bool describes(const ptl_header_t *header, const struct script *script,
                      const struct turn *turn)
{
    return header->type == script->type && header->length == turn->length &&
           is_process(header->source_id, script->source) &&
           is_process(header->target_id, script->target) &&
           header->match_bits == script->match_bits && header->offset == script->offset;
}

static ptl_handler_result_t on_header(const ptl_header_t *header, void *memory)
{
    struct letter_state *state = memory;
    struct seen *seen = &state->seen;
    bool is_known = header->hdr_data < state->script.turn_count;
    *seen = (struct seen){.turn = is_known ? header->hdr_data : 0, .headers = 1};
    begin_visit(&seen->header);
    const struct turn *turn = turn_of(state);
    require(seen, is_known && describes(header, &state->script, turn), RULE_HEADER);
    uint32_t length =
        state->script.type == PTL_REQUEST_GET ? 0 : script_user_header(&state->script, turn);
    require(seen,
            header->user_hdr_length == length &&
                memcmp(header->user_hdr, letter_pattern + turn->pattern, length) == 0,
            RULE_USER_HEADER);
    if (turn->header_strays)
        stray(state);
    write_down(state);
    end_visit(&seen->header);
    coverage_of_result(STAGE_HEADER, turn->header);
    return turn->header;
}

/* ---- Payload ------------------------------------------------------------------------------ */

struct packet {
    const ptl_payload_t *payload;
    ptl_size_t place; /* in the entry */
    bool fits;
};

static void store(struct letter_state *state, const struct packet *packet, unsigned options)
{
    const ptl_payload_t *payload = packet->payload;
    ptl_dma_t handle;
    int result =
        PtlHandlerDMAToHostNB(payload->base, packet->place, payload->length, options, &handle);
    require(&state->seen, result == (packet->fits ? PTL_OK : PTL_ARG_INVALID), RULE_CALL);
    if (!packet->fits)
        return;
    while (!PtlHandlerDMATest(handle))
        if (state->seen.turn % 2)
            PtlHandlerDMAWait(handle);
    if (!(options & PTL_DMA_NO_EVENT))
        add_to_host(&state->seen, HOST(tells));
}

static void read_back(struct letter_state *state, const struct packet *packet)
{
    const ptl_payload_t *payload = packet->payload;
    unsigned char copy[64];
    ptl_size_t length = payload->length < sizeof copy ? payload->length : sizeof copy;
    if (!packet->fits)
        return;
    call(&state->seen, PtlHandlerDMAFromHostB(packet->place, copy, length, PTL_ME_HOST_MEM));
    require(&state->seen, memcmp(copy, payload->base, length) == 0, RULE_DATA);
}

static void count(struct seen *seen)
{
    uint64_t before = seen->counts;
    require(seen, PtlHandlerCAS(&seen->counts, before, before + 1) == 1, RULE_COUNT);
    require(seen, PtlHandlerCAS(&seen->counts, before, before) == 0, RULE_COUNT);
}

static void swap_on_host(struct seen *seen)
{
    uint64_t is = 0, was;
    do {
        was = is;
        call(seen, PtlHandlerDMACASB(HOST(swaps), &is, was + 1, PTL_HANDLER_HOST_MEM));
    } while (is != was && !seen->broken);
    seen->swaps++;
}

/* Bytes that are all alike, and not the same after the call: the receiver notices a late copy. */
static void forward(struct letter_state *state, const ptl_payload_t *payload)
{
    const struct script *script = &state->script;
    unsigned char local[LETTER_UNIFORM];
    ptl_size_t length = payload->length < sizeof local ? payload->length : sizeof local;
    memset(local, (int)payload->offset + 1, length);
    begin(&state->seen, HOST(forwards),
          PtlHandlerPutFromDevice(local, length, PTL_CT_REQ, PTL_ACK_REQ, script->third,
                                  script->tally_bits, 0, NULL, 0));
    for (unsigned i = 0; i < sizeof local; i++)
        local[i] = (unsigned char)i;
}

static void forward_host(struct letter_state *state, const ptl_payload_t *payload)
{
    const struct script *script = &state->script;
    ptl_size_t length = payload->length % LETTER_UNIFORM;
    begin(&state->seen, HOST(forwards),
          PtlHandlerPutFromHost(HOST(uniform), length, PTL_HANDLER_HOST_MEM, PTL_CT_REQ,
                                PTL_ACK_REQ, script->third, script->tally_bits, 0, NULL, 0));
}

static void fetch(struct letter_state *state, uint64_t choice)
{
    const struct script *script = &state->script;
    if (choice & 8)
        begin(&state->seen, HOST(fetches),
              PtlHandlerGetToDevice(state->fetched, sizeof state->fetched, PTL_NO_CT_REQ,
                                    script->third, script->library_bits, 0, NULL));
    else
        begin(&state->seen, HOST(fetches),
              PtlHandlerGetToHost(HOST(fetched), sizeof state->fetched, PTL_HANDLER_HOST_MEM,
                                  PTL_NO_CT_REQ, script->third, script->library_bits, 0, NULL));
}

static void increment(struct seen *seen)
{
    ptl_ct_event_t value;
    call(seen, PtlHandlerCTInc((ptl_ct_event_t){.success = 1}));
    call(seen, PtlHandlerCTGet(&value));
    require(seen, value.success > 0, RULE_COUNT);
    add_to_host(seen, HOST(increments));
}

static void do_more(struct letter_state *state, enum action action, const struct packet *packet)
{
    struct seen *seen = &state->seen;
    switch (action) {
    case ACTION_READ_BACK:
        read_back(state, packet);
        break;
    case ACTION_COUNT:
        count(seen);
        break;
    case ACTION_ADD:
        add_to_host(seen, HOST(adds));
        seen->adds++;
        break;
    case ACTION_SWAP:
        swap_on_host(seen);
        break;
    case ACTION_FORWARD:
        forward(state, packet->payload);
        break;
    case ACTION_FORWARD_HOST:
        forward_host(state, packet->payload);
        break;
    case ACTION_FETCH:
        fetch(state, packet->payload->offset);
        break;
    case ACTION_YIELD:
        call(seen, PtlHandlerYield());
        break;
    case ACTION_INCREMENT:
        increment(seen);
        break;
    default:
        break;
    }
}

static ptl_handler_result_t act(struct letter_state *state, enum action action,
                                const struct packet *packet)
{
    static const ptl_handler_result_t results[ACTIONS] = {[ACTION_DROP] = PTL_HANDLER_DROP,
                                                          [ACTION_FAIL] = PTL_HANDLER_FAIL,
                                                          [ACTION_SEGV] = PTL_HANDLER_SEGV,
                                                          [ACTION_ODD] = PTL_HANDLER_PROCEED};
    if (action < ACTION_DROP)
        store(state, packet, action == ACTION_STORE_TELL ? 0 : PTL_DMA_NO_EVENT);
    else if (action == ACTION_STRAY)
        stray(state);
    do_more(state, action, packet);
    coverage_of_action(action);
    coverage_of_result(STAGE_PAYLOAD, results[action]);
    return results[action];
}

static ptl_handler_result_t on_payload(const ptl_payload_t *payload, void *memory)
{
    struct letter_state *state = memory;
    struct seen *seen = &state->seen;
    const struct script *script = &state->script;
    const struct turn *turn = turn_of(state);
    uint64_t number, header = script_user_header(script, turn);
    PtlHandlerFAdd(&seen->payloads, &number, 1);
    require(seen, seen->headers == script->has_header && !seen->completions, RULE_ORDER);
    if (!weft_nic_run_self()->nic->traces)
        coverage_of(COVERAGE_UNTRACED);
    bool is_aligned =
        script->user_header % WEFT_PACKET_FRAGMENT != 0 ||
        (payload->offset % WEFT_PACKET_FRAGMENT == 0 && (uintptr_t)payload->base % 8 == 0);
    require(seen, is_aligned, RULE_DATA);
    bool is_known = number < LETTER_PACKETS && payload->length > 0 &&
                    header + payload->offset + payload->length <= turn->length;
    require(seen, is_known, RULE_DATA);
    if (!is_known)
        return PTL_HANDLER_FAIL;
    require(seen,
            memcmp(payload->base, letter_pattern + turn->pattern + header + payload->offset,
                   payload->length) == 0,
            RULE_DATA);
    struct visit *visit = &seen->visits[number];
    begin_visit(visit);
    visit->offset = (uint32_t)payload->offset;
    visit->length = (uint32_t)payload->length;
    struct packet packet = {.payload = payload,
                            .place = script->offset + header + payload->offset};
    packet.fits = packet.place + payload->length <= script->room;
    ptl_handler_result_t result = act(state, script_action(turn, payload->offset), &packet);
    end_visit(visit);
    return result;
}

/* ---- Completion --------------------------------------------------------------------------- */

static ptl_handler_result_t on_completion(ptl_size_t dropped_bytes, int flow_control_triggered,
                                          void *memory)
{
    struct letter_state *state = memory;
    struct seen *seen = &state->seen;
    const struct turn *turn = turn_of(state);
    begin_visit(&seen->completion);
    require(seen, seen->headers == state->script.has_header && !seen->completions, RULE_ORDER);
    seen->completions++;
    seen->told_dropped = dropped_bytes;
    seen->told_flow = (uint64_t)flow_control_triggered;
    require(seen,
            state->fetched[0] == 0 ||
                memcmp(state->fetched, letter_pattern, sizeof state->fetched) == 0,
            RULE_FETCHED);
    if (turn->completion_strays)
        stray(state);
    write_down(state);
    coverage_of_result(STAGE_COMPLETION, turn->completion);
    return turn->completion;
}

ptl_handlers_t letter_handlers(struct letter *letter, const struct letter_state *state)
{
    const struct script *script = &letter->script;
    return (ptl_handlers_t){.header_handler = script->has_header ? on_header : NULL,
                            .payload_handler = script->has_payload ? on_payload : NULL,
                            .completion_handler = script->has_completion ? on_completion : NULL,
                            .hpu_memory = letter->hpu_memory,
                            .hpu_initial_state = state,
                            .hpu_initial_state_length = sizeof *state,
                            .handler_host_mem_start = &letter->host,
                            .handler_host_mem_length = sizeof letter->host,
                            .user_hdr_size = script->user_header,
                            .policy = script->policy,
                            .delta_p = script->delta_p,
                            .vhpus = script->vhpus};
}
