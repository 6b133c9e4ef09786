/* SPDX-License-Identifier: BSD-3-Clause */
#include "faults/inject.h"

#include <stddef.h>
#include <string.h>

static _Atomic(struct fault *) armed;

static const char *const texts[FAULT_KINDS] = {
#define TEXT(name, text) [FAULT_##name] = text,
    FAULT_KIND_MAP(TEXT)
#undef TEXT
};

const char *fault_kind_text(enum fault_kind kind)
{
    return texts[kind];
}

enum fault_kind fault_kind_of(const char *text)
{
    enum fault_kind kind = 0;
    while (kind < FAULT_KINDS && strcmp(text, texts[kind]) != 0)
        kind++;
    return kind;
}

void fault_arm(struct fault *fault)
{
    armed = fault;
}

bool fault_strikes(enum fault_kind kind)
{
    struct fault *fault = armed;
    if (!fault)
        return false;
    uint64_t call = 1 + fault->calls[kind]++;
    if (fault->nth == 0 || kind != fault->kind)
        return false;
    return fault->for_ever ? call >= fault->nth : call == fault->nth;
}
