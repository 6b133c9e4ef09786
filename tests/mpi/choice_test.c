/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the way of a kind of message is found, in simulated time: a message takes as long as its way
 * is said to take, and the clock moves by that.
 */
#include "mpi/message/choice.h"

#include <stdlib.h>
#include <time.h>

#include "mpi/state.h"
#include "support/rng.h"
#include "support/tap.h"

struct weft_mpi_state weft_mpi;

/* ---- Time ----------------------------------------------------------------------------------- */

static uint64_t nanoseconds = 1;

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    (void)clock;
    time->tv_sec = (time_t)(nanoseconds / 1000000000u);
    time->tv_nsec = (long)(nanoseconds % 1000000000u);
    return 0;
}

/* ---- Streams of messages --------------------------------------------------------------------- */

struct stream {
    struct weft_mpi_choices choices;
    size_t bytes;
    uint64_t cost[WEFT_MPI_WAYS];
    uint64_t noise; /* up to so much more, at random */
    struct rng rng;
    uint64_t spent;
    unsigned native;
};

static const struct weft_mpi_pattern sending = {.is_send = true, .is_near = true};

static void send(struct stream *stream, unsigned messages)
{
    stream->native = 0;
    for (unsigned i = 0; i < messages; i++) {
        enum weft_mpi_way way = weft_mpi_choose(&stream->choices, stream->bytes, 64, sending);
        uint64_t took = stream->cost[way];
        if (stream->noise)
            took += rng_below(&stream->rng, stream->noise);
        stream->native += way == WEFT_MPI_WAY_NATIVE;
        stream->spent += took;
        nanoseconds += took;
    }
}

static struct stream stream_of(size_t bytes, uint64_t ours, uint64_t native)
{
    return (struct stream){.bytes = bytes,
                           .cost = {[WEFT_MPI_WAY_OURS] = ours, [WEFT_MPI_WAY_NATIVE] = native},
                           .rng = {bytes}};
}

static void forget(struct stream *stream)
{
    for (unsigned i = 0; i < WEFT_MPI_SIZE_CLASSES; i++)
        free(stream->choices.of_size[i]);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void test_faster_way_is_found(void)
{
    struct stream fast = stream_of(16384, 10000, 20000), slow = stream_of(16384, 20000, 10000);
    send(&fast, 200);
    send(&fast, 100);
    check(fast.native <= 30); /* that is what a trial takes */
    send(&slow, 200);
    send(&slow, 100);
    check(slow.native >= 70);
    forget(&fast);
    forget(&slow);
}

/* Within 2 % of the better way alone, whatever the two cost. */
static void test_trials_cost_little(void)
{
    const unsigned messages = 40000;
    for (uint64_t native = 5000; native <= 160000; native = native * 5 / 4) {
        struct stream stream = stream_of(4096, 20000, native);
        uint64_t best = messages * (native < 20000 ? native : 20000u);
        send(&stream, messages);
        double ratio = (double)stream.spent / (double)best;
        if (!check(ratio < 1.02))
            tap_note("native costs %.2f of ours: %.4f of the best", (double)native / 20000, ratio);
        forget(&stream);
    }
}

static void test_size_makes_a_kind(void)
{
    struct stream stream = stream_of(65536, 10000, 30000);
    send(&stream, 1000);
    stream.bytes = 32768;
    stream.cost[WEFT_MPI_WAY_NATIVE] = 5000;
    send(&stream, 200);
    send(&stream, 100);
    check(stream.native >= 60);
    forget(&stream);
}

static void test_change_is_seen_later(void)
{
    struct stream stream = stream_of(65536, 10000, 12000);
    send(&stream, 10000);
    stream.cost[WEFT_MPI_WAY_NATIVE] = 5000;
    send(&stream, 10000);
    send(&stream, 1000);
    check(stream.native > 900);
    forget(&stream);
}

static void test_noise_does_not_decide(void)
{
    struct stream stream = stream_of(8192, 20000, 30000);
    stream.noise = 20000;
    send(&stream, 2000);
    send(&stream, 10000);
    check(stream.native < 1000);
    forget(&stream);
}

static void test_long_messages_are_tried_less(void)
{
    struct stream stream = stream_of(1 << 22, 2000000, 3000000);
    send(&stream, 60);
    send(&stream, 40);
    check(stream.native == 0);
    forget(&stream);
}

int main(void)
{
    test_faster_way_is_found();
    test_trials_cost_little();
    test_size_makes_a_kind();
    test_change_is_seen_later();
    test_noise_does_not_decide();
    test_long_messages_are_tried_less();
    return tap_done();
}
