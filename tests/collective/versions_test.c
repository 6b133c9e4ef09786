/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * versions_test [--seed N] [--count N]: random patterns of who starts a solo collective when, with
 * several versions posted, on simulated nodes whose network may lose, double and delay packets.
 * The processes share their memory, so every one can say what the others have given to a version,
 * and what it must bring. All that was started must run once, in order, with that; nothing else
 * may.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft_versions.h>

#include "base/hash.h"
#include "collective/stage.h"
#include "support/rng.h"
#include "support/tap.h"

#define RANKS 16
#define SLOTS 4
#define ITEMS 200
#define VERSIONS 64
#define ACTIONS 24
#define PATIENCE 20 /* milliseconds: others may have nothing more to do */

enum collective { ALLREDUCE, ALLGATHER, BCAST, COLLECTIVES };

struct pattern {
    uint64_t seed;
    uint32_t size, root;
    unsigned slots, pipelined;
    enum collective collective;
    size_t items;
    unsigned eagerness; /* one in so many actions is a start */
};

struct run {
    struct stage stage;
    struct pattern pattern;
    uint64_t value[RANKS][VERSIONS]; /* what a rank gives to a version */
    unsigned starts[VERSIONS];
    uint64_t started;
    char why[160];
};

struct player {
    struct stage_node place;
    struct run *run;
    struct rng rng;
    weft_versions *versions;
    uint64_t taken;
    uint64_t from[SLOTS][ITEMS];
    uint64_t to[SLOTS][RANKS * ITEMS];
};

static void complain(struct player *player, uint64_t version, const char *what)
{
    if (!player->run->why[0])
        snprintf(player->run->why, sizeof player->run->why, "rank %u, version %" PRIu64 ": %s",
                 player->place.rank, version, what);
}

/* ---- What a version brings ---------------------------------------------------------------- */

static uint64_t given(const struct run *run, uint32_t rank, uint64_t version, size_t i)
{
    return weft_hash_mix(run->value[rank][version], i);
}

static uint64_t expected(const struct run *run, uint64_t version, size_t i)
{
    const struct pattern *pattern = &run->pattern;
    uint64_t sum = 0;
    if (pattern->collective == BCAST)
        return given(run, pattern->root, version, i);
    if (pattern->collective == ALLGATHER)
        return given(run, (uint32_t)(i / pattern->items), version, i % pattern->items);
    for (uint32_t rank = 0; rank < pattern->size; rank++)
        sum += given(run, rank, version, i);
    return sum;
}

static size_t results_of(const struct player *player)
{
    const struct pattern *pattern = &player->run->pattern;
    if (pattern->collective == BCAST && player->place.rank == pattern->root)
        return 0;
    return pattern->items * (pattern->collective == ALLGATHER ? pattern->size : 1);
}

static bool has(const struct player *player, unsigned which)
{
    return player->run->pattern.pipelined & which;
}

static void check_results(struct player *player, uint64_t version)
{
    unsigned slot =
        has(player, WEFT_VERSIONS_RESULTS) ? (unsigned)(version % player->run->pattern.slots) : 0;
    for (size_t i = 0; i < results_of(player); i++)
        if (player->to[slot][i] != expected(player->run, version, i)) {
            complain(player, version, "it brings something else");
            return;
        }
}

/* ---- What a process does ------------------------------------------------------------------ */

static int build(weft_schedule *schedule, unsigned slot, void *argument)
{
    struct player *player = argument;
    const struct pattern *pattern = &player->run->pattern;
    unsigned source = has(player, WEFT_VERSIONS_SOURCES) ? slot : 0;
    unsigned result = has(player, WEFT_VERSIONS_RESULTS) ? slot : 0;
    struct weft_schedule_memory from = {.base = player->from[source],
                                        .length = pattern->items * sizeof(uint64_t)};
    struct weft_schedule_memory to = {.base = player->to[result],
                                      .length = results_of(player) * sizeof(uint64_t)};
    if (pattern->collective == ALLREDUCE)
        return weft_collective_allreduce(schedule, WEFT_COLLECTIVE_AUTO, PTL_SUM, PTL_UINT64_T,
                                         &from, &to, 1);
    if (pattern->collective == ALLGATHER)
        return weft_collective_allgather(schedule, WEFT_COLLECTIVE_AUTO, &from, &to, 1);
    return weft_collective_bcast(schedule, WEFT_COLLECTIVE_AUTO,
                                 player->place.rank == pattern->root ? &from : &to, pattern->root,
                                 1);
}

/* Gives a new value to a version, and to all later ones if they have the same memory; with a pause
 * in the middle, in which nobody may read it. */
static void fill(struct player *player, uint64_t version)
{
    struct run *run = player->run;
    bool is_own = has(player, WEFT_VERSIONS_SOURCES);
    uint64_t *memory = player->from[is_own ? version % run->pattern.slots : 0];
    uint64_t value = rng_next(&player->rng);
    for (uint64_t v = version; v < (is_own ? version + 1 : VERSIONS); v++)
        run->value[player->place.rank][v] = value;
    for (size_t i = 0; i < run->pattern.items; i++) {
        memory[i] = given(run, player->place.rank, version, i);
        if (i == run->pattern.items / 2)
            stage_pause(&player->place, (unsigned)rng_below(&player->rng, 2));
    }
}

static bool is_early(int error)
{
    return error == WEFT_ERR_TIMEOUT || error == WEFT_ERR_BUSY;
}

static void own(struct player *player, int patience)
{
    uint64_t version = 0;
    int error = weft_versions_own(player->versions, patience, &version);
    if (is_early(error))
        return;
    if (error || version >= VERSIONS) {
        complain(player, version, "cannot own the memory");
        return;
    }
    bool is_whole = !has(player, WEFT_VERSIONS_SOURCES);
    if (is_whole && weft_versions_complete(player->versions) != version)
        complain(player, version, "owns its memory while others run");
    bool has_results = version > 0 && !has(player, WEFT_VERSIONS_RESULTS) &&
                       weft_versions_complete(player->versions) == version;
    if (has_results)
        check_results(player, version - 1);
    fill(player, version);
    if (has_results)
        check_results(player, version - 1);
    if (weft_versions_disown(player->versions))
        complain(player, version, "cannot give back its memory");
}

static void start(struct player *player)
{
    struct run *run = player->run;
    uint64_t version = 0;
    if (run->started + SLOTS >= VERSIONS)
        return;
    int error = weft_versions_start(player->versions, &version);
    if (is_early(error))
        return;
    if (error || version >= VERSIONS) {
        complain(player, version, "cannot start");
        return;
    }
    run->starts[version]++;
    if (run->started <= version)
        run->started = version + 1;
}

static void take(struct player *player)
{
    if (!has(player, WEFT_VERSIONS_RESULTS) ||
        weft_versions_complete(player->versions) <= player->taken)
        return;
    check_results(player, player->taken++);
    if (weft_versions_recycle(player->versions))
        complain(player, player->taken - 1, "cannot give back its results");
}

static void act(struct player *player)
{
    struct rng *rng = &player->rng;
    if (rng_one_in(rng, 2))
        stage_pause(&player->place, (unsigned)rng_below(rng, 3));
    if (rng_one_in(rng, player->run->pattern.eagerness))
        start(player);
    else if (rng_one_in(rng, 2))
        take(player);
    else
        own(player, (int)rng_below(rng, PATIENCE));
}

/* ---- From the beginning to the end -------------------------------------------------------- */

static void begin(struct player *player)
{
    const struct pattern *pattern = &player->run->pattern;
    if (rng_one_in(&player->rng, 4))
        stage_pause(&player->place, (unsigned)rng_below(&player->rng, 20));
    if (!has(player, WEFT_VERSIONS_SOURCES))
        fill(player, 0);
    if (weft_versions_open(player->place.engine, 1, pattern->slots, pattern->pipelined, build,
                           player, &player->versions))
        complain(player, 0, "cannot open");
}

/* All that was started comes to an end; what this process still has to give is given. */
static void drain(struct player *player)
{
    struct run *run = player->run;
    for (unsigned i = 0; i < 10000 && !run->why[0]; i++) {
        take(player);
        if (weft_versions_complete(player->versions) >= run->started)
            break;
        if (has(player, WEFT_VERSIONS_SOURCES))
            own(player, 0);
        stage_pause(&player->place, 1);
    }
    if (weft_versions_complete(player->versions) != run->started)
        complain(player, run->started, "not all before it have run, or it has");
}

static void play(unsigned number, void *argument)
{
    struct run *run = argument;
    struct player *player = calloc(1, sizeof *player);
    stage_enter(&run->stage, &player->place, number);
    player->run = run;
    player->rng = rng_stream(run->pattern.seed, 1 + number);
    begin(player);
    for (unsigned i = 0; i < ACTIONS && !run->why[0]; i++)
        act(player);
    stage_meet(&run->stage, &player->place);
    drain(player);
    stage_meet(&run->stage, &player->place);
    stage_pause(&player->place, 5);
    if (weft_versions_complete(player->versions) != run->started)
        complain(player, run->started, "it runs, and nobody has started it");
    stage_meet(&run->stage, &player->place);
    weft_versions_close(player->versions);
    stage_leave(&run->stage, &player->place);
    free(player);
}

/* ---- Patterns ----------------------------------------------------------------------------- */

static struct pattern draw(uint64_t seed)
{
    struct rng rng = rng_stream(seed, 0);
    struct pattern pattern = {.seed = seed};
    pattern.size = (uint32_t)rng_magnitude(&rng, RANKS);
    pattern.root = (uint32_t)rng_below(&rng, pattern.size);
    pattern.slots = 1 + (unsigned)rng_below(&rng, SLOTS);
    pattern.pipelined = (unsigned)rng_below(&rng, 4);
    pattern.collective = (enum collective)rng_below(&rng, COLLECTIVES);
    pattern.items = rng_magnitude(&rng, ITEMS);
    pattern.eagerness = (unsigned)rng_magnitude(&rng, 60);
    return pattern;
}

static struct weft_sim_config network(const struct pattern *pattern)
{
    struct rng rng = rng_stream(pattern->seed, 1000);
    struct weft_sim_config config = stage_config(pattern->size, pattern->seed);
    config.latency = 100 + (unsigned)rng_below(&rng, 5000);
    config.reliable = rng_one_in(&rng, 3);
    if (!config.reliable) {
        config.loss = config.duplicate = (unsigned)rng_below(&rng, WEFT_SIM_MILLION / 25);
        config.reorder = WEFT_SIM_MILLION / 20;
        config.reorder_delay = 5000;
    }
    return config;
}

/* Returns how many versions ran. */
static uint64_t try(uint64_t seed)
{
    struct run *run = calloc(1, sizeof *run);
    run->pattern = draw(seed);
    struct weft_sim_config config = network(&run->pattern);
    if (stage_run(&run->stage, &config, play, run) && !run->why[0])
        snprintf(run->why, sizeof run->why, "it does not come to an end");
    for (uint64_t v = 0; v < run->started; v++)
        if (!run->starts[v] && !run->why[0])
            snprintf(run->why, sizeof run->why, "nobody has started version %" PRIu64, v);
    uint64_t started = run->started;
    if (run->why[0]) {
        tap_check(false, "pattern", (int)seed, run->why);
        tap_note("replay: versions_test --seed %" PRIu64 " --count 1", seed);
    }
    free(run);
    return started;
}

/* ---- Who comes late ----------------------------------------------------------------------- */

/* A broadcast of several versions, in which the last leaf of the tree is missing. All others are
 * done with all of them before it comes, but for its parent, whose data it has to take. */
#define LATE_SIZE 8
#define LATE_RANK 7

struct late {
    struct run run;
    unsigned done;
};

static void come_late(unsigned number, void *argument)
{
    struct late *late = argument;
    struct player *player = calloc(1, sizeof *player);
    stage_enter(&late->run.stage, &player->place, number);
    player->run = &late->run;
    if (number == late->run.pattern.root)
        fill(player, 0);
    for (unsigned i = 0; number == LATE_RANK && late->done < LATE_SIZE - 2 && i < 1000; i++)
        stage_pause(&player->place, 1);
    if (number == LATE_RANK && late->done < LATE_SIZE - 2)
        complain(player, 0, "others wait for one that comes late");
    weft_versions_open(player->place.engine, 1, SLOTS, late->run.pattern.pipelined, build, player,
                       &player->versions);
    for (unsigned i = 0; number == late->run.pattern.root && i < SLOTS; i++)
        start(player);
    if (weft_versions_wait(player->versions, SLOTS - 1, 10000))
        complain(player, SLOTS - 1, "it does not come to an end");
    for (uint64_t v = 0; v < SLOTS; v++)
        check_results(player, v);
    late->done++;
    stage_meet(&late->run.stage, &player->place);
    weft_versions_close(player->versions);
    stage_leave(&late->run.stage, &player->place);
    free(player);
}

static void try_late(void)
{
    struct late *late = calloc(1, sizeof *late);
    late->run.pattern = (struct pattern){.size = LATE_SIZE,
                                         .slots = SLOTS,
                                         .pipelined = WEFT_VERSIONS_RESULTS,
                                         .collective = BCAST,
                                         .items = 3};
    const struct weft_sim_config config = stage_config(LATE_SIZE, 1);
    int error = stage_run(&late->run.stage, &config, come_late, late);
    check_string(late->run.why, "");
    check_int(error, 0);
    free(late);
}

int main(int argc, char **argv)
{
    uint64_t seed = stage_number(argc, argv, "--seed", "1");
    uint64_t count = stage_number(argc, argv, "--count", "300");
    uint64_t versions = 0;
    try_late();
    for (uint64_t i = 0; i < count; i++)
        versions += try(seed + i);
    tap_note("%" PRIu64 " patterns, %" PRIu64 " versions", count, versions);
    tap_check(versions > count, "pattern", 0, "all seeds were tried");
    return tap_done();
}
