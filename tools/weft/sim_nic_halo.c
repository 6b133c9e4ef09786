/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nodes are the corners of a cube of so many dimensions; two faces of each go to the neighbour in
 * a dimension, as on a torus. Long messages are announced by a ticket and fetched by the receiver:
 * by a handler of the entry that they match, or by the processor when it looks, which also copies
 * short ones out of a buffer. What comes before its receive is left to the processor in both ways.
 */
#include "sim_nic_halo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <weft_handlers.h>

#include "nic/core.h"
#include "sim_nic_side.h"

#define ROUNDS 8u
#define MOST_DIMENSIONS 4u
#define MOST_FACES (2 * MOST_DIMENSIONS)
#define FETCHED ((ptl_match_bits_t)1 << 32) /* match bits of what is fetched, with the round */
#define FITS 6u                             /* runs that find how long to compute */

struct halo {
    const struct sim_nic_study *study;
    unsigned faces; /* of a node: messages of a round */
    size_t size, eager;
    double compute; /* in each round */
    bool is_offloaded;
    bool is_right;
    uint64_t end;
    struct sim_nic_fault fault;
};

struct node {
    struct halo *halo;
    unsigned number, round;
    struct sim_nic_side side; /* its descriptor is of `wire` */
    ptl_handle_eq_t eq;
    ptl_handle_md_t faces[MOST_FACES]; /* descriptors of what comes */
    struct weft_handler_rendezvous rendezvous;
    ptl_handlers_t handlers;
    unsigned pending;                        /* parts of a round that have not come or gone */
    const unsigned char *early[MOST_FACES];  /* came before their round */
    unsigned char *sent, *got, *wire, *kept; /* faces of a round; messages of all rounds */
};

static bool is_long(const struct halo *halo)
{
    return halo->size > halo->eager;
}

static size_t wire_bytes(const struct halo *halo)
{
    return sizeof(struct weft_handler_ticket) + halo->eager;
}

/* Bits of a message, and of what is fetched for it: the round, and the face of the receiver. */
static ptl_match_bits_t bits_of(unsigned round, unsigned face)
{
    return (ptl_match_bits_t)round << 8 | face;
}

static unsigned neighbour(const struct node *node, unsigned face)
{
    return node->number ^ 1u << face / 2;
}

static unsigned char byte_of(unsigned node, unsigned face, unsigned round, size_t i)
{
    return (unsigned char)(i + i / 253 + 31 * node + 7 * face + 3 * round);
}

static bool need(const struct node *node, int result, const char *what)
{
    return sim_nic_side_need(&node->side, result, what);
}

/* ---- Entries ------------------------------------------------------------------------------ */

#define QUIET (PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_UNLINK_DISABLE)

static bool append(const struct node *node, ptl_me_t me, unsigned options,
                   const ptl_handlers_t *handlers, ptl_list_t list)
{
    ptl_handle_me_t handle;
    me.options = QUIET | options;
    return need(node,
                handlers ? PtlMEAppendHandlers(node->side.ni, node->side.index, &me, handlers,
                                               list, NULL, &handle)
                         : PtlMEAppend(node->side.ni, node->side.index, &me, list, NULL, &handle),
                "PtlMEAppend");
}

/* Where messages go that nobody waits for; by the processor, all of them. */
static bool append_buffer(const struct node *node)
{
    const struct halo *halo = node->halo;
    ptl_me_t me = sim_nic_entry(node->kept, ROUNDS * halo->faces * wire_bytes(halo));
    me.ignore_bits = FETCHED - 1; /* all but what is fetched */
    return append(node, me,
                  PTL_ME_OP_PUT | PTL_ME_MANAGE_LOCAL |
                      (halo->is_offloaded ? PTL_ME_EVENT_COMM_DISABLE : 0),
                  NULL, halo->is_offloaded ? PTL_OVERFLOW_LIST : PTL_PRIORITY_LIST);
}

static bool post_receive(const struct node *node, unsigned face)
{
    const struct halo *halo = node->halo;
    ptl_me_t me = sim_nic_entry(node->got + face * halo->size, halo->size);
    me.match_bits = bits_of(node->round, face);
    return append(node, me, PTL_ME_OP_PUT | PTL_ME_USE_ONCE, &node->handlers, PTL_PRIORITY_LIST);
}

static bool expose(const struct node *node, unsigned face)
{
    const struct halo *halo = node->halo;
    ptl_me_t me = sim_nic_entry(node->sent + face * halo->size, halo->size);
    me.match_bits = FETCHED | bits_of(node->round, face);
    return append(node, me, PTL_ME_OP_GET | PTL_ME_USE_ONCE, NULL, PTL_PRIORITY_LIST);
}

/* ---- Messages ----------------------------------------------------------------------------- */

/* To the processor of the receiver, a ticket is enough. */
static size_t write_message(const struct node *node, unsigned face, unsigned char *wire)
{
    const struct halo *halo = node->halo;
    ptl_size_t length =
        weft_handler_rendezvous_begin(halo->eager, node->sent + face * halo->size, halo->size,
                                      FETCHED | bits_of(node->round, face), wire);
    return is_long(halo) && !halo->is_offloaded ? sizeof(struct weft_handler_ticket) : length;
}

static bool send_face(const struct node *node, unsigned face)
{
    const struct halo *halo = node->halo;
    size_t at = (node->round * halo->faces + face) * wire_bytes(halo);
    size_t length = write_message(node, face, node->wire + at);
    sim_nic_spend(halo->study->overhead);
    return (!is_long(halo) || expose(node, face)) &&
           need(node,
                PtlPut(node->side.md, at, length, PTL_NO_ACK_REQ,
                       sim_nic_side_node(neighbour(node, face)), SIM_NIC_ENTRY,
                       bits_of(node->round, face ^ 1), 0, NULL, 0),
                "PtlPut");
}

/* By the processor: a short message is copied, a long one fetched. */
static bool take_message(const struct node *node, unsigned face, const unsigned char *start)
{
    const struct halo *halo = node->halo;
    struct weft_handler_ticket ticket;
    if (!is_long(halo)) {
        memcpy(node->got + face * halo->size, start, halo->size);
        sim_nic_spend((double)halo->size / halo->study->host_memory);
        return true;
    }
    memcpy(&ticket, start, sizeof ticket);
    sim_nic_spend(halo->study->overhead);
    return need(node,
                PtlGet(node->faces[face], 0, halo->size, sim_nic_side_node(neighbour(node, face)),
                       SIM_NIC_ENTRY, ticket.tag, 0, NULL),
                "PtlGet");
}

/* One that handlers would have taken, if its receive had been there. */
static bool take_late(const struct node *node, const ptl_event_t *event)
{
    const struct halo *halo = node->halo;
    unsigned face = event->match_bits & 255;
    sim_nic_spend(is_long(halo) ? halo->study->overhead
                                : (double)halo->size / halo->study->host_memory);
    return need(node,
                weft_handler_rendezvous_late(&node->rendezvous, event, node->faces[face],
                                             node->got + face * halo->size),
                "weft_handler_rendezvous_late");
}

/* ---- Rounds ------------------------------------------------------------------------------- */

static bool take_put(struct node *node, const ptl_event_t *event)
{
    unsigned face = event->match_bits & 255;
    if (event->match_bits >> 8 != node->round) {
        node->early[face] = event->start;
        node->pending++; /* it is of the next round */
        return true;
    }
    return take_message(node, face, event->start);
}

/* The processor looks at what it must do something for, and at what is over. */
static bool take_event(struct node *node, const ptl_event_t *event)
{
    bool is_put = event->type == PTL_EVENT_PUT;
    bool is_first_part = node->halo->is_offloaded && is_put && is_long(node->halo);
    if (event->ni_fail_type != PTL_NI_OK)
        return need(node, PTL_FAIL, "a message failed");
    node->pending--;
    if (!is_first_part)
        sim_nic_spend(node->halo->study->poll);
    if (event->type == PTL_EVENT_PUT_OVERFLOW)
        return take_late(node, event);
    return !is_put || node->halo->is_offloaded || take_put(node, event);
}

static bool wait_for_all(struct node *node)
{
    ptl_event_t event;
    while (node->pending)
        if (!need(node, PtlEQWait(node->eq, &event), "PtlEQWait") || !take_event(node, &event))
            return false;
    return true;
}

static bool post_receives(struct node *node)
{
    for (unsigned face = 0; face < node->halo->faces; face++) {
        const unsigned char *early = node->early[face];
        node->early[face] = NULL;
        if (node->halo->is_offloaded && !post_receive(node, face))
            return false;
        if (early)
            node->pending--;
        if (early && !take_message(node, face, early))
            return false;
    }
    return true;
}

static void fill_faces(const struct node *node)
{
    const struct halo *halo = node->halo;
    memset(node->got, 0, halo->faces * halo->size);
    for (unsigned face = 0; face < halo->faces; face++)
        for (size_t i = 0; i < halo->size; i++)
            node->sent[face * halo->size + i] = byte_of(node->number, face, node->round, i);
}

static void check_faces(const struct node *node)
{
    struct halo *halo = node->halo;
    for (unsigned face = 0; face < halo->faces; face++)
        for (size_t i = 0; i < halo->size; i++)
            if (node->got[face * halo->size + i] !=
                byte_of(neighbour(node, face), face ^ 1, node->round, i))
                halo->is_right = false;
}

static bool exchange(struct node *node)
{
    const struct halo *halo = node->halo;
    double aside = halo->study->halo_overlap / 100;
    fill_faces(node);
    node->pending = halo->faces * (is_long(halo) ? 3 : 1); /* put, reply, and get of ours */
    if (!post_receives(node))
        return false;
    for (unsigned face = 0; face < halo->faces; face++)
        if (!send_face(node, face))
            return false;
    sim_nic_spend(aside * halo->compute);
    if (!wait_for_all(node))
        return false;
    check_faces(node);
    sim_nic_spend((1 - aside) * halo->compute);
    return true;
}

/* ---- Nodes -------------------------------------------------------------------------------- */

static bool open_node(struct node *node)
{
    const struct halo *halo = node->halo;
    node->side = (struct sim_nic_side){.fault = &node->halo->fault};
    ptl_md_t md = {.start = node->wire,
                   .length = ROUNDS * halo->faces * wire_bytes(halo),
                   .eq_handle = PTL_EQ_NONE,
                   .ct_handle = PTL_CT_NONE};
    if (!need(node, sim_nic_open(&node->side.ni), "PtlNIInit") ||
        !need(node, PtlEQAlloc(node->side.ni, 256, &node->eq), "PtlEQAlloc") ||
        !need(node, PtlPTAlloc(node->side.ni, 0, node->eq, SIM_NIC_ENTRY, &node->side.index),
              "PtlPTAlloc") ||
        !need(node, PtlMDBind(node->side.ni, &md, &node->side.md), "PtlMDBind"))
        return false;
    for (unsigned face = 0; face < halo->faces; face++) {
        md = (ptl_md_t){.start = node->got + face * halo->size,
                        .length = halo->size,
                        .eq_handle = node->eq,
                        .ct_handle = PTL_CT_NONE};
        if (!need(node, PtlMDBind(node->side.ni, &md, &node->faces[face]), "PtlMDBind"))
            return false;
    }
    node->rendezvous = (struct weft_handler_rendezvous){.eager = halo->eager, .room = halo->size};
    return append_buffer(node) &&
           need(node, weft_handler_rendezvous(node->side.ni, &node->rendezvous, &node->handlers),
                "weft_handler_rendezvous");
}

static void run_node(struct node *node)
{
    if (!open_node(node))
        return;
    while (node->round < ROUNDS && exchange(node))
        node->round++;
    if (sim_nic_now() > node->halo->end)
        node->halo->end = sim_nic_now();
}

static void program(unsigned number, void *argument)
{
    struct halo *halo = argument;
    size_t faces = halo->faces * halo->size, wire = ROUNDS * halo->faces * wire_bytes(halo);
    unsigned char *memory = malloc(2 * (faces + wire));
    struct node node = {.halo = halo,
                        .number = number,
                        .sent = memory,
                        .got = memory + faces,
                        .wire = memory + 2 * faces,
                        .kept = memory + 2 * faces + wire};
    if (memory)
        run_node(&node);
    else
        halo->fault.what = "no memory";
    free(memory);
}

/* ---- The simulation ----------------------------------------------------------------------- */

/* Handlers for tickets are code of the host: an address in their state is not for cores. */
static bool simulate(struct halo *halo)
{
    struct weft_nic_core_steady core = weft_nic_core_steady((uint64_t)halo->study->busy);
    struct weft_nic_stages stages;
    struct weft_sim_config config = sim_nic_config(halo->study, &stages);
    config.nodes = 1u << halo->faces / 2;
    config.nic.core = &core.core;
    halo->end = 0;
    halo->is_right = true;
    return sim_nic_side_simulate(&config, program, halo, &halo->fault);
}

/* With the messages of the processor; they hardly take longer if it computes longer. */
static bool find_compute(struct halo *halo)
{
    double share = halo->study->halo_share / 100;
    halo->is_offloaded = false;
    halo->compute = 10 * (double)halo->size;
    for (unsigned i = 0; i < FITS; i++) {
        if (!simulate(halo))
            return false;
        double messages = (double)halo->end / ROUNDS - halo->compute;
        halo->compute = floor(messages * (1 - share) / share);
    }
    return true;
}

bool sim_nic_halo(const struct sim_nic_study *study, struct sim_nic_finding *finding)
{
    struct halo halo = {.study = study,
                        .faces = 2 * (unsigned)study->halo_dimensions,
                        .size = (size_t)study->size,
                        .eager = (size_t)study->halo_eager};
    if (!find_compute(&halo))
        return false;
    halo.is_offloaded = study->way == SIM_NIC_HALO;
    if (!simulate(&halo))
        return false;
    double bytes = (double)(ROUNDS * halo.faces) * study->size;
    *finding = (struct sim_nic_finding){.time = (double)halo.end,
                                        .throughput = bytes * 8 / (double)halo.end,
                                        .is_right = halo.is_right};
    return true;
}
