/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two simulated nodes put to, get from and change each other's memory. Whatever fails for want of
 * memory, at either side: an operation that was started ends, within the time in which a dead node
 * is noticed, and if it ends well its bytes are right. A variant is a seed; every second network
 * loses packets.
 */
#include <portals4.h>

#include "faults/simulated.h"
#include "portals/process.h"
#include "support/rng.h"

#define NODES 2u
#define OPS 200u
#define LONGEST 6000u /* bytes of an operation: several packets */
#define MILLISECOND UINT64_C(1000000)
#define TIMEOUT 50u /* milliseconds until a silent node counts as dead */
#define PATIENCE                                                                                  \
    1000u /* milliseconds that an operation may take: both sides may have to notice               \
           */

enum kind { PUT, GET, FETCH, KINDS };

struct op {
    enum kind kind;
    uint32_t length;
    bool has_ended, is_lost;
};

struct node {
    ptl_handle_ni_t ni;
    ptl_handle_eq_t eq;
    ptl_handle_md_t out, in;
    ptl_handle_me_t me;
    ptl_pt_index_t pt;
    unsigned started, ended;
    bool is_open, is_done;
    struct op ops[OPS];
    unsigned char sent[OPS][LONGEST];
    unsigned char got[OPS][LONGEST];
    unsigned char memory[OPS][LONGEST]; /* of the entry: each operation has its place */
};

static struct {
    unsigned seed;
    bool is_wrong;
    unsigned settled; /* nodes that are open, or never will be */
    struct node nodes[NODES];
} scene;

static void complain(unsigned number, const char *what, unsigned op)
{
    tap_note("seed %u, node %u, operation %u: %s", scene.seed, number, op, what);
    scene.is_wrong = true;
}

/* What a place holds before anything happens to it, and what is put there. */
static unsigned char old_byte(unsigned op, unsigned at)
{
    return (unsigned char)(1 + (op * 7 + at) % 101);
}

static unsigned char new_byte(unsigned op, unsigned at)
{
    return (unsigned char)(128 + (op * 11 + at) % 101);
}

/* ---- Opening ------------------------------------------------------------------------------ */

static void fill(struct node *node)
{
    for (unsigned op = 0; op < OPS; op++)
        for (unsigned at = 0; at < LONGEST; at++) {
            node->sent[op][at] = new_byte(op, at);
            node->memory[op][at] = old_byte(op, at);
        }
}

static bool bind(struct node *node, void *start, ptl_handle_md_t *md)
{
    const ptl_md_t wish = {.start = start,
                           .length = sizeof node->sent,
                           .options = PTL_MD_EVENT_SEND_DISABLE,
                           .eq_handle = node->eq,
                           .ct_handle = PTL_CT_NONE};
    return PtlMDBind(node->ni, &wish, md) == PTL_OK;
}

static bool open_node(struct node *node)
{
    const ptl_me_t me = {.start = node->memory,
                         .length = sizeof node->memory,
                         .ct_handle = PTL_CT_NONE,
                         .uid = PTL_UID_ANY,
                         .options = PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_LINK_DISABLE |
                                    PTL_ME_EVENT_COMM_DISABLE,
                         .match_id = {.phys = {PTL_NID_ANY, PTL_PID_ANY}}};
    node->ni = PTL_INVALID_HANDLE;
    return PtlInit() == PTL_OK &&
           PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL,
                     &node->ni) == PTL_OK &&
           PtlEQAlloc(node->ni, 4 * OPS, &node->eq) == PTL_OK &&
           bind(node, node->sent, &node->out) && bind(node, node->got, &node->in) &&
           PtlPTAlloc(node->ni, 0, PTL_EQ_NONE, PTL_PT_ANY, &node->pt) == PTL_OK &&
           PtlMEAppend(node->ni, node->pt, &me, PTL_PRIORITY_LIST, NULL, &node->me) == PTL_OK;
}

/* ---- Operations --------------------------------------------------------------------------- */

static int start(struct node *node, unsigned number, unsigned op)
{
    struct op *this = &node->ops[op];
    const struct node *other = &scene.nodes[1 - number];
    const ptl_process_t to = {.phys = {.nid = 2 - number, .pid = WEFT_SIM_PID}};
    ptl_size_t at = (ptl_size_t)op * LONGEST;
    if (this->kind == PUT)
        return PtlPut(node->out, at, this->length, PTL_ACK_REQ, to, other->pt, 0, at, this, 0);
    if (this->kind == GET)
        return PtlGet(node->in, at, this->length, to, other->pt, 0, at, this);
    return PtlFetchAtomic(node->in, at, node->out, at, this->length, to, other->pt, 0, at, this, 0,
                          PTL_BXOR, PTL_UINT8_T);
}

static bool has_bytes(const unsigned char *bytes, unsigned op, unsigned length,
                      unsigned char (*byte)(unsigned op, unsigned at))
{
    for (unsigned at = 0; at < length; at++)
        if (bytes[at] != byte(op, at))
            return false;
    return true;
}

static void take(struct node *node, unsigned number, const ptl_event_t *event)
{
    struct op *op = event->user_ptr;
    unsigned which = (unsigned)(op - node->ops);
    if (event->type == PTL_EVENT_SEND) /* that failed: the end is still to come */
        return;
    if (op->has_ended)
        complain(number, "it ends twice", which);
    op->has_ended = true;
    node->ended++;
    if (event->ni_fail_type != PTL_NI_OK)
        return;
    if (event->mlength != op->length)
        complain(number, "it ends well with another length", which);
    if (op->kind == PUT &&
        !has_bytes(scene.nodes[1 - number].memory[which], which, op->length, new_byte))
        complain(number, "the put ended well, but its bytes are not there", which);
    if (op->kind != PUT && !has_bytes(node->got[which], which, op->length, old_byte))
        complain(number, "the reply is wrong", which);
}

/* Events until there was none for so many milliseconds. */
static void drain(struct node *node, unsigned number, ptl_time_t patience)
{
    ptl_event_t event;
    unsigned which;
    while (node->ended < node->started &&
           PtlEQPoll(&node->eq, 1, patience, &event, &which) == PTL_OK)
        take(node, number, &event);
}

static void issue(struct node *node, unsigned number)
{
    struct rng rng = rng_stream(scene.seed, number);
    for (unsigned i = 0; i < OPS; i++) {
        struct op *op = &node->ops[i];
        op->kind = (enum kind)rng_below(&rng, KINDS);
        op->length = (uint32_t)rng_below(&rng, op->kind == FETCH ? 200 : LONGEST) + 1;
        op->is_lost = start(node, number, i) != PTL_OK;
        node->started += !op->is_lost;
        if (rng_one_in(&rng, 40))
            drain(node, number, 0);
    }
}

static void find_unended(const struct node *node, unsigned number)
{
    for (unsigned i = 0; i < OPS; i++)
        if (!node->ops[i].is_lost && !node->ops[i].has_ended) {
            complain(number, "it never ends", i);
            return;
        }
}

/* ---- The program -------------------------------------------------------------------------- */

static void pause_until(unsigned (*what)(void), unsigned wanted)
{
    struct weft_nic_world *world = weft_portals_process_self()->world;
    while (what() < wanted)
        world->ops->sleep(world, world->ops->now(world) + MILLISECOND);
}

static unsigned settled(void)
{
    return scene.settled;
}

static unsigned done(void)
{
    return scene.nodes[0].is_done + scene.nodes[1].is_done;
}

static void program(unsigned number, void *argument)
{
    (void)argument;
    struct node *node = &scene.nodes[number];
    fill(node);
    node->is_open = open_node(node);
    scene.settled++;
    pause_until(settled, NODES);
    if (node->is_open && scene.nodes[1 - number].is_open) {
        issue(node, number);
        drain(node, number, PATIENCE);
        find_unended(node, number);
    }
    node->is_done = true;
    pause_until(done, NODES);
    PtlNIFini(node->ni);
    PtlFini();
}

static bool run(unsigned variant, struct fault *fault)
{
    struct weft_sim_config config = {.nodes = NODES,
                                     .seed = variant + 1,
                                     .latency = 1000,
                                     .bandwidth = 1000,
                                     .packet_size = 1024,
                                     .timeout = TIMEOUT * MILLISECOND,
                                     .reliable = variant % 2 == 0,
                                     .limit = 60000 * MILLISECOND};
    if (!config.reliable)
        config.loss = config.duplicate = WEFT_SIM_MILLION / 100;
    scene.seed = variant;
    bool has_ended = simulate_with(fault, &config, program);
    return has_ended && !scene.is_wrong;
}

int main(int argc, char **argv)
{
    const struct scene these = {
        .variants = 20, .kinds = 1u << FAULT_MEMORY, .seconds = 60, .run = run};
    return points_main(argc, argv, &these);
}
