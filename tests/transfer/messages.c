/* SPDX-License-Identifier: BSD-3-Clause */
/* Send and receive: every way that a message can take, and who gets which. */
#include "transfer/exchange.h"

#define SHORT 1000
#define LONG 3000000 /* several chunks */

static weft_type *bytes(void)
{
    return weft_basic(WEFT_BYTE);
}

/* ---- One message -------------------------------------------------------------------------- */

struct letter {
    size_t length, room;
};

static const struct letter letters[] = {
    {0, 0},         {0, 100},         {1, 1},         {SHORT, SHORT},   {SHORT, 10},
    {SHORT, 0},     {SHORT, LONG},    {16384, 16384}, {16385, 16385},   {20000, 16384},
    {40000, 40000}, {65536, 65536},   {65537, 65537}, {300000, 300000}, {40000, 300},
    {LONG, LONG},   {LONG - 1, LONG}, {LONG, SHORT},  {LONG, 0},        {LONG, LONG / 2},
};
#define LETTERS (sizeof letters / sizeof *letters)

static void send_letter(struct job *job, weft_net *net, const struct letter *letter, char *memory,
                        bool early)
{
    weft_request *request = NULL;
    job_fill(memory, letter->length, 3);
    if (!early)
        job_barrier(job);
    fine(weft_isend(net, bytes(), letter->length, memory, 0, 5, &request));
    if (early)
        job_barrier(job);
    fine(exchange_wait(job, &request, NULL));
    holds(request == NULL);
}

static void receive_letter(struct job *job, weft_net *net, const struct letter *letter,
                           char *memory, bool early)
{
    size_t got = letter->length < letter->room ? letter->length : letter->room;
    bool fits = letter->length <= letter->room;
    struct weft_status status = {0};
    weft_request *request = NULL;
    memset(memory, 255, LONG + 1);
    if (early)
        job_barrier(job);
    fine(weft_irecv(net, bytes(), letter->room, memory, 1, 5, &request));
    if (!early)
        job_barrier(job);
    yields(fits ? WEFT_OK : WEFT_ERR_TRUNCATED, exchange_wait(job, &request, &status));
    equals(status.bytes, got);
    equals(status.source, 1);
    equals(status.tag, 5);
    holds(job_filled(memory, got, 3));
    equals((unsigned char)memory[got], 255);
}

static void exchange_letters(struct job *job, bool early)
{
    weft_net *net = exchange_open(job);
    char *memory = job_memory(job, LONG + 1);
    for (size_t i = 0; i < LETTERS; i++)
        if (job->rank == 1)
            send_letter(job, net, &letters[i], memory, early);
        else
            receive_letter(job, net, &letters[i], memory, early);
    exchange_close(job, net);
}

BEHAVIOUR("a message of any length comes to a receive of any length", NET)
{
    exchange_letters(job, false);
}

BEHAVIOUR("a message may come before its receive", NET)
{
    exchange_letters(job, true);
}

BEHAVIOUR("layouts of the two sides need not be alike", NET)
{
    enum { COUNT = 50000 };
    weft_net *net = exchange_open(job);
    weft_type *column = exchange_type(job, "resized(0, 96, vector(4, 3, 9, int16))");
    weft_type *row = exchange_type(job, "hvector(12, 1, 6, int16)");
    for (unsigned count = 1; count <= COUNT; count = count * 7 + 1) {
        unsigned char *memory = job_memory(job, COUNT * 96 + 96);
        unsigned char *packed = job_memory(job, COUNT * 24);
        job_fill(packed, count * 24, count);
        if (job->rank == 1) {
            fine(weft_unpack(column, count, memory, 0, packed, count * 24));
            fine(weft_send(net, column, count, memory, 0, 1));
        } else {
            unsigned char *out = job_memory(job, COUNT * 24);
            fine(weft_recv(net, row, count, memory, 1, 1, NULL));
            fine(weft_pack(row, count, memory, 0, out, count * 24));
            holds(memcmp(out, packed, count * 24) == 0);
        }
    }
    weft_type_free(column);
    weft_type_free(row);
    exchange_close(job, net);
}

BEHAVIOUR("a process sends to itself", NET)
{
    weft_net *net = exchange_open(job);
    char *from = job_memory(job, LONG), *to = job_memory(job, LONG);
    for (size_t i = 0; i < LETTERS; i++) {
        size_t length = letters[i].length;
        weft_request *send = NULL, *receive = NULL;
        job_fill(from, length, (unsigned)i);
        fine(weft_isend(net, bytes(), length, from, (int)job->rank, 2, &send));
        fine(weft_irecv(net, bytes(), length, to, (int)job->rank, 2, &receive));
        fine(exchange_wait(job, &receive, NULL));
        fine(exchange_wait(job, &send, NULL));
        holds(job_filled(to, length, (unsigned)i));
    }
    exchange_close(job, net);
}

BEHAVIOUR("a type may be freed while its transfer is under way", NET)
{
    weft_net *net = exchange_open(job);
    weft_type *type = exchange_type(job, "vector(1000000, 1, 2, byte)");
    char *memory = job_memory(job, 2000000);
    weft_request *request = NULL;
    job_fill(memory, 2000000, 0);
    if (job->rank == 1)
        fine(weft_isend(net, type, 1, memory, 0, 1, &request));
    else
        fine(weft_irecv(net, type, 1, memory, 1, 1, &request));
    weft_type_free(type);
    fine(exchange_wait(job, &request, NULL));
    holds(job_filled(memory, 2000000, 0));
    exchange_close(job, net);
}

/* ---- Who gets which ----------------------------------------------------------------------- */

BEHAVIOUR("messages do not overtake each other, whatever their length", NET)
{
    enum { COUNT = 60 };
    weft_net *net = exchange_open(job);
    static const size_t lengths[] = {8, 100000, 16384, 8, 16385, 300000};
    char *memory = job_memory(job, COUNT * 300000);
    weft_request *requests[COUNT] = {NULL};
    for (unsigned i = 0; i < COUNT; i++) {
        size_t length = lengths[i % 6];
        char *mine = memory + (size_t)i * 300000;
        if (job->rank == 1) {
            job_fill(mine, length, i);
            fine(weft_isend(net, bytes(), length, mine, 0, (int)(i % 3), &requests[i]));
        } else {
            fine(weft_irecv(net, bytes(), 300000, mine, i % 2 ? 1 : WEFT_ANY_SOURCE, WEFT_ANY_TAG,
                            &requests[i]));
        }
    }
    for (unsigned i = COUNT; i-- > 0;) {
        struct weft_status status = {0};
        fine(exchange_wait(job, &requests[i], &status));
        equals(status.bytes, lengths[i % 6]);
        equals(status.tag, i % 3);
        holds(job_filled(memory + (size_t)i * 300000, lengths[i % 6], i));
    }
    exchange_close(job, net);
}

BEHAVIOUR("tags and sources choose among messages that wait", NET, .ranks = 3)
{
    weft_net *net = exchange_open(job);
    int value = 0;
    if (job->rank > 0) {
        for (int tag = 0; tag < 3; tag++) {
            value = 10 * (int)job->rank + tag;
            fine(weft_send(net, weft_basic(WEFT_INT), 1, &value, 0, tag));
        }
        job_settle(job);
    } else {
        static const int wishes[][3] = {
            {2, 1, 21}, {1, WEFT_ANY_TAG, 10}, {2, WEFT_ANY_TAG, 20},
            {1, 2, 12}, {2, WEFT_ANY_TAG, 22}, {WEFT_ANY_SOURCE, 1, 11},
        };
        job_settle(job);
        for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
            struct weft_status status = {0};
            fine(weft_recv(net, weft_basic(WEFT_INT), 1, &value, wishes[i][0], wishes[i][1],
                           &status));
            equals(value, wishes[i][2]);
            equals(status.source, wishes[i][2] / 10);
            equals(status.tag, wishes[i][2] % 10);
        }
    }
    exchange_close(job, net);
}

/* ---- Too many ----------------------------------------------------------------------------- */

BEHAVIOUR("thousands of messages wait in order, for a bounded part of them at the receiver", NET)
{
    enum { COUNT = 3000 };
    weft_net *net = exchange_open(job);
    unsigned value = 0;
    for (unsigned i = 0; i < COUNT && job->rank == 1; i++)
        fine(weft_send(net, weft_basic(WEFT_INT), 1, &i, 0, 1));
    job_barrier(job);
    for (unsigned i = 0; i < COUNT && job->rank == 0; i++) {
        fine(weft_recv(net, weft_basic(WEFT_INT), 1, &value, 1, 1, NULL));
        equals(value, i);
    }
    /* Those that wait for their turn leave while their sender waits for something. */
    if (job->rank == 0)
        fine(weft_send(net, weft_basic(WEFT_INT), 1, &value, 1, 2));
    else
        fine(weft_recv(net, weft_basic(WEFT_INT), 1, &value, 0, 2, NULL));
    exchange_close(job, net);
}

/* 7 times the window of one sender is more than the memory for unexpected messages. */
BEHAVIOUR("messages that find no memory are kept by their senders", NET, .ranks = 8)
{
    enum { COUNT = 70, SIZE = 16000 };
    weft_net *net = exchange_open(job);
    char *memory = job_memory(job, COUNT * SIZE);
    weft_request *requests[COUNT] = {NULL};
    for (unsigned i = 0; i < COUNT && job->rank > 0; i++) {
        job_fill(memory + i * SIZE, SIZE, job->rank + i);
        fine(weft_isend(net, bytes(), SIZE, memory + i * SIZE, 0, 1, &requests[i]));
    }
    job_settle(job);
    for (unsigned i = 0; i < COUNT && job->rank > 0; i++)
        fine(exchange_wait(job, &requests[i], NULL));
    for (unsigned i = 0; i < COUNT && job->rank == 0; i++)
        for (int source = 1; source < (int)job->size; source++) {
            fine(weft_recv(net, bytes(), SIZE, memory, source, 1, NULL));
            holds(job_filled(memory, SIZE, (unsigned)source + i));
        }
    exchange_close(job, net);
}

/* ---- Waiting and cancelling --------------------------------------------------------------- */

BEHAVIOUR("a wait ends when its time is up, and the transfer goes on", NET)
{
    weft_net *net = exchange_open(job);
    int value = 7;
    weft_request *request = NULL;
    if (job->rank == 0) {
        value = 0;
        fine(weft_irecv(net, weft_basic(WEFT_INT), 1, &value, 1, 1, &request));
        yields(WEFT_ERR_TIMEOUT, weft_wait(&request, 0, NULL));
        yields(WEFT_ERR_TIMEOUT, weft_wait(&request, 30, NULL));
        yields(WEFT_ERR_TIMEOUT, weft_test(&request, NULL));
        job_barrier(job);
        fine(exchange_wait(job, &request, NULL));
        equals(value, 7);
        fine(weft_wait(&request, 0, NULL));
        fine(weft_test(&request, NULL));
    } else {
        job_barrier(job);
        fine(weft_send(net, weft_basic(WEFT_INT), 1, &value, 0, 1));
    }
    exchange_close(job, net);
}

BEHAVIOUR("a receive can be cancelled until its message comes", NET)
{
    weft_net *net = exchange_open(job);
    int values[2] = {0, 0}, value = 9;
    if (job->rank == 0) {
        weft_request *first = NULL, *second = NULL;
        fine(weft_irecv(net, weft_basic(WEFT_INT), 1, &values[0], 1, 1, &first));
        fine(weft_irecv(net, weft_basic(WEFT_INT), 1, &values[1], 1, 1, &second));
        fine(weft_cancel(first));
        yields(WEFT_ERR_BUSY, weft_cancel(first));
        yields(WEFT_ERR_CANCELLED, exchange_wait(job, &first, NULL));
        job_settle(job);
        job_barrier(job);
        yields(WEFT_ERR_BUSY, weft_cancel(second));
        fine(exchange_wait(job, &second, NULL));
        equals(values[0], 0);
        equals(values[1], 9);
    } else {
        job_barrier(job);
        fine(weft_send(net, weft_basic(WEFT_INT), 1, &value, 0, 1));
        job_settle(job);
    }
    exchange_close(job, net);
}

BEHAVIOUR("a send can be cancelled while it waits for its turn", NET)
{
    enum { COUNT = 100 };
    weft_net *net = exchange_open(job);
    int values[COUNT];
    weft_request *requests[COUNT] = {NULL};
    if (job->rank == 1) {
        for (int i = 0; i < COUNT; i++) {
            values[i] = i;
            fine(weft_isend(net, weft_basic(WEFT_INT), 1, &values[i], 0, 1, &requests[i]));
        }
        fine(weft_cancel(requests[COUNT - 2]));
        yields(WEFT_ERR_BUSY, weft_cancel(requests[0]));
    }
    job_barrier(job);
    for (int i = 0; i < COUNT; i++) {
        bool is_cancelled = i == COUNT - 2;
        if (job->rank == 1) {
            yields(is_cancelled ? WEFT_ERR_CANCELLED : WEFT_OK,
                   exchange_wait(job, &requests[i], NULL));
        } else if (!is_cancelled) {
            fine(weft_recv(net, weft_basic(WEFT_INT), 1, &values[0], 1, 1, NULL));
            equals(values[0], i);
        }
    }
    exchange_close(job, net);
}

BEHAVIOUR("a net closes while transfers are under way", NET)
{
    weft_net *net = exchange_open(job);
    char *memory = job_memory(job, LONG);
    weft_request *requests[4] = {NULL};
    int other = 1 - (int)job->rank;
    fine(weft_irecv(net, bytes(), LONG, memory, other, 1, &requests[0]));
    fine(weft_irecv(net, bytes(), LONG, memory, WEFT_ANY_SOURCE, 2, &requests[1]));
    fine(weft_isend(net, bytes(), LONG, memory, other, 3, &requests[2]));
    fine(weft_isend(net, bytes(), SHORT, memory, other, 4, &requests[3]));
    job_settle(job);
    exchange_close(job, net);
}

BEHAVIOUR("wrong arguments are refused", NET)
{
    weft_net *net = exchange_open(job);
    weft_request *request = NULL;
    weft_type *type = NULL;
    char byte = 0;
    int size = (int)job->size;
    fine(weft_type_contiguous(2, bytes(), &type));
    equals(weft_rank(net), job->rank);
    equals(weft_size(net), size);
    yields(WEFT_ERR_NOT_COMMITTED, weft_send(net, type, 1, &byte, 0, 0));
    yields(WEFT_ERR_ARGUMENT, weft_send(net, NULL, 1, &byte, 0, 0));
    yields(WEFT_ERR_ARGUMENT, weft_send(NULL, bytes(), 1, &byte, 0, 0));
    yields(WEFT_ERR_ARGUMENT, weft_send(net, bytes(), 1, &byte, size, 0));
    yields(WEFT_ERR_ARGUMENT, weft_send(net, bytes(), 1, &byte, -1, 0));
    yields(WEFT_ERR_ARGUMENT, weft_send(net, bytes(), 1, &byte, 0, -1));
    yields(WEFT_ERR_OVERFLOW, weft_send(net, bytes(), SIZE_MAX, &byte, 0, 0));
    yields(WEFT_ERR_ARGUMENT, weft_irecv(net, bytes(), 1, &byte, 0, -2, &request));
    yields(WEFT_ERR_ARGUMENT, weft_irecv(net, bytes(), 1, &byte, size, 0, &request));
    yields(WEFT_ERR_ARGUMENT, weft_irecv(net, bytes(), 1, &byte, 0, 0, NULL));
    yields(WEFT_ERR_ARGUMENT, weft_wait(NULL, 0, NULL));
    yields(WEFT_ERR_ARGUMENT, weft_cancel(NULL));
    weft_type_free(type);
    exchange_close(job, net);
}

/* ---- Without the processors --------------------------------------------------------------- */

static void sleep_among_strangers(struct job *job, unsigned milliseconds)
{
    ptl_size_t never = PTL_SIZE_MAX;
    ptl_ct_event_t value;
    unsigned which;
    PtlCTPoll(&job->barrier_ct, &never, 1, milliseconds, &value, &which);
}

BEHAVIOUR("once a receive has met its message, no call is needed to bring the rest", NET)
{
    weft_net *net = exchange_open(job);
    char *memory = job_memory(job, LONG);
    weft_request *request = NULL;
    if (job->rank == 1) {
        job_fill(memory, LONG, 8);
        fine(weft_isend(net, bytes(), LONG, memory, 0, 1, &request));
        job_barrier(job);
        job_barrier(job);
    } else {
        job_barrier(job);
        fine(weft_irecv(net, bytes(), LONG, memory, 1, 1, &request));
        /* With HPU threads, the net has one of its own that sees the message come. */
        if (job->world == JOB_SIM || !job->hpus)
            yields(WEFT_ERR_TIMEOUT, weft_test(&request, NULL));
        for (unsigned i = 0; i < 1000 && !job_filled(memory, LONG, 8); i++)
            sleep_among_strangers(job, 5);
        holds(job_filled(memory, LONG, 8));
        job_barrier(job);
    }
    fine(exchange_wait(job, &request, NULL));
    exchange_close(job, net);
}
