/* SPDX-License-Identifier: BSD-3-Clause */
/* One process with a pool of layouts, which sends to itself. */
#ifndef WEFT_TESTS_OFFLOAD_SELF_H
#define WEFT_TESTS_OFFLOAD_SELF_H

#include <weft_offload.h>

#include "support/tap.h"

#define PT 3

struct self {
    ptl_handle_ni_t ni;
    ptl_handle_eq_t eq;
    ptl_process_t id;
    weft_offload_pool *pool;
};

static inline struct self self_open(void)
{
    struct self self;
    ptl_pt_index_t pt_index;
    check_int(PtlInit(), PTL_OK);
    check_int(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL,
                        NULL, &self.ni),
              PTL_OK);
    check_int(PtlEQAlloc(self.ni, 64, &self.eq), PTL_OK);
    check_int(PtlPTAlloc(self.ni, 0, self.eq, PT, &pt_index), PTL_OK);
    check_int(PtlGetPhysId(self.ni, &self.id), PTL_OK);
    check_int(weft_offload_pool_open(self.ni, &self.pool), PTL_OK);
    return self;
}

#endif
