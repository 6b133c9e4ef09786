/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/core.h"
#include "portals/run.h"
#include "portals/simulate.h"

#define MILLISECOND 1000000u

/* ---- Cores that charge for every call ------------------------------------------------------ */

#define CALL 1       /* nanoseconds */
#define DMA 100      /* nanoseconds */
#define DMA_RATE 20u /* bytes in a nanosecond */

static ptl_handler_result_t call_and_charge(struct weft_nic_core *core,
                                            const struct weft_nic_call *call,
                                            struct weft_nic_run *run)
{
    (void)core;
    run->clock += CALL;
    return weft_nic_core_call(call);
}

static uint64_t end_of_dma(struct weft_nic_core *core, const struct weft_nic_run *run,
                           enum weft_trace_dma direction, uint64_t length)
{
    (void)core;
    (void)direction;
    return run->clock + DMA + length / DMA_RATE;
}

static struct weft_nic_core slow_core = {call_and_charge, end_of_dma};

/* ---- Nodes --------------------------------------------------------------------------------- */

struct scene {
    struct run *run;
    unsigned position;
    struct job jobs[RUN_RANKS]; /* not on the stacks of the nodes, which can crash */
};

static void node_program(unsigned node, void *argument)
{
    struct scene *scene = argument;
    run_rank(scene->run, scene->position, node, &scene->jobs[node]);
}

void run_simulation(struct run *run, unsigned position)
{
    const struct behaviour *behaviour = run->plan[position];
    unsigned timeout = behaviour->timeout ? behaviour->timeout : 10000;
    struct scene scene = {.run = run, .position = position};
    struct weft_sim_config config = {
        .nodes = run_ranks(run, behaviour),
        .seed = position + 1,
        .latency = 1000,
        .bandwidth = 10000,
        .packet_size = 2048,
        .timeout = (uint64_t)timeout * MILLISECOND,
        .reliable = !run->flavour->lossy,
        .nic = {.hpus = {.count = run->hpus,
                         .contexts = behaviour->contexts ? behaviour->contexts : 256,
                         .start = 200,
                         .dma = DMA,
                         .dma_rate = DMA_RATE * 1000},
                .core = run->has_slow_cores ? &slow_core : NULL},
        .limit = 600000ull * MILLISECOND,
    };
    static const struct weft_nic_stages stages = {.match = 30,
                                                  .look_up = 2,
                                                  .copy = 200,
                                                  .copy_rate = 50000,
                                                  .tlp_header = 24,
                                                  .tlp_payload = 256};
    if (run->has_stages) /* which want HPUs that keep time */
        config.nic.stages = &stages;
    if (run->has_paths) {
        config.paths = 4;
        config.path_delay = 700;
    }
    if (run->flavour->lossy) {
        config.loss = config.duplicate = WEFT_SIM_MILLION / 50;
        config.reorder = WEFT_SIM_MILLION / 20;
        config.reorder_delay = 5000;
    }
    const struct weft_portals_crash crash = {.node = 0,
                                             .when = (uint64_t)behaviour->crash * MILLISECOND};
    const struct weft_portals_plan plan = {.crashes = &crash,
                                           .crash_count = behaviour->crash != 0};
    int code = weft_portals_simulate_plan(&config, node_program, &scene, &plan);
    /* Programs that wait for ever complain in their own words. */
    struct job job = {.rank = 0, .verdict = &run->verdicts[position]};
    for (unsigned node = 0; node < config.nodes; node++)
        job_free(&scene.jobs[node]);
    job_check(&job, code == 0, __FILE__, __LINE__, "the simulation comes to an end");
}
