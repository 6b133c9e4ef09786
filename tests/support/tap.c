/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/tap.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned checks, failures;

void tap_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("# ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
}

bool tap_check(bool holds, const char *file, int line, const char *what)
{
    checks++;
    failures += !holds;
    printf("%sok %u - %s\n", holds ? "" : "not ", checks, what);
    if (!holds)
        tap_note("at %s:%d", file, line);
    fflush(stdout);
    return holds;
}

bool tap_check_int(int64_t actual, int64_t expected, const char *file, int line,
                   const char *what)
{
    bool holds = tap_check(actual == expected, file, line, what);
    if (!holds)
        tap_note("is %" PRId64 ", expected %" PRId64, actual, expected);
    return holds;
}

bool tap_check_uint(uint64_t actual, uint64_t expected, const char *file, int line,
                    const char *what)
{
    bool holds = tap_check(actual == expected, file, line, what);
    if (!holds)
        tap_note("is %" PRIu64 ", expected %" PRIu64, actual, expected);
    return holds;
}

bool tap_check_string(const char *actual, const char *expected, const char *file, int line,
                      const char *what)
{
    bool holds = tap_check(strcmp(actual, expected) == 0, file, line, what);
    if (!holds)
        tap_note("is \"%s\", expected \"%s\"", actual, expected);
    return holds;
}

_Noreturn void tap_skip_all(const char *reason)
{
    printf("1..0 # SKIP %s\n", reason);
    exit(0);
}

int tap_done(void)
{
    printf("1..%u\n", checks);
    return failures ? 1 : 0;
}
