/* SPDX-License-Identifier: BSD-3-Clause */
#include "info_nic.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/deadline.h"
#include "base/setting.h"
#include "bench/pair/bare_ofi.h"
#include "json.h"
#include "nic/interface.h"
#include "world/far.h"
#include "world/ofi/ofi.h"
#include "world/shm/shm.h"
#include "world/tcp/tcp.h"
#include "world/world.h"

/* ---- Worlds ------------------------------------------------------------------------------- */

struct probe {
    bool has_shm, has_ofi, has_tcp;
    const char *cipher; /* the library of sockets; NULL: there is none */
    struct weft_shm_memory memory;
};

/* Each world is opened for a moment, apart from all programs. */
static bool probe_far(struct weft_nic_world *(*open)(const struct weft_world_config *config,
                                                     struct weft_world_card *own),
                      const char *interface)
{
    struct weft_world_card card;
    struct weft_world_config config = {.provider = weft_setting_text(WEFT_SETTING_OFI_PROVIDER),
                                       .interface = interface,
                                       .timeout = weft_deadline_span(WEFT_SETTING_TIMEOUT),
                                       .self = {1, 1}};
    struct weft_nic_world *world = open(&config, &card);
    if (world)
        world->ops->close(world);
    return world != NULL;
}

/* Sockets take the first interface. If several are named, libfabric has them all: sockets must not
 * warn here that they leave some out. */
static bool probe_tcp(const char *interfaces)
{
    char first[256];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(interfaces, ","), interfaces);
    return weft_tcp_is_built() && probe_far(weft_tcp_open, first);
}

static struct probe probe_worlds(void)
{
    const char *interfaces = weft_setting_text(WEFT_SETTING_OFI_INTERFACE);
    char rendezvous[64];
    enum weft_world_status status;
    snprintf(rendezvous, sizeof(rendezvous), "%s/weft-info-%d", P_tmpdir, (int)getpid());
    struct weft_nic_world *world =
        weft_shm_open((struct weft_nic_address){.nid = 1, .pid = 1}, rendezvous, &status);
    struct probe probe = {.has_shm = world != NULL,
                          .has_ofi = bare_ofi_is_here() && probe_far(weft_ofi_open, interfaces),
                          .has_tcp = probe_tcp(interfaces),
                          .cipher = weft_tcp_cipher_library()};
    if (world) {
        probe.memory = weft_shm_memory(world);
        world->ops->close(world);
    }
    return probe;
}

static const struct world {
    const char *name;
    const char *help; /* NULL: see help_of */
    bool needs_shm, needs_ofi, needs_tcp;
} worlds[] = {
    {"auto", NULL, .needs_shm = true},
    {"shm", "the memory of this host, between processes of one user", .needs_shm = true},
    {"ofi", "any fabric that libfabric knows, between the processes of a job", .needs_ofi = true},
    {"tcp", "sockets, authenticated and encrypted, between the processes of a job",
     .needs_tcp = true},
    {"sim", "virtual time: many nodes in one process, for tests and simulations", false, false,
     false},
};

#define WORLDS (sizeof(worlds) / sizeof(worlds[0]))

/* Whether WEFT_WORLD names it. */
static bool is_in_force(const struct world *world)
{
    const char *choice = weft_setting_info(WEFT_SETTING_WORLD)->choices;
    for (uint64_t i = weft_setting(WEFT_SETTING_WORLD); i; i--)
        choice += strcspn(choice, "|") + 1;
    size_t length = strcspn(choice, "|");
    return length == strlen(world->name) && memcmp(choice, world->name, length) == 0;
}

static bool is_for_programs(const struct world *world)
{
    return world->needs_shm || world->needs_ofi || world->needs_tcp;
}

static bool is_usable(const struct world *world, const struct probe *probe)
{
    return (!world->needs_shm || probe->has_shm) && (!world->needs_ofi || probe->has_ofi) &&
           (!world->needs_tcp || probe->has_tcp);
}

/* What auto takes between hosts follows from what is there. */
static const char *help_of(const struct world *world)
{
    if (world->help)
        return world->help;
    return weft_world_far_choose() == WEFT_WORLD_FAR_TCP ? "shm within a host, tcp between hosts"
                                                         : "shm within a host, ofi between hosts";
}

static const char *state_of(const struct world *world, const struct probe *probe)
{
    if (!is_for_programs(world))
        return "not for programs";
    return is_usable(world, probe) ? "usable here" : "not usable here";
}

/* ---- Limits ------------------------------------------------------------------------------- */

#define LIMIT_MAP(X)                                                                              \
    X(max_entries, "list entries")                                                                \
    X(max_unexpected_headers, "messages that wait in overflow lists")                             \
    X(max_mds, "memory descriptors")                                                              \
    X(max_cts, "counting events")                                                                 \
    X(max_eqs, "event queues")                                                                    \
    X(max_pt_index, "largest index of the portal table")                                          \
    X(max_iovecs, "pieces of a descriptor or entry")                                              \
    X(max_list_size, "entries in one list")                                                       \
    X(max_triggered_ops, "triggered operations that wait")                                        \
    X(max_msg_size, "bytes of a message")                                                         \
    X(max_atomic_size, "bytes of an atomic operation")                                            \
    X(max_fetch_atomic_size, "bytes of a fetching atomic operation or swap")                      \
    X(max_waw_ordered_size, "bytes of a put that stay in order after a put")                      \
    X(max_war_ordered_size, "bytes of a put that stay in order after a get")                      \
    X(max_volatile_size, "bytes of a volatile descriptor that are copied")

static const struct limit {
    const char *name;
    const char *help;
    size_t offset;
    bool is_int;
} limits[] = {
#define LIMIT(name, help)                                                                         \
    {#name, help, offsetof(ptl_ni_limits_t, name),                                                \
     sizeof(((ptl_ni_limits_t *)0)->name) == sizeof(int)},
    LIMIT_MAP(LIMIT)
#undef LIMIT
};

#define LIMITS (sizeof(limits) / sizeof(limits[0]))

static int64_t limit_value(const struct limit *limit)
{
    const char *at = (const char *)&weft_nic_ni_limits + limit->offset;
    int number;
    ptl_size_t size;
    if (limit->is_int) {
        memcpy(&number, at, sizeof(number));
        return number;
    }
    memcpy(&size, at, sizeof(size));
    return (int64_t)size;
}

static const struct {
    const char *name;
    unsigned bit;
} features[] = {
    {"PTL_TARGET_BIND_INACCESSIBLE", PTL_TARGET_BIND_INACCESSIBLE},
    {"PTL_TOTAL_DATA_ORDERING", PTL_TOTAL_DATA_ORDERING},
    {"PTL_COHERENT_ATOMICS", PTL_COHERENT_ATOMICS},
};

#define FEATURES (sizeof(features) / sizeof(features[0]))

/* ---- Peers -------------------------------------------------------------------------------- */

/* Of a peer that was never used, for each logical interface: its entry of the map of ranks, and
 * the place where its record will be remembered. */
#define IDLE_BYTES                                                                                \
    (sizeof(*((struct weft_nic_ni *)0)->map) + sizeof(*((struct weft_nic_ni *)0)->peer_ids))

static size_t connected_bytes(const struct probe *probe)
{
    return sizeof(struct weft_nic_peer) + probe->memory.record + probe->memory.ring;
}

/* ---- Reports ------------------------------------------------------------------------------ */

void info_nic_print(void)
{
    struct probe found = probe_worlds();
    printf("\nWorlds:\n");
    for (size_t i = 0; i < WORLDS; i++)
        printf("  %-6s %s; %s%s\n", worlds[i].name, help_of(&worlds[i]),
               state_of(&worlds[i], &found), is_in_force(&worlds[i]) ? ", in force" : "");
    if (found.cipher)
        printf("\nSockets are sealed by %s\n", found.cipher);
    printf("\nMemory for each other process:\n");
    printf("  idle       %8zu bytes in each logical interface with a map\n", IDLE_BYTES);
    if (found.has_shm)
        printf("  connected  %8zu bytes: %zu of the NIC, %zu of the world, %zu of the ring\n",
               connected_bytes(&found), sizeof(struct weft_nic_peer), found.memory.record,
               found.memory.ring);
    if (found.has_shm)
        printf("  all        %8zu bytes of rings at most, of %" PRIu32
               " processes that send much; "
               "rings that nobody uses cost nothing\n",
               found.memory.most, found.memory.peers);
    printf("\nLimits of an interface:\n");
    for (size_t i = 0; i < LIMITS; i++)
        printf("  %-22s %16" PRId64 "  %s\n", limits[i].name, limit_value(&limits[i]),
               limits[i].help);
    printf("  %-22s", "features");
    for (size_t i = 0; i < FEATURES; i++)
        if (weft_nic_ni_limits.features & features[i].bit)
            printf(" %s", features[i].name);
    printf("\n");
}

static void json_worlds(const struct probe *probe)
{
    weft_json_open("worlds", '[');
    for (size_t i = 0; i < WORLDS; i++) {
        weft_json_open(NULL, '{');
        weft_json_string("name", worlds[i].name);
        weft_json_string("help", help_of(&worlds[i]));
        weft_json_bool("in_force", is_in_force(&worlds[i]));
        weft_json_bool("for_programs", is_for_programs(&worlds[i]));
        if (is_for_programs(&worlds[i]))
            weft_json_bool("usable", is_usable(&worlds[i], probe));
        if (worlds[i].needs_tcp && probe->cipher)
            weft_json_string("cipher", probe->cipher);
        weft_json_close('}');
    }
    weft_json_close(']');
}

static void json_peers(const struct probe *probe)
{
    weft_json_integer("bytes_per_idle_peer", (int64_t)IDLE_BYTES);
    if (!probe->has_shm)
        return;
    weft_json_open("bytes_per_connected_peer", '{');
    weft_json_integer("nic", (int64_t)sizeof(struct weft_nic_peer));
    weft_json_integer("world", (int64_t)probe->memory.record);
    weft_json_integer("ring", (int64_t)probe->memory.ring);
    weft_json_integer("all", (int64_t)connected_bytes(probe));
    weft_json_close('}');
    weft_json_open("shm", '{');
    weft_json_integer("most_processes", probe->memory.peers);
    weft_json_integer("most_bytes", (int64_t)probe->memory.most);
    weft_json_close('}');
}

void info_nic_json(void)
{
    struct probe found = probe_worlds();
    json_worlds(&found);
    json_peers(&found);
    weft_json_open("limits", '{');
    for (size_t i = 0; i < LIMITS; i++)
        weft_json_integer(limits[i].name, limit_value(&limits[i]));
    weft_json_close('}');
    weft_json_open("features", '[');
    for (size_t i = 0; i < FEATURES; i++)
        if (weft_nic_ni_limits.features & features[i].bit)
            weft_json_string(NULL, features[i].name);
    weft_json_close(']');
}
