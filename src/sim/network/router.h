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

/* Places that are empty at the other end of an output, in one of its channels. */
struct weft_sim_account {
    uint16_t credits;
    uint16_t channel;
};

/* One behind the other with all that belongs to them, since what is asked for one is asked for all
 * of it: see weft_sim_port_at. */
struct weft_sim_port {
    uint64_t free; /* when the link behind it is */
    struct weft_sim_fabric *fabric;
    uint32_t number;
    uint32_t router;
    uint32_t far;      /* port at the other end */
    uint32_t crossing; /* output that the input is connected with, if it is busy */
    uint32_t used;     /* places taken behind the output, of all channels */
    uint16_t turn;     /* which line asks it first */
    uint8_t reach;
    bool is_connected;                  /* a packet passes the crossbar to it */
    struct weft_sim_account accounts[]; /* then, for each, the set of lines whose first packet asks
                                           for it */
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
    uint64_t flying;    /* packets that are on a link, */
    uint64_t returning; /* and credits, or places that a packet is leaving */
    size_t port_size;   /* bytes of a port, */
    size_t wanted_at;   /* and of what is before its sets */
    char *all_ports;
    struct weft_sim_line *lines; /* port * channels + channel */
    uint64_t *busy; /* of each router: the set of lines of inputs that are connected */
    struct weft_sim_berth *berths;
};

static inline struct weft_sim_port *weft_sim_port_at(const struct weft_sim_fabric *fabric,
                                                     uint32_t number)
{
    return (struct weft_sim_port *)(fabric->all_ports + number * fabric->port_size);
}

/* The set of lines of a router whose first packet asks for a channel of an output. */
static inline uint64_t *weft_sim_port_wanted(struct weft_sim_port *output, uint32_t channel)
{
    const struct weft_sim_fabric *fabric = output->fabric;
    return (uint64_t *)((char *)output + fabric->wanted_at) + channel * fabric->words;
}

/* The head of a packet, which follows from `at` and `channel`, is at the input of a router. */
void weft_sim_router_arrive(void *freight);

/* An output may have something to do. */
void weft_sim_router_serve(struct weft_sim_port *output);

/* Puts a packet on the link behind an output that has a credit for it, not before `ready`. */
void weft_sim_fabric_send(struct weft_sim_freight *freight, struct weft_sim_port *output,
                          uint32_t channel, uint64_t ready);

/* The place that a packet has in a channel of an input will be empty at that time. */
void weft_sim_fabric_leave(const struct weft_sim_port *input, uint32_t channel, uint64_t when);

static inline uint64_t weft_sim_port_latency(const struct weft_sim_port *port)
{
    return port->fabric->config.latency[port->reach];
}

#endif
