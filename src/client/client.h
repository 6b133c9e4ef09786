/* SPDX-License-Identifier: BSD-3-Clause */
/* What those who stand on the calls of Portals alone have in common. */
#ifndef WEFT_CLIENT_CLIENT_H
#define WEFT_CLIENT_CLIENT_H

#include <portals4.h>
#include <weft.h>

#include "base/setting.h"

/* A result of Portals as one of ours. */
static inline int weft_client_error(int result)
{
    switch (result) {
    case PTL_OK:
        return WEFT_OK;
    case PTL_NO_SPACE:
    case PTL_LIST_TOO_LONG:
        return WEFT_ERR_MEMORY;
    case PTL_ARG_INVALID:
        return WEFT_ERR_ARGUMENT;
    default:
        return WEFT_ERR_NETWORK;
    }
}

/* Of the NIC, that a layout of this type takes while HPUs move it; one that may not have as much
 * as it needs takes more than there is. */
static inline size_t weft_client_memory(const struct weft_type_info *info)
{
    uint64_t most = weft_setting(WEFT_SETTING_OFFLOAD_MEM);
    return most && info->memory > most ? SIZE_MAX : info->memory;
}

/* Drops messages that have come, and that no receive will ask for any more. */
static inline void weft_client_forget(ptl_handle_ni_t ni, ptl_pt_index_t index)
{
    ptl_me_t all = {.ct_handle = PTL_CT_NONE,
                    .uid = PTL_UID_ANY,
                    .options = PTL_ME_OP_PUT | PTL_ME_EVENT_OVER_DISABLE,
                    .match_id = {.rank = PTL_RANK_ANY},
                    .ignore_bits = ~(ptl_match_bits_t)0};
    PtlMESearch(ni, index, &all, PTL_SEARCH_DELETE, NULL);
}

#endif
