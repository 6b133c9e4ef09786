/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * crowd_test [ranks [peers]]: a job with so many processes on this host, which may have so many
 * (WEFT_SHM_PEERS). If they are allowed, all send to rank 0 and to their neighbours, more than the
 * narrowest ring holds; rank 0 answers, and the shared memory that it takes is bounded. If not,
 * nobody gets a net.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft_net.h>

#include "support/tap.h"
#include "transfer/family.h"

#define NEIGHBOURS 4
#define MESSAGES 8
#define SECONDS 540
#define WIDE_BYTES 300000u
#define NARROW_BYTES 50000u

struct scene {
    atomic_int refused; /* processes that were told that there are too many */
    int ranks, peers;
    size_t shared; /* bytes, of rank 0 */
};

static size_t shared_memory(void)
{
    char line[128];
    size_t kilobytes = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        sscanf(line, "RssShmem: %zu", &kilobytes);
    if (status)
        fclose(status);
    return kilobytes * 1024;
}

static bool give(weft_net *net, int rank)
{
    int value = weft_rank(net);
    for (int tag = 0; tag < MESSAGES; tag++)
        if (weft_send(net, weft_basic(WEFT_INT), 1, &value, rank, tag))
            return false;
    return true;
}

static bool take(weft_net *net, int rank)
{
    for (int tag = 0; tag < MESSAGES; tag++) {
        int value = -1;
        if (weft_recv(net, weft_basic(WEFT_INT), 1, &value, rank, tag, NULL) || value != rank)
            return false;
    }
    return true;
}

static bool talk_to_neighbours(weft_net *net)
{
    int rank = weft_rank(net), size = weft_size(net);
    bool fine = true;
    for (int step = 1; step <= NEIGHBOURS; step++)
        fine = fine && give(net, (rank + step) % size);
    for (int step = 1; step <= NEIGHBOURS; step++)
        fine = fine && take(net, (rank + size - step) % size);
    return fine;
}

static bool talk_to_first(weft_net *net)
{
    bool fine = true;
    if (weft_rank(net) > 0)
        return give(net, 0) && take(net, 0);
    for (int rank = 1; fine && rank < weft_size(net); rank++)
        fine = take(net, rank);
    for (int rank = 1; fine && rank < weft_size(net); rank++)
        fine = give(net, rank);
    return fine;
}

static int live(int rank, void *argument)
{
    struct scene *scene = argument;
    weft_net *net;
    int error = weft_open(&net);
    if (scene->ranks > scene->peers) {
        scene->refused += error == WEFT_ERR_NETWORK;
        /* Who comes when the others have given up already waits for them in vain. */
        return error != WEFT_ERR_NETWORK && error != WEFT_ERR_PEER;
    }
    if (error || !talk_to_neighbours(net) || !talk_to_first(net))
        return 1;
    if (rank == 0)
        scene->shared = shared_memory();
    weft_close(net);
    return 0;
}

int main(int argc, char **argv)
{
    struct scene *scene = family_memory(sizeof *scene);
    scene->ranks = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 70;
    scene->peers = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 512;
    if (argc > 2)
        setenv("WEFT_SHM_PEERS", argv[2], 1);
    setenv("WEFT_WORLD", "shm", 1);
    bool is_crowded = scene->ranks > scene->peers;
    setenv("WEFT_LAUNCH_TIMEOUT", is_crowded ? "5000" : "300000", 1);
    setenv("WEFT_TIMEOUT", is_crowded ? "5000" : "60000", 1);
    family_run((unsigned)scene->ranks, SECONDS, live, scene);
    check(is_crowded == (scene->refused > 0));
    tap_note("rank 0 took %zu bytes of shared memory", scene->shared);
    check(scene->shared < 64 * WIDE_BYTES + (size_t)scene->ranks * NARROW_BYTES);
    return tap_done();
}
