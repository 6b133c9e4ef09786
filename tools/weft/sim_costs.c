/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_costs.h"

#include <inttypes.h>
#include <string.h>

#include "number.h"
#include "sim_file.h"
#include "sim_noise.h"

#define TEXT SIM_VALUE

/* ---- Keys --------------------------------------------------------------------------------- */

enum kind { TIME, WORK, SIZE, COUNT, YES_NO, NOISE };

static const char *const kind_names[] = {"a time, such as 250 ns",
                                         "a time, such as 250 ns",
                                         "a number of bytes, such as 64K",
                                         "a whole number",
                                         "yes or no",
                                         "none, uniform TIME, poisson TIME TIME or recorded FILE"};

struct key {
    const char *name;
    enum kind kind;
    size_t at;
    uint64_t most; /* picoseconds, nanoseconds, bytes */
};

#define COST(member) offsetof(struct sim_costs, costs.member)
#define PLAN(member) offsetof(struct sim_costs, plan.member)
#define MOST_TIME UINT64_C(1000000000000000) /* a quarter of an hour, in picoseconds */
#define MOST_BYTE_TIME UINT64_C(1000000)     /* a microsecond for each byte */
#define MOST_CORES UINT64_C(1000000)
#define MOST_NUMBER UINT64_C(1000000000000)

static const struct key keys[] = {
    {"latency", TIME, COST(latency), MOST_TIME},
    {"overhead", TIME, COST(overhead), MOST_TIME},
    {"gap", TIME, COST(gap), MOST_TIME},
    {"gap-per-byte", TIME, COST(byte_gap), MOST_BYTE_TIME},
    {"overhead-per-byte", TIME, COST(byte_overhead), MOST_BYTE_TIME},
    {"matching", TIME, COST(matching), MOST_TIME},
    {"eager", SIZE, COST(eager), WEFT_SIM_MOST_BYTES},
    {"cores", COUNT, COST(cores), MOST_CORES},
    {"noise", NOISE, COST(noise), 0},
    {"noise-together", YES_NO, COST(noise.is_together), 0},
    {"seed", COUNT, COST(noise.seed), MOST_NUMBER},
    {"offload", YES_NO, PLAN(is_offloaded), 0},
    {"size", SIZE, PLAN(size), WEFT_SIM_MOST_BYTES},
    {"packet", SIZE, PLAN(packet), WEFT_SIM_MOST_BYTES},
    {"compute", WORK, PLAN(compute), WEFT_SIM_MOST_NANOSECONDS},
    {"combine", WORK, PLAN(combine), WEFT_SIM_MOST_NANOSECONDS},
    {"unpack", WORK, PLAN(unpack), WEFT_SIM_MOST_NANOSECONDS},
};

struct sim_costs sim_costs_none(void)
{
    return (struct sim_costs){.costs.eager = 65535, .costs.noise.seed = 1, .plan.size = 8};
}

void sim_costs_fini(struct sim_costs *costs)
{
    sim_noise_fini(costs);
}

/* ---- Setting ------------------------------------------------------------------------------ */

static bool set_time(uint64_t *where, const struct key *key, const char *text)
{
    const char *end;
    uint64_t value;
    if (!sim_noise_time(text, &end, &value) || *end)
        return false;
    if (key->kind == WORK)
        value = (value + WEFT_SIM_NANOSECOND / 2) / WEFT_SIM_NANOSECOND;
    if (value > key->most)
        return false;
    *where = value;
    return true;
}

static bool set_number(uint64_t *where, const struct key *key, const char *text)
{
    size_t value;
    if (!number_parse(text, key->kind == SIZE ? "KMG" : "", 0, key->most, &value))
        return false;
    *where = value;
    return true;
}

static bool set_answer(bool *where, const char *text)
{
    *where = strcmp(text, "yes") == 0;
    return *where || strcmp(text, "no") == 0;
}

static bool set_value(void *self, const void *entry, const char *text)
{
    struct sim_costs *costs = self;
    const struct key *key = entry;
    void *where = (char *)costs + key->at;
    switch (key->kind) {
    case TIME:
    case WORK:
        return set_time(where, key, text);
    case YES_NO:
        return set_answer(where, text);
    case NOISE:
        return sim_noise_set(costs, text);
    default:
        return set_number(where, key, text);
    }
}

static void tell_values(const void *entry)
{
    fprintf(stderr, ": it takes %s", kind_names[((const struct key *)entry)->kind]);
}

/* ---- Showing ------------------------------------------------------------------------------ */

static void name_value(const void *self, const void *entry, char text[SIM_VALUE])
{
    const struct sim_costs *costs = self;
    const struct key *key = entry;
    const void *where = (const char *)costs + key->at;
    if (key->kind == NOISE)
        sim_noise_name(costs, text, TEXT);
    else if (key->kind == YES_NO)
        snprintf(text, TEXT, "%s", *(const bool *)where ? "yes" : "no");
    else if (key->kind == TIME)
        snprintf(text, TEXT, "%.15g ns", (double)*(const uint64_t *)where / 1e3);
    else
        snprintf(text, TEXT, "%" PRIu64 "%s", *(const uint64_t *)where,
                 key->kind == WORK ? " ns" : "");
}

/* ---- All keys ----------------------------------------------------------------------------- */

const struct sim_keys sim_costs_keys = {SIM_LIST(keys), set_value, name_value, tell_values};
