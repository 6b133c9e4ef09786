/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the way of a kind of message is found, in simulated time: a message takes as long as its way
 * is said to take, and the clock moves by that.
 */
#include "mpi/message/choice.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/message/under_way.h"
#include "mpi/state.h"
#include "mpi/told_time.h"
#include "support/rng.h"
#include "support/tap.h"

struct weft_mpi_state weft_mpi;

/* ---- Streams of messages ------------------------------------------------------------------- */

struct stream {
    struct weft_mpi_choices choices;
    struct weft_mpi_pattern pattern;
    size_t bytes;
    uint64_t cost[WEFT_MPI_WAYS];
    uint64_t noise;                /* up to so much more, at random */
    unsigned batch;                /* messages that are waited for at once; 0: one */
    uint64_t begin[WEFT_MPI_WAYS]; /* of the cost, what the call takes that begins it */
    uint64_t waiting;              /* the rest of the batch */
    unsigned begun;
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
        nanoseconds += stream->begin[way];
        stream->waiting += took - stream->begin[way];
        if (++stream->begun < stream->batch)
            continue;
        nanoseconds += stream->waiting;
        stream->waiting = stream->begun = 0;
        weft_mpi_count_wait();
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
    for (unsigned i = 0; i < WEFT_MPI_SIZES; i++)
        free(stream->choices.of_size[i]);
}

/* ---- Tests --------------------------------------------------------------------------------- */

/* Whether messages of a test may go by ticket. */
static void set_tickets(bool are_sent)
{
    weft_mpi.least_pulled = are_sent ? 0 : SIZE_MAX;
}

/* Sooner than 200 messages. A trial may lie within the next 100. */
static void find(enum weft_mpi_way fastest)
{
    for (size_t bytes = 1024; bytes <= 65536; bytes *= 2) {
        struct stream stream = stream_of(bytes, 20000, 20000, 20000);
        stream.cost[WEFT_MPI_WAY_TOGETHER] = 20000;
        stream.cost[fastest] = 10000;
        send(&stream, 200);
        send(&stream, 100);
        check(stream.sent[fastest] >= 50);
        forget(&stream);
    }
}

static void test_fastest_way_is_found(void)
{
    find(WEFT_MPI_WAY_PULLED);
    find(WEFT_MPI_WAY_NATIVE);
    weft_mpi.has_heaps = true;
    find(WEFT_MPI_WAY_PULLED);
    find(WEFT_MPI_WAY_NATIVE);
    find(WEFT_MPI_WAY_TOGETHER);
    weft_mpi.has_heaps = false;
    set_tickets(false);
    find(WEFT_MPI_WAY_PACKED);
    find(WEFT_MPI_WAY_NATIVE);
    set_tickets(true);
}

/* Whichever of them is the fastest: a receiver would not see that they were packed. */
static void test_what_may_go_by_ticket_is_not_packed_within_a_host(void)
{
    struct stream stream = stream_of(65536, 20000, 10000, 15000);
    send(&stream, 1000);
    check_uint(stream.sent[WEFT_MPI_WAY_PACKED], 0);
    send(&stream, 50);
    check_uint(stream.sent[WEFT_MPI_WAY_NATIVE], 50);
    forget(&stream);
}

/* There MPI may be faster with contiguous data than we are with any. */
static void test_all_ways_are_tried_between_hosts(void)
{
    static const enum weft_mpi_way ways[] = {WEFT_MPI_WAY_PULLED, WEFT_MPI_WAY_PACKED,
                                             WEFT_MPI_WAY_NATIVE};
    for (size_t bytes = 1 << 20; bytes < 4 << 20; bytes *= 2)
        for (unsigned fastest = 0; fastest < 3; fastest++) {
            struct stream stream = stream_of(bytes, 200000, 200000, 200000);
            stream.pattern.is_near = false;
            stream.cost[ways[fastest]] = 100000;
            send(&stream, 142);
            send(&stream, 35); /* between two trials, whenever the first began */
            check_uint(stream.sent[ways[fastest]], 35);
            forget(&stream);
        }
}

/* A buffer of as many bytes is then needed at both ends. */
static void test_the_longest_are_packed_nowhere(void)
{
    struct stream stream = stream_of(4 << 20, 200000, 100000, 150000);
    stream.pattern.is_near = false;
    send(&stream, 1000);
    check_uint(stream.sent[WEFT_MPI_WAY_PACKED], 0);
    forget(&stream);
}

/* A program may have few of them: within 60 messages. */
static void test_long_messages_are_few(void)
{
    for (size_t bytes = 1 << 20; bytes <= 16 << 20; bytes *= 2) {
        struct stream stream = stream_of(bytes, 200000, 100000, 150000);
        send(&stream, 60);
        check(stream.sent[WEFT_MPI_WAY_NATIVE] >= 8);
        check(native_of(&stream, 70) == 70);
        forget(&stream);
    }
}

/* Before the trial, which begins after 8 messages at the earliest. */
static unsigned native_of_the_first(size_t bytes, bool is_near)
{
    struct stream stream = stream_of(bytes, 10000, 10000, 10000);
    stream.pattern.is_near = is_near;
    unsigned native = native_of(&stream, 7);
    forget(&stream);
    return native;
}

static void test_what_was_not_tried_is_left_to_mpi(void)
{
    check_uint(native_of_the_first(32768, true), 7);
    check_uint(native_of_the_first(65536, true), 0);
    for (size_t bytes = 1024; bytes <= 16 << 20; bytes *= 4)
        check_uint(native_of_the_first(bytes, false), 7);
}

/* Within 2 % of the best way alone, whatever the others cost; MPI's counts as the best unless ours
 * is faster by what a reason to leave it is. */
static void test_trials_cost_little(void)
{
    const unsigned messages = 40000;
    for (uint64_t native = 5000; native <= 160000; native = native * 21 / 20)
        for (unsigned has_ticket = 0; has_ticket < 2; has_ticket++) {
            struct stream stream = stream_of(4096, 20000, 20000, native);
            bool is_native_fine = (has_ticket ? 0.95 : 0.9) * (double)native <= 20000;
            uint64_t best = messages * (is_native_fine ? native : 20000);
            set_tickets(has_ticket);
            send(&stream, messages);
            double ratio = (double)stream.spent / (double)best;
            if (!check(ratio < 1.02))
                tap_note("%s 1, native %.2f: %.4f of the best", has_ticket ? "pulled" : "packed",
                         (double)native / 20000, ratio);
            forget(&stream);
        }
    set_tickets(true);
}

/* A call that is no message has two ways, and leaves no trace in the pattern of messages. */
static void test_calls_are_packed_if_faster(void)
{
    for (uint64_t packed = 10000; packed <= 40000; packed *= 2) {
        struct stream stream = stream_of(4096, 0, packed, 20000);
        unsigned count = 0;
        stream.choices.is_local = true;
        for (unsigned i = 0; i < 2000; i++) {
            bool is_packed = weft_mpi_choose_ours(&stream.choices, stream.bytes, 64, sending);
            nanoseconds += is_packed ? packed : 20000;
            count += is_packed;
        }
        check(packed < 20000 ? count > 1800 : count < 200);
        forget(&stream);
    }
}

/* From MPI's way to ours, and the other way round: within 200 messages. */
static void test_size_makes_a_kind(void)
{
    for (unsigned is_native_best = 0; is_native_best < 2; is_native_best++) {
        struct stream stream = stream_of(65536, is_native_best ? 10000 : 30000, 50000, 20000);
        send(&stream, 1000);
        check((native_of(&stream, 100) == 0) == is_native_best);
        stream.bytes = 32768;
        stream.cost[WEFT_MPI_WAY_PULLED] = is_native_best ? 30000 : 10000;
        send(&stream, 200);
        unsigned natively = native_of(&stream, 100);
        check(is_native_best ? natively >= 60 : natively <= 40);
        forget(&stream);
    }
}

/* A program that talks to another host from now on, to which such messages are packed, or MPI's.
 */
static void test_place_of_the_peer_makes_a_kind(void)
{
    for (unsigned is_native_best = 0; is_native_best < 2; is_native_best++) {
        struct stream stream = stream_of(32768, is_native_best ? 10000 : 30000,
                                         is_native_best ? 30000 : 10000, 20000);
        send(&stream, 1000);
        check((native_of(&stream, 50) == 0) == is_native_best);
        stream.pattern.is_near = false;
        send(&stream, 200);
        unsigned natively = native_of(&stream, 100);
        check(is_native_best ? natively >= 60 : natively <= 40);
        forget(&stream);
    }
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

/* Whichever way is the faster, calls that begin its messages take longer. */
static struct stream stream_of_batches(unsigned batch, bool is_native_best)
{
    struct stream stream = stream_of(16384, 20000, 20000, is_native_best ? 15000 : 25000);
    stream.batch = batch;
    stream.begin[is_native_best ? WEFT_MPI_WAY_NATIVE : WEFT_MPI_WAY_PULLED] = 2000;
    return stream;
}

/* Two faces of a grid, all neighbours of a cell, many particles. */
static const unsigned batches[] = {2, 6, 26, 100};

static void test_batches_are_timed_as_a_whole(void)
{
    for (unsigned i = 0; i < 8; i++) {
        unsigned batch = batches[i / 2];
        struct stream stream = stream_of_batches(batch, i % 2);
        send(&stream, 80 * batch); /* of two trials */
        send(&stream, 20 * batch);
        enum weft_mpi_way best = i % 2 ? WEFT_MPI_WAY_NATIVE : WEFT_MPI_WAY_PULLED;
        if (!check_uint(stream.sent[best], 20 * batch))
            tap_note("batches of %u", batch);
        forget(&stream);
    }
}

static void test_trials_of_batches_cost_little(void)
{
    for (unsigned i = 0; i < 8; i++) {
        unsigned batch = batches[i / 2], messages = 40000 * batch;
        struct stream stream = stream_of_batches(batch, i % 2);
        send(&stream, messages);
        double ratio = (double)stream.spent / ((i % 2 ? 15000.0 : 20000.0) * messages);
        if (!check(ratio < 1.02))
            tap_note("batches of %u: %.4f of the best", batch, ratio);
        forget(&stream);
    }
}

/* A program that never waits, as it frees its requests. */
static void test_who_never_waits_is_not_tried_for_ever(void)
{
    struct stream stream = stream_of(16384, 20000, 20000, 10000);
    stream.batch = UINT_MAX;
    stream.begin[WEFT_MPI_WAY_NATIVE] = 10000;
    stream.begin[WEFT_MPI_WAY_PULLED] = 20000;
    send(&stream, 200000);
    check_uint(native_of(&stream, 1000), 1000);
    forget(&stream);
}

/* If heaps are shared. Then the receiver has its data sooner. */
static void test_what_is_as_fast_goes_together(void)
{
    weft_mpi.has_heaps = true;
    for (uint64_t together = 10500; together <= 11500; together += 1000) {
        struct stream stream = stream_of(65536, 10000, 20000, 30000);
        stream.cost[WEFT_MPI_WAY_TOGETHER] = together;
        send(&stream, 8);
        check_uint(stream.sent[WEFT_MPI_WAY_TOGETHER], 8);
        send(&stream, 80);
        send(&stream, 50);
        check_uint(stream.sent[WEFT_MPI_WAY_TOGETHER], together < 11000 ? 50 : 0);
        forget(&stream);
    }
    weft_mpi.has_heaps = false;
}

/* Which messages may go by ticket is told by their size, to the byte. */
static void test_border_of_tickets_is_exact(void)
{
    struct stream stream = stream_of(8192, 10000, 10000, 30000);
    weft_mpi.least_pulled = stream.bytes;
    send(&stream, 1000);
    check(stream.sent[WEFT_MPI_WAY_PACKED] > 0 && stream.sent[WEFT_MPI_WAY_PULLED] == 0);
    stream.bytes++;
    send(&stream, 1000);
    check(stream.sent[WEFT_MPI_WAY_PACKED] == 0 && stream.sent[WEFT_MPI_WAY_PULLED] > 0);
    forget(&stream);
    set_tickets(true);
}

/* A sender and its receiver, each for itself: a message is as long as the slower of its ends. */
static void test_both_ends_try_together(bool has_ticket)
{
    struct stream sender = stream_of(16384, 30000, has_ticket ? 20000 : 8000, 10000);
    set_tickets(has_ticket);
    struct stream receiver = sender;
    unsigned apart = 0;
    for (unsigned i = 0; i < 5000; i++) {
        enum weft_mpi_way way = weft_mpi_choose(&sender.choices, sender.bytes, 64, sending, NULL);
        enum weft_mpi_way other =
            weft_mpi_choose(&receiver.choices, receiver.bytes, 64, receiving, NULL);
        apart += way != other;
        nanoseconds +=
            sender.cost[way] > sender.cost[other] ? sender.cost[way] : sender.cost[other];
        weft_mpi_count_wait();
    }
    if (!check(apart <= 30)) /* those that they sent before it was known to be an exchange */
        tap_note("%u of 5000 messages had two ways", apart);
    set_tickets(true);
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
            weft_mpi_choose(&receiver->choices, receiver->bytes, 64, receiver->pattern, &awaited);
        nanoseconds += receiver->cost[way];
        weft_mpi_count_wait();
        receiver->sent[way]++;
        if (awaited)
            weft_mpi_choice_came(awaited, by_ticket);
    }
}

/* The sender has thrown its coin, too. */
static void test_receiver_follows_sender(void)
{
    struct stream receiver = stream_of(1 << 20, 100000, 200000, 105000);
    receiver.pattern = receiving;
    receive(&receiver, 80, true);
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

/* It has found that tickets are faster, and its sender that packing is, or MPI. A receiver that
 * unpacks what MPI has packed copies once more, and one that lets MPI unpack what we have packed
 * waits for that. */
static void test_receiver_follows_sender_from_another_host(bool is_packed)
{
    struct stream receiver = stream_of(1 << 20, 100000, 101000, 150000);
    receiver.pattern = (struct weft_mpi_pattern){0};
    receive(&receiver, 100, true);
    receive(&receiver, 1, true);
    check(receiver.sent[WEFT_MPI_WAY_PULLED] == 1);
    receiver.cost[WEFT_MPI_WAY_PULLED] = receiver.cost[WEFT_MPI_WAY_PACKED] =
        is_packed ? 101000 : 200000;
    receive(&receiver, 25, false);
    receive(&receiver, 40, false);
    check_uint(receiver.sent[is_packed ? WEFT_MPI_WAY_PACKED : WEFT_MPI_WAY_NATIVE], 40);
    forget(&receiver);
}

static unsigned begin_of_second_trial(bool misses)
{
    struct stream receiver = stream_of(1 << 20, 100000, 101000, 150000);
    receiver.pattern = (struct weft_mpi_pattern){0};
    const struct weft_mpi_choice *choice =
        weft_mpi_choices_of(&receiver.choices, receiver.bytes, 64);
    unsigned messages = 0;
    for (; messages < 1000 && choice->trials < 2; messages++)
        receive(&receiver, 1, !misses || messages < 100);
    forget(&receiver);
    return messages;
}

/* Its sender's begins after as many messages as ever. */
static void test_receiver_that_followed_is_in_step(void)
{
    check_uint(begin_of_second_trial(true), begin_of_second_trial(false));
}

/* A receive that was posted in the trial and is over after it says nothing of what was chosen. */
static void test_late_receives_overrule_nothing(void)
{
    struct stream receiver = stream_of(1 << 20, 100000, 101000, 50000);
    struct weft_mpi_choice *choice = weft_mpi_choices_of(&receiver.choices, receiver.bytes, 64);
    receiver.pattern = (struct weft_mpi_pattern){0};
    receive(&receiver, 100, true);
    weft_mpi_choice_came(choice, true);
    for (unsigned i = 0; i < 4; i++)
        weft_mpi_choice_came(choice, false);
    receive(&receiver, 50, true);
    check_uint(receiver.sent[WEFT_MPI_WAY_NATIVE], 50);
    forget(&receiver);
}

/* Synchronous sends, say. */
static void test_receiver_without_tickets_keeps_its_way(void)
{
    struct stream receiver = stream_of(65536, 100000, 110000, 200000);
    receiver.pattern = receiving;
    receive(&receiver, 120, false);
    receive(&receiver, 50, false);
    check(receiver.sent[WEFT_MPI_WAY_PULLED] == 50);
    forget(&receiver);
}

/* Neither end can see whether the other packs, too. */
static void test_data_is_packed_if_it_is_surely_worth_it(void)
{
    for (unsigned is_send = 0; is_send < 2; is_send++)
        for (uint64_t packed = 85000; packed <= 95000; packed += 10000) {
            set_tickets(false);
            struct stream stream = stream_of(65536, 300000, packed, 100000);
            stream.pattern = is_send ? sending : receiving;
            send(&stream, 130);
            check(native_of(&stream, 40) == (packed < 90000 ? 0 : 40));
            forget(&stream);
        }
    set_tickets(true);
}

/* What messages take of which both ends, none, or one packs, and what is between two messages of
 * the receiver, too, if it unpacks. */
struct pair_costs {
    uint64_t packed, native, mixed, more;
};

static uint64_t cost_of_pair(const struct pair_costs *costs, enum weft_mpi_way way,
                             enum weft_mpi_way other)
{
    if (way != other)
        return costs->mixed;
    return way == WEFT_MPI_WAY_PACKED ? costs->packed : costs->native;
}

/* To pack is worth it for the sender, and just not for the receiver, whose clock is another. What
 * then comes of it is worse than what either has tried. */
static void leave_what_does_not_fit(struct pair_costs costs)
{
    struct stream sender = {.bytes = 4096}, receiver = sender;
    uint64_t clock_of_sender = nanoseconds, clock_of_receiver = nanoseconds;
    unsigned mixed = 0;
    set_tickets(false);
    for (unsigned i = 0; i < 190; i++) {
        nanoseconds = clock_of_sender;
        enum weft_mpi_way way = weft_mpi_choose(&sender.choices, sender.bytes, 64, sending, NULL);
        nanoseconds = clock_of_receiver;
        enum weft_mpi_way other =
            weft_mpi_choose(&receiver.choices, receiver.bytes, 64, receiving, NULL);
        uint64_t took = cost_of_pair(&costs, way, other);
        clock_of_sender += took;
        clock_of_receiver += took + (other == WEFT_MPI_WAY_PACKED ? costs.more : 0);
        mixed += i >= 180 && way != other; /* between two trials */
    }
    check_uint(mixed, 0);
    set_tickets(true);
    forget(&sender);
    forget(&receiver);
}

static void test_two_ways_that_do_not_fit_are_left(void)
{
    leave_what_does_not_fit((struct pair_costs){88000, 100000, 150000, 6000});
    leave_what_does_not_fit(
        (struct pair_costs){100000, 200000, 300000, 90000}); /* MPI is hopeless */
}

int main(void)
{
    static char net; /* there is one */
    weft_mpi.net = (weft_net *)&net;
    test_fastest_way_is_found();
    test_what_may_go_by_ticket_is_not_packed_within_a_host();
    test_all_ways_are_tried_between_hosts();
    test_the_longest_are_packed_nowhere();
    test_long_messages_are_few();
    test_what_was_not_tried_is_left_to_mpi();
    test_trials_cost_little();
    test_calls_are_packed_if_faster();
    test_size_makes_a_kind();
    test_place_of_the_peer_makes_a_kind();
    test_change_is_seen_later();
    test_noise_does_not_decide();
    test_equal_ways_are_left_to_mpi();
    test_long_messages_are_tried_less();
    test_batches_are_timed_as_a_whole();
    test_trials_of_batches_cost_little();
    test_who_never_waits_is_not_tried_for_ever();
    test_what_is_as_fast_goes_together();
    test_border_of_tickets_is_exact();
    test_both_ends_try_together(true);
    test_both_ends_try_together(false);
    test_receiver_follows_sender();
    test_receiver_follows_sender_from_another_host(true);
    test_receiver_follows_sender_from_another_host(false);
    test_receiver_that_followed_is_in_step();
    test_late_receives_overrule_nothing();
    test_receiver_without_tickets_keeps_its_way();
    test_data_is_packed_if_it_is_surely_worth_it();
    test_two_ways_that_do_not_fit_are_left();
    return tap_done();
}
