/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/interval.h"

static uint64_t divide_up(uint64_t n, uint64_t by)
{
    return n / by + (n % by != 0);
}

static uint64_t packets_of(const struct weft_offload_load *load)
{
    uint64_t packets = divide_up(load->message, load->packet);
    return packets ? packets : 1;
}

static double handler_time(const struct weft_offload_load *load)
{
    double blocks = (double)load->pieces / (double)packets_of(load);
    return load->times.init + load->times.setup + blocks * load->times.block;
}

static double work(const struct weft_offload_load *load)
{
    return (double)divide_up(packets_of(load), load->hpus) * handler_time(load);
}

/* Until all HPUs have a sequence. */
static double delay(const struct weft_offload_load *load, uint64_t packets)
{
    return load->times.packet * (1 + (double)packets * (load->hpus - 1));
}

double weft_offload_interval_time(const struct weft_offload_load *load, uint64_t packets)
{
    return delay(load, packets) + work(load);
}

/* The longest sequence that delays the message by no more than epsilon; 0: none. */
static uint64_t longest_by_epsilon(const struct weft_offload_load *load)
{
    uint64_t all = packets_of(load);
    double room = load->epsilon * work(load) / load->times.packet - 1;
    if (room < 0)
        return 0;
    if (load->hpus == 1 || room / (load->hpus - 1) >= (double)all)
        return all;
    return (uint64_t)(room / (load->hpus - 1));
}

/* A sequence waits in the buffer only if packets come faster than handlers end; 0: none fits. */
static uint64_t longest_by_buffer(const struct weft_offload_load *load)
{
    double backlog = handler_time(load) * (double)load->packet / load->times.packet;
    if (backlog <= (double)load->packet_buffer)
        return UINT64_MAX;
    return load->packet_buffer / load->packet;
}

/* So that all checkpoints fit; UINT64_MAX: not even one does. */
static uint64_t shortest_by_memory(const struct weft_offload_load *load)
{
    uint64_t most = load->memory / load->checkpoint;
    return most ? divide_up(packets_of(load), most) : UINT64_MAX;
}

static uint64_t within(uint64_t low, uint64_t value, uint64_t high)
{
    value = value < high ? value : high;
    return value > low ? value : low;
}

struct weft_offload_interval weft_offload_interval(const struct weft_offload_load *load)
{
    uint64_t all = packets_of(load);
    uint64_t shortest = shortest_by_memory(load);
    uint64_t by_epsilon = longest_by_epsilon(load), by_buffer = longest_by_buffer(load);
    uint64_t packets = by_epsilon < by_buffer ? by_epsilon : by_buffer;
    if (shortest != UINT64_MAX && packets < shortest)
        packets = shortest;
    packets = within(1, packets, all);
    return (struct weft_offload_interval){.bytes = packets * load->packet,
                                          .packets = packets,
                                          .checkpoints = divide_up(all, packets),
                                          .keeps_epsilon = packets <= by_epsilon,
                                          .fits_memory = packets >= shortest,
                                          .fits_buffer = packets <= by_buffer};
}
