/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/pair/pair.h"

#include <sys/mman.h>

#include "bench/harness/crew.h"
#include "bench/pair/side.h"

static size_t shared_bytes;
static struct side_shared *shared;
static struct pair_shape shape;

static void run_side(unsigned rank, void *argument, int jobs, int answers)
{
    (void)argument;
    side_main(rank, &shape, shared, jobs, answers);
}

void pair_start(const struct pair_shape *wanted)
{
    shape = *wanted;
    shared_bytes = side_shared_bytes(&shape);
    shared = mmap(NULL, shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        crew_end_with("cannot make shared memory");
    crew_start(&(struct crew_plan){.size = 2,
                                   .is_ofi = shape.world == PAIR_OFI,
                                   .is_job = shape.world == PAIR_OFI,
                                   .provider = shape.provider,
                                   .main = run_side});
}

const struct bare_ofi_card *pair_network(void)
{
    return &shared->cards[0];
}

double pair_run(const struct pair_job *job)
{
    return crew_run(job, sizeof(*job), 2);
}

void pair_hold(bool hold)
{
    crew_hold(hold);
}

void pair_stop(void)
{
    crew_stop();
    munmap(shared, shared_bytes);
}
