/* SPDX-License-Identifier: BSD-3-Clause */
/* The checkpoint interval against the inequalities of the paper, tried one by one. */
#include "offload/interval.h"

#include "support/rng.h"
#include "support/tap.h"

static uint64_t divide_up(uint64_t n, uint64_t by)
{
    return (n + by - 1) / by;
}

static double handler_time(const struct weft_offload_load *load, double packets)
{
    return load->times.init + load->times.setup +
           (double)load->pieces / packets * load->times.block;
}

struct verdict {
    bool epsilon, memory, buffer;
};

/* Section 3.2.4, as it is written there. */
static struct verdict judge(const struct weft_offload_load *load, uint64_t interval)
{
    uint64_t packets = divide_up(load->message, load->packet);
    double handler = handler_time(load, (double)packets);
    double delay = load->times.packet + (double)divide_up(interval, load->packet) *
                                            (load->hpus - 1) * load->times.packet;
    double work = (double)divide_up(packets, load->hpus) * handler;
    double backlog = handler * (double)load->packet / load->times.packet;
    if (backlog > (double)interval)
        backlog = (double)interval;
    return (struct verdict){
        .epsilon = delay <= load->epsilon * work * (1 + 1e-9),
        .memory = divide_up(packets * load->packet, interval) * load->checkpoint <= load->memory,
        .buffer = backlog <= (double)load->packet_buffer};
}

static struct weft_offload_load random_load(struct rng *rng)
{
    uint64_t packet = 8 * rng_magnitude(rng, 512);
    uint64_t packets = rng_magnitude(rng, 300);
    struct weft_offload_load load = {.packet = packet, .times.packet = (double)packet / 25};
    load.message = packets * packet - rng_below(rng, packet);
    load.pieces = packets * rng_magnitude(rng, 512);
    load.hpus = 1 + (unsigned)rng_below(rng, 32);
    load.checkpoint = 40 + rng_magnitude(rng, 1000);
    load.memory = rng_magnitude(rng, 1 << 20);
    load.packet_buffer = rng_magnitude(rng, 1 << 20);
    load.epsilon = (double)rng_magnitude(rng, 1000) / 100;
    load.times.init = (double)rng_below(rng, 200);
    load.times.setup = 1 + (double)rng_below(rng, 500);
    load.times.block = (double)rng_below(rng, 50);
    return load;
}

/* The largest interval that keeps all three limits, if there is one. */
static uint64_t largest(const struct weft_offload_load *load)
{
    uint64_t packets = divide_up(load->message, load->packet);
    for (uint64_t n = packets; n > 0; n--) {
        struct verdict verdict = judge(load, n * load->packet);
        if (verdict.epsilon && verdict.memory && verdict.buffer)
            return n;
    }
    return 0;
}

int main(void)
{
    struct rng rng = {1};
    unsigned possible = 0, wrong = 0, untrue = 0;
    for (unsigned i = 0; i < 3000; i++) {
        struct weft_offload_load load = random_load(&rng);
        struct weft_offload_interval interval = weft_offload_interval(&load);
        struct verdict verdict = judge(&load, interval.bytes);
        uint64_t best = largest(&load);
        possible += best > 0;
        wrong += best && interval.packets != best;
        untrue += interval.keeps_epsilon != verdict.epsilon ||
                  interval.fits_memory != verdict.memory || interval.fits_buffer != verdict.buffer;
    }
    tap_note("%u of 3000 loads can keep all limits", possible);
    check(possible > 300 && possible < 2900);
    check_uint(wrong, 0);
    check_uint(untrue, 0);

    /* Memory comes before epsilon: fewer checkpoints than the delay allows. */
    struct weft_offload_load tight = {.message = 1 << 20,
                                      .packet = 2048,
                                      .pieces = 512,
                                      .hpus = 16,
                                      .checkpoint = 612,
                                      .memory = 4 * 612,
                                      .packet_buffer = 1 << 20,
                                      .epsilon = 0.001,
                                      .times = {82, 50, 100, 20}};
    check_uint(weft_offload_interval(&tight).checkpoints, 4);
    check(!weft_offload_interval(&tight).keeps_epsilon);
    tight.memory = 100;
    check(!weft_offload_interval(&tight).fits_memory);
    check(weft_offload_interval_time(&tight, 2) > weft_offload_interval_time(&tight, 1));
    return tap_done();
}
