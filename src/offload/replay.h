/* SPDX-License-Identifier: BSD-3-Clause */
/* Handlers of the strategies that carry an iterator. They are all that a core needs of these. */
#ifndef WEFT_OFFLOAD_REPLAY_H
#define WEFT_OFFLOAD_REPLAY_H

#include "offload/offload.h"

ptl_handler_result_t weft_offload_replay_local(const ptl_payload_t *payload, void *state);
ptl_handler_result_t weft_offload_replay_read_only(const ptl_payload_t *payload, void *state);
ptl_handler_result_t weft_offload_replay_owned(const ptl_payload_t *payload, void *state);

#endif
