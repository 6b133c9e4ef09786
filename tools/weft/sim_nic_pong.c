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
#include "sim_nic_side.h"

#define CLIENT 1 /* the node; the other answers */

struct game {
    const struct sim_nic_study *study;
    size_t size;
    unsigned char *ping, *kept, *pong; /* of the client, of the server, and what came back */
    uint64_t begin, end;
    struct weft_nic_stage_counts counts;
    struct sim_nic_fault fault;
};

/* ---- The server --------------------------------------------------------------------------- */

static bool answer_by_handlers(struct game *game, const struct sim_nic_side *side,
                               const ptl_me_t *me)
{
    struct weft_handler_pong pong = {.stream = game->study->way == SIM_NIC_PONG_STREAM
                                                   ? WEFT_HANDLER_STREAM
                                                   : (ptl_size_t)game->study->packet};
    ptl_image_handlers_t image = {.payload_handler = "answer_packet",
                                  .completion_handler = "answer_message"};
    ptl_handlers_t handlers = {.hpu_initial_state = &pong,
                               .hpu_initial_state_length = sizeof pong};
    return sim_nic_side_append_image(side, me, &image, &handlers) &&
           sim_nic_side_await(side, game->size);
}

static bool answer_by_trigger(struct game *game, const struct sim_nic_side *side,
                              const ptl_me_t *me)
{
    return sim_nic_side_append(side, me, NULL) &&
           sim_nic_side_need(side,
                             PtlTriggeredPut(side->md, 0, game->size, PTL_NO_ACK_REQ,
                                             sim_nic_side_node(CLIENT), SIM_NIC_ENTRY, 0, 0, NULL,
                                             0, side->bytes, game->size),
                             "PtlTriggeredPut") &&
           sim_nic_side_await(side, game->size);
}

static bool answer_by_processor(struct game *game, const struct sim_nic_side *side,
                                const ptl_me_t *me)
{
    if (!sim_nic_side_append(side, me, NULL) || !sim_nic_side_await(side, game->size))
        return false;
    sim_nic_spend(game->study->poll + game->study->overhead);
    return sim_nic_side_put(side, CLIENT, game->size);
}

static void serve(struct game *game)
{
    struct sim_nic_side side;
    if (!sim_nic_side_open(&side, &game->fault, game->kept, game->size))
        return;
    const ptl_me_t me = sim_nic_side_entry(&side, game->kept, game->size);
    if (game->study->way == SIM_NIC_PONG_RDMA)
        answer_by_processor(game, &side, &me);
    else if (game->study->way == SIM_NIC_PONG_PORTALS)
        answer_by_trigger(game, &side, &me);
    else
        answer_by_handlers(game, &side, &me);
    game->counts = weft_nic_stages_counts(weft_portals_process_self()->nic);
}

/* ---- The client --------------------------------------------------------------------------- */

static void play(struct game *game)
{
    struct sim_nic_side side;
    if (!sim_nic_side_open(&side, &game->fault, game->ping, game->size))
        return;
    const ptl_me_t me = sim_nic_side_entry(&side, game->pong, game->size);
    game->begin = sim_nic_now();
    if (!sim_nic_side_append(&side, &me, NULL))
        return;
    sim_nic_spend(game->study->overhead);
    if (sim_nic_side_put(&side, 0, game->size) && sim_nic_side_await(&side, game->size))
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
    if (!sim_nic_side_simulate(&config, program, game, &game->fault))
        return false;
    *finding = sim_nic_finding_of(&game->counts, 2 * (double)game->size,
                                  (double)(game->end - game->begin));
    finding->is_right = memcmp(game->ping, game->pong, game->size) == 0;
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
