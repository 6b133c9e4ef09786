/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one table of settings. Each is an environment variable WEFT_<NAME>, read once when it is
 * first asked for; `weft info` prints the table. Only setting.c calls getenv.
 */
#ifndef WEFT_BASE_SETTING_H
#define WEFT_BASE_SETTING_H

#include <stddef.h>
#include <stdint.h>

/* X(name, kind, default, choices or unit, help) */
#define WEFT_SETTING_MAP(X)                                                                       \
    X(LOG, CHOICE, "warn", "off|error|warn|info", "what to write to standard error")              \
    X(SIMD, CHOICE, "auto", "auto|off|avx2|avx512",                                               \
      "copy kernels to use; one that the processor lacks falls back to the best it has")          \
    X(TYPE_CACHE, SIZE, "16777216", "bytes",                                                      \
      "normal forms kept after their last type is freed, so that rebuilding them is a look-up")

enum weft_setting {
#define WEFT_SETTING_ENUM(name, kind, fallback, choices, help) WEFT_SETTING_##name,
    WEFT_SETTING_MAP(WEFT_SETTING_ENUM)
#undef WEFT_SETTING_ENUM
        WEFT_SETTING_COUNT
};

enum weft_setting_kind { WEFT_SETTING_CHOICE, WEFT_SETTING_SIZE };

struct weft_setting_info {
    const char *name; /* with the WEFT_ prefix */
    enum weft_setting_kind kind;
    const char *fallback;
    const char *choices;
    const char *help;
};

const struct weft_setting_info *weft_setting_info(enum weft_setting setting);

/* The value in force: the position among the choices, or the number. A value that cannot be
 * understood draws one warning and the default is used. */
uint64_t weft_setting(enum weft_setting setting);

/* Calls `report` for every WEFT_ variable of the environment that the table does not have. */
void weft_setting_unknown(void (*report)(const char *name));

#endif
