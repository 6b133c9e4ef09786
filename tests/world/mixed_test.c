/* SPDX-License-Identifier: BSD-3-Clause */
/* What a NIC may believe of a world that is two: packets of either must fit what it makes for
 * them. */
#include "world/mixed.h"

#include "support/tap.h"
#include "world/sim/sim.h"

/* Nothing runs on these nodes. */
static void enter(void *context)
{
    (void)context;
}

static uint64_t step(void *context)
{
    (void)context;
    return UINT64_MAX;
}

static struct weft_sim *network_of(uint32_t payload, bool has_paths)
{
    const struct weft_sim_config config = {.nodes = 2,
                                           .packet_size = payload,
                                           .bandwidth = 1000,
                                           .reliable = true,
                                           .paths = has_paths ? 2 : 1,
                                           .path_delay = 100,
                                           .timeout = 1000000,
                                           .limit = 1000000000,
                                           .enter = enter,
                                           .step = step};
    return weft_sim_create(&config);
}

static void check_mixture(uint32_t near_payload, uint32_t far_payload, bool near_reorders,
                          bool far_reorders)
{
    struct weft_sim *near = network_of(near_payload, near_reorders);
    struct weft_sim *far = network_of(far_payload, far_reorders);
    struct weft_nic_world *one = weft_sim_world(near, 0), *other = weft_sim_world(far, 0);
    uint32_t largest =
        one->packet_size > other->packet_size ? one->packet_size : other->packet_size;
    struct weft_nic_world *both = weft_world_mixed_open(one, other);
    check_uint(both->packet_size, largest);
    check_int(both->reorders, near_reorders || far_reorders);
    both->ops->close(both);
    weft_sim_destroy(near);
    weft_sim_destroy(far);
}

int main(void)
{
    check_mixture(8192, 65536, false, false);
    check_mixture(65536, 8192, false, true);
    check_mixture(4096, 4096, true, false);
    return tap_done();
}
