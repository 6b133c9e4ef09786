/* SPDX-License-Identifier: BSD-3-Clause */
/* Senders that die in the middle of a message: its handlers come to their end. Rank 0, which the
 * harness kills, is the sender here. */
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "spin/spin.h"

#define SIZE 10000000
#define AT_ONCE 3 /* so that there is always a message under way */

/* Handler host memory. */
struct seen {
    uint64_t headers, bytes, completions, dropped, flow;
};

static void add(size_t where, uint64_t value)
{
    uint64_t before;
    PtlHandlerDMAFetchAddB(where, value, &before, PTL_UINT64_T, PTL_HANDLER_HOST_MEM);
}

#define ADD(what, value) add(offsetof(struct seen, what), value)

/* Kills the sender, which cannot have sent much more than the first packet by now. */
static ptl_handler_result_t on_header(const ptl_header_t *header, void *state)
{
    const struct timespec agony = {.tv_nsec = 20000000};
    (void)state;
    if (header->hdr_data) {
        kill((pid_t)header->hdr_data, SIGKILL);
        nanosleep(&agony, NULL);
    }
    ADD(headers, header->length == SIZE);
    return PTL_HANDLER_PROCESS_DATA;
}

static ptl_handler_result_t on_payload(const ptl_payload_t *payload, void *state)
{
    (void)state;
    ADD(bytes, payload->length);
    return PTL_HANDLER_SUCCESS;
}

static ptl_handler_result_t on_completion(ptl_size_t dropped, int flow_control, void *state)
{
    (void)state;
    ADD(completions, 1);
    ADD(dropped, dropped);
    ADD(flow, (uint64_t)flow_control);
    return PTL_HANDLER_SUCCESS;
}

/* Sends until its end comes: from outside in virtual time, else from whom it sends to. */
static void send_until_death(struct job *job)
{
    ptl_handle_md_t md = job_md(job, job_memory(job, SIZE), SIZE);
    uint64_t killed = job->world == JOB_SIM ? 0 : (uint64_t)getpid();
    for (unsigned i = 0; i < AT_ONCE; i++)
        ok(put(md, SIZE, .to = 1, .ack = PTL_ACK_REQ, .hdr_data = killed));
    for (;;) {
        next_event(job->eq, PTL_EVENT_ACK);
        ok(put(md, SIZE, .to = 1, .ack = PTL_ACK_REQ));
    }
}

/* How the message ends that its sender did not live to end; others were whole before. */
static ptl_event_t take_messages(struct job *job)
{
    ptl_event_t event;
    unsigned which;
    do {
        memset(&event, 0, sizeof event);
        if (!ok(PtlEQPoll(&job->target_eq, 1, job_patience(job), &event, &which)))
            break;
        equals(event.type, PTL_EVENT_PUT);
    } while (event.ni_fail_type == PTL_NI_OK);
    return event;
}

/* Rank 0 sends until it dies; the others have an entry for its messages. */
static void watch_death(struct job *job, ptl_completion_handler_t completion, struct seen *seen,
                        struct spin_case *what)
{
    *what = (struct spin_case){.header = on_header,
                               .payload = on_payload,
                               .completion = completion,
                               .host = seen,
                               .host_length = sizeof *seen,
                               .stays = true};
    job_open(job);
    if (job->rank)
        spin_open(job, what);
    job_barrier(job);
    if (job->rank == 0)
        send_until_death(job);
}

#define DEAD .timeout = 300, .apart = true, .crash = 10, .bare = true

BEHAVIOUR("when the sender dies the completion handler is told what did not come", SPIN, DEAD)
{
    struct seen *seen = job_memory(job, sizeof *seen);
    struct spin_case what;
    watch_death(job, on_completion, seen, &what);
    ptl_event_t event = take_messages(job);
    equals(event.ni_fail_type, PTL_NI_UNDELIVERABLE);
    holds(seen->headers >= 1);
    equals(seen->completions, seen->headers);
    holds(seen->dropped > 0);
    equals(seen->flow, 0);
    equals(seen->bytes + seen->dropped, seen->headers * SIZE);
    equals(event.mlength, SIZE - seen->dropped);
    no_event(job->target_eq);
    spin_close(job, &what);
    ok(PtlNIFini(job->ni));
    PtlFini();
}

static ptl_handler_result_t stay_silent(ptl_size_t dropped, int flow_control, void *state)
{
    (void)on_completion(dropped, flow_control, state);
    return PTL_HANDLER_SUCCESS_PENDING;
}

BEHAVIOUR("a message whose sender dies is told even if its handlers tell nothing", SPIN, DEAD)
{
    struct seen *seen = job_memory(job, sizeof *seen);
    struct spin_case what;
    watch_death(job, stay_silent, seen, &what);
    next_failure(job->target_eq, PTL_EVENT_PUT, PTL_NI_UNDELIVERABLE);
    equals(seen->completions, seen->headers);
    spin_close(job, &what);
    ok(PtlNIFini(job->ni));
    PtlFini();
}
