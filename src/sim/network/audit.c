/* SPDX-License-Identifier: BSD-3-Clause */
/* Every packet that is under way is somewhere, and every place of every buffer is accounted for:
 * it is empty and its sender knows, or a packet is in it or on the way to it, or its credit is on
 * the way back. How many are on which way is not known for each buffer, only for all. */
#include "sim/network/router.h"

static uint32_t length_of(const struct weft_sim_line *line)
{
    uint32_t length = 0;
    for (const struct weft_sim_packet *packet = line->first ? &line->first->packet : NULL; packet;
         packet = packet->next)
        length++;
    return length;
}

/* The line at the other end of an output; nodes take packets without one. */
static uint32_t waiting_behind(const struct weft_sim_port *output, uint32_t channel)
{
    const struct weft_sim_fabric *fabric = output->fabric;
    if (output->reach == WEFT_SIM_UNPLUGGED || output->far >= fabric->ports)
        return 0;
    return length_of(&fabric->lines[(size_t)output->far * fabric->channels + channel]);
}

const char *weft_sim_fabric_audit(const struct weft_sim_network *network)
{
    const struct weft_sim_fabric *fabric = (const struct weft_sim_fabric *)network;
    uint64_t waiting = 0, moving = 0, queued = 0;
    for (uint32_t i = 0; i < fabric->ports + fabric->nodes; i++) {
        const struct weft_sim_port *port = weft_sim_port_at(fabric, i);
        uint32_t used = 0;
        for (uint32_t channel = 0; channel < fabric->channels; channel++) {
            uint32_t behind = waiting_behind(port, channel);
            uint32_t credits = port->accounts[channel].credits;
            if (credits + behind > fabric->places)
                return "a buffer has more packets than places";
            waiting += behind;
            moving += fabric->places - credits - behind;
            used += fabric->places - credits;
        }
        if (used != port->used)
            return "the places behind a port are not those of its channels";
    }
    for (uint32_t node = 0; node < fabric->nodes; node++)
        queued += fabric->berths[node].queue.count;
    if (moving != fabric->flying + fabric->returning)
        return "places of buffers are not accounted for";
    return waiting + fabric->flying + queued == network->under_way
               ? NULL
               : "packets were lost or doubled";
}
