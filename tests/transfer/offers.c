/* SPDX-License-Identifier: BSD-3-Clause */
/* Offers: messages whose numbers get to their receivers by other means, here an ordinary one. */
#include "transfer/exchange.h"
#include "transfer/net.h"

#define LONG 3000000 /* several chunks */

static weft_type *bytes(void)
{
    return weft_basic(WEFT_BYTE);
}

static weft_request *offer(struct job *job, weft_net *net, const char *memory, size_t length)
{
    uint64_t number;
    weft_request *request = NULL;
    fine(weft_offer(net, bytes(), length, memory, 0, &number, &request));
    fine(weft_send(net, bytes(), sizeof number, &number, 0, 1));
    return request;
}

static uint64_t hear(struct job *job, weft_net *net)
{
    uint64_t number = 0;
    fine(weft_recv(net, bytes(), sizeof number, &number, 1, 1, NULL));
    return number;
}

static void take(struct job *job, weft_net *net, char *memory, size_t length, size_t room)
{
    size_t got = length < room ? length : room;
    struct weft_status status = {0};
    weft_request *request = NULL;
    uint64_t number = hear(job, net);
    memset(memory, 255, LONG + 1);
    fine(weft_take(net, bytes(), room, memory, 1, number, length, &request));
    yields(length > room ? WEFT_ERR_TRUNCATED : WEFT_OK, exchange_wait(job, &request, &status));
    equals(status.bytes, got);
    equals(status.source, 1);
    holds(job_filled(memory, got, 3));
    equals((unsigned char)memory[got], 255);
}

/* Rank 1 sends messages of these lengths, each in this way, to rank 0, which comes to its room for
 * each by some way of its own. */
struct exchange {
    void (*send)(struct job *job, weft_net *net, char *memory, size_t length);
    void (*come)(struct job *job, weft_net *net);
    const size_t (*lengths)[2]; /* of message and room */
    size_t count;
};

static void exchange_each(struct job *job, const struct exchange *exchange)
{
    weft_net *net = exchange_open(job);
    char *memory = job_memory(job, LONG + 1);
    for (size_t i = 0; i < exchange->count; i++) {
        const size_t *lengths = exchange->lengths[i];
        if (job->rank == 1) {
            job_fill(memory, LONG, 3);
            exchange->send(job, net, memory, lengths[0]);
        } else {
            exchange->come(job, net);
            take(job, net, memory, lengths[0], lengths[1]);
        }
    }
    exchange_close(job, net);
}

static void come_at_once(struct job *job, weft_net *net)
{
    (void)job;
    (void)net;
}

static void come_later(struct job *job, weft_net *net)
{
    (void)net;
    job_barrier(job);
}

/* ---- Offers ------------------------------------------------------------------------------- */

static void offer_and_wait(struct job *job, weft_net *net, char *memory, size_t length)
{
    weft_request *request = offer(job, net, memory, length);
    yields(WEFT_ERR_TIMEOUT, weft_test(&request, NULL));
    job_barrier(job);
    fine(exchange_wait(job, &request, NULL));
}

BEHAVIOUR("an offer ends when it has been taken", NET)
{
    static const size_t lengths[][2] = {{100, 100}, {20000, 20000}, {LONG, LONG}, {LONG, 50000}};
    exchange_each(job, &(struct exchange){offer_and_wait, come_later, lengths, 4});
}

static void offer_and_release(struct job *job, weft_net *net, char *memory, size_t length)
{
    weft_request *request = offer(job, net, memory, length);
    fine(weft_release(&request));
    holds(request == NULL);
    memset(memory, 0, LONG);
    job_barrier(job);
}

BEHAVIOUR("what was offered may be written to when it is released", NET)
{
    static const size_t lengths[][2] = {{300, LONG}, {30000, LONG}, {LONG, LONG}};
    exchange_each(job, &(struct exchange){offer_and_release, come_later, lengths, 3});
}

/* The number is said twice, for who holds it and for who takes it. */
static void offer_and_be_held(struct job *job, weft_net *net, char *memory, size_t length)
{
    uint64_t number;
    char word;
    weft_request *request = NULL;
    fine(weft_offer(net, bytes(), length, memory, 0, &number, &request));
    for (int i = 0; i < 2; i++)
        fine(weft_send(net, bytes(), sizeof number, &number, 0, 1));
    fine(weft_recv(net, bytes(), 1, &word, 0, 2, NULL));
    yields(WEFT_ERR_BUSY, weft_release(&request));
    job_barrier(job);
    fine(exchange_wait(job, &request, NULL));
}

static void hold_and_come(struct job *job, weft_net *net)
{
    char word = 0;
    weft_net_hold(net, 1, hear(job, net));
    fine(weft_send(net, bytes(), 1, &word, 1, 2));
    job_barrier(job);
}

BEHAVIOUR("what is held by its receiver is not released", NET)
{
    static const size_t lengths[][2] = {{300, LONG}, {30000, LONG}, {LONG, LONG}};
    exchange_each(job, &(struct exchange){offer_and_be_held, hold_and_come, lengths, 3});
}

/* ---- Announcements ------------------------------------------------------------------------ */

#define EAGER 65536 /* longer ones are asked for */

static weft_request *announce(struct job *job, weft_net *net, const char *memory, size_t length)
{
    uint64_t number;
    weft_request *request = NULL;
    fine(weft_announce(net, bytes(), length, memory, 0, &number, &request));
    fine(weft_send(net, bytes(), sizeof number, &number, 0, 1));
    int result = weft_follow(request);
    holds(result == WEFT_OK || (result == WEFT_ERR_BUSY && length > EAGER));
    return request;
}

static const size_t announced[][2] = {
    {0, 100}, {100, 100},  {20000, 20000},         {EAGER, EAGER}, {EAGER, 1000},
    {100, 0}, {EAGER, 99}, {EAGER + 1, EAGER + 1}, {LONG, LONG},   {20000, LONG}};

#define ANNOUNCED (sizeof announced / sizeof *announced)

static void announce_and_wait(struct job *job, weft_net *net, char *memory, size_t length)
{
    weft_request *request = announce(job, net, memory, length);
    fine(exchange_wait(job, &request, NULL));
}

BEHAVIOUR("what was announced follows its number to one who waits", NET)
{
    exchange_each(job, &(struct exchange){announce_and_wait, come_at_once, announced, ANNOUNCED});
}

static void announce_and_send_more(struct job *job, weft_net *net, char *memory, size_t length)
{
    weft_request *request = announce(job, net, memory, length);
    fine(weft_send(net, bytes(), 1, memory, 0, 2));
    fine(exchange_wait(job, &request, NULL));
}

static void come_after_more(struct job *job, weft_net *net)
{
    char more;
    fine(weft_recv(net, bytes(), 1, &more, 1, 2, NULL));
}

BEHAVIOUR("what was announced may come before it is taken", NET)
{
    exchange_each(
        job, &(struct exchange){announce_and_send_more, come_after_more, announced, ANNOUNCED});
}

/* Until the data has left, or is asked for, there is nothing to release. A packet that was lost
 * may come again after 31 ms of virtual time, and a poll takes 100 ns of it: who only polls spends
 * seconds of real time, after which others give up. So now and then a millisecond passes. */
static void release_in_time(struct job *job, weft_request **request)
{
    enum { POLLS = 1000, ROUNDS = 10000 };
    int result = WEFT_ERR_BUSY;
    for (unsigned i = 1; i <= POLLS * ROUNDS && result == WEFT_ERR_BUSY; i++)
        if (weft_wait(request, i % POLLS == 0, NULL) == WEFT_ERR_TIMEOUT)
            result = weft_release(request);
        else
            result = WEFT_OK;
    fine(result);
    holds(*request == NULL);
}

static void announce_and_release(struct job *job, weft_net *net, char *memory, size_t length)
{
    weft_request *request = announce(job, net, memory, length);
    release_in_time(job, &request);
    memset(memory, 0, LONG);
    job_barrier(job);
}

BEHAVIOUR("what was announced may be written to when it is released", NET)
{
    exchange_each(job, &(struct exchange){announce_and_release, come_later, announced, ANNOUNCED});
}

BEHAVIOUR("an announcement can be taken back before its data follows", NET)
{
    weft_net *net = exchange_open(job);
    char memory[100] = {0};
    uint64_t number;
    weft_request *request = NULL;
    for (unsigned i = 0; job->rank == 1 && i < 1000; i++) {
        fine(weft_announce(net, bytes(), sizeof memory, memory, 0, &number, &request));
        fine(weft_cancel(request));
        yields(WEFT_ERR_CANCELLED, weft_wait(&request, 1, NULL));
    }
    exchange_close(job, net);
}

/* More than may wait there, and more bytes than may be on their way; the last is taken first. */
BEHAVIOUR("announcements are taken in any order", NET)
{
    enum { COUNT = 300, LENGTH = 5000 };
    weft_net *net = exchange_open(job);
    char *memory = job_memory(job, (size_t)COUNT * LENGTH);
    uint64_t numbers[COUNT];
    weft_request *requests[COUNT];
    if (job->rank == 1) {
        job_fill(memory, (size_t)COUNT * LENGTH, 5);
        for (size_t i = 0; i < COUNT; i++) {
            fine(weft_announce(net, bytes(), LENGTH, memory + i * LENGTH, 0, &numbers[i],
                               &requests[i]));
            int result = weft_follow(requests[i]);
            holds(result == WEFT_OK || (result == WEFT_ERR_BUSY && i > 0));
        }
        fine(weft_send(net, bytes(), sizeof numbers, numbers, 0, 1));
        for (size_t i = COUNT; i-- > 0;)
            fine(exchange_wait(job, &requests[i], NULL));
    } else {
        fine(weft_recv(net, bytes(), sizeof numbers, numbers, 1, 1, NULL));
        for (size_t i = COUNT; i-- > 0;) {
            fine(weft_take(net, bytes(), LENGTH, memory + i * LENGTH, 1, numbers[i], LENGTH,
                           &requests[i]));
            fine(exchange_wait(job, &requests[i], NULL));
        }
        holds(job_filled(memory, (size_t)COUNT * LENGTH, 5));
    }
    exchange_close(job, net);
}

BEHAVIOUR("what nobody has offered cannot be taken", NET)
{
    weft_net *net = exchange_open(job);
    char memory[100];
    weft_request *request = NULL;
    if (job->rank == 0) {
        fine(weft_take(net, bytes(), 100, memory, 1, 12345, 100, &request));
        yields(WEFT_ERR_REGION, exchange_wait(job, &request, NULL));
    }
    yields(WEFT_ERR_ARGUMENT, weft_take(net, bytes(), 1, memory, -1, 0, 1, &request));
    yields(WEFT_ERR_ARGUMENT, weft_offer(net, bytes(), 1, memory, 0, NULL, &request));
    yields(WEFT_ERR_ARGUMENT, weft_release(NULL));
    yields(WEFT_ERR_ARGUMENT, weft_release(&request));
    exchange_close(job, net);
}
