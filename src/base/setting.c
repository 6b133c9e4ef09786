/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/setting.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

extern char **environ;

static struct weft_setting_info table[] = {
#define ROW(name, kind, fallback, choices, help)                                                  \
    {"WEFT_" #name, WEFT_SETTING_IS_##kind, fallback, choices, help},
    WEFT_SETTING_MAP(ROW)
#undef ROW
};

const struct weft_setting_info *weft_setting_info(enum weft_setting setting)
{
    return &table[setting];
}

void weft_setting_prefer(enum weft_setting setting, const char *fallback)
{
    table[setting].fallback = fallback;
}

static bool parse_choice(const char *text, const char *choices, uint64_t *value)
{
    size_t length = strlen(text);
    for (uint64_t i = 0; *choices; i++) {
        size_t width = strcspn(choices, "|");
        if (width == length && memcmp(choices, text, length) == 0) {
            *value = i;
            return true;
        }
        choices += width + (choices[width] == '|');
    }
    return false;
}

static bool parse_size(const char *text, uint64_t *value)
{
    if (*text < '0' || *text > '9')
        return false;
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    if (shift)
        end++;
    if (errno || *end || number > UINT64_MAX >> shift)
        return false;
    *value = (uint64_t)number << shift;
    return true;
}

static bool parse(const struct weft_setting_info *info, const char *text, uint64_t *value)
{
    switch (info->kind) {
    case WEFT_SETTING_IS_CHOICE:
        return parse_choice(text, info->choices, value);
    case WEFT_SETTING_IS_SIZE:
        return parse_size(text, value);
    case WEFT_SETTING_IS_TEXT:
        break;
    }
    *value = 0;
    return true;
}

static uint64_t read_setting(const struct weft_setting_info *info)
{
    uint64_t value = 0;
    const char *text = getenv(info->name);
    if (text && parse(info, text, &value))
        return value;
    parse(info, info->fallback, &value);
    /* Not for WEFT_LOG itself: the log would ask for it again. */
    if (text && info != &table[WEFT_SETTING_LOG])
        weft_log(WEFT_LOG_WARN, "%s=%s is not understood (%s); using %s", info->name, text,
                 info->choices, info->fallback);
    return value;
}

uint64_t weft_setting(enum weft_setting setting)
{
    /* Two threads may both read the environment; they find the same value. */
    static _Atomic uint64_t values[WEFT_SETTING_COUNT];
    static _Atomic bool known[WEFT_SETTING_COUNT];
    if (!atomic_load_explicit(&known[setting], memory_order_acquire)) {
        atomic_store_explicit(&values[setting], read_setting(&table[setting]),
                              memory_order_relaxed);
        atomic_store_explicit(&known[setting], true, memory_order_release);
    }
    return atomic_load_explicit(&values[setting], memory_order_relaxed);
}

const char *weft_setting_text(enum weft_setting setting)
{
    const char *text = getenv(table[setting].name);
    return text ? text : table[setting].fallback;
}

const char *weft_setting_environment(enum weft_setting_environment variable)
{
    static const char *const names[] = {
#define NAME(name) #name,
        WEFT_SETTING_ENVIRONMENT_MAP(NAME)
#undef NAME
    };
    return getenv(names[variable]);
}

static bool in_table(const char *name, size_t length)
{
    for (size_t i = 0; i < WEFT_SETTING_COUNT; i++)
        if (strlen(table[i].name) == length && memcmp(table[i].name, name, length) == 0)
            return true;
    return false;
}

void weft_setting_unknown(void (*report)(const char *name))
{
    for (char **entry = environ; *entry; entry++)
        if (strncmp(*entry, "WEFT_", 5) == 0 && !in_table(*entry, strcspn(*entry, "=")))
            report(*entry);
}
