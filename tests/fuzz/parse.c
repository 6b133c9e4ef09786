/* SPDX-License-Identifier: BSD-3-Clause */
/* Any text may be typed. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/use.h"
#include "support/model.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    weft_type *type;
    struct weft_syntax_error error = {.at = 0};
    char *text = model_alloc(size + 1, 1);
    if (size)
        memcpy(text, data, size);
    int rc = weft_type_parse(text, &type, &error);
    if (rc == WEFT_OK) {
        use_type(type);
        weft_type_free(type);
    } else if (error.at > strlen(text) || error.message[0] == '\0') {
        abort();
    }
    free(text);
    return 0;
}
