/* SPDX-License-Identifier: BSD-3-Clause */
/* Peers that die: whoever waits for them is told. */
#include <signal.h>

#include "transfer/exchange.h"

#define DEAD NET, .timeout = 300, .crash = 40

static weft_type *bytes(void)
{
    return weft_basic(WEFT_BYTE);
}

/* Rank 0: in virtual time the end comes from outside. */
static void die(struct job *job, weft_net *net)
{
    weft_request *never = NULL;
    char byte;
    fine(weft_irecv(net, bytes(), 1, &byte, WEFT_ANY_SOURCE, 99, &never));
    weft_wait(&never, job->world == JOB_SIM ? 100000 : 30, NULL);
    raise(SIGKILL);
}

BEHAVIOUR("a receive ends when its source dies", DEAD)
{
    weft_net *net = exchange_open(job);
    char byte = 0;
    if (job->rank == 0)
        die(job, net);
    yields(WEFT_ERR_PEER, weft_recv(net, bytes(), 1, &byte, 0, 1, NULL));
    exchange_close_alone(job, net);
}

BEHAVIOUR("a long send that nobody receives ends when its destination dies", DEAD)
{
    weft_net *net = exchange_open(job);
    char *memory = job_memory(job, 1000000);
    if (job->rank == 0)
        die(job, net);
    yields(WEFT_ERR_PEER, weft_send(net, bytes(), 1000000, memory, 0, 1));
    yields(WEFT_ERR_PEER, weft_send(net, bytes(), 1, memory, 0, 1));
    exchange_close_alone(job, net);
}

BEHAVIOUR("sends that wait for their turn end when their destination dies", DEAD)
{
    enum { COUNT = 200 };
    weft_net *net = exchange_open(job);
    char byte = 0;
    weft_request *requests[COUNT] = {NULL};
    if (job->rank == 0)
        die(job, net);
    for (unsigned i = 0; i < COUNT; i++)
        fine(weft_isend(net, bytes(), 1, &byte, 0, 1, &requests[i]));
    for (unsigned i = 0; i < COUNT; i++) {
        int result = exchange_wait(job, &requests[i], NULL);
        holds(result == WEFT_OK || result == WEFT_ERR_PEER);
        holds(result == WEFT_ERR_PEER || i < 64);
    }
    exchange_close_alone(job, net);
}

BEHAVIOUR("a message that is being pulled ends when its sender dies", DEAD)
{
    enum { SIZE = 4000000 };
    weft_net *net = exchange_open(job);
    char *memory = job_memory(job, SIZE);
    weft_request *request = NULL;
    int result = WEFT_OK;
    if (job->rank == 0) {
        for (unsigned i = 0; job->world == JOB_SIM || i < 20; i++) {
            fine(weft_isend(net, bytes(), SIZE, memory, 1, 1, &request));
            if (weft_wait(&request, 10000, NULL) != WEFT_OK)
                break;
        }
        raise(SIGKILL);
    }
    while (result == WEFT_OK) {
        fine(weft_irecv(net, bytes(), SIZE, memory, 0, 1, &request));
        result = exchange_wait(job, &request, NULL);
    }
    equals(result, WEFT_ERR_PEER);
    exchange_close_alone(job, net);
}

BEHAVIOUR("puts and gets end when their target dies", DEAD)
{
    weft_net *net = exchange_open(job);
    char *memory = job_memory(job, 4000000);
    uint64_t key = 0;
    int results[2] = {WEFT_OK, WEFT_OK};
    if (job->rank == 0) {
        fine(weft_expose(net, bytes(), 4000000, memory, &key));
        fine(weft_send(net, weft_basic(WEFT_UINT64), 1, &key, 1, 1));
        die(job, net);
    }
    fine(weft_recv(net, weft_basic(WEFT_UINT64), 1, &key, 0, 1, NULL));
    while (results[0] == WEFT_OK && results[1] == WEFT_OK) {
        results[0] = weft_put(net, bytes(), 100000, memory, 0, key, 0);
        results[1] = weft_get(net, bytes(), 4000000, memory, 0, key, 0);
    }
    holds(results[0] == WEFT_ERR_PEER || results[0] == WEFT_OK);
    equals(results[1], WEFT_ERR_PEER);
    exchange_close_alone(job, net);
}

BEHAVIOUR("the others go on when one dies", DEAD, .ranks = 3)
{
    weft_net *net = exchange_open(job);
    char *memory = job_memory(job, 1000000);
    if (job->rank == 0)
        die(job, net);
    yields(WEFT_ERR_PEER, weft_recv(net, bytes(), 1, memory, 0, 1, NULL));
    weft_request *request = NULL;
    int other = 3 - (int)job->rank;
    fine(weft_isend(net, bytes(), 500000, memory, other, 1, &request));
    fine(weft_recv(net, bytes(), 500000, memory + 500000, other, 1, NULL));
    fine(exchange_wait(job, &request, NULL));
    /* Before it leaves, the other one must have got its message: it has, or waits no longer. */
    exchange_close_alone(job, net);
}
