/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/place.h"

#include <hwloc.h>
#include <pthread.h>

/* Looked at once: it takes milliseconds. It stays until the process ends. */
static hwloc_topology_t topology;
static hwloc_bitmap_t allowed;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void look(void)
{
    if (hwloc_topology_init(&topology) != 0)
        return;
    hwloc_bitmap_t bound = hwloc_bitmap_alloc();
    if (bound && hwloc_topology_load(topology) == 0 &&
        hwloc_get_cpubind(topology, bound, HWLOC_CPUBIND_PROCESS) == 0) {
        allowed = bound;
        return;
    }
    hwloc_bitmap_free(bound);
    hwloc_topology_destroy(topology);
}

void weft_portals_place_thread(uint32_t number)
{
    pthread_once(&once, look);
    if (!allowed)
        return;
    int cores = hwloc_get_nbobjs_inside_cpuset_by_type(topology, allowed, HWLOC_OBJ_CORE);
    if (cores < 2)
        return;
    unsigned index = (unsigned)cores - 1 - number % (unsigned)cores;
    hwloc_obj_t core =
        hwloc_get_obj_inside_cpuset_by_type(topology, allowed, HWLOC_OBJ_CORE, index);
    if (core)
        hwloc_set_cpubind(topology, core->cpuset, HWLOC_CPUBIND_THREAD);
}
