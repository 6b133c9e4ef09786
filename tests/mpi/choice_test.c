/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the way of a kind of message is found, in simulated time: a message takes as long as its way
 * is said to take, and the clock moves by that.
 */
#include "mpi/message/choice.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/state.h"
#include "mpi/told_time.h"
#include "support/rng.h"
#include "support/tap.h"

struct weft_mpi_state weft_mpi;

/* ---- Streams of messages ---------------------------------------------------------------------
 */

struct stream {
    struct weft_mpi_choices choices;
    struct weft_mpi_pattern pattern;
    size_t bytes;
    uint64_t cost[WEFT_MPI_WAYS];
    uint64_t noise; /* up to so much more, at random */
    struct rng rng;
    uint64_t spent;
    unsigned sent[WEFT_MPI_WAYS]; /* of the last messages */
};

static const struct weft_mpi_pattern sending = {.is_send = true, .is_near = true};
static const struct weft_mpi_pattern receiving = {.is_near = true};

static void send(struct stream *stream, unsigned messages)
{
    memset(stream->sent, 0, sizeof(stream->sent));
    for (unsigned i = 0; i < messages; i++) {
        enum weft_mpi_way way =
            weft_mpi_choose(&stream->choices, stream->bytes, 64, stream->pattern, NULL);
        uint64_t took = stream->cost[way];
        if (stream->noise)
            took += rng_below(&stream->rng, stream->noise);
        stream->sent[way]++;
        stream->spent += took;
        nanoseconds += took;
    }
}

static struct stream stream_of(size_t bytes, uint64_t pulled, uint64_t packed, uint64_t native)
{
    return (struct stream){
        .pattern = sending, .bytes = bytes, .cost = {pulled, packed, native}, .rng = {bytes}};
}

static unsigned native_of(struct stream *stream, unsigned messages)
{
    send(stream, messages);
    return stream->sent[WEFT_MPI_WAY_NATIVE];
}

static void forget(struct stream *stream)
{
    for (unsigned i = 0; i < WEFT_MPI_SIZE_CLASSES; i++)
        free(stream->choices.of_size[i]);
}

/* ---- Tests -----------------------------------------------------------------------------------
 */

/* Sooner than 200 messages, 260 if there are four ways, whichever it is. A trial may lie within
 * the next 100. */
static void test_fastest_way_is_found(bool has_heaps)
{
    weft_mpi.has_heaps = has_heaps;
    for (unsigned fastest = 0; fastest < weft_mpi_ways(); fastest++)
        for (size_t bytes = 1024; bytes <= 65536; bytes *= 2) {
            struct stream stream = stream_of(bytes, 20000, 20000, 20000);
            stream.cost[WEFT_MPI_WAY_TOGETHER] = 20000;
            stream.cost[fastest] = 10000;
            send(&stream, 60 * weft_mpi_ways() + 20);
            send(&stream, 100);
            check(stream.sent[fastest] >= (has_heaps ? 50 : 60));
            forget(&stream);
        }
    weft_mpi.has_heaps = false;
}

/* A program may have few of them: within 50 messages, and none is packed for one's own host. */
static void test_long_messages_are_few(void)
{
    for (size_t bytes = 1 << 20; bytes <= 16 << 20; bytes *= 2) {
        struct stream stream = stream_of(bytes, 200000, 100000, 150000);
        send(&stream, 50);
        check(stream.sent[WEFT_MPI_WAY_PACKED] == 0 && stream.sent[WEFT_MPI_WAY_NATIVE] >= 6);
        check(native_of(&stream, 70) == 70);
        forget(&stream);
    }
}

/* Within 2 % of the best way alone, whatever the others cost. */
static void test_trials_cost_little(void)
{
    const unsigned messages = 40000;
    for (uint64_t native = 5000; native <= 160000; native = native * 5 / 4)
        for (uint64_t packed = 10000; packed <= 80000; packed *= 2) {
            struct stream stream = stream_of(4096, 20000, packed, native);
            uint64_t best = packed < 20000 ? packed : 20000;
            best = messages * (native < best ? native : best);
            send(&stream, messages);
            double ratio = (double)stream.spent / (double)best;
            if (!check(ratio < 1.02))
                tap_note("pulled 1, packed %.2f, native %.2f: %.4f of the best",
                         (double)packed / 20000, (double)native / 20000, ratio);
            forget(&stream);
        }
}

/* A call that is no message has two ways, and leaves no trace in the pattern of messages. */
static void test_calls_are_packed_if_faster(void)
{
    for (uint64_t packed = 10000; packed <= 40000; packed *= 2) {
        struct stream stream = stream_of(4096, 0, packed, 20000);
        unsigned count = 0;
        stream.choices.is_local = true;
        for (unsigned i = 0; i < 2000; i++) {
            bool is_packed = weft_mpi_choose_packed(&stream.choices, stream.bytes, 64, sending);
            nanoseconds += is_packed ? packed : 20000;
            count += is_packed;
        }
        check(packed < 20000 ? count > 1800 : count < 200);
        forget(&stream);
    }
}

static void test_size_makes_a_kind(void)
{
    struct stream stream = stream_of(65536, 10000, 20000, 30000);
    send(&stream, 1000);
    stream.bytes = 32768;
    stream.cost[WEFT_MPI_WAY_NATIVE] = 5000;
    send(&stream, 200);
    check(native_of(&stream, 100) >= 60);
    forget(&stream);
}

/* A program that talks to another host from now on, where another way is the best. */
static void test_place_of_the_peer_makes_a_kind(void)
{
    struct stream stream = stream_of(65536, 10000, 20000, 30000);
    send(&stream, 1000);
    stream.pattern.is_near = false;
    stream.cost[WEFT_MPI_WAY_PACKED] = 5000;
    send(&stream, 200);
    send(&stream, 100);
    check(stream.sent[WEFT_MPI_WAY_PACKED] >= 60);
    forget(&stream);
}

static void test_change_is_seen_later(void)
{
    struct stream stream = stream_of(65536, 10000, 11000, 12000);
    send(&stream, 10000);
    stream.cost[WEFT_MPI_WAY_NATIVE] = 5000;
    send(&stream, 10000);
    check(native_of(&stream, 1000) > 900);
    forget(&stream);
}

static void test_noise_does_not_decide(void)
{
    struct stream stream = stream_of(8192, 20000, 20000, 30000);
    stream.noise = 20000;
    send(&stream, 2000);
    check(native_of(&stream, 10000) < 1000);
    forget(&stream);
}

static void test_equal_ways_are_left_to_mpi(void)
{
    struct stream stream = stream_of(8192, 19800, 19800, 20000);
    send(&stream, 2000);
    check(native_of(&stream, 300) == 300);
    forget(&stream);
}

static void test_long_messages_are_tried_less(void)
{
    struct stream stream = stream_of(1 << 22, 2000000, 2500000, 3000000);
    send(&stream, 64);
    send(&stream, 40);
    check(stream.sent[WEFT_MPI_WAY_PULLED] == 40);
    forget(&stream);
}

/* A sender and its receiver, each for itself: a message is as long as the slower of its ends. */
static void test_both_ends_try_together(void)
{
    struct stream sender = stream_of(16384, 30000, 20000, 10000);
    struct stream receiver = sender;
    unsigned apart = 0;
    for (unsigned i = 0; i < 5000; i++) {
        enum weft_mpi_way way = weft_mpi_choose(&sender.choices, sender.bytes, 64, sending, NULL);
        enum weft_mpi_way other =
            weft_mpi_choose(&receiver.choices, receiver.bytes, 64, receiving, NULL);
        apart += way != other;
        nanoseconds +=
            sender.cost[way] > sender.cost[other] ? sender.cost[way] : sender.cost[other];
    }
    if (!check(apart <= 30)) /* those that they sent before it was known to be an exchange */
        tap_note("%u of 5000 messages had two ways", apart);
    forget(&sender);
    forget(&receiver);
}

/* Messages of which those by tickets come as they are asked for, or never do. */
static void receive(struct stream *receiver, unsigned messages, bool by_ticket)
{
    memset(receiver->sent, 0, sizeof(receiver->sent));
    for (unsigned i = 0; i < messages; i++) {
        struct weft_mpi_choice *awaited = NULL;
        enum weft_mpi_way way =
            weft_mpi_choose(&receiver->choices, receiver->bytes, 64, receiving, &awaited);
        nanoseconds += receiver->cost[way];
        receiver->sent[way]++;
        if (awaited)
            weft_mpi_choice_came(awaited, by_ticket);
    }
}

/* The sender has thrown its coin, too. */
static void test_receiver_follows_sender(void)
{
    struct stream receiver = stream_of(1 << 20, 100000, 200000, 105000);
    receive(&receiver, 60, true);
    receive(&receiver, 10, true);
    check(receiver.sent[WEFT_MPI_WAY_PULLED] == 10);
    receive(&receiver, 1, false);
    receive(&receiver, 1, true);
    receive(&receiver, 1, false);
    check(receiver.sent[WEFT_MPI_WAY_PULLED] == 1);
    receive(&receiver, 10, false);
    check(receiver.sent[WEFT_MPI_WAY_NATIVE] == 9);
    forget(&receiver);
}

/* Synchronous sends, say. */
static void test_receiver_without_tickets_keeps_its_way(void)
{
    struct stream receiver = stream_of(65536, 100000, 110000, 200000);
    receive(&receiver, 200, false);
    receive(&receiver, 50, false);
    check(receiver.sent[WEFT_MPI_WAY_PULLED] == 50);
    forget(&receiver);
}

/* It cannot see whether its sender packs. */
static void test_receiver_unpacks_if_it_is_surely_worth_it(void)
{
    struct stream sender = stream_of(65536, 300000, 94000, 100000), receiver = sender;
    receiver.pattern = receiving;
    send(&sender, 200);
    check(native_of(&sender, 50) == 0);
    send(&receiver, 200);
    check(native_of(&receiver, 50) == 50);
    forget(&sender);
    forget(&receiver);
}

int main(void)
{
    test_fastest_way_is_found(false);
    test_fastest_way_is_found(true);
    test_long_messages_are_few();
    test_trials_cost_little();
    test_calls_are_packed_if_faster();
    test_size_makes_a_kind();
    test_place_of_the_peer_makes_a_kind();
    test_change_is_seen_later();
    test_noise_does_not_decide();
    test_equal_ways_are_left_to_mpi();
    test_long_messages_are_tried_less();
    test_both_ends_try_together();
    test_receiver_follows_sender();
    test_receiver_without_tickets_keeps_its_way();
    test_receiver_unpacks_if_it_is_surely_worth_it();
    return tap_done();
}
