/* SPDX-License-Identifier: BSD-3-Clause */
/* What appending now and appending later have in common. */
#ifndef WEFT_PORTALS_LIST_H
#define WEFT_PORTALS_LIST_H

#include "nic/entry.h"
#include "portals/process.h"

/* PTL_OK and the spec, or PTL_ARG_INVALID. */
int weft_portals_list_spec(const struct weft_nic_ni *ni, ptl_pt_index_t pt_index,
                           const ptl_me_t *me, ptl_list_t list, void *user_ptr,
                           struct weft_nic_entry_spec *spec);

#endif
