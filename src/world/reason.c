/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/reason.h"

#include <stddef.h>

const char *weft_world_reason(uint32_t reason)
{
    static const char *const texts[WEFT_WORLD_REASONS] = {
#define TEXT(name, text) [WEFT_WORLD_REASON_##name] = text,
        WEFT_WORLD_REASON_MAP(TEXT)
#undef TEXT
    };
    const char *text = reason < WEFT_WORLD_REASONS ? texts[reason] : NULL;
    return text ? text : "it does not say why";
}
