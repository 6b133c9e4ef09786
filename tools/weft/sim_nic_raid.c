/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_nic_raid.h"

#include <stdlib.h>
#include <string.h>
#include <weft_handlers.h>

#include "sim_nic_side.h"

/* Data nodes come first. */
#define DATA 4u
#define PARITY 4u
#define CLIENT 5u
#define NODES 6u

/* Match bits of entries. */
enum { BLOCKS = 1, RELAY, ACKNOWLEDGED, DONE, DIFFERENCES /* and more: one of each data node */ };

#define WORD sizeof(uint64_t) /* an acknowledgement */

struct storage {
    const struct sim_nic_study *study;
    size_t share; /* of each data node */
    unsigned char *fresh, *blocks, *parity, *landed, *differences, *expected;
    uint64_t begin, end;
    struct sim_nic_fault fault;
};

static bool uses_handlers(const struct storage *storage)
{
    return storage->study->way == SIM_NIC_RAID;
}

static void combine(unsigned char *bytes, const unsigned char *others, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] ^= others[i];
}

/* ---- What all nodes do --------------------------------------------------------------------- */

struct node {
    struct storage *storage;
    unsigned number;
    struct sim_nic_side side; /* its counter is for the end */
};

static bool put(const struct node *node, size_t offset, size_t length, unsigned to,
                ptl_match_bits_t bits)
{
    sim_nic_spend(node->storage->study->overhead);
    return sim_nic_side_need(&node->side,
                             PtlPut(node->side.md, offset, length, PTL_NO_ACK_REQ,
                                    sim_nic_side_node(to), SIM_NIC_ENTRY, bits, 0, NULL, 0),
                             "PtlPut");
}

/* An entry whose bytes are counted. */
static bool append_counted(const struct node *node, ptl_match_bits_t bits, void *start,
                           size_t length, ptl_handle_ct_t counter)
{
    ptl_me_t me = sim_nic_side_entry(&node->side, start, length);
    me.match_bits = bits;
    me.ct_handle = counter;
    return sim_nic_side_append(&node->side, &me, NULL);
}

static bool open_counter(const struct node *node, ptl_handle_ct_t *counter)
{
    return sim_nic_side_need(&node->side, PtlCTAlloc(node->side.ni, counter), "PtlCTAlloc");
}

static bool await(const struct node *node, ptl_handle_ct_t counter, size_t bytes)
{
    ptl_ct_event_t count;
    return sim_nic_side_need(&node->side, PtlCTWait(counter, bytes, &count), "PtlCTWait");
}

/* Also what tells it that all is over. */
static bool open_node(struct node *node, void *sends, size_t length)
{
    static unsigned char end[WORD];
    return sim_nic_side_open(&node->side, &node->storage->fault, sends, length) &&
           append_counted(node, DONE, end, sizeof end, node->side.bytes);
}

/* ---- By handlers --------------------------------------------------------------------------- */

static bool append_code(const struct node *node, ptl_me_t *me, ptl_image_handlers_t image,
                        const void *state, size_t length)
{
    ptl_handlers_t handlers = {.hpu_initial_state = state,
                               .hpu_initial_state_length = length,
                               .user_hdr_size = image.header_handler ? WORD : 0};
    return sim_nic_side_append_image(&node->side, me, &image, &handlers);
}

static bool hold_data(const struct node *node, unsigned char *blocks)
{
    const struct weft_handler_raid_data data = {.parity = sim_nic_side_node(PARITY),
                                                .parity_bits = DIFFERENCES};
    const struct weft_handler_raid_relay relay = {.client_bits = ACKNOWLEDGED};
    ptl_me_t me = sim_nic_entry(blocks, node->storage->share), passing = sim_nic_entry(NULL, 0);
    me.match_bits = BLOCKS;
    passing.match_bits = RELAY;
    return append_code(node, &me, (ptl_image_handlers_t){.payload_handler = "write_packet"}, &data,
                       sizeof data) &&
           append_code(node, &passing, (ptl_image_handlers_t){.header_handler = "relay_bytes"},
                       &relay, sizeof relay);
}

static bool hold_parity(const struct node *node)
{
    const struct weft_handler_raid_parity parity = {.relay_bits = RELAY};
    ptl_me_t me = sim_nic_entry(node->storage->parity, node->storage->share);
    me.match_bits = DIFFERENCES;
    return append_code(node, &me, (ptl_image_handlers_t){.payload_handler = "apply_packet"},
                       &parity, sizeof parity);
}

/* ---- By processors ------------------------------------------------------------------------- */

/* Both blocks are read, the difference and one of them are written. */
static bool exchange_block(const struct node *node, unsigned char *blocks)
{
    const struct storage *storage = node->storage;
    const size_t share = storage->share, at = node->number * share;
    unsigned char *difference = storage->differences + at;
    memcpy(difference, blocks, share);
    combine(difference, storage->landed + at, share);
    memcpy(blocks, storage->landed + at, share);
    sim_nic_spend(storage->study->poll + 4 * (double)share / storage->study->host_memory);
    return put(node, 0, share, PARITY, DIFFERENCES + node->number);
}

static bool serve_data(const struct node *node, unsigned char *blocks)
{
    const struct storage *storage = node->storage;
    static unsigned char passing[WORD];
    ptl_handle_ct_t arrived, acknowledged;
    return open_counter(node, &arrived) && open_counter(node, &acknowledged) &&
           append_counted(node, BLOCKS, storage->landed + node->number * storage->share,
                          storage->share, arrived) &&
           append_counted(node, RELAY, passing, sizeof passing, acknowledged) &&
           sim_nic_side_need(&node->side,
                             PtlTriggeredPut(node->side.md, 0, WORD, PTL_NO_ACK_REQ,
                                             sim_nic_side_node(CLIENT), SIM_NIC_ENTRY,
                                             ACKNOWLEDGED, 0, NULL, 0, acknowledged, WORD),
                             "PtlTriggeredPut") &&
           await(node, arrived, storage->share) && exchange_block(node, blocks);
}

/* Difference and parity are read, and the parity is written. */
static bool serve_parity(const struct node *node, unsigned char *arriving)
{
    const struct storage *storage = node->storage;
    const size_t share = storage->share;
    ptl_handle_ct_t arrived[DATA];
    for (unsigned i = 0; i < DATA; i++)
        if (!open_counter(node, &arrived[i]) ||
            !append_counted(node, DIFFERENCES + i, arriving + i * share, share, arrived[i]))
            return false;
    for (unsigned i = 0; i < DATA; i++) {
        if (!await(node, arrived[i], share))
            return false;
        combine(storage->parity, arriving + i * share, share);
        sim_nic_spend(storage->study->poll + 3 * (double)share / storage->study->host_memory);
        if (!put(node, 0, WORD, i, RELAY))
            return false;
    }
    return true;
}

/* ---- Nodes -------------------------------------------------------------------------------- */

static bool run_data(struct node *node)
{
    const struct storage *storage = node->storage;
    const size_t at = node->number * storage->share;
    return open_node(node, storage->differences + at, storage->share) &&
           (uses_handlers(storage) ? hold_data(node, storage->blocks + at)
                                   : serve_data(node, storage->blocks + at)) &&
           sim_nic_side_await(&node->side, 1);
}

static bool run_parity(struct node *node)
{
    const struct storage *storage = node->storage;
    unsigned char *arriving = malloc(DATA * storage->share);
    bool is_good = sim_nic_side_need(&(struct sim_nic_side){.fault = &node->storage->fault},
                                     arriving ? PTL_OK : PTL_NO_SPACE, "no memory") &&
                   open_node(node, storage->parity, storage->share) &&
                   (uses_handlers(storage) ? hold_parity(node) : serve_parity(node, arriving)) &&
                   sim_nic_side_await(&node->side, 1);
    free(arriving);
    return is_good;
}

static bool await_acknowledgements(struct node *node)
{
    static unsigned char word[WORD];
    const struct storage *storage = node->storage;
    ptl_handle_ct_t acknowledged;
    ptl_handlers_t handlers;
    ptl_me_t me;
    if (!open_counter(node, &acknowledged))
        return false;
    me = sim_nic_side_entry(&node->side, uses_handlers(storage) ? NULL : word,
                            uses_handlers(storage) ? 0 : sizeof word);
    me.match_bits = ACKNOWLEDGED;
    me.ct_handle = acknowledged;
    weft_handler_raid_client(&handlers);
    if (uses_handlers(storage))
        me.options &= ~(unsigned)PTL_ME_EVENT_CT_COMM;
    if (!sim_nic_side_append(&node->side, &me, uses_handlers(storage) ? &handlers : NULL))
        return false;
    node->storage->begin = sim_nic_now();
    for (unsigned i = 0; i < DATA; i++)
        if (!put(node, i * storage->share, storage->share, i, BLOCKS))
            return false;
    return await(node, acknowledged,
                 uses_handlers(storage) ? DATA * storage->share : DATA * sizeof word);
}

static bool run_client(struct node *node)
{
    if (!open_node(node, node->storage->fresh, DATA * node->storage->share) ||
        !await_acknowledgements(node))
        return false;
    sim_nic_spend(node->storage->study->poll);
    node->storage->end = sim_nic_now();
    for (unsigned i = 0; i < CLIENT; i++)
        if (!put(node, 0, 1, i, DONE))
            return false;
    return true;
}

static void program(unsigned number, void *argument)
{
    struct node node = {.storage = argument, .number = number};
    if (number == CLIENT)
        run_client(&node);
    else if (number == PARITY)
        run_parity(&node);
    else
        run_data(&node);
}

/* ---- The simulation ----------------------------------------------------------------------- */

static void fill(struct storage *storage)
{
    const size_t share = storage->share;
    for (size_t i = 0; i < DATA * share; i++) {
        storage->fresh[i] = (unsigned char)(1 + i % 251);
        storage->blocks[i] = (unsigned char)(i % 13 + i / 256);
    }
    for (size_t i = 0; i < share; i++)
        storage->parity[i] = (unsigned char)(7 * i);
    memcpy(storage->expected, storage->parity, share);
    for (unsigned i = 0; i < DATA; i++) {
        combine(storage->expected, storage->blocks + i * share, share);
        combine(storage->expected, storage->fresh + i * share, share);
    }
}

static bool run(struct storage *storage, struct sim_nic_finding *finding)
{
    const size_t size = DATA * storage->share;
    struct weft_nic_stages stages;
    struct weft_sim_config config = sim_nic_config(storage->study, &stages);
    config.nodes = NODES;
    fill(storage);
    if (!sim_nic_side_simulate(&config, program, storage, &storage->fault))
        return false;
    double time = (double)(storage->end - storage->begin);
    *finding = (struct sim_nic_finding){
        .time = time,
        .throughput = (double)size * 8 / time,
        .is_right = memcmp(storage->blocks, storage->fresh, size) == 0 &&
                    memcmp(storage->parity, storage->expected, storage->share) == 0};
    return true;
}

bool sim_nic_raid(const struct sim_nic_study *study, struct sim_nic_finding *finding)
{
    size_t share = ((size_t)study->size + DATA - 1) / DATA, size = DATA * share;
    unsigned char *memory = calloc(1, 4 * size + 2 * share);
    if (!memory)
        return false;
    struct storage storage = {.study = study,
                              .share = share,
                              .fresh = memory,
                              .blocks = memory + size,
                              .landed = memory + 2 * size,
                              .differences = memory + 3 * size,
                              .parity = memory + 4 * size,
                              .expected = memory + 4 * size + share};
    bool is_good = run(&storage, finding);
    free(memory);
    return is_good;
}
