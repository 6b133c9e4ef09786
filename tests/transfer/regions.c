/* SPDX-License-Identifier: BSD-3-Clause */
/* Put and get: one side works, the other has exposed memory. */
#include "transfer/exchange.h"

#define BLOCKS 100000
#define BLOCK 10
#define STRIDE 16

static weft_type *bytes(void)
{
    return weft_basic(WEFT_BYTE);
}

static uint64_t tell_key(struct job *job, weft_net *net, uint64_t key)
{
    if (job->rank == 0)
        for (int rank = 1; rank < (int)job->size; rank++)
            fine(weft_send(net, weft_basic(WEFT_UINT64), 1, &key, rank, 0));
    else
        fine(weft_recv(net, weft_basic(WEFT_UINT64), 1, &key, 0, 0, NULL));
    return key;
}

static bool blocks_are_filled(const unsigned char *memory, size_t from, size_t to, unsigned seed)
{
    for (size_t i = from; i < to; i++)
        if (memory[i / BLOCK * STRIDE + i % BLOCK] != (seed + i - from) % 251)
            return false;
    return true;
}

BEHAVIOUR("puts and gets move any range between two layouts", NET)
{
    enum { SIZE = BLOCKS * BLOCK };
    static const size_t ranges[][2] = {{0, 0},    {SIZE, 0},    {0, 1},       {SIZE - 1, 1},
                                       {3, 5000}, {777, 16385}, {10, 900000}, {0, SIZE}};
    weft_net *net = exchange_open(job);
    weft_type *blocks = exchange_type(job, "hvector(100000, 10, 16, byte)");
    weft_type *pairs = exchange_type(job, "resized(0, 2, byte)");
    unsigned char *memory = job_memory(job, BLOCKS * STRIDE);
    uint64_t key = 0;
    if (job->rank == 0)
        fine(weft_expose(net, blocks, 1, memory, &key));
    key = tell_key(job, net, key);
    for (unsigned i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        size_t at = ranges[i][0], length = ranges[i][1];
        if (job->rank == 1) {
            unsigned char *mine = job_memory(job, 2 * SIZE), *packed = job_memory(job, SIZE);
            job_fill(packed, length, i);
            fine(weft_unpack(pairs, length, mine, 0, packed, length));
            fine(weft_put(net, pairs, length, mine, 0, key, at));
            memset(mine, 0, 2 * SIZE);
            fine(weft_get(net, pairs, length, mine, 0, key, at));
            fine(weft_pack(pairs, length, mine, 0, packed, length));
            holds(job_filled(packed, length, i));
        }
        job_barrier(job);
        if (job->rank == 0)
            holds(blocks_are_filled(memory, at, at + length, i));
        job_barrier(job);
    }
    if (job->rank == 0)
        fine(weft_withdraw(net, key));
    weft_type_free(blocks);
    weft_type_free(pairs);
    exchange_close(job, net);
}

BEHAVIOUR("nobody reaches beyond a region, or one that is gone", NET)
{
    weft_net *net = exchange_open(job);
    unsigned char *memory = job_memory(job, 4000000);
    uint64_t key = 0;
    if (job->rank == 0)
        fine(weft_expose(net, bytes(), 1000, memory, &key));
    key = tell_key(job, net, key);
    if (job->rank == 1) {
        job_fill(memory, 1000, 1);
        yields(WEFT_ERR_REGION, weft_put(net, bytes(), 11, memory, 0, key, 990));
        yields(WEFT_ERR_REGION, weft_put(net, bytes(), 10, memory, 0, key + 1, 0));
        yields(WEFT_ERR_REGION, weft_get(net, bytes(), 4000000, memory, 0, key, 0));
        yields(WEFT_ERR_REGION, weft_get(net, bytes(), 1, memory, 0, key, 1000));
        fine(weft_put(net, bytes(), 10, memory, 0, key, 990));
    }
    job_barrier(job);
    if (job->rank == 0) {
        equals(memory[989], 0);
        holds(job_filled(memory + 990, 10, 1));
        equals(memory[1000], 0);
        fine(weft_withdraw(net, key));
        yields(WEFT_ERR_REGION, weft_withdraw(net, key));
    }
    job_barrier(job);
    if (job->rank == 1) {
        yields(WEFT_ERR_REGION, weft_put(net, bytes(), 10, memory, 0, key, 0));
        yields(WEFT_ERR_REGION, weft_get(net, bytes(), 10, memory, 0, key, 0));
    }
    exchange_close(job, net);
}

/* Whose first chunks would do. */
BEHAVIOUR("a long get that reaches beyond a region is refused", NET)
{
    enum { SIZE = 1000000 };
    weft_net *net = exchange_open(job);
    unsigned char *memory = job_memory(job, SIZE + 1);
    uint64_t key = 0;
    job_fill(memory, job->rank ? 0 : SIZE, 9);
    if (job->rank == 0)
        fine(weft_expose(net, bytes(), SIZE, memory, &key));
    key = tell_key(job, net, key);
    if (job->rank == 1) {
        yields(WEFT_ERR_REGION, weft_get(net, bytes(), SIZE + 1, memory, 0, key, 0));
        yields(WEFT_ERR_REGION, weft_get(net, bytes(), SIZE, memory, 0, key, 1));
        fine(weft_get(net, bytes(), SIZE, memory, 0, key, 0));
        holds(job_filled(memory, SIZE, 9));
    }
    exchange_close(job, net);
}
