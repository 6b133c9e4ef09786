/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/setting.h"

void weft_log(enum weft_log_level level, const char *format, ...)
{
    if ((uint64_t)level > weft_setting(WEFT_SETTING_LOG))
        return;
    static const char *const names[] = {"", "error", "warning", "info"};
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    fprintf(stderr, "weft: %s: %s\n", names[level], message);
}
