/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_TYPE_OVERLAP_H
#define WEFT_TYPE_OVERLAP_H

#include "type/node.h"

/* False only if no two packed bytes of the node have the same address. Exact for up to some ten
 * thousand pieces; beyond that, interleaved levels count as overlapping. */
bool weft_type_overlap_find(const struct weft_type_node *node);

#endif
