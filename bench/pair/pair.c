/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/pair/pair.h"

#include "bench/pair/side.h"

static struct side_shared *shared;
static struct pair_shape shape;

static struct pair_job job;
static struct bare_ofi_card network;

static void open_side(unsigned rank)
{
    side_open(rank, &shape, shared);
}

static double work(void)
{
    return side_work(&job);
}

enum pair_engine pair_bare_engine(const struct crew_world *world)
{
    static const enum pair_engine engines[CREW_NETS] = {
        [CREW_SHM] = PAIR_RING, [CREW_OFI] = PAIR_LIBFABRIC, [CREW_TCP] = PAIR_SOCKET};
    return engines[world->net];
}

void pair_start(const struct pair_shape *wanted)
{
    shape = *wanted;
    shared = crew_share(side_shared_bytes(&shape));
    const struct crew_member every = {&job, sizeof(job), open_side, work, side_close};
    crew_start(&(struct crew_plan){2, shape.world, shape.world.net != CREW_SHM, every});
    network = shared->cards[0];
}

const struct bare_ofi_card *pair_network(void)
{
    return &network;
}

double pair_run(const struct pair_job *wanted)
{
    return crew_run(wanted, 2);
}
