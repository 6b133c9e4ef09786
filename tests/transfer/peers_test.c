/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a process keeps of each peer with which it never exchanges anything: an interface with its
 * map, and a net on it, of jobs of more and more processes. All that is allocated is counted, and
 * what does not grow with the job is left out.
 */
#include <malloc.h>
#include <stdlib.h>

#include "portals/simulate.h"
#include "support/tap.h"
#include "transfer/net.h"

#define MILLISECOND UINT64_C(1000000)
#define FEW 1000u
#define MANY 101000u
#define MOST_BYTES                                                                                \
    56 /* of a peer: 8 and 4 in the map, 40 in the net, and what malloc rounds up to */

struct sizes {
    size_t map, net;
};

static size_t allocated(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/* Only the first process is there. */
static bool open_net(ptl_handle_ni_t ni, uint32_t size, struct sizes *sizes)
{
    struct weft_net *net = NULL;
    ptl_process_t *map = malloc(size * sizeof *map);
    for (uint32_t i = 0; i < size; i++)
        map[i] = (ptl_process_t){.phys = {.nid = i + 1, .pid = 1}};
    size_t before = allocated();
    bool is_open = PtlSetMap(ni, size, map) == PTL_OK;
    sizes->map = allocated() - before;
    is_open = is_open && weft_net_attach_alone(ni, 0, size, 0, &net) == WEFT_OK;
    sizes->net = allocated() - before - sizes->map;
    free(map);
    weft_close(net);
    return is_open;
}

struct plan {
    uint32_t size;
    struct sizes sizes;
    bool is_open;
};

static void node_program(unsigned number, void *argument)
{
    struct plan *plan = argument;
    ptl_handle_ni_t ni;
    (void)number;
    if (PtlInit() != PTL_OK || PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, 1,
                                         NULL, NULL, &ni) != PTL_OK)
        return;
    plan->is_open = open_net(ni, plan->size, &plan->sizes);
    PtlNIFini(ni);
    PtlFini();
}

static struct sizes sizes_of_job(uint32_t size)
{
    struct plan plan = {.size = size};
    struct weft_sim_config config = {.nodes = 1,
                                     .seed = 1,
                                     .latency = 1000,
                                     .packet_size = 4096,
                                     .timeout = 1000 * MILLISECOND,
                                     .reliable = true,
                                     .limit = 60000 * MILLISECOND};
    check_int(weft_portals_simulate(&config, node_program, &plan), 0);
    check(plan.is_open);
    return plan.sizes;
}

int main(void)
{
    struct sizes few = sizes_of_job(FEW), many = sizes_of_job(MANY);
    double map = (double)(many.map - few.map) / (MANY - FEW);
    double net = (double)(many.net - few.net) / (MANY - FEW);
    tap_note("bytes of a peer: %.2f in the map, %.2f in the net", map, net);
    check(many.map > few.map && many.net > few.net);
    check(map + net <= MOST_BYTES);
    return tap_done();
}
