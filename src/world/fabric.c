/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/fabric.h"

#include "base/log.h"
#include "packet/packet.h"
#include "world/secret.h"

bool weft_world_begin(struct weft_nic_world *world, const struct weft_world_config *config,
                      uint32_t payload, uint64_t *instance)
{
    if (payload + WEFT_PACKET_HEADERS < WEFT_PACKET_SMALLEST || payload > UINT32_MAX / 64 ||
        config->window > UINT16_MAX || config->timeout == 0) {
        weft_log(WEFT_LOG_ERROR,
                 "the packet size, the window or the timeout is out of range; the first is at "
                 "least %zu",
                 WEFT_PACKET_SMALLEST - WEFT_PACKET_HEADERS);
        return false;
    }
    world->self = config->self;
    world->uid = config->uid;
    world->packet_size = (uint32_t)(payload + WEFT_PACKET_HEADERS);
    world->reliable = true;
    world->timeout = config->timeout;
    *instance = config->instance;
    if (*instance || weft_world_random(instance, sizeof *instance))
        return true;
    weft_log(WEFT_LOG_ERROR, "the system has no random numbers");
    return false;
}
