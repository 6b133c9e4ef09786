/* SPDX-License-Identifier: BSD-3-Clause */
/* Routers: who gets which output. */
#include "sim/network/router.h"

#include "base/random.h"

#define WORD 64u

/* ---- Sets of lines: line v of input i of a router is i * channels + v --------------------- */

static uint64_t *wanted_of(const struct weft_sim_fabric *fabric, uint32_t output, uint32_t channel)
{
    return fabric->wanted + ((size_t)output * fabric->channels + channel) * fabric->words;
}

static uint64_t *busy_of(const struct weft_sim_fabric *fabric, uint32_t router)
{
    return fabric->busy + (size_t)router * fabric->words;
}

static void set_bit(uint64_t *set, uint32_t bit, bool is_in)
{
    uint64_t mask = UINT64_C(1) << bit % WORD;
    set[bit / WORD] = is_in ? set[bit / WORD] | mask : set[bit / WORD] & ~mask;
}

static uint32_t first_port(const struct weft_sim_fabric *fabric, uint32_t router)
{
    return router * fabric->radix;
}

static struct weft_sim_line *line_at(const struct weft_sim_fabric *fabric, uint32_t router,
                                     uint32_t bit)
{
    return &fabric->lines[(size_t)first_port(fabric, router) * fabric->channels + bit];
}

static uint32_t bit_of(const struct weft_sim_fabric *fabric, const struct weft_sim_freight *first)
{
    uint32_t router = fabric->all_ports[first->at].router;
    return (first->at - first_port(fabric, router)) * fabric->channels + first->channel;
}

/* ---- What the first packet of a line wants ------------------------------------------------ */

static uint32_t load(const void *self, uint32_t router, struct weft_sim_hop hop, bool by_channel)
{
    const struct weft_sim_fabric *fabric = self;
    uint32_t port = first_port(fabric, router) + hop.port;
    uint32_t places = fabric->all_ports[port].used;
    if (by_channel)
        places = fabric->places - fabric->accounts[port * fabric->channels + hop.channel].credits;
    return places * fabric->config.packet;
}

static uint32_t output_of(const struct weft_sim_fabric *fabric,
                          const struct weft_sim_freight *freight)
{
    return first_port(fabric, fabric->all_ports[freight->at].router) + freight->next.port;
}

static void ask(struct weft_sim_fabric *fabric, struct weft_sim_freight *first, bool does)
{
    uint64_t *wanted = wanted_of(fabric, output_of(fabric, first), first->next.channel);
    set_bit(wanted, bit_of(fabric, first), does);
}

static void choose_way(struct weft_sim_fabric *fabric, struct weft_sim_freight *first)
{
    first->next = weft_sim_route_next(&fabric->config.routing, fabric->config.topology,
                                      fabric->all_ports[first->at].router, &first->route,
                                      &(struct weft_sim_loads){fabric, load}, &fabric->random);
    ask(fabric, first, true);
}

/* ---- The crossbar ------------------------------------------------------------------------- */

static double draw(uint64_t *random)
{
    return (double)(weft_random_next(random) >> 11) * 0x1p-53;
}

/* [Sch17], section 4.1: what counts is the queue at the other end of the link. */
static void mark(struct weft_sim_fabric *fabric, struct weft_sim_freight *freight,
                 const struct weft_sim_account *account)
{
    double from = fabric->config.mark_from;
    double full = 1 - (double)account->credits / fabric->places;
    if (!freight->is_marked && full > from)
        freight->is_marked =
            draw(&fabric->random) < fabric->config.mark_rate * (full - from) / (1 - from);
}

static void connect(struct weft_sim_fabric *fabric, uint32_t input, uint32_t output, bool does)
{
    uint32_t router = fabric->all_ports[input].router;
    uint32_t bit = (input - first_port(fabric, router)) * fabric->channels;
    for (uint32_t channel = 0; channel < fabric->channels; channel++)
        set_bit(busy_of(fabric, router), bit + channel, does);
    fabric->all_ports[input].crossing = output;
    fabric->all_ports[output].is_connected = does;
}

static bool is_busy(const struct weft_sim_fabric *fabric, uint32_t input)
{
    uint32_t router = fabric->all_ports[input].router;
    uint32_t bit = (input - first_port(fabric, router)) * fabric->channels;
    return busy_of(fabric, router)[bit / WORD] >> bit % WORD & 1;
}

static void leave_line(struct weft_sim_fabric *fabric, struct weft_sim_line *line)
{
    ask(fabric, line->first, false);
    line->first = (struct weft_sim_freight *)line->first->packet.next;
    if (line->first)
        choose_way(fabric, line->first);
}

static void end_crossing(void *input);

static void cross(struct weft_sim_fabric *fabric, struct weft_sim_line *line, uint32_t output)
{
    struct weft_sim_freight *freight = line->first;
    uint32_t input = freight->at, channel = freight->next.channel;
    uint64_t now = fabric->network.engine->now;
    uint64_t end = now + (uint64_t)freight->flits * fabric->config.cross_time;
    if (fabric->config.mark_rate > 0)
        mark(fabric, freight, &fabric->accounts[output * fabric->channels + channel]);
    connect(fabric, input, output, true);
    leave_line(fabric, line);
    weft_sim_engine_post(fabric->network.engine, end, end_crossing, &fabric->all_ports[input]);
    weft_sim_fabric_leave(fabric, input, freight->channel,
                          end > freight->tail ? end : freight->tail);
    weft_sim_fabric_send(fabric, freight, output, channel, now + fabric->config.pipeline);
}

/* ---- Outputs ------------------------------------------------------------------------------ */

/* Lines of one word of the set that could pass to the output now. */
static uint64_t ready_in(const struct weft_sim_fabric *fabric, uint32_t output, uint32_t word)
{
    uint64_t set = 0;
    for (uint32_t channel = 0; channel < fabric->channels; channel++)
        if (fabric->accounts[output * fabric->channels + channel].credits)
            set |= wanted_of(fabric, output, channel)[word];
    return set & ~busy_of(fabric, fabric->all_ports[output].router)[word];
}

/* The first line from `turn` on, round the set; -1: none. */
static int64_t first_ready(const struct weft_sim_fabric *fabric, uint32_t output)
{
    uint32_t turn = fabric->all_ports[output].turn, word = turn / WORD;
    uint64_t below = (UINT64_C(1) << turn % WORD) - 1;
    for (uint32_t i = 0; i <= fabric->words; i++) {
        uint64_t set = ready_in(fabric, output, word);
        set &= i == 0 ? ~below : i == fabric->words ? below : ~UINT64_C(0);
        if (set)
            return (int64_t)word * WORD + __builtin_ctzll(set);
        word = word + 1 < fabric->words ? word + 1 : 0;
    }
    return -1;
}

static void take_turn(struct weft_sim_fabric *fabric, uint32_t output)
{
    struct weft_sim_port *port = &fabric->all_ports[output];
    int64_t bit = port->is_connected ? -1 : first_ready(fabric, output);
    if (bit < 0)
        return;
    port->turn = (uint16_t)((bit + 1) % (fabric->radix * fabric->channels));
    cross(fabric, line_at(fabric, port->router, (uint32_t)bit), output);
}

static void decide_again(struct weft_sim_fabric *fabric, struct weft_sim_freight *first)
{
    uint32_t before = output_of(fabric, first);
    if (!weft_sim_route_is_open(&fabric->config.routing, fabric->config.topology,
                                fabric->all_ports[first->at].router, &first->route))
        return;
    ask(fabric, first, false);
    choose_way(fabric, first);
    uint32_t output = output_of(fabric, first);
    if (output != before)
        take_turn(fabric, output);
}

/* First packets that cannot go on because there is no room behind the output. */
static void reconsider(struct weft_sim_fabric *fabric, uint32_t output)
{
    uint32_t router = fabric->all_ports[output].router;
    for (uint32_t channel = 0; channel < fabric->channels; channel++) {
        if (fabric->accounts[output * fabric->channels + channel].credits)
            continue;
        for (uint32_t word = 0; word < fabric->words; word++) {
            uint64_t set =
                wanted_of(fabric, output, channel)[word] & ~busy_of(fabric, router)[word];
            for (; set; set &= set - 1) {
                uint32_t bit = word * WORD + (uint32_t)__builtin_ctzll(set);
                decide_again(fabric, line_at(fabric, router, bit)->first);
            }
        }
    }
}

void weft_sim_router_serve(struct weft_sim_fabric *fabric, uint32_t output)
{
    take_turn(fabric, output);
    if (fabric->config.routing.is_fickle)
        reconsider(fabric, output);
}

/* ---- Events ------------------------------------------------------------------------------- */

void weft_sim_router_arrive(void *argument)
{
    struct weft_sim_freight *freight = argument;
    struct weft_sim_fabric *fabric = (struct weft_sim_fabric *)freight->packet.network;
    uint32_t far = fabric->all_ports[freight->at].far;
    struct weft_sim_line *line = &fabric->lines[freight->at * fabric->channels + freight->channel];
    fabric->accounts[far * fabric->channels + freight->channel].flying--;
    freight->packet.next = NULL;
    if (line->first) {
        line->last->packet.next = &freight->packet;
        line->last = freight;
        return;
    }
    line->first = line->last = freight;
    choose_way(fabric, freight);
    weft_sim_router_serve(fabric, output_of(fabric, freight));
}

/* The input goes on with another of its lines, if an output has waited for it. */
static void serve_input(struct weft_sim_fabric *fabric, uint32_t input)
{
    uint32_t first = (uint32_t)(fabric->network.engine->events % fabric->channels);
    for (uint32_t i = 0; i < fabric->channels && !is_busy(fabric, input); i++) {
        uint32_t channel = (first + i) % fabric->channels;
        const struct weft_sim_line *line = &fabric->lines[input * fabric->channels + channel];
        if (line->first)
            weft_sim_router_serve(fabric, output_of(fabric, line->first));
    }
}

static void end_crossing(void *argument)
{
    const struct weft_sim_port *port = argument;
    struct weft_sim_fabric *fabric = port->fabric;
    uint32_t input = (uint32_t)(port - fabric->all_ports), output = port->crossing;
    connect(fabric, input, output, false);
    weft_sim_router_serve(fabric, output);
    serve_input(fabric, input);
}
