/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules as LogGOPSim's txt2bin writes them: random graphs come back, and no byte that is wrong
 * does harm. */
#include "sim/message/binary.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "sim/message/job.h"
#include "sim/message/plan.h"
#include "support/tap.h"

/* ---- Writing ------------------------------------------------------------------------------ */

struct sheet {
    unsigned char bytes[1 << 16];
    size_t size;
};

static void put(struct sheet *sheet, uint64_t value, unsigned length)
{
    for (unsigned i = 0; i < length; i++)
        sheet->bytes[sheet->size++] = (unsigned char)(value >> 8 * i);
}

static unsigned kind_of(const struct weft_sim_operation *operation)
{
    return operation->action == WEFT_SIM_SEND ? 1 : operation->action == WEFT_SIM_RECEIVE ? 2 : 3;
}

/* Followers of an operation of the rank that begins at `first`, of one kind. */
static unsigned put_followers(struct sheet *sheet, const struct weft_sim_graph *graph,
                              uint32_t number, uint32_t first, bool of_begin, bool only_count)
{
    const struct weft_sim_operation *operation = &graph->operations[number];
    unsigned count = 0;
    for (uint32_t i = operation[0].followers; i < operation[1].followers; i++) {
        if (!(graph->followers[i] & WEFT_SIM_EDGE_BEGUN) == of_begin)
            continue;
        count++;
        if (!only_count)
            put(sheet, (graph->followers[i] & ~WEFT_SIM_EDGE_BEGUN) - first, 4);
    }
    return count;
}

static void put_record(struct sheet *sheet, const struct weft_sim_graph *graph, uint32_t number,
                       uint32_t first, unsigned *place)
{
    const struct weft_sim_operation *operation = &graph->operations[number];
    put(sheet, operation->waits, 4);
    put(sheet, kind_of(operation), 1);
    put(sheet, operation->peer, 4);
    put(sheet, operation->size, 8);
    put(sheet, operation->tag, 4);
    put(sheet, operation->cpu, 1);
    put(sheet, operation->nic, 1);
    for (unsigned of_begin = 0; of_begin < 2; of_begin++) {
        unsigned count = put_followers(sheet, graph, number, first, of_begin, true);
        put(sheet, count, 4);
        put(sheet, *place, 4);
        *place += count;
    }
}

static void put_rank(struct sheet *sheet, const struct weft_sim_graph *graph, uint32_t rank)
{
    uint32_t first = 0, end;
    while (first < graph->count && graph->operations[first].rank != rank)
        first++;
    for (end = first; end < graph->count && graph->operations[end].rank == rank;)
        end++;
    unsigned place = 0, roots = 0;
    for (uint32_t i = first; i < end; i++)
        roots += !graph->operations[i].waits;
    put(sheet, end - first, 4);
    put(sheet, roots, 4);
    for (uint32_t i = first; i < end; i++)
        if (!graph->operations[i].waits)
            put(sheet, i - first, 4);
    for (uint32_t i = first; i < end; i++)
        put_record(sheet, graph, i, first, &place);
    for (uint32_t i = first; i < end; i++)
        for (unsigned of_begin = 0; of_begin < 2; of_begin++)
            put_followers(sheet, graph, i, first, of_begin, false);
}

static void put_graph(struct sheet *sheet, const struct weft_sim_graph *graph)
{
    sheet->size = 0;
    put(sheet, 4223, 8);
    put(sheet, graph->ranks, 4);
    put(sheet, graph->cpus - 1, 1);
    put(sheet, graph->nics - 1, 1);
    size_t jumps = sheet->size;
    sheet->size += 16 * (size_t)graph->ranks;
    for (uint32_t rank = 0; rank < graph->ranks; rank++) {
        size_t begin = sheet->size;
        put_rank(sheet, graph, rank);
        size_t end = sheet->size;
        sheet->size = jumps + 16 * (size_t)rank;
        put(sheet, begin - 8, 8);
        put(sheet, end - 8, 8);
        sheet->size = end;
    }
}

/* ---- Reading ------------------------------------------------------------------------------ */

static const struct weft_sim_costs costs = {
    .latency = 1000, .overhead = 300, .gap = 200, .byte_gap = 3, .eager = 100};

static uint64_t time_of(const struct weft_sim_graph *graph)
{
    struct weft_sim_outcome outcome;
    weft_sim_job_run(graph, &costs, NULL, &outcome);
    return outcome.time;
}

static void build(struct weft_sim_graph *graph, enum weft_sim_scheme scheme)
{
    struct weft_sim_plan plan = {.scheme = scheme, .ranks = 7, .size = 110, .combine = 1};
    if (scheme == WEFT_SIM_FFT2D)
        plan.compute = plan.unpack = 3;
    check(weft_sim_plan_build(&plan, graph));
}

/* Joins cost nothing, as computations of no time do. */
static void test_plans(void)
{
    static struct sheet sheet;
    for (unsigned scheme = 0; scheme < WEFT_SIM_SOLO; scheme++) {
        struct weft_sim_graph graph = {0}, copy = {0};
        struct weft_sim_mistake mistake;
        build(&graph, (enum weft_sim_scheme)scheme);
        put_graph(&sheet, &graph);
        check(weft_sim_binary_is(sheet.bytes, sheet.size));
        check(weft_sim_binary_read(&copy, sheet.bytes, sheet.size, &mistake));
        check_uint(copy.ranks, graph.ranks);
        check_uint(copy.count, graph.count);
        check_uint(time_of(&copy), time_of(&graph));
        weft_sim_graph_fini(&graph);
        weft_sim_graph_fini(&copy);
    }
}

static void test_waits(void)
{
    static struct sheet sheet;
    static const char text[] = "num_ranks 2\nrank 0 {\na: calc 7\nb: send 5b to 1 cpu 1 nic 2\n"
                               "b irequires a\nc: calc 9\nc requires b\nc requires a\n}\n"
                               "rank 1 {\nrecv 5b from -1 tag -1\n}\n";
    struct weft_sim_graph graph = {0}, copy = {0};
    struct weft_sim_mistake mistake;
    check(weft_sim_text_read(&graph, text, strlen(text), &mistake));
    put_graph(&sheet, &graph);
    check(weft_sim_binary_read(&copy, sheet.bytes, sheet.size, &mistake));
    check_uint(copy.cpus, 2);
    check_uint(copy.nics, 3);
    check(copy.has_wildcards && copy.has_begun);
    check_uint(time_of(&copy), time_of(&graph));
    weft_sim_graph_fini(&graph);
    weft_sim_graph_fini(&copy);
}

/* Every prefix is refused; any byte may be changed. */
static void test_anything(void)
{
    static struct sheet sheet, wrong;
    struct weft_sim_graph graph = {0};
    uint64_t random = 1;
    unsigned read = 0, silent = 0;
    build(&graph, WEFT_SIM_ALLREDUCE);
    put_graph(&sheet, &graph);
    weft_sim_graph_fini(&graph);
    for (unsigned round = 0; round < 20000; round++) {
        struct weft_sim_mistake mistake = {0};
        wrong.size = round < sheet.size ? round : sheet.size;
        if (wrong.size < 8)
            continue;
        /* From a block of its own, so that a byte behind it is noticed. */
        unsigned char *bytes = malloc(wrong.size);
        memcpy(bytes, sheet.bytes, wrong.size);
        if (wrong.size == sheet.size) {
            size_t at = 8 + weft_random_next(&random) % (sheet.size - 8);
            bytes[at] = (unsigned char)weft_random_next(&random);
        }
        bool is_good = weft_sim_binary_read(&graph, bytes, wrong.size, &mistake);
        read += is_good;
        silent += (!is_good && !*mistake.text) || (is_good && wrong.size < sheet.size);
        if (is_good)
            time_of(&graph);
        weft_sim_graph_fini(&graph);
        free(bytes);
    }
    check_uint(silent, 0);
    check(read > 1000 && read < 19000);
    tap_note("%u were read", read);
}

int main(void)
{
    test_plans();
    test_waits();
    test_anything();
    return tap_done();
}
