/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of WEFT_COLLECTIVE_AUTO: every collective has some, and they are what is done. */
#include "collective/table.h"

#include <string.h>

#include "support/tap.h"

#define TEXT 100000

static int add(weft_schedule *schedule, enum weft_collective_name name,
               enum weft_collective_way way, size_t bytes)
{
    const struct weft_schedule_memory all = {.length = bytes};
    const struct weft_schedule_memory block = {
        .length = bytes / weft_engine_size(weft_schedule_engine(schedule))};
    switch (name) {
    case WEFT_COLLECTIVE_BCAST:
        return weft_collective_bcast(schedule, way, &all, 0, 1);
    case WEFT_COLLECTIVE_REDUCE:
        return weft_collective_reduce(schedule, way, PTL_SUM, PTL_UINT8_T, &all, &all, 0, 1);
    case WEFT_COLLECTIVE_ALLREDUCE:
        return weft_collective_allreduce(schedule, way, PTL_SUM, PTL_UINT8_T, &all, &all, 1);
    case WEFT_COLLECTIVE_ALLGATHER:
        return weft_collective_allgather(schedule, way, &block, &all, 1);
    default:
        return weft_collective_alltoall(schedule, way, &all, &all, 1);
    }
}

/* What rank 0 has to do, in words. */
static bool describe(enum weft_collective_name name, enum weft_collective_way way, uint32_t size,
                     size_t bytes, char *text)
{
    weft_engine *engine = NULL;
    weft_schedule *schedule = NULL;
    bool is_built = weft_engine_open(PTL_INVALID_HANDLE, 0, size, NULL, &engine) == WEFT_OK &&
                    weft_schedule_create(engine, 1, &schedule) == WEFT_OK &&
                    add(schedule, name, way, bytes) == WEFT_OK &&
                    weft_schedule_print(schedule, WEFT_SCHEDULE_GOAL, text, TEXT) > 0;
    weft_schedule_free(schedule);
    weft_engine_close(engine);
    return is_built;
}

static bool is_chosen(enum weft_collective_name name, enum weft_collective_way way, uint32_t size,
                      size_t bytes)
{
    static char automatic[TEXT], wanted[TEXT];
    return describe(name, WEFT_COLLECTIVE_AUTO, size, bytes, automatic) &&
           describe(name, way, size, bytes, wanted) && strcmp(automatic, wanted) == 0;
}

/* Where the rule begins to hold, with as many whole blocks as that takes. */
static bool is_kept(const struct weft_collective_rule *rule)
{
    size_t bytes = rule->bytes ? rule->bytes : rule->processes;
    return is_chosen(rule->name, rule->way, rule->processes, bytes);
}

/* In the order of processes, those of a collective together and in the order of bytes. */
static bool is_in_order(const struct weft_collective_rule *rule)
{
    const struct weft_collective_rule *before = rule - 1;
    if (rule->processes != before->processes)
        return rule->processes > before->processes && rule->bytes == 0;
    if (rule->name != before->name)
        return rule->bytes == 0;
    return rule->bytes > before->bytes && rule->way != before->way;
}

int main(void)
{
    bool has_rule[WEFT_COLLECTIVE_NAMES] = {false};
    bool is_ordered = true, are_kept = true;
    const struct weft_collective_rule *rule = weft_collective_rules;
    for (; rule->way != WEFT_COLLECTIVE_AUTO; rule++) {
        has_rule[rule->name] |= rule->processes == 2 && rule->bytes == 0;
        is_ordered = is_ordered && (rule == weft_collective_rules || is_in_order(rule));
        are_kept = are_kept && is_kept(rule);
    }
    check(is_ordered);
    check(are_kept);
    for (int name = 0; name < WEFT_COLLECTIVE_NAMES; name++)
        check(has_rule[name]);
    check(is_chosen(WEFT_COLLECTIVE_ALLREDUCE, WEFT_COLLECTIVE_DOUBLING, 100000, 1 << 20));
    check(is_chosen(WEFT_COLLECTIVE_BCAST, WEFT_COLLECTIVE_BINOMIAL, 100000, 1 << 20));
    check(!is_chosen(WEFT_COLLECTIVE_BCAST, WEFT_COLLECTIVE_STREAM, 8, 1 << 20));
    return tap_done();
}
