/* SPDX-License-Identifier: BSD-3-Clause */
#include "riscv/profile.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    struct weft_riscv_profile profile;
} known[] = {
    {"ri5cy",
     {.ticks = 1,
      .picoseconds = 1000,
      .alu = 1,
      .multiply = 1,
      .multiply_high = 5,
      .divide = 3,
      .divide_zero = 1,
      .load = 1,
      .store = 1,
      .load_use = 1,
      .misaligned = 1,
      .jump = 2,
      .branch = 1,
      .taken = 2,
      .call = 1}},
    {"a15",
     {.ticks = 2,
      .picoseconds = 1250,
      .alu = 1,
      .multiply = 1,
      .multiply_high = 2,
      .divide = 20,
      .load = 1,
      .store = 1,
      .jump = 1,
      .branch = 1,
      .call = 1}},
};

static uint32_t *find_field(struct weft_riscv_profile *profile, const char *name, size_t length)
{
#define FIND(field)                                                                               \
    if (length == strlen(#field) && memcmp(name, #field, length) == 0)                            \
        return &profile->field;
    WEFT_RISCV_PROFILE_MAP(FIND)
#undef FIND
    return NULL;
}

/* "name=value"; the end of it, or NULL. */
static const char *read_change(const char *text, struct weft_riscv_profile *profile)
{
    size_t length = strcspn(text, "=");
    uint32_t *field = find_field(profile, text, length);
    const char *digits = text + length + 1;
    if (!field || text[length] != '=' || *digits < '0' || *digits > '9')
        return NULL;
    char *end;
    unsigned long value = strtoul(digits, &end, 10);
    *field = (uint32_t)value;
    return value > UINT16_MAX ? NULL : end;
}

bool weft_riscv_profile_read(const char *text, struct weft_riscv_profile *profile)
{
    size_t length = strcspn(text, ","), i = 0;
    while (strlen(known[i].name) != length || memcmp(known[i].name, text, length) != 0)
        if (++i == sizeof known / sizeof known[0])
            return false;
    *profile = known[i].profile;
    for (text += length; text && *text == ',';)
        text = read_change(text + 1, profile);
    return text && *text == '\0' && profile->ticks > 0;
}

uint32_t weft_riscv_profile_cost(const struct weft_riscv_profile *profile,
                                 enum weft_riscv_operation operation)
{
    switch (operation) {
    case WEFT_RISCV_MUL:
    case WEFT_RISCV_MULW:
        return profile->multiply;
    case WEFT_RISCV_MULH:
    case WEFT_RISCV_MULHSU:
    case WEFT_RISCV_MULHU:
        return profile->multiply_high;
#define COST(name, ...) case WEFT_RISCV_##name:
        WEFT_RISCV_DIVISIONS(COST)
        return profile->divide;
        WEFT_RISCV_LOADS(COST)
        return profile->load;
        WEFT_RISCV_STORES(COST)
        return profile->store;
        WEFT_RISCV_BRANCHES(COST)
        return profile->branch;
        WEFT_RISCV_JUMPS(COST)
        return profile->jump;
#undef COST
    case WEFT_RISCV_ECALL:
        return profile->call;
    case WEFT_RISCV_ILLEGAL:
    case WEFT_RISCV_OUTSIDE:
        return 0;
    default:
        return profile->alu;
    }
}
