/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/collective/collective_member.h"

#include <portals4_job.h>

#include "bench/harness/crew.h"
#include "bench/pair/side.h"

#define TAG 1

static struct collective_turn job;
static struct collective_times *told; /* by rank 0, to the program */
static unsigned crew_size;

/* ---- In a process ------------------------------------------------------------------------- */

static struct collective_calls calls;
static ptl_handle_ni_t ni;
static weft_engine *engine;
static weft_schedule *schedules[COLLECTIVE_MOST_PROCESSES]; /* of each root */
static weft_schedule *under_way;

static void must(int error)
{
    if (error)
        side_fail(weft_error_text(error));
}

static void meet(void)
{
    crew_meet(calls.size);
}

int collective_add(weft_schedule *schedule, const struct collective_turn *turn, unsigned root,
                   void *sources, void *results)
{
    const weft_engine *of = weft_schedule_engine(schedule);
    enum weft_collective_way way = (enum weft_collective_way)turn->way;
    struct weft_schedule_memory from = {.base = sources, .length = turn->bytes};
    struct weft_schedule_memory to = {.base = results, .length = turn->bytes};
    switch (turn->kind) {
    case COLLECTIVE_BCAST:
        return weft_collective_bcast(schedule, way, weft_engine_rank(of) == root ? &from : &to,
                                     root, TAG);
    case COLLECTIVE_ALLREDUCE:
        return weft_collective_allreduce(schedule, way, PTL_SUM, PTL_DOUBLE, &from, &to, TAG);
    case COLLECTIVE_REDUCE:
        return weft_collective_reduce(schedule, way, PTL_SUM, PTL_DOUBLE, &from, &to, root, TAG);
    case COLLECTIVE_ALLGATHER:
        from.length /= weft_engine_size(of);
        return weft_collective_allgather(schedule, way, &from, &to, TAG);
    case COLLECTIVE_ALLTOALL:
        return weft_collective_alltoall(schedule, way, &from, &to, TAG);
    default:
        return weft_collective_barrier(schedule, TAG);
    }
}

/* Those with a root have all in turn. */
static bool has_root(const struct collective_turn *turn)
{
    return turn->kind == COLLECTIVE_BCAST || turn->kind == COLLECTIVE_REDUCE;
}

static unsigned slot_of(const struct collective_turn *turn, unsigned root)
{
    return has_root(turn) ? root : 0;
}

static void open_turn(const struct collective_turn *turn)
{
    unsigned count = has_root(turn) ? calls.size : 1;
    for (unsigned root = 0; root < count; root++) {
        must(weft_schedule_create(engine, (uint16_t)root, &schedules[root]));
        must(collective_add(schedules[root], turn, root, calls.sources, calls.results));
    }
}

static void begin(const struct collective_turn *turn, unsigned root)
{
    under_way = schedules[slot_of(turn, root)];
    must(weft_schedule_post(under_way));
    must(weft_schedule_start(under_way));
}

static void end(void)
{
    must(weft_schedule_wait(under_way, -1));
}

static void block(const struct collective_turn *turn, unsigned root)
{
    begin(turn, root);
    end();
}

static void close_turn(void)
{
    for (unsigned root = 0; root < calls.size; root++) {
        weft_schedule_free(schedules[root]);
        schedules[root] = NULL;
    }
}

static void open_member(unsigned rank)
{
    static const struct collective_ops ops = {meet, open_turn, block, begin, end, close_turn};
    calls = collective_calls_open(&ops, rank, crew_size);
    SIDE_MUST(PtlInit());
    SIDE_MUST(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, PTL_PID_ANY, NULL,
                        NULL, &ni));
    SIDE_MUST(weft_job_init(ni, NULL, NULL));
    must(weft_engine_open(ni, rank, crew_size, NULL, &engine));
}

static double work(void)
{
    struct collective_times times;
    if (!collective_turn_run(&calls, &job, &times))
        side_fail("the data that came is not what it must be");
    if (calls.rank == 0)
        *told = times;
    return 0;
}

static void close_member(void)
{
    weft_engine_close(engine);
    PtlNIFini(ni);
    PtlFini();
    collective_calls_close(&calls);
}

/* ---- In the program ----------------------------------------------------------------------- */

void collective_crew_start(unsigned processes, size_t hpus)
{
    const struct crew_member every = {&job, sizeof(job), open_member, work, close_member};
    crew_size = processes;
    told = crew_share(sizeof(*told));
    crew_set(WEFT_SETTING_HPUS, hpus);
    crew_start(&(struct crew_plan){processes, {.net = CREW_SHM}, true, every});
}

struct collective_times collective_crew_run(const struct collective_turn *turn)
{
    crew_run(turn, crew_size);
    return *told;
}
