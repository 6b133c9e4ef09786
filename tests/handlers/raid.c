/* SPDX-License-Identifier: BSD-3-Clause */
#include <weft_handlers.h>

#include "spin/spin.h"

#define SIZE 50000 /* of the memory of each node */
#define WRITE 1
#define PARITY 2
#define RELAY 3
#define CLIENT 4

/* Rank 0 has the parity, ranks 1 and 2 data, and the others are clients. */
#define DATA_NODES 2u
#define CLIENTS 2u
#define RANKS (1 + DATA_NODES + CLIENTS)

static bool is_client(const struct job *job)
{
    return job->rank > DATA_NODES;
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
        equals(next_event(job->target_eq, PTL_EVENT_PUT).mlength, job->rank == 1 ? SIZE : 30000);
        if (job->rank == 1) {
            equals(next_event(job->target_eq, PTL_EVENT_PUT).mlength, 777);
            holds(job_filled(memory + 77, 777, 3 + 1));
        }
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
