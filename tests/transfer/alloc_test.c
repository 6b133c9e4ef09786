/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread makes the shared heap while another opens a net, which has it or not. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <weft_net.h>

#include "support/tap.h"
#include "transfer/family.h"

#define RANKS 2
#define TIMES 5
#define SECONDS 60
#define BYTES 100000

static void *allocate(void *argument)
{
    unsigned char **memory = argument;
    *memory = weft_alloc(BYTES);
    return NULL;
}

/* Both to the other, from the heap and into it. */
static int talk(weft_net *net, unsigned char *memory)
{
    int rank = weft_rank(net), other = 1 - rank;
    const weft_type *type = weft_basic(WEFT_BYTE);
    memset(memory, rank + 1, BYTES);
    if (rank == 0 && weft_send(net, type, BYTES, memory, other, 0))
        return 1;
    if (weft_recv(net, type, BYTES, memory, other, 0, NULL))
        return 2;
    if (rank == 1) {
        if (memory[0] != 1 || memory[BYTES - 1] != 1)
            return 3;
        memset(memory, 2, BYTES);
        if (weft_send(net, type, BYTES, memory, other, 0))
            return 4;
    }
    return memory[0] == 2 && memory[BYTES - 1] == 2 ? 0 : 5;
}

static int live(int rank, void *argument)
{
    (void)rank;
    (void)argument;
    pthread_t thread;
    unsigned char *memory;
    weft_net *net;
    if (pthread_create(&thread, NULL, allocate, &memory))
        return 6;
    int opened = weft_open(&net);
    pthread_join(thread, NULL);
    if (opened || !memory)
        return 7;
    int result = talk(net, memory);
    weft_free(memory);
    weft_close(net);
    return result;
}

/* The heap is made once in the life of a process, so each time it is new processes. */
int main(void)
{
    setenv("WEFT_WORLD", "shm", 1);
    setenv("WEFT_TOGETHER_LEAST", "10000", 1);
    for (int i = 0; i < TIMES; i++)
        family_run(RANKS, SECONDS, live, NULL);
    return tap_done();
}
