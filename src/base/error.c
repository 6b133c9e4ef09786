/* SPDX-License-Identifier: BSD-3-Clause */
#include <weft.h>

#define STRING(x) #x
#define STRINGIFY(x) STRING(x)

const char *weft_version(void)
{
    return STRINGIFY(WEFT_VERSION_MAJOR) "." STRINGIFY(WEFT_VERSION_MINOR) "." STRINGIFY(
        WEFT_VERSION_PATCH);
}

const char *weft_error_name(int error)
{
    switch (error) {
#define NAME(name, value, text)                                                                   \
    case value:                                                                                   \
        return "WEFT_" #name;
        WEFT_ERROR_MAP(NAME)
#undef NAME
    }
    return "WEFT_ERR_UNKNOWN";
}

const char *weft_error_text(int error)
{
    switch (error) {
#define TEXT(name, value, text)                                                                   \
    case value:                                                                                   \
        return text;
        WEFT_ERROR_MAP(TEXT)
#undef TEXT
    }
    return "not an error code of this version of Weft";
}
