/* SPDX-License-Identifier: BSD-3-Clause */
/* Every packet that is under way is somewhere, and every place of every buffer is accounted for.
 */
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
static uint32_t waiting_behind(const struct weft_sim_fabric *fabric,
                               const struct weft_sim_account *account)
{
    uint32_t channel = (uint32_t)(account - fabric->accounts) % fabric->channels;
    uint32_t far = account->port->far;
    if (account->port->reach == WEFT_SIM_UNPLUGGED || far >= fabric->ports)
        return 0;
    return length_of(&fabric->lines[(size_t)far * fabric->channels + channel]);
}

const char *weft_sim_fabric_audit(const struct weft_sim_network *network)
{
    const struct weft_sim_fabric *fabric = (const struct weft_sim_fabric *)network;
    size_t accounts = (size_t)(fabric->ports + fabric->nodes) * fabric->channels;
    uint64_t held = 0;
    for (size_t i = 0; i < accounts; i++) {
        const struct weft_sim_account *account = &fabric->accounts[i];
        uint32_t waiting = waiting_behind(fabric, account);
        held += waiting + account->flying;
        if (account->credits + account->flying + account->returning + waiting != fabric->places)
            return "the places of a buffer are not accounted for";
    }
    for (uint32_t node = 0; node < fabric->nodes; node++)
        held += fabric->berths[node].queue.count;
    return held == network->under_way ? NULL : "packets were lost or doubled";
}
