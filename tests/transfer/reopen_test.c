/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes of a job join, talk and leave several times, each at its own pace. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <weft_net.h>

#include "support/rng.h"
#include "support/tap.h"

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

static int live(int rank)
{
    struct rng rng = rng_stream(7, (uint64_t)rank);
    char text[8];
    snprintf(text, sizeof text, "%d", rank);
    setenv("WEFT_RANK", text, 1);
    alarm(SECONDS);
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
    char folder[] = "/tmp/weft-reopen-XXXXXX", file[sizeof folder + 8], ranks[8];
    if (!mkdtemp(folder))
        return 2;
    snprintf(file, sizeof file, "%s/job", folder);
    snprintf(ranks, sizeof ranks, "%d", RANKS);
    setenv("WEFT_RENDEZVOUS", file, 1);
    setenv("WEFT_SIZE", ranks, 1);
    setenv("WEFT_LAUNCHER", "file", 1);
    setenv("WEFT_LOG", "off", 1); /* the second net of a process is refused aloud */
    pid_t pids[RANKS];
    for (int rank = 0; rank < RANKS; rank++) {
        pids[rank] = fork();
        if (pids[rank] == 0)
            exit(live(rank));
    }
    for (int rank = 0; rank < RANKS; rank++) {
        int status = -1;
        check(waitpid(pids[rank], &status, 0) == pids[rank]);
        check_int(status, 0);
    }
    unlink(file);
    check_int(rmdir(folder), 0);
    return tap_done();
}
