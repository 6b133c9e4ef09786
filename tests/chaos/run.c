/* SPDX-License-Identifier: BSD-3-Clause */
#include "chaos/run.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include "portals/process.h"
#include "support/rng.h"

#define SHORTEST_NAP 10000u /* nanoseconds */
#define LONGEST_NAP 20000000u

struct block {
    struct block *next;
    alignas(max_align_t) unsigned char bytes[];
};

/* ---- Services ----------------------------------------------------------------------------- */

void run_fail(struct run *run, unsigned node, const char *format, ...)
{
    if (run->has_failed)
        return;
    run->has_failed = true;
    int length = snprintf(run->complaint, sizeof run->complaint,
                          "node %u at %" PRIu64 " ns: ", node, run_now(run));
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(run->complaint + length, sizeof run->complaint - (size_t)length, format, arguments);
    va_end(arguments);
}

void *run_make(struct run *run, size_t size)
{
    struct block *block = calloc(1, sizeof *block + size);
    if (!block) {
        run_fail(run, 0, "the test is out of memory");
        return NULL;
    }
    block->next = run->blocks;
    run->blocks = block;
    return block->bytes;
}

static struct weft_nic_world *world_here(void)
{
    return weft_portals_process_self()->world;
}

uint64_t run_now(const struct run *run)
{
    struct weft_nic_world *world = world_here();
    return world ? world->ops->now(world) : run->end;
}

void run_pause(uint64_t nanoseconds)
{
    struct weft_nic_world *world = world_here();
    world->ops->sleep(world, world->ops->now(world) + nanoseconds);
}

/* ---- Paths -------------------------------------------------------------------------------- */

#define PATH_STREAM 1000u /* of a seed: what it means without paths stays as it is */

void run_draw_paths(uint64_t seed, struct weft_sim_config *world)
{
    struct rng rng = rng_stream(seed, PATH_STREAM);
    world->paths = (uint32_t)rng_between(&rng, 2, 8);
    world->path_delay = rng_magnitude(&rng, 10000);
}

/* ---- Crashes ------------------------------------------------------------------------------ */

bool run_is_dead(const struct run *run, unsigned node)
{
    for (unsigned i = 0; i < run->plan.crash_count; i++)
        if (run->plan.crashes[i].node == node && run_now(run) > run->plan.crashes[i].when)
            return true;
    return false;
}

bool run_has_last_words(const struct run *run, const struct weft_sim_config *world)
{
    uint64_t detour = world->paths ? (world->paths - 1) * world->path_delay : 0;
    uint64_t now = run_now(run), flight = world->latency + detour + world->reorder_delay;
    for (unsigned i = 0; i < run->plan.crash_count; i++)
        if (now > run->plan.crashes[i].when && now <= run->plan.crashes[i].when + flight)
            return true;
    return false;
}

/* ---- Waiting for each other --------------------------------------------------------------- */

void run_arrive(struct run *run, unsigned node, unsigned phase)
{
    run->present[phase] |= 1u << node;
}

bool run_all_present(const struct run *run, unsigned phase)
{
    for (unsigned i = 0; i < run->nodes; i++)
        if (!(run->present[phase] >> i & 1) && !run_is_dead(run, i))
            return false;
    return true;
}

void run_nap(uint64_t *last)
{
    *last = *last == 0 ? SHORTEST_NAP : *last < LONGEST_NAP ? 2 * *last : *last;
    run_pause(*last);
}

/* ---- The trace ---------------------------------------------------------------------------- */

static void hash(struct run *run, uint64_t value)
{
    run->trace_hash = (run->trace_hash ^ value) * UINT64_C(0x9FB21C651E98DF25);
    run->trace_hash ^= run->trace_hash >> 29;
}

void run_record(struct run *run, unsigned node, const struct weft_trace_line *record)
{
    const uint64_t fields[] = {record->time, (uint64_t)node << 32 | record->what, record->peer_nid,
                               record->a, record->b};
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
        hash(run, fields[i]);
    if (!run->trace_file)
        return;
    static const char *const names[] = {"receive", "send",    "event",       "count",
                                        "drop",    "resend",  "take",        "failed",
                                        "match",   "handler", "handler_end", "dma"};
    fprintf(run->trace_file, "%" PRIu64 " %u %s %u %" PRIx64 " %" PRIu64 "\n", record->time, node,
            record->what < sizeof names / sizeof *names ? names[record->what] : "?",
            record->peer_nid, record->a, record->b);
}

/* ---- Life --------------------------------------------------------------------------------- */

int run_simulate(struct run *run, const struct weft_sim_config *world,
                 void (*program)(unsigned node, void *argument), void *argument)
{
    run->nodes = world->nodes;
    run->plan.totals = &run->totals;
    run->plan.end = &run->end;
    return weft_portals_simulate_plan(world, program, argument, &run->plan);
}

void run_close(struct run *run)
{
    while (run->blocks) {
        struct block *block = run->blocks;
        run->blocks = block->next;
        free(block);
    }
}
