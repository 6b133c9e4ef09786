/* SPDX-License-Identifier: BSD-3-Clause */
#include <weft_handlers.h>

#include "spin/spin.h"

#define SIZE 50000 /* of the memory of each node */
#define WRITE 1
#define PARITY 2
#define RELAY 3
#define CLIENT 4
#define READ 5
#define BLOCK 6

/* Rank 0 has the parity, ranks 1 and 2 data, and the others are clients. */
#define DATA_NODES 2u
#define CLIENTS 2u
#define RANKS (1 + DATA_NODES + CLIENTS)

static bool is_client(const struct job *job)
{
    return job->rank > DATA_NODES;
}

/* Anybody may read the memory of a node. */
static void serve_reads(struct job *job, unsigned char *memory)
{
    ptl_handlers_t handlers;
    weft_handler_raid_read(&handlers);
    post_spin(&handlers, memory, SIZE, .bits = READ,
              .options = PTL_ME_OP_PUT | PTL_ME_EVENT_SUCCESS_DISABLE);
}

static unsigned char *keep_parity(struct job *job)
{
    unsigned char *memory = job_memory(job, SIZE);
    const struct weft_handler_raid_parity parity = {.relay_bits = RELAY};
    ptl_handlers_t handlers;
    ok(weft_handler_raid_parity(job->ni, &parity, &handlers));
    post_spin(&handlers, memory, SIZE, .bits = PARITY,
              .options = PTL_ME_OP_PUT | PTL_ME_EVENT_SUCCESS_DISABLE);
    post(memory, SIZE, PTL_ME_OP_GET | PTL_ME_EVENT_COMM_DISABLE, .bits = CLIENT);
    return memory;
}

static unsigned char *keep_data(struct job *job)
{
    unsigned char *memory = job_memory(job, SIZE);
    const struct weft_handler_raid_data data = {.parity = job_process(job, 0),
                                                .parity_bits = PARITY};
    const struct weft_handler_raid_relay relay = {.client_bits = CLIENT};
    ptl_handlers_t handlers;
    ok(weft_handler_raid_data(job->ni, &data, &handlers));
    post_spin(&handlers, memory, SIZE, .bits = WRITE, .options = PTL_ME_OP_PUT);
    ok(weft_handler_raid_relay(job->ni, &relay, &handlers));
    post_spin(&handlers, NULL, 0, .bits = RELAY, .options = PTL_ME_OP_PUT | PTL_ME_ACK_DISABLE);
    post(memory, SIZE, PTL_ME_OP_GET | PTL_ME_EVENT_COMM_DISABLE, .bits = CLIENT);
    return memory;
}

static ptl_handle_ct_t await_parity(struct job *job)
{
    ptl_handle_ct_t ct = job_ct(job);
    ptl_handlers_t handlers;
    weft_handler_raid_client(&handlers);
    post_spin(&handlers, NULL, 0, .bits = CLIENT, .ct = &ct, .options = PTL_ME_OP_PUT);
    return ct;
}

static void fetch_memory(struct job *job, unsigned rank, unsigned char *memory)
{
    ok(get(job_md(job, memory, SIZE), SIZE, .to = rank, .bits = CLIENT));
    next_event(job->eq, PTL_EVENT_REPLY);
}

/* Whether the parity is that of all data, now. */
static bool is_consistent(struct job *job)
{
    unsigned char *parity = job_memory(job, SIZE), *data = job_memory(job, SIZE);
    fetch_memory(job, 0, parity);
    for (unsigned rank = 1; rank <= DATA_NODES; rank++) {
        fetch_memory(job, rank, data);
        for (size_t i = 0; i < SIZE; i++)
            parity[i] ^= data[i];
    }
    for (size_t i = 0; i < SIZE; i++)
        if (parity[i])
            return false;
    return true;
}

static void write_block(struct job *job, ptl_handle_ct_t done, unsigned to, ptl_size_t offset,
                        ptl_size_t length, ptl_size_t total)
{
    unsigned char *data = job_memory(job, length);
    job_fill(data, length, job->rank + to);
    ok(put(job_md(job, data, length), length, .to = to, .bits = WRITE, .remote_offset = offset,
           .ack = PTL_NO_ACK_REQ));
    counts(done, total, 0);
}

BEHAVIOUR("raid: when the client's counter says so, data and parity are written", SPIN,
          .ranks = 1 + DATA_NODES + 1)
{
    if (is_client(job)) {
        ptl_handle_ct_t done = await_parity(job);
        job_barrier(job);
        write_block(job, done, 1, 0, SIZE, SIZE);
        holds(is_consistent(job));
        write_block(job, done, 2, 1000, 30000, SIZE + 30000);
        holds(is_consistent(job));
        write_block(job, done, 1, 77, 777, SIZE + 30777);
        holds(is_consistent(job));
        no_event(job->eq);
        no_event(job->target_eq);
    } else if (job->rank == 0) {
        keep_parity(job);
        job_barrier(job);
    } else {
        unsigned char *memory = keep_data(job);
        job_barrier(job);
        /* The client hears of the parity, not of the event: that of its next write may be first.
         */
        ptl_size_t written = next_event(job->target_eq, PTL_EVENT_PUT).mlength;
        if (job->rank == 1) {
            holds(written == SIZE || written == 777);
            written += next_event(job->target_eq, PTL_EVENT_PUT).mlength;
            holds(job_filled(memory + 77, 777, 3 + 1));
        }
        equals(written, job->rank == 1 ? SIZE + 777 : 30000);
    }
    job_barrier(job);
    no_event(job->target_eq);
}

BEHAVIOUR("raid: clients that write the same stripe at once leave a right parity", SPIN,
          .ranks = RANKS)
{
    if (job->rank == 0)
        keep_parity(job);
    else if (!is_client(job))
        keep_data(job);
    ptl_handle_ct_t done = is_client(job) ? await_parity(job) : PTL_CT_NONE;
    job_barrier(job);
    if (is_client(job))
        for (unsigned i = 0; i < 5; i++)
            write_block(job, done, 1 + (job->rank + i) % DATA_NODES, 0, SIZE, (i + 1) * SIZE);
    job_barrier(job);
    if (job->rank == RANKS - 1)
        holds(is_consistent(job));
    job_barrier(job);
}

static void ask(struct job *job, unsigned node, const struct weft_handler_raid_request *request,
                ptl_ni_fail_t fail)
{
    ptl_handle_md_t md = job_md(job, (void *)request, sizeof *request);
    ok(put(md, sizeof *request, .to = node, .bits = READ, .ack = PTL_ACK_REQ));
    next_failure(job->eq, PTL_EVENT_ACK, fail);
    ok(PtlMDRelease(md));
}

/* The block of rank 1, which is not asked. */
static void read_without_it(struct job *job, const unsigned char *expected)
{
    struct weft_handler_raid_request *request = job_memory(job, sizeof *request);
    const struct weft_handler_raid_rebuild rebuild = {0};
    unsigned char *block = job_memory(job, SIZE);
    ptl_handle_ct_t bytes = job_ct(job);
    ptl_handlers_t handlers;
    ok(weft_handler_raid_rebuild(job->ni, &rebuild, &handlers));
    post_spin(&handlers, block, SIZE, .bits = BLOCK, .ct = &bytes,
              .options = PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_CT_BYTES |
                         PTL_ME_EVENT_COMM_DISABLE);
    *request = (struct weft_handler_raid_request){0, SIZE - 500, 500, BLOCK};
    for (unsigned node = 0; node <= DATA_NODES; node++)
        if (node != 1)
            ask(job, node, request, PTL_NI_OK);
    counts(bytes, DATA_NODES * (SIZE - 500), 0);
    holds(memcmp(block + 500, expected, SIZE - 500) == 0);
    request->length = SIZE + 1;
    ask(job, 2, request, PTL_NI_SEGV);
}

BEHAVIOUR("raid: the block of a node can be read without it", SPIN, .ranks = 1 + DATA_NODES + 1)
{
    if (is_client(job)) {
        unsigned char *written = job_memory(job, SIZE);
        ptl_handle_ct_t done = await_parity(job);
        job_fill(written, SIZE, job->rank + 1);
        job_barrier(job);
        write_block(job, done, 2, 300, 20000, 20000);
        write_block(job, done, 1, 0, SIZE, 20000 + SIZE);
        read_without_it(job, written);
    } else {
        unsigned char *memory = job->rank == 0 ? keep_parity(job) : keep_data(job);
        serve_reads(job, memory);
        job_barrier(job);
    }
    job_barrier(job);
}

/* Rank 1 does what a data node does whose client, itself, dies: 59000 of 60000 bytes do not come.
 */
BEHAVIOUR("raid: parity is acknowledged when all is there that is still expected", SPIN,
          .ranks = 2)
{
    unsigned char *memory = job->rank == 0 ? keep_parity(job) : job_memory(job, 1000);
    ptl_size_t *bytes = job_memory(job, sizeof *bytes);
    if (job->rank == 1)
        post(bytes, sizeof *bytes, PTL_ME_OP_PUT, .bits = RELAY);
    job_barrier(job);
    if (job->rank == 1) {
        ptl_handle_md_t md = job_md(job, memory, 1000);
        ok(put(md, 0, .bits = PARITY, .remote_offset = 60000, .hdr_data = 5, .ack = PTL_ACK_REQ));
        next_event(job->eq, PTL_EVENT_ACK);
        ok(put(md, 700, .bits = PARITY, .remote_offset = 100, .hdr_data = 5));
        ok(put(md, 300, .bits = PARITY, .hdr_data = 5, .ack = PTL_ACK_REQ));
        next_event(job->eq, PTL_EVENT_ACK);
        no_event(job->target_eq);
        ok(put(md, 0, .bits = PARITY, .remote_offset = (ptl_size_t)0 - 59000, .hdr_data = 5));
        equals(next_event(job->target_eq, PTL_EVENT_PUT).hdr_data, 5);
        equals(*bytes, 1000);
        ok(put(md, 200, .bits = PARITY, .hdr_data = 5));
        next_event(job->target_eq, PTL_EVENT_PUT);
        equals(*bytes, 200);
    }
    job_barrier(job);
}
