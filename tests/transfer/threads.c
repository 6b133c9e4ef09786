/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that share a net, each with its tag. */
#include <pthread.h>

#include "transfer/exchange.h"

#define THREADS 4
#define ROUNDS 200

struct player {
    struct job *job;
    weft_net *net;
    int tag;
};

static size_t length_of(unsigned round)
{
    static const size_t lengths[] = {8, 1000, 20000, 100};
    return lengths[round % 4];
}

/* Back and forth: what one sends, the other changes. */
static void *play(void *argument)
{
    struct player *player = argument;
    struct job *job = player->job;
    int other = 1 - (int)job->rank;
    unsigned char memory[20000];
    const weft_type *type = weft_basic(WEFT_BYTE);
    for (unsigned round = 0; round < ROUNDS; round++) {
        size_t length = length_of(round);
        unsigned seed = round + (unsigned)player->tag * 17;
        if (job->rank == 0) {
            job_fill(memory, length, seed);
            fine(weft_send(player->net, type, length, memory, other, player->tag));
        } else {
            fine(weft_recv(player->net, type, length, memory, other, player->tag, NULL));
            holds(job_filled(memory, length, seed));
        }
        if (job->rank == 1)
            fine(weft_send(player->net, type, 1, memory, other, player->tag));
        else
            fine(weft_recv(player->net, type, 1, memory, other, player->tag, NULL));
    }
    return NULL;
}

BEHAVIOUR("threads share a net", NET, .worlds = JOB_REAL)
{
    weft_net *net = exchange_open(job);
    pthread_t threads[THREADS];
    struct player players[THREADS];
    for (int i = 0; i < THREADS; i++) {
        players[i] = (struct player){job, net, i};
        holds(pthread_create(&threads[i], NULL, play, &players[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    exchange_close(job, net);
}
