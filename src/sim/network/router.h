/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state of a network of routers, packet by packet, in arrays over all of them. Port p of
 * router r is r * radix + p; behind all ports of routers, each node has one. A port is an input
 * and an output; each of its channels has a line at the input, and an account of credits for the
 * line at the other end of its output.
 *
 * All that happens is one of five events: a head arrives at a line, a packet has passed a
 * crossbar, a credit comes back, a node's link is free, a node has taken a packet.
 */
#ifndef WEFT_SIM_NETWORK_ROUTER_H
#define WEFT_SIM_NETWORK_ROUTER_H

#include "sim/network/fabric.h"

/* Packets of a channel that are in a router, linked by their `next`. */
struct weft_sim_line {
    struct weft_sim_freight *first, *last;
};

/* Places at the other end of an output: the sum is the same at all times, with those in the line.
 */
struct weft_sim_account {
    struct weft_sim_port *port;
    uint16_t credits;
    uint16_t flying;    /* packets that have not arrived there */
    uint16_t returning; /* credits on their way back, or of packets that are leaving */
};

struct weft_sim_port {
    uint64_t free; /* when the link behind it is */
    uint32_t router;
    uint32_t far;      /* port at the other end */
    uint32_t crossing; /* output that the input is connected with, if it is busy */
    uint32_t used;     /* places taken behind the output, of all channels */
    uint16_t turn;     /* which line asks it first */
    uint8_t reach;
    bool is_connected; /* a packet passes the crossbar to it */
    struct weft_sim_fabric *fabric;
};

/* A node, besides its port. */
struct weft_sim_berth {
    struct weft_sim_queue queue; /* that wait for its link */
    uint64_t idle;               /* when it has taken all packets that are under way to it */
    bool is_timed;               /* an event will come when its link is free */
};

struct weft_sim_fabric {
    struct weft_sim_network network; /* first */
    struct weft_sim_fabric_config config;
    uint32_t radix, channels, nodes, ports; /* ports of routers */
    uint32_t places;                        /* of a buffer */
    uint32_t words;                         /* of a set of lines of a router */
    uint64_t random;
    struct weft_sim_port *all_ports;
    struct weft_sim_line *lines;       /* port * channels + channel */
    struct weft_sim_account *accounts; /* likewise */
    uint64_t *wanted; /* of each account: the set of lines whose first packet asks for it */
    uint64_t *busy;   /* of each router: the set of lines of inputs that are connected */
    struct weft_sim_berth *berths;
};

/* The head of a packet, which follows from `at` and `channel`, is at the input of a router. */
void weft_sim_router_arrive(void *freight);

/* An output may have something to do. */
void weft_sim_router_serve(struct weft_sim_fabric *fabric, uint32_t output);

/* Puts a packet on the link behind an output that has a credit for it, not before `ready`. */
void weft_sim_fabric_send(struct weft_sim_fabric *fabric, struct weft_sim_freight *freight,
                          uint32_t output, uint32_t channel, uint64_t ready);

/* The place that a packet has at the input `at` will be empty at that time. */
void weft_sim_fabric_leave(struct weft_sim_fabric *fabric, uint32_t at, uint32_t channel,
                           uint64_t when);

static inline uint64_t weft_sim_fabric_latency(const struct weft_sim_fabric *fabric, uint32_t port)
{
    return fabric->config.latency[fabric->all_ports[port].reach];
}

#endif
