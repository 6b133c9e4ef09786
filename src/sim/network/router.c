/* SPDX-License-Identifier: BSD-3-Clause */
/* Routers: who gets which output. */
#include "sim/network/router.h"

#include "base/random.h"

#define WORD 64u

/* ---- Sets of lines: line v of input i of a router is i * channels + v --------------------- */

static uint64_t *busy_of(const struct weft_sim_port *port)
{
    return port->fabric->busy + (size_t)port->router * port->fabric->words;
}

static void set_bit(uint64_t *set, uint32_t bit, bool is_in)
{
    uint64_t mask = UINT64_C(1) << bit % WORD;
    set[bit / WORD] = is_in ? set[bit / WORD] | mask : set[bit / WORD] & ~mask;
}

static struct weft_sim_line *line_at(const struct weft_sim_fabric *fabric, uint32_t router,
                                     uint32_t bit)
{
    return &fabric->lines[(size_t)router * fabric->radix * fabric->channels + bit];
}

static uint32_t first_bit(const struct weft_sim_port *input)
{
    const struct weft_sim_fabric *fabric = input->fabric;
    return (input->number - input->router * fabric->radix) * fabric->channels;
}

/* ---- What the first packet of a line wants ------------------------------------------------ */

static uint32_t load(const void *self, uint32_t router, struct weft_sim_hop hop, bool by_channel)
{
    const struct weft_sim_fabric *fabric = self;
    const struct weft_sim_port *port = weft_sim_port_at(fabric, router * fabric->radix + hop.port);
    uint32_t places =
        by_channel ? fabric->places - port->accounts[hop.channel].credits : port->used;
    return places * fabric->config.packet;
}

static struct weft_sim_port *output_of(const struct weft_sim_port *input,
                                       const struct weft_sim_freight *first)
{
    return weft_sim_port_at(input->fabric,
                            input->router * input->fabric->radix + first->next.port);
}

static void ask(const struct weft_sim_port *input, const struct weft_sim_freight *first, bool does)
{
    set_bit(weft_sim_port_wanted(output_of(input, first), first->next.channel),
            first_bit(input) + first->channel, does);
}

static void choose_way(const struct weft_sim_port *input, struct weft_sim_freight *first)
{
    struct weft_sim_fabric *fabric = input->fabric;
    first->next =
        weft_sim_route_next(&fabric->config.routing, fabric->config.topology, input->router,
                            &first->way, &(struct weft_sim_loads){fabric, load}, &fabric->random);
    ask(input, first, true);
}

/* ---- The crossbar ------------------------------------------------------------------------- */

static double draw(uint64_t *random)
{
    return (double)(weft_random_next(random) >> 11) * 0x1p-53;
}

/* [Sch17], section 4.1: what counts is the queue at the other end of the link. */
static void mark(struct weft_sim_fabric *fabric, struct weft_sim_freight *freight,
                 uint32_t credits)
{
    double from = fabric->config.mark_from;
    double full = 1 - (double)credits / fabric->places;
    if (!freight->is_marked && full > from)
        freight->is_marked =
            draw(&fabric->random) < fabric->config.mark_rate * (full - from) / (1 - from);
}

static void connect(struct weft_sim_port *input, struct weft_sim_port *output, bool does)
{
    for (uint32_t channel = 0; channel < input->fabric->channels; channel++)
        set_bit(busy_of(input), first_bit(input) + channel, does);
    input->crossing = output->number;
    output->is_connected = does;
}

static bool is_busy(const struct weft_sim_port *input)
{
    uint32_t bit = first_bit(input);
    return busy_of(input)[bit / WORD] >> bit % WORD & 1;
}

static void leave_line(const struct weft_sim_port *input, struct weft_sim_line *line)
{
    ask(input, line->first, false);
    line->first = (struct weft_sim_freight *)line->first->packet.next;
    if (line->first)
        choose_way(input, line->first);
}

/* When the last flit of a packet is where its first is waiting. */
static uint64_t tail_of(const struct weft_sim_port *input, const struct weft_sim_freight *freight)
{
    return freight->packet.departure + weft_sim_port_latency(input) -
           input->fabric->config.flit_time;
}

static void end_crossing(void *input);

static void cross(struct weft_sim_line *line, struct weft_sim_port *output)
{
    struct weft_sim_fabric *fabric = output->fabric;
    struct weft_sim_freight *freight = line->first;
    struct weft_sim_port *input = weft_sim_port_at(fabric, freight->at);
    uint32_t channel = freight->next.channel;
    uint64_t now = fabric->network.engine->now, tail = tail_of(input, freight);
    uint64_t end = now + (uint64_t)freight->flits * fabric->config.cross_time;
    if (fabric->config.mark_rate > 0)
        mark(fabric, freight, output->accounts[channel].credits);
    connect(input, output, true);
    leave_line(input, line);
    weft_sim_engine_post(fabric->network.engine, end, end_crossing, input);
    weft_sim_fabric_leave(input, freight->channel, end > tail ? end : tail);
    weft_sim_fabric_send(freight, output, channel, now + fabric->config.pipeline);
}

/* ---- Outputs ------------------------------------------------------------------------------ */

/* Lines of one word of the set that could pass to the output now. */
static uint64_t ready_in(struct weft_sim_port *output, uint32_t word)
{
    uint64_t set = 0;
    for (uint32_t channel = 0; channel < output->fabric->channels; channel++)
        if (output->accounts[channel].credits)
            set |= weft_sim_port_wanted(output, channel)[word];
    return set & ~busy_of(output)[word];
}

/* The first line from `turn` on, round the set; -1: none. */
static int64_t first_ready(struct weft_sim_port *output)
{
    uint32_t words = output->fabric->words, word = output->turn / WORD;
    uint64_t below = (UINT64_C(1) << output->turn % WORD) - 1;
    for (uint32_t i = 0; i <= words; i++) {
        uint64_t set = ready_in(output, word);
        set &= i == 0 ? ~below : i == words ? below : ~UINT64_C(0);
        if (set)
            return (int64_t)word * WORD + __builtin_ctzll(set);
        word = word + 1 < words ? word + 1 : 0;
    }
    return -1;
}

static void take_turn(struct weft_sim_port *output)
{
    const struct weft_sim_fabric *fabric = output->fabric;
    int64_t bit = output->is_connected ? -1 : first_ready(output);
    if (bit < 0)
        return;
    output->turn = (uint16_t)((bit + 1) % (fabric->radix * fabric->channels));
    cross(line_at(fabric, output->router, (uint32_t)bit), output);
}

static void decide_again(struct weft_sim_freight *first)
{
    const struct weft_sim_fabric *fabric = (const struct weft_sim_fabric *)first->packet.network;
    const struct weft_sim_port *input = weft_sim_port_at(fabric, first->at);
    const struct weft_sim_port *before = output_of(input, first);
    if (!weft_sim_route_is_open(&fabric->config.routing, fabric->config.topology, input->router,
                                &first->way))
        return;
    ask(input, first, false);
    choose_way(input, first);
    struct weft_sim_port *output = output_of(input, first);
    if (output != before)
        take_turn(output);
}

/* First packets that cannot go on because there is no room behind the output. */
static void reconsider(struct weft_sim_port *output)
{
    const struct weft_sim_fabric *fabric = output->fabric;
    for (uint32_t channel = 0; channel < fabric->channels; channel++)
        for (uint32_t word = 0; word < fabric->words && !output->accounts[channel].credits;
             word++) {
            uint64_t set = weft_sim_port_wanted(output, channel)[word] & ~busy_of(output)[word];
            for (; set; set &= set - 1) {
                uint32_t bit = word * WORD + (uint32_t)__builtin_ctzll(set);
                decide_again(line_at(fabric, output->router, bit)->first);
            }
        }
}

void weft_sim_router_serve(struct weft_sim_port *output)
{
    take_turn(output);
    if (output->fabric->config.routing.is_fickle)
        reconsider(output);
}

/* ---- Events ------------------------------------------------------------------------------- */

void weft_sim_router_arrive(void *argument)
{
    struct weft_sim_freight *freight = argument;
    struct weft_sim_fabric *fabric = (struct weft_sim_fabric *)freight->packet.network;
    struct weft_sim_line *line = &fabric->lines[freight->at * fabric->channels + freight->channel];
    fabric->flying--;
    freight->packet.next = NULL;
    if (line->first) {
        line->last->packet.next = &freight->packet;
        line->last = freight;
        return;
    }
    const struct weft_sim_port *input = weft_sim_port_at(fabric, freight->at);
    line->first = line->last = freight;
    choose_way(input, freight);
    weft_sim_router_serve(output_of(input, freight));
}

/* The input goes on with another of its lines, if an output has waited for it. */
static void serve_input(const struct weft_sim_port *input)
{
    const struct weft_sim_fabric *fabric = input->fabric;
    uint32_t first = (uint32_t)(fabric->network.engine->events % fabric->channels);
    for (uint32_t i = 0; i < fabric->channels && !is_busy(input); i++) {
        uint32_t channel = (first + i) % fabric->channels;
        const struct weft_sim_line *line =
            &fabric->lines[input->number * fabric->channels + channel];
        if (line->first)
            weft_sim_router_serve(output_of(input, line->first));
    }
}

static void end_crossing(void *argument)
{
    struct weft_sim_port *input = argument;
    struct weft_sim_port *output = weft_sim_port_at(input->fabric, input->crossing);
    connect(input, output, false);
    weft_sim_router_serve(output);
    serve_input(input);
}
