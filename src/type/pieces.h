/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_TYPE_PIECES_H
#define WEFT_TYPE_PIECES_H

#include "type/form.h"

/* Lists the pieces of a node that lies at `at`, in packed order, with their lengths in bytes as
 * `copies`. There must be room for node->pieces of them. */
void weft_type_pieces_list(const struct weft_type_node *node, int64_t at,
                           struct weft_type_entry *pieces);

#endif
