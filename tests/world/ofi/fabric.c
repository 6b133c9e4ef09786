/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/ofi/fabric.h"

#include <errno.h>
#include <string.h>

#include "support/tap.h"
#include "world/ofi/provider.h"

struct posted_card *cards;

static int find_card(struct weft_ofi_directory *directory, struct weft_nic_address address,
                     struct weft_ofi_card *card)
{
    (void)directory;
    if (address.nid != 1 || address.pid >= MOST_PEERS)
        return -ENOENT;
    if (!cards[address.pid].is_there)
        return -EAGAIN;
    *card = cards[address.pid].card;
    return 0;
}

static struct weft_ofi_directory directory = {find_card};

struct weft_ofi_config config = {
    .provider = "",
    .interface = "",
    .payload = PAYLOAD,
    .directory = &directory,
    .window = WINDOW,
    .key = "sixteen bytes..",
};

void open_as(uint32_t pid)
{
    config.self = (struct weft_nic_address){1, pid};
    world = weft_ofi_open(&config, &cards[pid].card);
    need(world != NULL);
    cards[pid].is_there = true;
}

unsigned rail_count(void)
{
    return weft_ofi_provider_interfaces(config.interface);
}

void prepare_fabric(const char *provider, const char *interfaces)
{
    prepare_children();
    cards = share_memory(MOST_PEERS * sizeof *cards);
    some_packets_are_short = true;
    config.provider = provider;
    config.interface = interfaces;
    packets_come_in_any_order = rail_count() > 1;
}

void begin(const char *what)
{
    tap_note("%s %s: %s", config.provider, config.interface, what);
    config.timeout = 10 * WEFT_CLOCK_SECOND;
    config.session_limit = 0;
    set("WEFT_LOG", "warn");
    *stage = (struct stage){.stream = 3000};
    memset(cards, 0, MOST_PEERS * sizeof *cards);
}
