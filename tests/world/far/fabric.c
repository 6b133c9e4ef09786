/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/far/fabric.h"

#include <errno.h>
#include <string.h>

#include "support/tap.h"

struct posted_card *cards;

struct fabric fabric;

static int find_card(struct weft_world_directory *directory, struct weft_nic_address address,
                     struct weft_world_card *card)
{
    (void)directory;
    if (address.nid != 1 || address.pid >= MOST_PEERS)
        return -ENOENT;
    if (!cards[address.pid].is_there)
        return -EAGAIN;
    *card = cards[address.pid].card;
    return 0;
}

static struct weft_world_directory directory = {find_card};

struct weft_world_config config = {
    .provider = "",
    .interface = "",
    .payload = PAYLOAD,
    .directory = &directory,
    .window = WINDOW,
    .key = "sixteen bytes..",
};

void open_as(uint32_t pid)
{
    struct weft_world_card card;
    config.self = (struct weft_nic_address){1, pid};
    world = fabric.open(&config, &card);
    need(world != NULL);
    /* Others may be looking at the card of who had the address before. */
    cards[pid].is_there = false;
    cards[pid].card = card;
    cards[pid].is_there = true;
}

struct weft_world_counts counts(void)
{
    return fabric.counts(world);
}

unsigned rail_count(void)
{
    return fabric.rails;
}

void prepare_fabric(const struct fabric *kind, const char *provider, const char *interfaces)
{
    prepare_children();
    cards = share_memory(MOST_PEERS * sizeof *cards);
    some_packets_are_short = true;
    fabric = *kind;
    config.provider = provider;
    config.interface = interfaces;
    packets_come_in_any_order = rail_count() > 1;
}

void begin(const char *what)
{
    tap_note("%s %s: %s", config.provider, config.interface, what);
    config.payload = PAYLOAD;
    config.timeout = 10 * WEFT_CLOCK_SECOND;
    config.session_limit = 0;
    set("WEFT_LOG", "warn");
    *stage = (struct stage){.stream = 3000};
    memset(cards, 0, MOST_PEERS * sizeof *cards);
}
