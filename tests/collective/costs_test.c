/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives on simulated NICs take as long as their schedules cost: every rank prints what it
 * will do (weft_schedule_print) and does it; then the text of all is simulated by costs. Nothing
 * is in the way of anybody there: links have no end, so that a message takes the latency.
 * `costs_test 4096` runs the ways of few steps on so many ranks; it takes a minute.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collective/scenario.h"
#include "portals/simulate.h"
#include "sim/message/job.h"
#include "sim/message/text.h"
#include "support/tap.h"
#include "transfer/node.h"

#define MILLISECOND UINT64_C(1000000)
#define LATENCY 1000 /* nanoseconds */
#define TICK 10000
#define EAGER 65536
#define ITEMS 64 /* of a block: no part of it is empty, and no message is longer than EAGER */
#define COMPUTE_TAG 100000u
#define MOST_OPERATIONS 1024

struct run {
    struct scenario scenario;
    unsigned arrived;
    ptl_process_t *map;
    char *text; /* of all ranks */
    size_t length, room;
    uint64_t begin, end; /* of the last */
    int error;
};

/* ---- On NICs ------------------------------------------------------------------------------ */

static void add_text(struct run *run, const weft_schedule *schedule)
{
    size_t length = (size_t)weft_schedule_print(schedule, WEFT_SCHEDULE_GOAL, NULL, 0);
    while (run->length + length + 1 > run->room) {
        run->room = 2 * run->room + 4096;
        run->text = realloc(run->text, run->room);
    }
    weft_schedule_print(schedule, WEFT_SCHEDULE_GOAL, run->text + run->length, length + 1);
    run->length += length;
}

static void pause_for(ptl_handle_ct_t clock, unsigned milliseconds)
{
    ptl_size_t never = 1;
    ptl_ct_event_t value;
    unsigned which;
    PtlCTPoll(&clock, &never, 1, milliseconds, &value, &which);
}

/* They come at one time, and go on at one time. */
static void meet(struct run *run, ptl_handle_ct_t clock, unsigned times)
{
    run->arrived++;
    do
        pause_for(clock, 1);
    while (run->arrived < times * run->scenario.size);
}

/* Who has polled in vain is later than others by that. */
static void come_to_tick(ptl_handle_ct_t clock)
{
    ptl_ct_event_t value;
    while (node_time() % TICK != TICK / 2)
        PtlCTGet(clock, &value);
}

static void play(struct run *run, weft_engine *engine, ptl_handle_ct_t clock)
{
    uint32_t rank = weft_engine_rank(engine);
    size_t given = 8 * scenario_given(&run->scenario, rank);
    size_t gotten = 8 * scenario_gotten(&run->scenario, rank);
    struct weft_schedule_memory from = {.base = calloc(1, given + 1), .length = given};
    struct weft_schedule_memory to = {.base = calloc(1, gotten + 1), .length = gotten};
    weft_schedule *schedule = NULL;
    int error = weft_schedule_create(engine, 1, &schedule);
    if (!error)
        error = scenario_build(&run->scenario, schedule, &from, &to);
    if (!error)
        add_text(run, schedule);
    if (!error)
        error = weft_schedule_post(schedule);
    meet(run, clock, 2);
    come_to_tick(clock);
    if (node_time() > run->begin)
        run->begin = node_time();
    if (!error)
        error = weft_schedule_start(schedule);
    if (!error)
        error = weft_schedule_wait(schedule, 1000000);
    if (node_time() > run->end)
        run->end = node_time();
    if (error)
        run->error = error;
    meet(run, clock, 3);
    weft_schedule_free(schedule);
    free(from.base);
    free(to.base);
}

static void node_program(unsigned number, void *argument)
{
    const struct weft_engine_options options = {.eager = EAGER};
    struct run *run = argument;
    weft_engine *engine;
    ptl_handle_ni_t ni;
    ptl_handle_ct_t clock;
    PtlInit();
    PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, 1, NULL, NULL, &ni);
    PtlSetMap(ni, run->scenario.size, run->map);
    PtlCTAlloc(ni, &clock);
    weft_engine_open(ni, number, run->scenario.size, &options, &engine);
    meet(run, clock, 1);
    play(run, engine, clock);
    weft_engine_close(engine);
    PtlNIFini(ni);
    PtlFini();
}

/* In nanoseconds. */
static uint64_t time_on_nics(struct run *run)
{
    uint32_t size = run->scenario.size;
    struct weft_sim_config config = {.nodes = size,
                                     .seed = 1,
                                     .latency = LATENCY,
                                     .packet_size = 8192,
                                     .timeout = 10000 * MILLISECOND,
                                     .reliable = true,
                                     .limit = 600000 * MILLISECOND};
    run->map = malloc(size * sizeof *run->map);
    for (uint32_t i = 0; i < size; i++)
        run->map[i] = (ptl_process_t){.phys = {.nid = i + 1, .pid = 1}};
    int error = weft_portals_simulate(&config, node_program, run);
    free(run->map);
    check_int(error, 0);
    check_int(run->error, 0);
    return run->end - run->begin;
}

/* ---- By costs ----------------------------------------------------------------------------- */

static bool computes[MOST_OPERATIONS]; /* those of the rank that is being read */

/* What computes is a message of the NIC to itself: its label is that of the receive, and the send
 * has one of its own. */
static void translate(FILE *out, char *text)
{
    unsigned rank = 0, label, other;
    size_t size;
    for (char *line = strtok_r(text, "\n", &text); line; line = strtok_r(NULL, "\n", &text)) {
        sscanf(line, "rank %u", &rank);
        bool is_computation =
            sscanf(line, "l%u: calc 0 /* %*s of %zu B", &label, &size) == 2 && size;
        if (is_computation)
            fprintf(out, "l%u: send %zub to %u tag %u\nl%u: recv %zub from %u tag %u\n",
                    COMPUTE_TAG + label, size, rank, COMPUTE_TAG + label, label, size, rank,
                    COMPUTE_TAG + label);
        else
            fprintf(out, "%s\n", line);
        if (strchr(line, ':') && sscanf(line, "l%u", &label) == 1)
            computes[label] = is_computation;
        if (sscanf(line, "l%u requires l%u", &label, &other) == 2 && computes[label])
            fprintf(out, "l%u requires l%u\n", COMPUTE_TAG + label, other);
    }
}

/* Without an eager length, sends that have a byte are complete when they are acknowledged. Those
 * without data are not, nor those that leave at the start, nor computations. */
static bool is_acknowledged(const struct weft_sim_operation *operation)
{
    return weft_sim_is_message(operation) && operation->size && operation->waits &&
           operation->tag < COMPUTE_TAG;
}

static uint64_t time_of_text(const char *text)
{
    struct weft_sim_costs costs = {.latency = LATENCY * WEFT_SIM_NANOSECOND};
    struct weft_sim_graph graph = {0};
    struct weft_sim_mistake mistake = {0};
    struct weft_sim_outcome outcome = {0};
    if (check(weft_sim_text_read(&graph, text, strlen(text), &mistake))) {
        weft_sim_graph_offload(&graph);
        for (uint32_t i = 0; i < graph.count; i++)
            graph.operations[i].size = is_acknowledged(&graph.operations[i]);
        check_int(weft_sim_job_run(&graph, &costs, NULL, &outcome), WEFT_SIM_ENDED);
        check_uint(outcome.unreceived, 0);
    } else {
        tap_note("line %u: %s", mistake.line, mistake.text);
    }
    weft_sim_graph_fini(&graph);
    return outcome.time / WEFT_SIM_NANOSECOND;
}

static uint64_t time_by_costs(const struct run *run)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "num_ranks %u\n", run->scenario.size);
    translate(out, run->text);
    fclose(out);
    uint64_t time = time_of_text(text);
    free(text);
    return time;
}

static void try(const struct scenario_kind *kind, uint32_t size, size_t items)
{
    struct run run = {.scenario = {.kind = kind,
                                   .size = size,
                                   .items = items,
                                   .operation = PTL_SUM,
                                   .datatype = PTL_UINT64_T}};
    uint64_t nics = time_on_nics(&run);
    if (!check_uint(time_by_costs(&run), nics))
        tap_note("%s, %u ranks", kind->name, size);
    free(run.text);
}

/* In streams, readiness is told before the start, and packets overlap: their text has neither. */
static bool is_in_text(const struct scenario_kind *kind)
{
    return kind->way != WEFT_COLLECTIVE_STREAM;
}

static bool has_few_steps(const struct scenario_kind *kind)
{
    return kind->collective == SCENARIO_BARRIER || kind->way == WEFT_COLLECTIVE_BINOMIAL ||
           kind->way == WEFT_COLLECTIVE_DOUBLING || kind->way == WEFT_COLLECTIVE_BRUCK;
}

static void try_sizes(void)
{
    static const uint32_t sizes[] = {2, 3, 4, 5, 7, 8, 13, 16, 27, 32, 64};
    for (unsigned i = 0; i < scenario_count; i++)
        for (unsigned j = 0; is_in_text(&scenario_kinds[i]) && j < sizeof sizes / sizeof *sizes;
             j++)
            try(&scenario_kinds[i], sizes[j], ITEMS);
}

/* Of one item each, so that what a rank has for all others is one message. */
static void try_large(uint32_t size)
{
    for (unsigned i = 0; i < scenario_count; i++)
        if (has_few_steps(&scenario_kinds[i]))
            try(&scenario_kinds[i], size, 1);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        try_large((uint32_t)strtoul(argv[1], NULL, 10));
    else
        try_sizes();
    return tap_done();
}
