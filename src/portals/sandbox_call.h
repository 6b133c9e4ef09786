/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of portals4_spin.h, made by a handler of an image. */
#ifndef WEFT_PORTALS_SANDBOX_CALL_H
#define WEFT_PORTALS_SANDBOX_CALL_H

#include "portals/sandbox.h"

/* Does what the handler has called for. False: it may not do that, and stops for this reason. */
bool weft_portals_sandbox_call(struct weft_portals_session *session, enum weft_riscv_stop *why);

#endif
