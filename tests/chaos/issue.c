/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations, drawn at random. */
#include "chaos/arithmetic.h"
#include "chaos/scene.h"

#define MOST_ATOMIC 512u
#define MOST_VOLATILE 64u
#define MOST_TRIES 3u

/* A node that this one sends to directly; false if there is none. */
static bool draw_target(struct node *node, unsigned *target)
{
    unsigned nodes = node->scene->scenario.world.nodes;
    if (node->scene->scenario.interface & PTL_NI_PHYSICAL && rng_one_in(&node->rng, 200)) {
        *target = SCENARIO_GHOST;
        return true;
    }
    *target = (unsigned)rng_below(&node->rng, nodes);
    for (unsigned i = 0; i < nodes; i++) {
        const struct pair *pair = &node->scene->pairs[node->number][*target];
        if (!pair->is_chained && !pair->is_mute)
            return true;
        *target = (*target + 1) % nodes;
    }
    return false;
}

static uint64_t draw_length(struct node *node)
{
    struct rng *rng = &node->rng;
    uint32_t packet = node->scene->scenario.world.packet_size;
    uint32_t longest = node->scene->scenario.longest;
    switch (rng_below(rng, 8)) {
    case 0:
        return 0;
    case 1:
    case 2:
        return rng_below(rng, 65);
    case 3: {
        /* Around the ends of packets, wherever exactly they are. */
        uint64_t length = packet * (1 + rng_below(rng, 3)) + 64;
        length -= rng_below(rng, 129);
        return length < SCENE_SLOT ? length : SCENE_SLOT;
    }
    default:
        return rng_below(rng, longest + 1);
    }
}

static bool take_slot(struct node *node, struct op *op)
{
    for (unsigned i = 0; i < SCENE_SLOTS; i++)
        if (!node->slot_is_used[i]) {
            node->slot_is_used[i] = true;
            op->slot = i;
            op->get_md = node->mds[rng_one_in(&node->rng, 4) ? 5 : 4];
            return true;
        }
    return false;
}

static void draw_arithmetic(struct node *node, struct op *op)
{
    static const ptl_op_t plain[] = {PTL_MIN,  PTL_MAX, PTL_SUM,  PTL_SUM,  PTL_PROD, PTL_LOR,
                                     PTL_LAND, PTL_BOR, PTL_BAND, PTL_LXOR, PTL_BXOR, PTL_DIFF};
    struct rng *rng = &node->rng;
    op->type = arithmetic_type((unsigned)rng_below(rng, ARITHMETIC_TYPES));
    size_t size = arithmetic_size(op->type);
    uint64_t most = op->length < MOST_ATOMIC ? op->length : MOST_ATOMIC;
    op->length = most - most % size;
    if (op->kind != OP_SWAP) {
        op->operation = plain[rng_below(rng, sizeof plain / sizeof *plain)];
        return;
    }
    op->operation = (ptl_op_t)rng_between(rng, PTL_SWAP, PTL_MSWAP);
    if (op->operation == PTL_SWAP)
        return;
    op->length = size;
    /* Sometimes what untouched memory holds. */
    bool is_guard = rng_one_in(rng, 2);
    for (unsigned i = 0; i < OP_OPERAND; i++)
        op->operand[i] = is_guard ? SCENE_GUARD : (unsigned char)rng_next(rng);
}

static void draw_source(struct node *node, struct op *op)
{
    static const ptl_ack_req_t acks[] = {PTL_ACK_REQ,    PTL_ACK_REQ,    PTL_ACK_REQ,
                                         PTL_CT_ACK_REQ, PTL_OC_ACK_REQ, PTL_NO_ACK_REQ};
    struct rng *rng = &node->rng;
    unsigned which = (unsigned)rng_below(rng, op->length <= MOST_VOLATILE ? 4 : 3);
    op->md = node->mds[which];
    op->local_offset = rng_below(rng, SCENE_PATTERN - op->length + 1);
    op->hdr_data = (uint64_t)node->number << 32 | op->number;
    op->ack = op_has_reply(op) ? PTL_NO_ACK_REQ : acks[rng_below(rng, 6)];
}

static void draw(struct node *node, struct op *op)
{
    static const enum op_kind kinds[] = {OP_PUT, OP_PUT, OP_PUT,   OP_PUT,  OP_PUT,
                                         OP_GET, OP_GET, OP_FETCH, OP_SWAP, OP_ATOMIC};
    struct rng *rng = &node->rng;
    op->kind = kinds[rng_below(rng, sizeof kinds / sizeof *kinds)];
    if (op_has_reply(op) && !take_slot(node, op))
        op->kind = OP_PUT;
    op->length = draw_length(node);
    if (op->length > SCENE_SLOT)
        op->length = op_has_reply(op) ? SCENE_SLOT : op->length;
    if (op->kind >= OP_ATOMIC)
        draw_arithmetic(node, op);
    if (op_has_data(op))
        draw_source(node, op);
    op->table = (unsigned)rng_below(rng, TARGET_TABLES);
    op->match_bits = rng_below(rng, node->scene->scenario.bits);
    if (rng_one_in(rng, 3))
        op->remote_offset = rng_magnitude(rng, TARGET_AREA / 2);
}

static struct op *new_op(struct node *node)
{
    struct scene *scene = node->scene;
    if (scene->op_count == SCENE_OPS)
        return NULL;
    struct op *op = scene_make(scene, sizeof *op);
    if (!op)
        return NULL;
    op->initiator = node;
    op->number = scene->op_count;
    scene->ops[scene->op_count++] = op;
    return op;
}

void issue_random(struct node *node)
{
    unsigned target;
    if (!draw_target(node, &target))
        return;
    struct op *op = new_op(node);
    if (!op)
        return;
    op->target = target;
    draw(node, op);
    op_issue(op);
}

/* As a program under flow control does: the same message again, to the end of the order. */
void issue_refused_again(struct node *node)
{
    const struct op *refused = node->refused;
    node->refused = NULL;
    if (!refused || refused->tries == MOST_TRIES || op_has_reply(refused))
        return;
    struct op *op = new_op(node);
    if (!op)
        return;
    op->target = refused->target;
    op->kind = refused->kind;
    op->length = refused->length;
    op->operation = refused->operation;
    op->type = refused->type;
    op->table = refused->table;
    op->match_bits = refused->match_bits;
    op->remote_offset = refused->remote_offset;
    op->tries = refused->tries + 1;
    draw_source(node, op);
    op_issue(op);
}
