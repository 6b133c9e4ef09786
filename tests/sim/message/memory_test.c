/* SPDX-License-Identifier: BSD-3-Clause */
/* Without memory, whatever allocation it is that fails: told, and nothing is left behind. */
#include <string.h>

#include "sim/message/job.h"
#include "sim/message/plan.h"
#include "sim/message/text.h"
#include "support/allocations.h"
#include "support/tap.h"

static const char text[] = "num_ranks 2\nrank 0 {\na: calc 7\nb: send 5b to 1\nb requires a\n}\n"
                           "rank 1 {\na: recv 5b from 0\nb: calc 1\nb requires a\n}\n";

static bool read_and_run(void)
{
    struct weft_sim_graph graph = {0};
    struct weft_sim_mistake mistake = {0};
    struct weft_sim_costs costs = {.latency = 1};
    struct weft_sim_outcome outcome;
    bool is_read = weft_sim_text_read(&graph, text, strlen(text), &mistake);
    if (!is_read && !strstr(mistake.text, "no memory"))
        check_string(mistake.text, "there is no memory");
    enum weft_sim_end end =
        is_read ? weft_sim_job_run(&graph, &costs, NULL, &outcome) : WEFT_SIM_END_STARVED;
    weft_sim_graph_fini(&graph);
    if (end != WEFT_SIM_ENDED)
        check_int(end, WEFT_SIM_END_STARVED);
    return end == WEFT_SIM_ENDED;
}

/* More than one piece of memory for operations and for events. */
static bool build_and_run(void)
{
    struct weft_sim_plan plan = {.scheme = WEFT_SIM_SOLO, .ranks = 100, .is_offloaded = true};
    struct weft_sim_graph graph = {0};
    struct weft_sim_costs costs = {.latency = 1000, .gap = 7, .eager = 100};
    struct weft_sim_outcome outcome;
    enum weft_sim_end end = WEFT_SIM_END_STARVED;
    if (weft_sim_plan_build(&plan, &graph))
        end = weft_sim_job_run(&graph, &costs, NULL, &outcome);
    weft_sim_graph_fini(&graph);
    if (end != WEFT_SIM_ENDED)
        check_int(end, WEFT_SIM_END_STARVED);
    return end == WEFT_SIM_ENDED;
}

static void test(bool (*job)(void))
{
    size_t before = allocations_made();
    check(job());
    size_t needed = allocations_made() - before;
    for (size_t working = 0; working < needed; working++) {
        allocations_fail_after(working);
        bool is_done = job();
        allocations_work_again();
        check(!is_done);
    }
    tap_note("%zu allocations", needed);
    check(job());
}

int main(void)
{
    test(read_and_run);
    test(build_and_run);
    return tap_done();
}
