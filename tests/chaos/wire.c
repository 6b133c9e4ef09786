/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the traces of the NICs the model learns which packet came when, and nothing else: of a
 * pair, the requests must arrive in the order in which they were issued, each once. Where packets
 * get lost or overtake each other, a receiver says which of those that came it takes, and when:
 * each once, and only payload ahead of others.
 */
#include <inttypes.h>

#include "chaos/chain.h"
#include "chaos/scene.h"
#include "packet/packet.h"

static bool is_request(unsigned kind)
{
    return kind >= WEFT_PACKET_PUT && kind <= WEFT_PACKET_SWAP;
}

static void note_arrival(struct pair *pair, uint32_t sequence, uint64_t payload)
{
    uint32_t ahead = sequence - pair->sequence;
    if (ahead >= SCENE_WINDOW)
        return;
    pair->came |= UINT64_C(1) << ahead;
    pair->payloads[sequence % SCENE_WINDOW] = (uint32_t)payload;
}

/* NULL, or why the receiver must not take the packet. */
static const char *objection(struct pair *pair, unsigned kind, uint32_t sequence)
{
    uint32_t ahead = sequence - pair->sequence;
    if (ahead >= SCENE_WINDOW || pair->taken >> ahead & 1)
        return "twice";
    if (!(pair->came >> ahead & 1))
        return "before it has come";
    if (ahead > 0 && !weft_packet_is_payload(kind))
        return "ahead of others";
    pair->taken |= UINT64_C(1) << ahead;
    for (; pair->taken & 1; pair->sequence++) {
        pair->taken >>= 1;
        pair->came >>= 1;
    }
    return NULL;
}

static enum weft_packet_kind packet_kind(const struct op *op)
{
    static const enum weft_packet_kind kinds[] = {
        [OP_PUT] = WEFT_PACKET_PUT,       [OP_GET] = WEFT_PACKET_GET,
        [OP_ATOMIC] = WEFT_PACKET_ATOMIC, [OP_FETCH] = WEFT_PACKET_FETCH_ATOMIC,
        [OP_SWAP] = WEFT_PACKET_SWAP,
    };
    return kinds[op->kind];
}

static void receive_request(struct scene *scene, struct pair *pair, unsigned node, unsigned kind,
                            uint64_t payload)
{
    struct op *op = *pair->arrival;
    if (!op) {
        scene_fail(scene, node, "a packet of kind %u arrives that nobody has sent, or twice",
                   kind);
        return;
    }
    if (packet_kind(op) != kind) {
        scene_fail(scene, node, "a packet of kind %u arrives instead of %s", kind, op_text(op));
        return;
    }
    pair->arrival = &op->next_in_pair;
    pair->latest = op;
    target_request(&scene->nodes[node].target, op, payload);
}

/* Data lies behind all that has come before, or where the packet says. */
static void take(struct scene *scene, unsigned node, unsigned peer, unsigned kind,
                 uint64_t payload, const uint64_t *offset)
{
    struct pair *pair = &scene->pairs[peer][node];
    struct target *target = &scene->nodes[node].target;
    if (pair->is_chained)
        chain_packet(pair, kind, payload);
    else if (is_request(kind))
        receive_request(scene, pair, node, kind, payload);
    else if (kind == WEFT_PACKET_DATA)
        target_data(target, peer, offset ? *offset : target_received(target, peer), payload);
}

static void receive(struct scene *scene, unsigned node, const struct weft_trace_line *record)
{
    unsigned peer = record->peer_nid - 1, kind = record->a & 255;
    if (!run_reorders(&scene->scenario.world))
        take(scene, node, peer, kind, record->b, NULL);
    else if (kind != WEFT_PACKET_LINK)
        note_arrival(&scene->pairs[peer][node], (uint32_t)(record->a >> 8), record->b);
}

static void take_numbered(struct scene *scene, unsigned node, const struct weft_trace_line *record)
{
    unsigned peer = record->peer_nid - 1, kind = record->a & 255;
    uint32_t sequence = (uint32_t)(record->a >> 8);
    struct pair *pair = &scene->pairs[peer][node];
    const char *wrong = pair->has_failed ? "of a node that is dead" : NULL;
    uint64_t payload = pair->payloads[sequence % SCENE_WINDOW];
    if (!wrong)
        wrong = objection(pair, kind, sequence);
    if (wrong)
        scene_fail(scene, node, "takes packet %u of node %u, of kind %u, %s", sequence, peer, kind,
                   wrong);
    else
        take(scene, node, peer, kind, payload, &record->b);
}

/* What the NIC does with a message as soon as its first packet is there. Nobody else might notice:
 * events can be switched off. */
static void check_match(struct scene *scene, unsigned node, const struct op *op,
                        const struct weft_trace_line *record)
{
    bool is_taken = (record->a & 255) != WEFT_TRACE_MATCH_NONE;
    unsigned fail = (unsigned)(record->a >> 8);
    if (is_taken != (op->entry != NULL) || fail != op->fail)
        scene_fail(scene, node, "%s %s with fail %u, not %u", is_taken ? "takes" : "refuses",
                   op_text(op), fail, op->fail);
}

static void match(struct scene *scene, unsigned node, const struct weft_trace_line *record)
{
    struct pair *pair = &scene->pairs[record->peer_nid - 1][node];
    if (pair->is_chained)
        chain_match(pair, (record->a & 255) != WEFT_TRACE_MATCH_NONE, record->b);
    else if (pair->latest)
        check_match(scene, node, pair->latest, record);
}

static void send(struct scene *scene, unsigned node, const struct weft_trace_line *record)
{
    unsigned peer = record->peer_nid - 1, kind = record->a & 255;
    bool is_reply = kind == WEFT_PACKET_REPLY || kind == WEFT_PACKET_REPLY_DATA;
    if (kind == WEFT_PACKET_LOST)
        scene_fail(scene, node, "has lost answers to node %u", peer);
    if (is_reply && !scene->pairs[peer][node].is_chained)
        target_replies(&scene->nodes[node].target, peer, record->b);
}

static void fail(struct scene *scene, unsigned node, const struct weft_trace_line *record)
{
    unsigned peer = record->peer_nid - 1;
    struct pair *pair = &scene->pairs[peer][node];
    /* A node that has closed its interface answers no more than a dead one. */
    if (!scene_is_dead(scene, peer) && !scene->nodes[peer].is_closed)
        scene_fail(scene, node, "takes node %u for dead", peer);
    pair->has_failed = true;
    pair->arriving = 0;
    target_peer_failed(&scene->nodes[node].target, peer);
}

void wire_trace(void *argument, unsigned node, const struct weft_trace_line *record)
{
    struct scene *scene = argument;
    run_record(&scene->run, node, record);
    if (scene->run.has_failed || scene->nodes[node].is_closed)
        return;
    switch ((enum weft_trace_what)record->what) {
    case WEFT_TRACE_RECEIVE:
        receive(scene, node, record);
        break;
    case WEFT_TRACE_TAKE:
        take_numbered(scene, node, record);
        break;
    case WEFT_TRACE_MATCH:
        match(scene, node, record);
        break;
    case WEFT_TRACE_SEND:
        send(scene, node, record);
        break;
    case WEFT_TRACE_FAILED:
        fail(scene, node, record);
        break;
    case WEFT_TRACE_DROP:
        scene_fail(scene, node, "refuses a packet of node %u, fault %" PRIu64,
                   record->peer_nid - 1, record->a);
        break;
    case WEFT_TRACE_EVENT:
    case WEFT_TRACE_COUNT:
    case WEFT_TRACE_RESEND:
    case WEFT_TRACE_HANDLER:
    case WEFT_TRACE_HANDLER_END:
    case WEFT_TRACE_DMA:
    case WEFT_TRACE_CALL:
    case WEFT_TRACE_OPERATION:
    case WEFT_TRACE_OPERATION_AFTER:
    case WEFT_TRACE_OPERATION_ENDS:
    case WEFT_TRACE_OPERATION_BEGUN:
    case WEFT_TRACE_OPERATION_OVER:
    case WEFT_TRACE_WHATS:
        break;
    }
}
