/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/network/host.h"

#include <stdlib.h>

#define BLOCK 1024u /* packets that memory is taken for at once */
#define EPOCH_PACKETS                                                                             \
    16u /* after which a window is measured again, or after all of a smaller one */

/* A packet of a host. */
struct weft_sim_parcel {
    _Alignas(64) struct weft_sim_freight freight; /* first */
    uint64_t sent;
    uint8_t lane;
    bool tells; /* of congestion (BECN) */
};

static struct weft_sim_engine *engine_of(const struct weft_sim_hosts *hosts)
{
    return hosts->network->engine;
}

/* ---- Memory of packets -------------------------------------------------------------------- */

static void give(struct weft_sim_hosts *hosts, struct weft_sim_parcel *parcel)
{
    parcel->freight.packet.next = (struct weft_sim_packet *)hosts->free;
    hosts->free = parcel;
}

/* The first of a block only links it with the others. */
static bool take_block(struct weft_sim_hosts *hosts)
{
    struct weft_sim_parcel *block =
        aligned_alloc(_Alignof(struct weft_sim_parcel), BLOCK * sizeof *block);
    if (!block)
        return false;
    block->freight.packet.next = (struct weft_sim_packet *)hosts->blocks;
    hosts->blocks = block;
    for (unsigned i = 1; i < BLOCK; i++)
        give(hosts, &block[i]);
    return true;
}

static struct weft_sim_parcel *take(struct weft_sim_hosts *hosts)
{
    if (!hosts->free && !take_block(hosts))
        return NULL;
    struct weft_sim_parcel *parcel = hosts->free;
    hosts->free = (struct weft_sim_parcel *)parcel->freight.packet.next;
    return parcel;
}

/* ---- Notification ------------------------------------------------------------------------- */

static void let_count_drop(struct weft_sim_host *host, uint64_t now)
{
    uint64_t drops = (now - host->counted) / host->hosts->config.becn_every;
    host->counted += drops * host->hosts->config.becn_every;
    host->count = drops < host->count ? host->count - (uint32_t)drops : 0;
}

static void count_notification(struct weft_sim_host *host, const struct weft_sim_parcel *parcel)
{
    const struct weft_sim_hosts_config *config = &host->hosts->config;
    let_count_drop(host, engine_of(host->hosts)->now);
    host->to_tell += parcel->freight.is_marked;
    if (parcel->tells)
        host->count += config->becn_add;
    else
        host->count -= host->count < config->becn_drop ? host->count : config->becn_drop;
    if (host->count > config->becn_most)
        host->count = config->becn_most;
}

/* Ticks between the beginnings of two packets; the rate falls linearly with the count. */
static uint64_t pause_of(const struct weft_sim_host *host, uint64_t packet_time)
{
    uint32_t most = host->hosts->config.becn_most;
    return packet_time * most / (most - host->count);
}

/* ---- Windows ------------------------------------------------------------------------------ */

/* Ours: receivers know how fast they take packets, and how long the shortest round trip was. With
 * so many packets under way, the round trip becomes `gain` times as long where the network is in
 * the way, and no buffer holds more than that of a receiver that is. */
static void measure_window(struct weft_sim_lane *lane, double gain, uint64_t now,
                           uint64_t round_trip)
{
    if (round_trip < lane->shortest)
        lane->shortest = round_trip;
    if (++lane->epoch_taken < EPOCH_PACKETS && lane->epoch_taken < lane->window)
        return;
    double rate = (double)lane->epoch_taken / (double)(now - lane->epoch);
    double window = gain * rate * (double)lane->shortest;
    lane->window = window < 1 ? 1 : (uint32_t)(window + 0.5);
    lane->epoch = now;
    lane->epoch_taken = 0;
}

static void send_more(struct weft_sim_host *host);

static void come_back(void *argument)
{
    struct weft_sim_parcel *parcel = argument;
    struct weft_sim_hosts *hosts =
        (struct weft_sim_hosts *)parcel->freight.packet.network->user.self;
    struct weft_sim_host *host = &hosts->hosts[parcel->freight.packet.source];
    struct weft_sim_lane *lane = &host->lanes[parcel->lane];
    uint64_t now = engine_of(hosts)->now;
    lane->under_way--;
    if (hosts->config.window == WEFT_SIM_WINDOW_MEASURED)
        measure_window(lane, hosts->config.window_gain, now, now - parcel->sent);
    give(hosts, parcel);
    send_more(host);
}

/* ---- Sending ------------------------------------------------------------------------------ */

static void wake(void *argument)
{
    struct weft_sim_host *host = argument;
    host->is_timed = false;
    send_more(host);
}

static void wait_until(struct weft_sim_host *host, uint64_t time)
{
    if (!host->is_timed)
        weft_sim_engine_post(engine_of(host->hosts), time, wake, host);
    host->is_timed = true;
}

static uint32_t lane_of(const struct weft_sim_host *host, uint64_t turn)
{
    return (uint32_t)(turn % weft_sim_pattern_lanes(host->hosts->pattern));
}

/* Goes on to the next turn whose receiver has a window for it. False if none has. */
static bool find_turn(struct weft_sim_host *host)
{
    const struct weft_sim_hosts *hosts = host->hosts;
    uint32_t lanes = weft_sim_pattern_lanes(hosts->pattern);
    for (uint64_t turn = host->turn; turn < host->turn + lanes; turn++) {
        const struct weft_sim_lane *lane = &host->lanes[lane_of(host, turn)];
        if (hosts->config.window && lane->under_way >= lane->window)
            continue;
        host->turn = turn;
        return true;
    }
    return false;
}

/* False if it must wait. */
static bool is_let(struct weft_sim_host *host)
{
    const struct weft_sim_hosts_config *config = &host->hosts->config;
    uint64_t now = engine_of(host->hosts)->now;
    if (!find_turn(host))
        return false;
    if (!config->is_notified)
        return true;
    let_count_drop(host, now);
    if (host->count == config->becn_most)
        wait_until(host, host->counted + config->becn_every);
    else if (host->ready > now)
        wait_until(host, host->ready);
    else
        return true;
    return false;
}

static void send(struct weft_sim_host *host, uint32_t target)
{
    struct weft_sim_hosts *hosts = host->hosts;
    struct weft_sim_parcel *parcel = take(hosts);
    uint64_t now = engine_of(hosts)->now;
    if (!parcel) {
        engine_of(hosts)->starved = true;
        return;
    }
    uint32_t flits = hosts->fabric->packet;
    parcel->freight.packet =
        (struct weft_sim_packet){.size = (uint64_t)flits * hosts->fabric->flit_size,
                                 .source = host->number,
                                 .target = target};
    parcel->sent = now;
    parcel->tells = host->to_tell > 0;
    host->to_tell -= parcel->tells;
    parcel->lane = (uint8_t)lane_of(host, host->turn);
    host->lanes[parcel->lane].under_way++;
    host->sent++;
    host->turn++;
    if (hosts->config.is_notified)
        host->ready = now + pause_of(host, (uint64_t)flits * hosts->fabric->flit_time);
    weft_sim_network_inject(hosts->network, &parcel->freight.packet);
}

static void send_more(struct weft_sim_host *host)
{
    struct weft_sim_hosts *hosts = host->hosts;
    while (!hosts->is_over && weft_sim_network_has_room(hosts->network, host->number) &&
           is_let(host)) {
        uint32_t target =
            weft_sim_pattern_target(hosts->pattern, host->number, host->turn, &hosts->random);
        if (target == WEFT_SIM_NOWHERE || engine_of(hosts)->starved)
            return;
        send(host, target);
    }
}

/* ---- The user of the network -------------------------------------------------------------- */

static void room(void *self, uint32_t node)
{
    send_more(&((struct weft_sim_hosts *)self)->hosts[node]);
}

static void deliver(void *self, struct weft_sim_packet *packet)
{
    struct weft_sim_hosts *hosts = self;
    struct weft_sim_parcel *parcel = (struct weft_sim_parcel *)packet;
    struct weft_sim_host *host = &hosts->hosts[packet->target];
    uint64_t now = engine_of(hosts)->now;
    host->taken += parcel->freight.flits;
    hosts->taken += parcel->freight.flits;
    hosts->packets++;
    hosts->time += now - parcel->sent;
    hosts->detours += parcel->freight.way.leg != WEFT_SIM_DIRECT;
    hosts->marks += parcel->freight.is_marked;
    if (hosts->config.is_notified)
        count_notification(host, parcel);
    if (hosts->config.window)
        weft_sim_engine_post(
            engine_of(hosts),
            now + weft_sim_fabric_alone(hosts->fabric, packet->target, packet->source, 1),
            come_back, parcel);
    else
        give(hosts, parcel);
}

/* Not all at once: each within the time of a packet. */
static void begin(struct weft_sim_hosts *hosts, uint32_t number)
{
    struct weft_sim_host *host = &hosts->hosts[number];
    uint32_t packet_time = hosts->fabric->packet * hosts->fabric->flit_time;
    uint32_t lanes = weft_sim_pattern_lanes(hosts->pattern);
    *host = (struct weft_sim_host){
        .hosts = hosts, .number = number, .lanes = &hosts->lanes[(size_t)number * lanes]};
    for (uint32_t lane = 0; lane < lanes; lane++)
        host->lanes[lane] = (struct weft_sim_lane){.window = hosts->config.window_size,
                                                   .shortest = WEFT_SIM_NEVER};
    wait_until(host, weft_sim_topology_draw(&hosts->random, packet_time));
}

bool weft_sim_hosts_init(struct weft_sim_hosts *hosts, struct weft_sim_engine *engine,
                         weft_sim_fabric_maker *make, const struct weft_sim_fabric_config *fabric,
                         const struct weft_sim_pattern *pattern,
                         const struct weft_sim_hosts_config *config)
{
    uint32_t nodes = fabric->topology->nodes;
    *hosts = (struct weft_sim_hosts){
        .fabric = fabric, .pattern = pattern, .config = *config, .random = config->seed};
    hosts->network = make(
        engine, &(struct weft_sim_network_user){.self = hosts, .deliver = deliver, .room = room},
        fabric);
    hosts->hosts = calloc(nodes, sizeof *hosts->hosts);
    hosts->lanes = calloc((size_t)nodes * weft_sim_pattern_lanes(pattern), sizeof *hosts->lanes);
    if (!hosts->network || !hosts->hosts || !hosts->lanes)
        return false;
    for (uint32_t node = 0; node < nodes; node++)
        begin(hosts, node);
    return true;
}

void weft_sim_hosts_fini(struct weft_sim_hosts *hosts)
{
    weft_sim_network_destroy(hosts->network);
    free(hosts->hosts);
    free(hosts->lanes);
    while (hosts->blocks) {
        struct weft_sim_parcel *block = hosts->blocks;
        hosts->blocks = (struct weft_sim_parcel *)block->freight.packet.next;
        free(block);
    }
}
