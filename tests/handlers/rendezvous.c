/* SPDX-License-Identifier: BSD-3-Clause */
#include <weft_handlers.h>

#include "spin/spin.h"

#define EAGER 3000u
#define SHORT 2500u
#define LONG 200000u
#define BITS 1
#define TAG 99
#define FIRST (EAGER + sizeof(struct weft_handler_ticket))

/* What the receiver has posted. */
struct receive {
    struct weft_handler_rendezvous state;
    unsigned char *memory;
    int mark;
};

static struct receive *post_receive(struct job *job, ptl_size_t room)
{
    struct receive *receive = job_memory(job, sizeof *receive);
    ptl_handlers_t handlers;
    receive->memory = job_memory(job, room);
    receive->state = (struct weft_handler_rendezvous){EAGER, room, &receive->mark};
    ok(weft_handler_rendezvous(job->ni, &receive->state, &handlers));
    post_spin(&handlers, receive->memory, room, .bits = BITS,
              .options = PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE);
    return receive;
}

/* Events of one message, in any order. */
static void expect(struct job *job, ptl_handle_eq_t queue, const struct receive *receive,
                   ptl_event_kind_t type, ptl_size_t rest)
{
    unsigned seen[2] = {0};
    for (unsigned i = 0; i < 1 + (rest > 0); i++) {
        ptl_event_t event;
        unsigned which;
        ok(PtlEQPoll(&queue, 1, job_patience(job), &event, &which));
        equals(event.ni_fail_type, PTL_NI_OK);
        seen[event.type == PTL_EVENT_REPLY]++;
        if (event.type == PTL_EVENT_REPLY) {
            equals(event.mlength, rest);
            holds(event.user_ptr == &receive->mark);
        } else {
            equals(event.type, type);
        }
    }
    equals(seen[0], 1);
    equals(seen[1], rest > 0);
}

/* Sends, and waits until all of it is gone. */
static void send(struct job *job, ptl_size_t length, ptl_size_t wanted)
{
    unsigned char *data = job_memory(job, length), *message = job_memory(job, FIRST);
    job_fill(data, length, 4);
    if (length > EAGER)
        post(data, length, PTL_ME_OP_GET | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE,
             .bits = TAG);
    ptl_size_t first = weft_handler_rendezvous_begin(EAGER, data, length, TAG, message);
    ok(put(job_md(job, message, first), first, .bits = BITS, .ack = PTL_ACK_REQ));
    next_event(job->eq, PTL_EVENT_ACK);
    if (length > EAGER)
        equals(next_event(job->target_eq, PTL_EVENT_GET).mlength, wanted - EAGER);
    no_event(job->target_eq);
}

static ptl_size_t rest_of(ptl_size_t length)
{
    return length > EAGER ? length - EAGER : 0;
}

static void expected(struct job *job, ptl_size_t length, ptl_size_t room)
{
    ptl_size_t wanted = length < room ? length : room;
    if (job->target) {
        struct receive *receive = post_receive(job, room);
        job_barrier(job);
        expect(job, job->target_eq, receive, PTL_EVENT_PUT, rest_of(wanted));
        holds(job_filled(receive->memory, wanted, 4));
        no_event(job->target_eq);
    } else {
        job_barrier(job);
        send(job, length, wanted);
    }
    job_barrier(job);
}

BEHAVIOUR("rendezvous I: a short message that is expected goes to its place", SPIN, .ranks = 2)
{
    expected(job, SHORT, LONG);
}

BEHAVIOUR("rendezvous II: the rest of a long message is fetched by the NIC", SPIN, .ranks = 2)
{
    expected(job, LONG, LONG);
}

BEHAVIOUR("rendezvous II: of a message that is too long the beginning is fetched", SPIN,
          .ranks = 2)
{
    expected(job, LONG, LONG / 2);
}

static void unexpected(struct job *job, ptl_size_t length)
{
    if (job->target) {
        unsigned char *overflow = job_memory(job, FIRST);
        post(overflow, FIRST, PTL_ME_OP_PUT | PTL_ME_EVENT_COMM_DISABLE, .ignore = UINT64_MAX,
             .list = PTL_OVERFLOW_LIST);
        job_barrier(job);
        job_barrier(job); /* now it is there */
        struct receive *receive = post_receive(job, LONG);
        ptl_handle_md_t md =
            job_bind(job, receive->memory, LONG, PTL_MD_EVENT_SEND_DISABLE, job->eq, PTL_CT_NONE);
        ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT_OVERFLOW);
        ok(weft_handler_rendezvous_late(&receive->state, &event, md, receive->memory));
        if (length > EAGER) {
            event = next_event(job->eq, PTL_EVENT_REPLY);
            equals(event.mlength, length - EAGER);
            holds(event.user_ptr == &receive->mark);
        }
        holds(job_filled(receive->memory, length, 4));
        no_event(job->target_eq);
    } else {
        unsigned char *data = job_memory(job, length), *message = job_memory(job, FIRST);
        job_fill(data, length, 4);
        post(data, length, PTL_ME_OP_GET | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE,
             .bits = TAG);
        job_barrier(job);
        ptl_size_t first = weft_handler_rendezvous_begin(EAGER, data, length, TAG, message);
        ok(put(job_md(job, message, first), first, .bits = BITS, .ack = PTL_ACK_REQ));
        next_event(job->eq, PTL_EVENT_ACK);
        job_barrier(job);
        if (length > EAGER)
            equals(next_event(job->target_eq, PTL_EVENT_GET).mlength, length - EAGER);
    }
    job_barrier(job);
}

BEHAVIOUR("rendezvous III: a short message that came early is copied", SPIN, .ranks = 2)
{
    unexpected(job, SHORT);
}

BEHAVIOUR("rendezvous IV: the rest of a long message that came early is fetched by the host", SPIN,
          .ranks = 2)
{
    unexpected(job, LONG);
}
