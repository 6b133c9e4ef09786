/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_claim.h"

#include <stdarg.h>
#include <stdio.h>

#include "json.h"

void sim_claim_add(struct sim_claims *claims, double value, double least, double most,
                   const char *why, const char *text, ...)
{
    struct sim_claim *made = &claims->claims[claims->count++];
    va_list arguments;
    *made = (struct sim_claim){.value = value, .least = least, .most = most, .why = why};
    va_start(arguments, text);
    vsnprintf(made->text, sizeof made->text, text, arguments);
    va_end(arguments);
}

static bool is_met(const struct sim_claim *claim)
{
    return claim->value >= claim->least && claim->value <= claim->most;
}

bool sim_claims_are_met(const struct sim_claims *claims)
{
    for (size_t i = 0; i < claims->count; i++)
        if (!is_met(&claims->claims[i]))
            return false;
    return true;
}

void sim_claims_print(const struct sim_claims *claims)
{
    for (const struct sim_claim *claim = claims->claims; claim < claims->claims + claims->count;
         claim++) {
        printf("# %-7s %.3g\t%s\n", is_met(claim) ? "met" : "not met", claim->value, claim->text);
        if (!is_met(claim))
            printf("#         why: %s\n", claim->why);
    }
}

void sim_claims_json(const struct sim_claims *claims)
{
    weft_json_open("claims", '[');
    for (const struct sim_claim *claim = claims->claims; claim < claims->claims + claims->count;
         claim++) {
        weft_json_open(NULL, '{');
        weft_json_string("text", claim->text);
        weft_json_number("value", claim->value);
        weft_json_bool("met", is_met(claim));
        weft_json_close('}');
    }
    weft_json_close(']');
}
