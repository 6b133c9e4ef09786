/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/pair/pair_options.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/setting.h"
#include "bench/pair/bare_ofi.h"
#include "weft/command.h"
#include "weft/json.h"
#include "world/tcp/tcp.h"

#define SMALLEST ((size_t)8)
#define LARGEST ((size_t)4 << 20)

struct bench_settings pair_settings = {.rounds = 7, .seconds = 0.02};
struct pair_options pair_options = {.window = 64};
const struct option_words pair_worlds = {
    .names = crew_net_names, .count = CREW_NETS, .choice = &pair_options.world.net};

/* ---- Preparing ---------------------------------------------------------------------------- */

/* Each option may make sense, but not together, or not here. */
static bool fit_together(void)
{
    const struct crew_world *world = &pair_options.world;
    if (world->net == CREW_OFI && !bare_ofi_is_here()) {
        fprintf(stderr, "weft bench: --world ofi needs libfabric, which this program was built "
                        "without: install libfabric-dev and build it with -Dofi=enabled\n");
        return false;
    }
    if (world->net == CREW_TCP && !weft_tcp_is_built()) {
        fprintf(stderr, "weft bench: --world tcp needs libcrypto, which this program was built "
                        "without: install libssl-dev and build it with -Dtcp=enabled\n");
        return false;
    }
    if (world->provider && world->net != CREW_OFI) {
        fprintf(stderr, "weft bench: --provider is libfabric's, so it needs --world ofi\n");
        return false;
    }
    return true;
}

int pair_options_complete(void)
{
    if (pair_options.size_count == 0)
        pair_options.sizes[pair_options.size_count++] = SMALLEST;
    return fit_together() ? -1 : WEFT_EXIT_USAGE;
}

/* Quick runs skip sizes, but none that has a bar of its own. */
static bool is_for_quick_runs(size_t size)
{
    return size == SMALLEST || size == (size_t)64 << 10 || size == (size_t)1 << 20 ||
           (size == LARGEST && pair_options.world.net == CREW_TCP);
}

void pair_options_choose_sizes(void)
{
    if (pair_options.size_count > 0)
        return;
    for (size_t size = SMALLEST; size <= LARGEST; size *= 2)
        if (!pair_settings.is_quick || is_for_quick_runs(size))
            pair_options.sizes[pair_options.size_count++] = size;
}

/* ---- Starting ----------------------------------------------------------------------------- */

static struct pair_shape shape_of(const struct pair_options *options)
{
    struct pair_shape shape = {.world = options->world, .window = options->window};
    if (options->world.net != CREW_SHM) {
        shape.packet = weft_world_payload(weft_setting(WEFT_SETTING_OFI_PACKET_SIZE),
                                          options->world.net == CREW_TCP ? WEFT_WORLD_PAYLOAD_TCP
                                                                         : WEFT_WORLD_PAYLOAD);
    } else {
        shape.slots = (size_t)weft_setting(WEFT_SETTING_SHM_SLOTS);
        shape.packet = (size_t)weft_setting(WEFT_SETTING_PACKET_SIZE);
    }
    for (size_t i = 0; i < options->size_count; i++)
        if (options->sizes[i] > shape.largest)
            shape.largest = options->sizes[i];
    return shape;
}

static double load_average(void)
{
    double load;
    return getloadavg(&load, 1) == 1 ? load : 0;
}

static void print_world(const struct pair_shape *shape)
{
    if (shape->world.net == CREW_OFI)
        printf(", libfabric's %s on %s, packets of %zu bytes", pair_network()->provider,
               pair_network()->interface, pair_network()->packet);
    else if (shape->world.net == CREW_TCP)
        printf(", sockets, packets of %zu bytes", shape->packet);
    else
        printf(", %zu slots of %zu bytes", shape->slots, shape->packet);
}

static void print_heading(const char *name, const struct pair_shape *shape, double load)
{
    int cores[2];
    printf("# weft bench %s: two processes", name);
    if (crew_cores(cores))
        printf(" on cores %d and %d", cores[0], cores[1]);
    print_world(shape);
    if (pair_options.has_window)
        printf(", windows of %zu", shape->window);
    printf("\n# medians of %zu alternating rounds; load average before: %.2f\n",
           pair_settings.rounds, load);
}

void pair_options_start(const char *name)
{
    struct pair_shape shape = shape_of(&pair_options);
    double load = load_average();
    int cores[2];
    if (!crew_cores(cores))
        fprintf(stderr, "weft bench: there is only one core: the two processes take turns, and "
                        "the figures say little\n");
    pair_start(&shape);
    if (!pair_settings.json)
        print_heading(name, &shape, load);
    fflush(stdout);
}

void pair_options_json(const char *name)
{
    struct pair_shape shape = shape_of(&pair_options);
    bool is_ofi = shape.world.net == CREW_OFI;
    weft_json_string("benchmark", name);
    weft_json_string("world", crew_net_names[shape.world.net]);
    if (is_ofi) {
        weft_json_string("provider", pair_network()->provider);
        weft_json_string("interface", pair_network()->interface);
    } else if (shape.world.net == CREW_SHM) {
        weft_json_integer("slots", (int64_t)shape.slots);
    }
    weft_json_integer("packet", (int64_t)(is_ofi ? pair_network()->packet : shape.packet));
    weft_json_integer("rounds", (int64_t)pair_settings.rounds);
    if (pair_options.has_window)
        weft_json_integer("window", (int64_t)shape.window);
    weft_json_number("load", load_average());
}
