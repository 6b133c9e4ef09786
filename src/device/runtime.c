/* SPDX-License-Identifier: BSD-3-Clause */
/* What an image needs besides handlers. */
#include <portals4_device.h>

/*
 * Calls of programs, which open what handlers work with. They are in the files of the handlers and
 * so part of an image, where nobody calls them.
 */
int PtlHPUAllocMem(ptl_size_t length, ptl_handle_ni_t ni_handle, ptl_handle_hpu_t *hpu_memory)
{
    (void)length;
    (void)ni_handle;
    (void)hpu_memory;
    return PTL_FAIL;
}

int PtlNIHandlerLimits(ptl_handle_ni_t ni_handle, const ptl_handler_limits_t *desired,
                       ptl_handler_limits_t *actual)
{
    (void)ni_handle;
    (void)desired;
    (void)actual;
    return PTL_FAIL;
}
