/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/message/plan.h"

/* Messages of different parts of a plan have different tags. */
enum { TAG_UP = WEFT_SIM_TAG_RESULT + 1, TAG_FOLD, TAG_UNFOLD, TAG_WAKE, TAG_STEP = 1000 };

#define NONE WEFT_SIM_NONE

/* What a rank adds to the graph. */
struct pen {
    const struct weft_sim_plan *plan;
    struct weft_sim_graph *graph;
    uint32_t rank;
    uint32_t start; /* what all waits for that would begin at once, or NONE */
};

/* ---- Operations --------------------------------------------------------------------------- */

static uint32_t add(const struct pen *pen, uint8_t action, uint32_t peer, uint32_t tag,
                    uint64_t size)
{
    struct weft_sim_operation operation = {
        .action = action, .rank = pen->rank, .peer = peer, .tag = tag, .size = size};
    return weft_sim_graph_add(pen->graph, &operation);
}

static void wait_for(const struct pen *pen, uint32_t later, uint32_t earlier)
{
    weft_sim_graph_wait(pen->graph, later, earlier, WEFT_SIM_WAIT_ALL);
}

/* After the other operation, or after the start if that is NONE. */
static uint32_t add_send(const struct pen *pen, uint32_t peer, uint32_t tag, uint64_t size,
                         uint32_t earlier)
{
    uint32_t send = add(pen, WEFT_SIM_SEND, peer, tag, size);
    wait_for(pen, send, earlier == NONE ? pen->start : earlier);
    return send;
}

static uint32_t add_receive(const struct pen *pen, uint32_t peer, uint32_t tag, uint64_t size)
{
    return add(pen, WEFT_SIM_RECEIVE, peer, tag, size);
}

static uint32_t add_computation(const struct pen *pen, uint64_t nanoseconds)
{
    return add(pen, WEFT_SIM_CALCULATE, 0, 0, nanoseconds);
}

/* Takes no time and no CPU, but waits for several others. */
static uint32_t add_join(const struct pen *pen)
{
    return add(pen, WEFT_SIM_NIC_CALCULATE, 0, 0, 0);
}

/* What was received and what was there before, or the rank's own at the start. */
static uint32_t add_combination(const struct pen *pen, uint32_t receive, uint32_t earlier)
{
    uint64_t work = pen->plan->combine;
    uint32_t combination = !work                     ? add_join(pen)
                           : pen->plan->is_offloaded ? add(pen, WEFT_SIM_NIC_CALCULATE, 0, 0, work)
                                                     : add_computation(pen, work);
    wait_for(pen, combination, receive);
    wait_for(pen, combination, earlier == NONE ? pen->start : earlier);
    return combination;
}

/* ---- Trees -------------------------------------------------------------------------------- */

/* Distance to the parent of a rank; that of the root is that of a parent that is not there. */
static uint32_t distance_up(const struct pen *pen)
{
    if (pen->rank)
        return pen->rank & (0 - pen->rank);
    uint32_t distance = 1;
    while (distance < pen->plan->ranks)
        distance *= 2;
    return distance;
}

/* `earlier` is what the root sends. */
static void add_packet(const struct pen *pen, uint32_t tag, uint64_t size, uint32_t earlier)
{
    uint32_t up = distance_up(pen);
    if (pen->rank)
        earlier = add_receive(pen, pen->rank - up, tag, size);
    for (uint32_t down = up / 2; down; down /= 2)
        if (pen->rank + down < pen->plan->ranks)
            add_send(pen, pen->rank + down, tag, size, earlier);
}

static uint64_t packets_of(const struct weft_sim_plan *plan)
{
    return plan->packet && plan->size > plan->packet
               ? (plan->size + plan->packet - 1) / plan->packet
               : 1;
}

static uint64_t packet_size(const struct weft_sim_plan *plan, uint64_t packet)
{
    uint64_t count = packets_of(plan);
    if (count == 1)
        return plan->size;
    return packet + 1 < count ? plan->packet : plan->size - packet * plan->packet;
}

/* The root has all packets of a child before those of the next; others forward what comes. */
static void add_bcast(const struct pen *pen)
{
    uint64_t packets = packets_of(pen->plan);
    for (uint64_t i = 0; pen->rank && i < packets; i++)
        add_packet(pen, TAG_STEP + (uint32_t)i, packet_size(pen->plan, i), NONE);
    for (uint32_t down = distance_up(pen) / 2; !pen->rank && down; down /= 2)
        for (uint64_t i = 0; down < pen->plan->ranks && i < packets; i++)
            add_send(pen, down, TAG_STEP + (uint32_t)i, packet_size(pen->plan, i), NONE);
}

/* What has the sum of all that is below. */
static uint32_t add_reduce(const struct pen *pen)
{
    uint32_t up = distance_up(pen), sum = NONE;
    for (uint32_t down = 1; down < up; down *= 2)
        if (pen->rank + down < pen->plan->ranks)
            sum = add_combination(pen, add_receive(pen, pen->rank + down, TAG_UP, pen->plan->size),
                                  sum);
    if (pen->rank)
        add_send(pen, pen->rank - up, TAG_UP, pen->plan->size, sum);
    return sum;
}

static void add_allreduce(const struct pen *pen)
{
    add_packet(pen, WEFT_SIM_TAG_RESULT, pen->plan->size, add_reduce(pen));
}

/* ---- Exchanges ---------------------------------------------------------------------------- */

/* Those beyond the last power of two give their part to another and get the result from it. */
static void add_doubling(const struct pen *pen)
{
    uint32_t ranks = pen->plan->ranks, whole = 1, sum = NONE;
    uint64_t size = pen->plan->size;
    while (whole <= ranks / 2)
        whole *= 2;
    if (pen->rank >= whole) {
        add_send(pen, pen->rank - whole, TAG_FOLD, size, NONE);
        add_receive(pen, pen->rank - whole, TAG_UNFOLD, size);
        return;
    }
    bool is_doubled = pen->rank + whole < ranks;
    if (is_doubled)
        sum = add_combination(pen, add_receive(pen, pen->rank + whole, TAG_FOLD, size), sum);
    for (uint32_t distance = 1; distance < whole; distance *= 2) {
        add_send(pen, pen->rank ^ distance, TAG_STEP, size, sum);
        sum = add_combination(pen, add_receive(pen, pen->rank ^ distance, TAG_STEP, size), sum);
    }
    if (is_doubled)
        add_send(pen, pen->rank + whole, TAG_UNFOLD, size, sum);
}

static void add_ring(const struct pen *pen)
{
    uint32_t ranks = pen->plan->ranks, last = NONE;
    uint32_t next = (pen->rank + 1) % ranks, previous = (pen->rank + ranks - 1) % ranks;
    uint64_t part = (pen->plan->size + ranks - 1) / ranks;
    for (uint32_t step = 0; step < 2 * (ranks - 1); step++) {
        add_send(pen, next, TAG_STEP, part, last);
        last = add_receive(pen, previous, TAG_STEP, part);
        if (step < ranks - 1)
            last = add_combination(pen, last, NONE);
    }
}

static void add_barrier(const struct pen *pen)
{
    uint32_t ranks = pen->plan->ranks, last = NONE, sent = NONE;
    for (uint32_t distance = 1; distance < ranks; distance *= 2) {
        uint32_t send = add_send(pen, (pen->rank + distance) % ranks, TAG_STEP, 1, last);
        wait_for(pen, send, sent);
        sent = send;
        last = add_receive(pen, (pen->rank + ranks - distance) % ranks, TAG_STEP, 1);
    }
}

/* What is complete when all has been unpacked, if that takes time. */
static uint32_t add_alltoall(const struct pen *pen, uint32_t tag, uint32_t earlier)
{
    uint32_t ranks = pen->plan->ranks, end = NONE;
    if (pen->plan->scheme == WEFT_SIM_FFT2D)
        end = add_join(pen);
    for (uint32_t distance = 1; distance < ranks; distance++) {
        uint32_t to = (pen->rank + distance) % ranks,
                 from = (pen->rank + ranks - distance) % ranks;
        add_send(pen, to, tag, pen->plan->size, earlier);
        uint32_t receive = add_receive(pen, from, tag, pen->plan->size), unpacked = receive;
        if (pen->plan->unpack && end != NONE) {
            unpacked = add_computation(pen, pen->plan->unpack);
            wait_for(pen, unpacked, receive);
        }
        wait_for(pen, end, unpacked);
    }
    return end;
}

static void add_fft2d(const struct pen *pen)
{
    uint32_t rows = add_computation(pen, pen->plan->compute);
    uint32_t turned = add_alltoall(pen, TAG_STEP, rows);
    uint32_t columns = add_computation(pen, pen->plan->compute);
    wait_for(pen, columns, turned);
    add_alltoall(pen, TAG_STEP + 1, columns);
}

/* ---- Solo --------------------------------------------------------------------------------- */

static void wait_for_any(const struct pen *pen, uint32_t later, uint32_t earlier)
{
    weft_sim_graph_wait(pen->graph, later, earlier, WEFT_SIM_WAIT_ANY);
}

/*
 * Who has been woken by the message of a step sends those of all later steps, so that the messages
 * of one who began are a binomial tree. A message leaves behind the one of the step before anyway,
 * and so need not wait for all that may have woken the rank.
 */
static uint32_t add_waking(const struct pen *pen)
{
    uint32_t ranks = pen->plan->ranks, sent = pen->start, received = NONE;
    uint32_t awake = add_join(pen);
    wait_for_any(pen, awake, pen->start);
    for (uint32_t distance = 1; distance < ranks; distance *= 2) {
        uint32_t send = add(pen, WEFT_SIM_SEND, (pen->rank + distance) % ranks, TAG_WAKE, 1);
        wait_for_any(pen, send, sent);
        wait_for_any(pen, send, received);
        sent = send;
        received = add_receive(pen, (pen->rank + ranks - distance) % ranks, TAG_WAKE, 1);
        wait_for_any(pen, awake, received);
    }
    return awake;
}

static void add_solo(const struct pen *pen)
{
    struct pen woken = *pen;
    woken.start = add_waking(pen);
    add_allreduce(&woken);
}

/* ---- All ---------------------------------------------------------------------------------- */

static void add_rank(const struct pen *pen)
{
    switch (pen->plan->scheme) {
    case WEFT_SIM_BCAST:
        add_bcast(pen);
        break;
    case WEFT_SIM_ALLREDUCE:
        add_allreduce(pen);
        break;
    case WEFT_SIM_DOUBLING:
        add_doubling(pen);
        break;
    case WEFT_SIM_RING:
        add_ring(pen);
        break;
    case WEFT_SIM_BARRIER:
        add_barrier(pen);
        break;
    case WEFT_SIM_ALLTOALL:
        add_alltoall(pen, TAG_STEP, NONE);
        break;
    case WEFT_SIM_FFT2D:
        add_fft2d(pen);
        break;
    default:
        add_solo(pen);
    }
}

/* Each message is sent, received and combined; in any scheme hardly anything else is done. */
static void reserve(const struct weft_sim_plan *plan, struct weft_sim_graph *graph)
{
    uint64_t count = 3 * weft_sim_plan_messages(plan) + 4 * (uint64_t)plan->ranks;
    if (count < UINT32_MAX)
        weft_sim_graph_reserve(graph, (uint32_t)count);
}

bool weft_sim_plan_build(const struct weft_sim_plan *plan, struct weft_sim_graph *graph)
{
    graph->ranks = plan->ranks;
    graph->cpus = graph->nics = 1;
    reserve(plan, graph);
    for (uint32_t rank = 0; rank < plan->ranks && !graph->starved; rank++) {
        struct pen pen = {.plan = plan, .graph = graph, .rank = rank, .start = NONE};
        bool computes_itself = plan->scheme == WEFT_SIM_FFT2D;
        if ((plan->computes && !computes_itself) || plan->scheme == WEFT_SIM_SOLO)
            pen.start = add_computation(&pen, plan->compute);
        add_rank(&pen);
    }
    if (!weft_sim_graph_finish(graph))
        return false;
    if (plan->is_offloaded)
        weft_sim_graph_offload(graph);
    return true;
}

static uint64_t levels(uint32_t ranks)
{
    uint64_t count = 0;
    while (UINT64_C(1) << count < ranks)
        count++;
    return count;
}

uint64_t weft_sim_plan_messages(const struct weft_sim_plan *plan)
{
    uint64_t ranks = plan->ranks;
    uint64_t whole = UINT64_C(1) << levels(plan->ranks);
    whole = whole > ranks ? whole / 2 : whole;
    switch (plan->scheme) {
    case WEFT_SIM_BCAST:
        return (ranks - 1) * packets_of(plan);
    case WEFT_SIM_ALLREDUCE:
        return 2 * (ranks - 1);
    case WEFT_SIM_DOUBLING:
        return whole * levels((uint32_t)whole) + 2 * (ranks - whole);
    case WEFT_SIM_RING:
        return 2 * ranks * (ranks - 1);
    case WEFT_SIM_BARRIER:
        return ranks * levels(plan->ranks);
    case WEFT_SIM_ALLTOALL:
        return ranks * (ranks - 1);
    case WEFT_SIM_FFT2D:
        return 2 * ranks * (ranks - 1);
    default:
        return ranks * levels(plan->ranks) + 2 * (ranks - 1);
    }
}
