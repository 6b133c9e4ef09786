/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes may come from a peer. */
#include "fuzz/use.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    weft_type *type;
    if (weft_type_deserialize(data, size, &type) == WEFT_OK) {
        use_type(type);
        weft_type_free(type);
    }
    return 0;
}
