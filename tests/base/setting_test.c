/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings come from the environment, once, and what is not understood is said. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/setting.h"
#include "support/tap.h"

/* Calls weft_setting and returns what it wrote to standard error. */
static const char *warnings_of(enum weft_setting setting, uint64_t *value)
{
    static char text[500];
    int saved = dup(STDERR_FILENO);
    FILE *file = tmpfile();
    if (saved < 0 || !file || dup2(fileno(file), STDERR_FILENO) < 0)
        abort();
    *value = weft_setting(setting);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    return text;
}

static const char *sought, *found_meant;
static unsigned unknown;

static void count_unknown(const char *name, const char *meant)
{
    if (strcmp(name, sought) != 0)
        return;
    unknown++;
    found_meant = meant;
}

/* What this variable, if it is unknown, may be a misspelling of. */
static const char *meant_by(const char *name)
{
    sought = name;
    unknown = 0;
    found_meant = NULL;
    setenv(name, "1", 1);
    weft_setting_unknown(count_unknown);
    unsetenv(name);
    return found_meant;
}

int main(void)
{
    uint64_t value;
    const char *text;

    check_string(weft_setting_info(WEFT_SETTING_SIMD)->name, "WEFT_SIMD");
    check_string(weft_setting_info(WEFT_SETTING_SIMD)->choices, "auto|off|avx2|avx512vl|avx512");
    for (int i = 0; i < WEFT_SETTING_COUNT; i++)
        check(strlen(weft_setting_info((enum weft_setting)i)->help) > 10);

    setenv("WEFT_LOG", "loud", 1);
    text = warnings_of(WEFT_SETTING_LOG, &value);
    check_uint(value, WEFT_LOG_WARN);
    check(strstr(text, "WEFT_LOG=loud is not understood (off|error|warn|info); using warn"));

    setenv("WEFT_SIMD", "avx3", 1);
    text = warnings_of(WEFT_SETTING_SIMD, &value);
    check_uint(value, 0);
    check(strstr(text, "WEFT_SIMD=avx3") && strstr(text, "auto|off|avx2|avx512vl|avx512"));
    text = warnings_of(WEFT_SETTING_SIMD, &value);
    check_string(text, "");

    setenv("WEFT_TYPE_CACHE", "3K", 1);
    text = warnings_of(WEFT_SETTING_TYPE_CACHE, &value);
    check_uint(value, 3072);
    check_string(text, "");
    setenv("WEFT_TYPE_CACHE", "5", 1);
    check_uint(weft_setting(WEFT_SETTING_TYPE_CACHE), 3072);

    check_string(meant_by("WEFT_TYPE_CASHE"), "WEFT_TYPE_CACHE");
    check_uint(unknown, 1);
    check_string(meant_by("WEFT_TIKET"), "WEFT_TICKET");
    check(meant_by("WEFT_OF_ANOTHER_PROGRAM_ALTOGETHER") == NULL);
    check_uint(unknown, 1);
    meant_by("WEFT_TICKET");
    check_uint(unknown, 0);
    return tap_done();
}
