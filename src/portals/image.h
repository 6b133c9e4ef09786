/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_PORTALS_IMAGE_H
#define WEFT_PORTALS_IMAGE_H

#include <portals4_spin.h>

#include "nic/entry.h"

/* Handlers of an image become those of the spec, whose core is freed by whoever does not append
 * it: PTL_OK, PTL_ARG_INVALID or PTL_NO_SPACE. */
int weft_portals_image_bind(const struct weft_nic_ni *ni, ptl_handlers_t *handlers,
                            struct weft_nic_entry_spec *spec);

#endif
