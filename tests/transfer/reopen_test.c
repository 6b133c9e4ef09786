/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes of a job join, talk and leave several times, each at its own pace. */
#include <stdlib.h>
#include <time.h>

#include <weft_net.h>

#include "support/rng.h"
#include "support/tap.h"
#include "transfer/family.h"

#define RANKS 3
#define TIMES 8
#define SECONDS 60

static void nap(struct rng *rng)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)rng_below(rng, 20) * 1000000}, NULL);
}

/* A value around the ring; what comes back must have been everywhere. */
static int talk(weft_net *net, int round)
{
    int rank = weft_rank(net), size = weft_size(net), value = round;
    const weft_type *type = weft_basic(WEFT_INT);
    if (rank > 0) {
        if (weft_recv(net, type, 1, &value, rank - 1, round, NULL))
            return 1;
        value++;
    }
    if (weft_send(net, type, 1, &value, (rank + 1) % size, round))
        return 2;
    if (rank == 0 && weft_recv(net, type, 1, &value, size - 1, round, NULL))
        return 3;
    return value == round + (rank ? rank : size - 1) ? 0 : 4;
}

static int live(int rank, void *argument)
{
    struct rng rng = rng_stream(7, (uint64_t)rank);
    (void)argument;
    for (int round = 0; round < TIMES; round++) {
        weft_net *net, *second;
        nap(&rng);
        if (weft_open(&net))
            return 5;
        if (round == 0 && weft_open(&second) != WEFT_ERR_NETWORK)
            return 6;
        int result = talk(net, round);
        if (result)
            return result;
        nap(&rng);
        weft_close(net);
    }
    return 0;
}

int main(void)
{
    setenv("WEFT_LOG", "off", 1); /* the second net of a process is refused aloud */
    family_run(RANKS, SECONDS, live, NULL);
    return tap_done();
}
