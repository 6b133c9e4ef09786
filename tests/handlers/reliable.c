/* SPDX-License-Identifier: BSD-3-Clause */
#include <signal.h>
#include <weft_handlers.h>

#include "spin/spin.h"

#define BITS 6
#define LENGTH 600u
#define MESSAGES 60u
#define ROOT 2u

/* A node of the broadcast, and what it has got. */
struct node {
    struct weft_handler_reliable state;
    unsigned char memory[MESSAGES][LENGTH];
    unsigned times[MESSAGES];
    unsigned delivered;
};

/* As a node of the broadcast, with memory for its messages. */
static void enlist(struct job *job, struct node *node, void *memory, ptl_size_t size)
{
    ptl_process_t *processes = job_memory(job, job->size * sizeof *processes);
    ptl_handlers_t handlers;
    for (unsigned rank = 0; rank < job->size; rank++)
        processes[rank] = job_process(job, rank);
    const struct weft_handler_job ranks = {job->rank, job->size, processes};
    node->state.match_bits = BITS;
    node->state.neighbours = weft_handler_neighbours(&ranks);
    ok(weft_handler_reliable(job->ni, &node->state, &handlers));
    holds(node->state.longest >= LENGTH);
    post_spin(&handlers, memory, size, .bits = BITS, .options = PTL_ME_OP_PUT);
}

static struct node *join(struct job *job)
{
    struct node *node = job_memory(job, sizeof *node);
    enlist(job, node, node->memory, sizeof node->memory);
    return node;
}

static void send(struct job *job, ptl_handle_md_t md, unsigned number)
{
    ok(put(md, LENGTH, .to = job->rank, .bits = BITS, .local_offset = number * LENGTH,
           .remote_offset = number * LENGTH, .hdr_data = number));
}

/* Takes an event, if there is one; what is said of the dead does not count. */
static void take(struct job *job, struct node *node, ptl_time_t patience)
{
    ptl_event_t event;
    unsigned which;
    if (PtlEQPoll(&job->target_eq, 1, patience, &event, &which) != PTL_OK ||
        event.ni_fail_type == PTL_NI_UNDELIVERABLE)
        return;
    equals(event.type, PTL_EVENT_PUT);
    equals(event.ni_fail_type, PTL_NI_OK);
    equals(event.mlength, LENGTH);
    if (holds(event.hdr_data < MESSAGES))
        node->times[event.hdr_data]++;
    node->delivered++;
}

static void check(struct job *job, const struct node *node)
{
    equals(node->delivered, MESSAGES);
    for (unsigned i = 0; i < MESSAGES; i++) {
        equals(node->times[i], 1);
        holds(job_filled(node->memory[i], LENGTH, i * LENGTH));
    }
}

static ptl_handle_md_t source(struct job *job)
{
    unsigned char *data = job_memory(job, MESSAGES * LENGTH);
    job_fill(data, MESSAGES * LENGTH, 0);
    return job_md(job, data, MESSAGES * LENGTH);
}

static void take_all(struct job *job, struct node *node)
{
    for (ptl_time_t waited = 0; node->delivered < MESSAGES && waited < job_patience(job); waited++)
        take(job, node, 1);
}

BEHAVIOUR("reliable broadcast: everybody gets every message once", SPIN, .ranks = 4,
          .sim_ranks = 13)
{
    struct node *node = join(job);
    job_barrier(job);
    if (job->rank == ROOT) {
        ptl_handle_md_t md = source(job);
        for (unsigned i = 0; i < MESSAGES; i++)
            send(job, md, i);
    }
    take_all(job, node);
    job_settle(job);
    no_event(job->target_eq);
    check(job, node);
}

/* The others must not look dead to those who are not done. */
static void leave_together(struct job *job, struct node *node)
{
    atomic_fetch_add(&job->verdict->tally, 1);
    for (unsigned i = 0; atomic_load(&job->verdict->tally) < job->size - 1 && i < 8000; i++)
        take(job, node, 1);
    check(job, node);
    ok(PtlNIFini(job->ni));
    PtlFini();
}

BEHAVIOUR("reliable broadcast: it survives the death of a process on the way", SPIN, .ranks = 4,
          .sim_ranks = 13, .timeout = 300, .crash = 30, .bare = true)
{
    job_open(job);
    struct node *node = join(job);
    job_gate(job);
    while (job->target) {
        if (job->world != JOB_SIM && node->delivered >= MESSAGES / 3)
            raise(SIGKILL);
        take(job, node, 1);
    }
    ptl_handle_md_t md = job->rank == ROOT ? source(job) : PTL_INVALID_HANDLE;
    for (unsigned i = 0; i < MESSAGES && job->rank == ROOT; i++) {
        ptl_event_t event;
        unsigned which;
        send(job, md, i);
        take(job, node, 1);
        gives(PTL_EQ_EMPTY, PtlEQPoll(&job->eq, 1, 1, &event, &which)); /* a pause */
    }
    take_all(job, node);
    leave_together(job, node);
}

BEHAVIOUR("reliable broadcast: what has no number, or too few for its parts, fails", SPIN,
          .ranks = 2)
{
    struct node *node = join(job);
    ptl_size_t longest = node->state.longest;
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, job_memory(job, longest + 1), longest + 1);
        ok(put(md, longest + 1, .bits = BITS, .ack = PTL_ACK_REQ,
               .hdr_data = WEFT_HANDLER_RELIABLE_MESSAGES - 1));
        next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_HANDLER);
        ok(put(md, 1, .bits = BITS, .hdr_data = WEFT_HANDLER_RELIABLE_MESSAGES,
               .ack = PTL_ACK_REQ));
        next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_HANDLER);
    } else {
        next_failure(job->target_eq, PTL_EVENT_PUT, PTL_NI_HANDLER);
        next_failure(job->target_eq, PTL_EVENT_PUT, PTL_NI_HANDLER);
    }
    job_barrier(job);
    no_event(job->target_eq);
}

#define LONG 3u /* messages */

/* Of many packets each, with some of one between. */
static ptl_size_t long_length(const struct node *node, unsigned i)
{
    return (2 * i + 3) * node->state.longest + 7 * i;
}

BEHAVIOUR("reliable broadcast: everybody gets messages of many packets once", SPIN, .ranks = 4,
          .sim_ranks = 13)
{
    enum { ROOM = 3 << 20 };
    struct node *node = job_memory(job, sizeof *node);
    unsigned char *memory = job_memory(job, ROOM), *data = job_memory(job, ROOM);
    ptl_size_t end = 0;
    unsigned number[LONG + 1] = {0};
    enlist(job, node, memory, ROOM);
    job_barrier(job);
    job_fill(data, ROOM, 5);
    ptl_handle_md_t md = job_md(job, data, ROOM);
    for (unsigned i = 0; i < LONG; i++) {
        ptl_size_t length = long_length(node, i);
        if (job->rank == ROOT)
            ok(put(md, length, .to = job->rank, .bits = BITS, .local_offset = end,
                   .remote_offset = end, .hdr_data = number[i]));
        end += length;
        number[i + 1] = number[i] + (unsigned)((length - 1) / node->state.longest + 1);
    }
    holds(end <= ROOM);
    uint64_t seen = 0;
    for (unsigned i = 0; i < LONG; i++)
        seen += weft_handler_reliable_number(next_event(job->target_eq, PTL_EVENT_PUT).hdr_data);
    equals(seen, number[0] + number[1] + number[2]);
    holds(memcmp(memory, data, end) == 0);
    job_settle(job);
    no_event(job->target_eq);
}

BEHAVIOUR("neighbours are a power of two away, each once, and both know it", SPIN, .ranks = 1)
{
    for (ptl_rank_t size = 1; size < 70; size++)
        for (ptl_rank_t rank = 0; rank < size; rank++) {
            const struct weft_handler_job ranks = {rank, size, NULL};
            struct weft_handler_peers neighbours = weft_handler_neighbours(&ranks);
            unsigned times[70] = {0};
            for (uint32_t i = 0; i < neighbours.count; i++)
                times[neighbours.process[i].rank]++;
            for (ptl_rank_t other = 0; other < size; other++) {
                ptl_rank_t one = (other + size - rank) % size, back = (size - one) % size;
                bool is_near = one && (!(one & (one - 1)) || !(back & (back - 1)));
                equals(times[other], is_near);
            }
        }
}
