/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A message to another node and back, in the four ways of [sPIN17], section 4.4.1. Who answers:
 * the processor, which polls; a triggered put; a completion handler, when the message is in host
 * memory (a message of one packet is answered from the NIC); or payload handlers, packet by
 * packet.
 */
#include "sim_nic_pong.h"

#include <stdlib.h>
#include <string.h>
#include <weft_handlers.h>

#include "nic/stages.h"
#include "portals/process.h"
#include "sim_nic_image.h"
#include "sim_nic_node.h"

#define CLIENT 1 /* the node; the other answers */

struct game {
    const struct sim_nic_study *study;
    size_t size;
    unsigned char *ping, *kept, *pong; /* of the client, of the server, and what came back */
    uint64_t begin, end;
    struct weft_nic_stage_counts counts;
    const char *wrong; /* NULL: nothing */
};

static bool need(struct game *game, int result, const char *what)
{
    if (result != PTL_OK && !game->wrong)
        game->wrong = what;
    return result == PTL_OK;
}

static ptl_process_t node_of(unsigned node)
{
    return (ptl_process_t){.phys = {node + 1, WEFT_SIM_PID}};
}

/* ---- Both sides --------------------------------------------------------------------------- */

/* What a node has: an interface, a counter of received bytes, and memory to send. */
struct side {
    ptl_handle_ni_t ni;
    ptl_pt_index_t index;
    ptl_handle_ct_t bytes;
    ptl_handle_md_t md;
};

static bool open_side(struct game *game, void *sends, struct side *side)
{
    ptl_md_t md = {
        .start = sends, .length = game->size, .eq_handle = PTL_EQ_NONE, .ct_handle = PTL_CT_NONE};
    return need(game, sim_nic_open(&side->ni), "PtlNIInit") &&
           need(game, PtlCTAlloc(side->ni, &side->bytes), "PtlCTAlloc") &&
           need(game, PtlPTAlloc(side->ni, 0, PTL_EQ_NONE, SIM_NIC_ENTRY, &side->index),
                "PtlPTAlloc") &&
           need(game, PtlMDBind(side->ni, &md, &side->md), "PtlMDBind");
}

static ptl_me_t counted_entry(const struct game *game, const struct side *side, void *start)
{
    ptl_me_t me = sim_nic_entry(start, game->size);
    me.ct_handle = side->bytes;
    me.options |= PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_CT_BYTES;
    return me;
}

static bool append(struct game *game, const struct side *side, const ptl_me_t *me,
                   const ptl_handlers_t *handlers)
{
    ptl_handle_me_t handle;
    int result = handlers
                     ? PtlMEAppendHandlers(side->ni, side->index, me, handlers, PTL_PRIORITY_LIST,
                                           NULL, &handle)
                     : PtlMEAppend(side->ni, side->index, me, PTL_PRIORITY_LIST, NULL, &handle);
    return need(game, result, "PtlMEAppend");
}

static bool put(struct game *game, const struct side *side, unsigned to)
{
    return need(
        game,
        PtlPut(side->md, 0, game->size, PTL_NO_ACK_REQ, node_of(to), SIM_NIC_ENTRY, 0, 0, NULL, 0),
        "PtlPut");
}

static bool await(struct game *game, const struct side *side)
{
    ptl_ct_event_t count;
    return need(game, PtlCTWait(side->bytes, game->size, &count), "PtlCTWait") &&
           need(game, count.failure ? PTL_FAIL : PTL_OK, "a message failed");
}

/* ---- The server --------------------------------------------------------------------------- */

static bool answer_by_handlers(struct game *game, const struct side *side)
{
    ptl_me_t me = counted_entry(game, side, game->kept);
    struct weft_handler_pong pong = {.stream = game->study->way == SIM_NIC_PONG_STREAM
                                                   ? WEFT_HANDLER_STREAM
                                                   : (ptl_size_t)game->study->packet};
    ptl_image_handlers_t image = {.payload_handler = "answer_packet",
                                  .completion_handler = "answer_message"};
    ptl_handlers_t handlers = {
        .hpu_initial_state = &pong, .hpu_initial_state_length = sizeof pong, .image = &image};
    return need(game, PtlHandlersLoad(side->ni, sim_nic_stock, sim_nic_stock_length, &image.image),
                "PtlHandlersLoad") &&
           need(game, PtlHPUAllocMem(sizeof pong, side->ni, &handlers.hpu_memory),
                "PtlHPUAllocMem") &&
           append(game, side, &me, &handlers) && await(game, side);
}

static bool answer_by_trigger(struct game *game, const struct side *side)
{
    ptl_me_t me = counted_entry(game, side, game->kept);
    return append(game, side, &me, NULL) &&
           need(game,
                PtlTriggeredPut(side->md, 0, game->size, PTL_NO_ACK_REQ, node_of(CLIENT),
                                SIM_NIC_ENTRY, 0, 0, NULL, 0, side->bytes, game->size),
                "PtlTriggeredPut") &&
           await(game, side);
}

static bool answer_by_processor(struct game *game, const struct side *side)
{
    ptl_me_t me = counted_entry(game, side, game->kept);
    if (!append(game, side, &me, NULL) || !await(game, side))
        return false;
    sim_nic_spend(game->study->poll + game->study->overhead);
    return put(game, side, CLIENT);
}

static void serve(struct game *game)
{
    struct side side;
    if (!open_side(game, game->kept, &side))
        return;
    if (game->study->way == SIM_NIC_PONG_RDMA)
        answer_by_processor(game, &side);
    else if (game->study->way == SIM_NIC_PONG_PORTALS)
        answer_by_trigger(game, &side);
    else
        answer_by_handlers(game, &side);
    game->counts = weft_nic_stages_counts(weft_portals_process_self()->nic);
}

/* ---- The client --------------------------------------------------------------------------- */

static void play(struct game *game)
{
    struct side side;
    if (!open_side(game, game->ping, &side))
        return;
    ptl_me_t me = counted_entry(game, &side, game->pong);
    game->begin = sim_nic_now();
    if (!append(game, &side, &me, NULL))
        return;
    sim_nic_spend(game->study->overhead);
    if (put(game, &side, 0) && await(game, &side))
        sim_nic_spend(game->study->poll);
    game->end = sim_nic_now();
}

static void program(unsigned node, void *argument)
{
    if (node == CLIENT)
        play(argument);
    else
        serve(argument);
}

/* ---- The simulation ----------------------------------------------------------------------- */

static bool run(struct game *game, struct sim_nic_finding *finding)
{
    struct weft_nic_stages stages;
    struct weft_sim_config config = sim_nic_config(game->study, &stages);
    for (size_t i = 0; i < game->size; i++)
        game->ping[i] = (unsigned char)(1 + i % 251);
    if (weft_portals_simulate(&config, program, game) != 0 || game->wrong) {
        fprintf(stderr, "weft sim nic: %s\n", game->wrong ? game->wrong : "the simulation failed");
        return false;
    }
    double time = (double)(game->end - game->begin), handlers = (double)game->counts.handlers;
    *finding = (struct sim_nic_finding){
        .time = time,
        .throughput = 2 * (double)game->size * 8 / time,
        .handler = handlers > 0 ? (double)game->counts.handler_time / handlers : 0,
        .longest = (double)game->counts.longest,
        .writes = (double)game->counts.writes.served,
        .queue = (double)game->counts.writes.deepest,
        .packets = (double)game->counts.waiting,
        .is_right = memcmp(game->ping, game->pong, game->size) == 0};
    return true;
}

bool sim_nic_pong(const struct sim_nic_study *study, struct sim_nic_finding *finding)
{
    size_t size = (size_t)study->size;
    struct game game = {.study = study,
                        .size = size,
                        .ping = malloc(size),
                        .kept = calloc(1, size),
                        .pong = calloc(1, size)};
    bool is_good = game.ping && game.kept && game.pong && run(&game, finding);
    free(game.ping);
    free(game.kept);
    free(game.pong);
    return is_good;
}
