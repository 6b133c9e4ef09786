/* SPDX-License-Identifier: BSD-3-Clause */
/* Any file may be given for a graph; what is one ends, or is known to wait for ever. */
#include <stdlib.h>

#include "fuzz/use.h"
#include "sim/message/binary.h"
#include "sim/message/job.h"

#define MOST_RANKS 4096u

static void run(const struct weft_sim_graph *graph)
{
    const struct weft_sim_costs costs = {.latency = 3000,
                                         .overhead = 1000,
                                         .gap = 500,
                                         .byte_gap = 1,
                                         .byte_overhead = 1,
                                         .matching = 100,
                                         .eager = 64,
                                         .cores = 3};
    struct weft_sim_outcome outcome;
    enum weft_sim_end end = weft_sim_job_run(graph, &costs, NULL, &outcome);
    if (end == WEFT_SIM_ENDED && outcome.incomplete)
        abort();
    if (end == WEFT_SIM_END_STUCK && outcome.stuck >= graph->count)
        abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct weft_sim_graph graph = {0};
    struct weft_sim_mistake mistake = {0};
    bool is_good = weft_sim_binary_is(data, size)
                       ? weft_sim_binary_read(&graph, data, size, &mistake)
                       : weft_sim_text_read(&graph, (const char *)data, size, &mistake);
    if (!is_good && !mistake.text[0])
        abort();
    if (is_good && graph.ranks <= MOST_RANKS) {
        run(&graph);
        weft_sim_graph_offload(&graph);
        run(&graph);
    }
    weft_sim_graph_fini(&graph);
    return 0;
}
