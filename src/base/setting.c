/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/setting.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/distance.h"
#include "base/log.h"

extern char **environ;

/* What is printed of the name of a variable. */
enum { LONGEST_NAME = 63 };

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

/* Whether the environment has no value, or one that is understood. */
static bool read_setting(const struct weft_setting_info *info, uint64_t *value)
{
    const char *text = getenv(info->name);
    if (text && parse(info, text, value))
        return true;
    parse(info, info->fallback, value);
    return !text;
}

struct weft_setting_value weft_setting_values[WEFT_SETTING_COUNT];

/* Two threads may both read the environment; they find the same value. */
uint64_t weft_setting_learn(enum weft_setting setting)
{
    const struct weft_setting_info *info = &table[setting];
    uint64_t value = 0;
    bool is_understood = read_setting(info, &value);
    atomic_store_explicit(&weft_setting_values[setting].value, value, memory_order_relaxed);
    atomic_store_explicit(&weft_setting_values[setting].is_known, true, memory_order_release);
    /* Only now, since the log asks for a setting itself. */
    if (!is_understood)
        weft_log(WEFT_LOG_WARN, "%s=%s is not understood (%s); using %s", info->name,
                 getenv(info->name), info->choices, info->fallback);
    return value;
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

/* Of a word that has a third of its letters wrong nobody knows what it was. */
static const char *nearest(const char *name, size_t length)
{
    const char *found = NULL;
    size_t least = length / 3 + 1;
    for (size_t i = 0; i < WEFT_SETTING_COUNT; i++) {
        size_t distance = weft_distance(name, length, table[i].name);
        if (distance < least) {
            least = distance;
            found = table[i].name;
        }
    }
    return found;
}

void weft_setting_unknown(void (*report)(const char *name, const char *meant))
{
    for (char **entry = environ; *entry; entry++) {
        size_t length = strcspn(*entry, "=");
        if (strncmp(*entry, "WEFT_", 5) != 0 || in_table(*entry, length))
            continue;
        char name[LONGEST_NAME + 1];
        snprintf(name, sizeof name, "%.*s", (int)length, *entry);
        report(name, nearest(*entry, length));
    }
}

static void warn(const char *name, const char *meant)
{
    weft_log(WEFT_LOG_WARN, "%s is set but means nothing to Weft%s%s%s", name,
             meant ? ": did you mean " : ": check its spelling", meant ? meant : "",
             meant ? "?" : "");
}

void weft_setting_warn_unknown(void)
{
    static atomic_flag has_warned = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&has_warned))
        weft_setting_unknown(warn);
}
