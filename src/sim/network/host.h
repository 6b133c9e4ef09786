/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What nodes do: send packets as fast as they are let, and receive. Two ways to let them send less
 * are those of [Sch17], section 4.1:
 *
 * Windows. A sender has so many packets under way to a receiver and no more; when that has taken
 * one, it may send another. That stands for receivers that pull: what comes back is the next
 * request. It takes as long as a flit on an empty network. Neighbours of a halo have a window each;
 * where a sender has any number of receivers, they share one.
 *
 * Notification. Routers mark packets that see congestion; for each marked packet, the receiver
 * marks one of those that it sends back, and who receives such a one counts it and sends at a
 * lower rate. This needs peers that send to each other.
 */
#ifndef WEFT_SIM_NETWORK_HOST_H
#define WEFT_SIM_NETWORK_HOST_H

#include "sim/network/fabric.h"
#include "sim/network/pattern.h"

enum weft_sim_window_kind {
    WEFT_SIM_WINDOW_NONE,
    WEFT_SIM_WINDOW_FIXED,
    /* As many packets as the receiver takes during `gain` times the shortest round trip so far. */
    WEFT_SIM_WINDOW_MEASURED,
};

struct weft_sim_hosts_config {
    enum weft_sim_window_kind window;
    uint32_t window_size; /* fixed, or to begin with */
    double window_gain;
    bool is_notified;
    uint32_t becn_add;   /* to the count, for a packet that tells of congestion, */
    uint32_t becn_drop;  /* from it, for any other, */
    uint32_t becn_most;  /* where it ends and nothing is sent */
    uint64_t becn_every; /* ticks after which it drops by one */
    uint64_t seed;
};

/* From a host to the receivers that share a window. */
struct weft_sim_lane {
    uint32_t under_way; /* packets that were sent and have not been answered */
    uint32_t window;
    uint64_t shortest;           /* round trip */
    uint64_t epoch, epoch_taken; /* since when it is measured how much is taken, and how much that
                                    was */
};

struct weft_sim_host {
    struct weft_sim_hosts *hosts;
    struct weft_sim_lane *lanes; /* as many as its pattern has */
    uint32_t number;
    uint64_t sent;    /* packets */
    uint64_t turn;    /* of the next */
    uint64_t taken;   /* flits that were received */
    uint64_t ready;   /* when it may send again */
    bool is_timed;    /* an event will come then */
    uint32_t count;   /* of notifications */
    uint64_t counted; /* when it last dropped by itself */
    uint32_t to_tell; /* marks that its peer has not been told of */
};

struct weft_sim_hosts {
    struct weft_sim_network *network;
    const struct weft_sim_fabric_config *fabric;
    const struct weft_sim_pattern *pattern;
    struct weft_sim_hosts_config config;
    uint64_t random;
    bool is_over;     /* nothing more is sent */
    uint64_t taken;   /* flits, by all */
    uint64_t packets; /* that were received, */
    uint64_t time;    /* ticks that they took, */
    uint64_t detours; /* how many took one, */
    uint64_t marks;   /* and how many were marked */
    struct weft_sim_parcel *free, *blocks;
    struct weft_sim_host *hosts;
    struct weft_sim_lane *lanes; /* of all of them */
};

/* Makes a network of either kind. */
typedef struct weft_sim_network *
weft_sim_fabric_maker(struct weft_sim_engine *engine, const struct weft_sim_network_user *user,
                      const struct weft_sim_fabric_config *config);

/* All begin to send, each at its time. False without memory: then they are to be finished, too.
 * Fabric and pattern outlive them. */
bool weft_sim_hosts_init(struct weft_sim_hosts *hosts, struct weft_sim_engine *engine,
                         weft_sim_fabric_maker *make, const struct weft_sim_fabric_config *fabric,
                         const struct weft_sim_pattern *pattern,
                         const struct weft_sim_hosts_config *config);
void weft_sim_hosts_fini(struct weft_sim_hosts *hosts);

#endif
