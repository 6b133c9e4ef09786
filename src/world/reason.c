/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/reason.h"

#include <stddef.h>

const char *weft_fabric_reason(uint32_t reason)
{
    static const char *const texts[WEFT_FABRIC_REASONS] = {
#define TEXT(name, text) [WEFT_FABRIC_REASON_##name] = text,
        WEFT_FABRIC_REASON_MAP(TEXT)
#undef TEXT
    };
    const char *text = reason < WEFT_FABRIC_REASONS ? texts[reason] : NULL;
    return text ? text : "it does not say why";
}
