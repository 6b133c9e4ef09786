/* SPDX-License-Identifier: BSD-3-Clause */
#include <weft_handlers.h>

#include "spin/spin.h"

#define PING 1
#define PONG 2
#define TAG 77

/* What comes back to the initiator. */
struct answer {
    unsigned char *memory;
    ptl_size_t messages, bytes;
    bool tagged;
};

static void serve(struct job *job, unsigned char *memory, ptl_size_t size, ptl_size_t stream)
{
    ptl_handlers_t handlers;
    const struct weft_handler_pong pong = {.match_bits = PONG, .stream = stream};
    ok(weft_handler_pong(job->ni, &pong, &handlers));
    ptl_handle_me_t entry =
        post_spin(&handlers, memory, size, .options = PTL_ME_OP_PUT, .bits = PING);
    job_barrier(job);
    ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT);
    equals(event.mlength, size);
    job_barrier(job);
    no_event(job->target_eq);
    ok(PtlMEUnlink(entry));
    spin_free(job, &handlers);
}

static struct answer ping(struct job *job, ptl_size_t size)
{
    struct answer answer = {.memory = job_memory(job, size), .tagged = true};
    unsigned char *data = job_memory(job, size);
    job_fill(data, size, 3);
    ptl_handle_me_t entry = post(answer.memory, size, PTL_ME_OP_PUT, .bits = PONG);
    job_barrier(job);
    ok(put(job_md(job, data, size), size, .bits = PING, .hdr_data = TAG));
    do {
        ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT);
        answer.messages++;
        answer.bytes += event.mlength;
        answer.tagged = answer.tagged && event.hdr_data == TAG;
    } while (answer.bytes < size && !atomic_load(&job->verdict->failures));
    job_barrier(job);
    no_event(job->target_eq);
    ok(PtlMEUnlink(entry));
    equals(answer.bytes, size);
    holds(answer.tagged);
    holds(job_filled(answer.memory, size, 3));
    return answer;
}

BEHAVIOUR("pong, stored: one message goes back, from the memory of the entry", SPIN, .ranks = 2)
{
    enum { SIZE = 300000 };
    unsigned char *memory = job_memory(job, SIZE);
    if (job->target) {
        serve(job, memory, SIZE, WEFT_HANDLER_STORE);
        holds(job_filled(memory, SIZE, 3));
    } else {
        equals(ping(job, SIZE).messages, 1);
    }
}

BEHAVIOUR("pong, streamed: packets go back one by one, and no memory is touched", SPIN, .ranks = 2)
{
    enum { SIZE = 300000 };
    unsigned char *memory = job_memory(job, SIZE);
    if (job->target) {
        serve(job, memory, SIZE, WEFT_HANDLER_STREAM);
        equals(memory[0], 0);
        equals(memory[SIZE - 1], 0);
    } else {
        holds(ping(job, SIZE).messages > 1);
    }
}

BEHAVIOUR("pong: a short message goes back from the NIC and a longer one is stored", SPIN,
          .ranks = 2)
{
    enum { SHORT = 1000, LONG = 5000 };
    unsigned char *memory = job_memory(job, LONG);
    if (job->target) {
        serve(job, memory, SHORT, SHORT);
        equals(memory[0], 0);
        serve(job, memory, LONG, SHORT);
        holds(job_filled(memory, LONG, 3));
    } else {
        equals(ping(job, SHORT).messages, 1);
        equals(ping(job, LONG).messages, 1);
    }
}

BEHAVIOUR("pong: an empty message goes back", SPIN, .ranks = 2)
{
    if (job->target)
        serve(job, NULL, 0, WEFT_HANDLER_STREAM);
    else
        equals(ping(job, 0).messages, 1);
}
