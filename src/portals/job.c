/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <portals4_job.h>
#include <stdlib.h>

#include "base/deadline.h"
#include "base/log.h"
#include "base/setting.h"
#include "job/wireup.h"
#include "portals/process.h"
#include "world/world.h"

/* Waits only where nobody knows the host of a rank before it has come. */
static int find_rank(uint32_t rank, uint64_t deadline, ptl_process_t *id)
{
    struct weft_nic_address address = {0, 0};
    uint64_t nap = WEFT_CLOCK_MILLISECOND;
    int result;
    while ((result = weft_world_address(rank, &address)) == -EAGAIN) {
        if (weft_deadline_is_over(deadline)) {
            weft_log(WEFT_LOG_ERROR, "rank %u of the job did not come within %llu ms", rank,
                     (unsigned long long)weft_setting(WEFT_SETTING_LAUNCH_TIMEOUT));
            return PTL_FAIL;
        }
        nap = weft_clock_nap(nap);
    }
    *id = (ptl_process_t){.phys = {address.nid, address.pid}};
    return result == 0 ? PTL_OK : PTL_FAIL;
}

static int set_map(ptl_handle_ni_t ni_handle, const struct weft_job *job)
{
    uint64_t deadline = weft_deadline_of(WEFT_SETTING_LAUNCH_TIMEOUT);
    ptl_process_t *map = calloc(job->size, sizeof(*map));
    if (!map)
        return PTL_NO_SPACE;
    int result = PTL_OK;
    for (uint32_t rank = 0; result == PTL_OK && rank < job->size; rank++)
        result = find_rank(rank, deadline, &map[rank]);
    /* Now it is known where all are. */
    if (result == PTL_OK)
        result = weft_world_has_room() ? PtlSetMap(ni_handle, job->size, map) : PTL_FAIL;
    free(map);
    return result;
}

static int set_map_of_one(ptl_handle_ni_t ni_handle)
{
    ptl_process_t self;
    int result = PtlGetPhysId(ni_handle, &self);
    return result == PTL_OK ? PtlSetMap(ni_handle, 1, &self) : result;
}

int weft_job_init(ptl_handle_ni_t ni_handle, ptl_rank_t *rank, ptl_size_t *size)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, ni_handle, WEFT_PORTALS_HANDLE_NI))
        return scope.result;
    const struct weft_job *job = scope.process->world_is_given ? NULL : weft_world_job();
    int result = weft_portals_leave(&scope, scope.ni->logical ? PTL_OK : PTL_ARG_INVALID);
    if (result == PTL_OK)
        result = job ? set_map(ni_handle, job) : set_map_of_one(ni_handle);
    if (result != PTL_OK)
        return result;
    if (rank)
        *rank = job ? job->rank : 0;
    if (size)
        *size = job ? job->size : 1;
    return PTL_OK;
}
