/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of bare_ofi.c and side_ofi.c where libfabric is not there. */
#include "bench/pair/bare_ofi.h"
#include "bench/pair/side.h"

bool bare_ofi_is_here(void)
{
    return false;
}

/* Nobody asks for it. */
const struct side_engine side_engine_ofi;
