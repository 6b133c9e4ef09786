/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of info_ofi.c where libfabric is not there. */
#include "info_ofi.h"

#include <stdio.h>

#include "json.h"

void info_ofi_print(void)
{
    printf("\nProviders of libfabric:\n  none: this program was built without it\n");
}

void info_ofi_json(void)
{
    weft_json_open("providers", '[');
    weft_json_close(']');
}
