/* SPDX-License-Identifier: BSD-3-Clause */
/* The cases of `weft bench spin`, each done by the stock handlers and by the program. */
#include <string.h>
#include <weft_handlers.h>

#include "bench/spin/spin_member.h"

/* A pattern that tells every byte of a message from its neighbours. */
static void fill(unsigned char *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        memory[i] = (unsigned char)(i * 7 + i / 251);
}

static bool is_filled(const unsigned char *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (memory[i] != (unsigned char)(i * 7 + i / 251))
            return false;
    return true;
}

/* ---- One byte ----------------------------------------------------------------------------- */

static ptl_handler_result_t do_nothing(const ptl_payload_t *payload, void *state)
{
    (void)payload;
    (void)state;
    return PTL_HANDLER_SUCCESS;
}

static void prepare_put(struct member *member, const struct spin_job *job)
{
    static const ptl_handlers_t empty = {.payload_handler = do_nothing,
                                         .hpu_memory = PTL_HPU_NONE};
    member_post(member, SPIN_DATA, SPIN_TARGET, job->bytes, job->handlers ? &empty : NULL);
}

static void run_put(struct member *member, const struct spin_job *job)
{
    for (size_t i = 0; i < job->count; i++) {
        if (member->rank == 1)
            member_await(member, job->bytes);
        member_put(member, 1 - member->rank, SPIN_DATA, SPIN_SOURCE, job->bytes);
        if (member->rank == 0)
            member_await(member, job->bytes);
    }
}

static bool nothing_to_see(struct member *member, const struct spin_job *job)
{
    (void)member;
    (void)job;
    return true;
}

/* ---- Ping-pong ---------------------------------------------------------------------------- */

static void prepare_ping_pong(struct member *member, const struct spin_job *job)
{
    struct weft_handler_pong pong = {.match_bits = SPIN_BACK, .stream = WEFT_HANDLER_STREAM};
    ptl_handlers_t handlers;
    fill(member_region(member, SPIN_SOURCE), job->bytes);
    memset(member_region(member, SPIN_BUFFER), 0, job->bytes);
    if (member->rank == 0) {
        member_post(member, SPIN_BACK, SPIN_BUFFER, job->bytes, NULL);
    } else if (job->handlers) {
        MEMBER_MUST(weft_handler_pong(member->ni, &pong, &handlers));
        member_post(member, SPIN_DATA, SPIN_TARGET, job->bytes, &handlers);
    } else {
        member_post(member, SPIN_DATA, SPIN_TARGET, job->bytes, NULL);
    }
}

static void run_ping_pong(struct member *member, const struct spin_job *job)
{
    for (size_t i = 0; i < job->count; i++) {
        if (member->rank == 0)
            member_put(member, 1, SPIN_DATA, SPIN_SOURCE, job->bytes);
        member_await(member, job->bytes);
        if (member->rank == 1 && !job->handlers)
            member_put(member, 0, SPIN_BACK, SPIN_TARGET, job->bytes);
    }
}

static bool ping_pong_is_right(struct member *member, const struct spin_job *job)
{
    return member->rank == 1 || is_filled(member_region(member, SPIN_BUFFER), job->bytes);
}

/* ---- Accumulate --------------------------------------------------------------------------- */

/* Complex, two doubles each. */
static double *numbers(struct member *member, enum spin_region region)
{
    return (double *)(void *)member_region(member, region);
}

static void prepare_accumulate(struct member *member, const struct spin_job *job)
{
    static const struct weft_handler_accumulate accumulate;
    ptl_handlers_t handlers;
    for (size_t i = 0; i < job->bytes / sizeof(double); i += 2) {
        numbers(member, SPIN_SOURCE)[i] = 0;
        numbers(member, SPIN_SOURCE)[i + 1] = 1;
        numbers(member, SPIN_TARGET)[i] = (double)i;
        numbers(member, SPIN_TARGET)[i + 1] = 1;
    }
    if (member->rank == 0)
        return;
    if (job->handlers) {
        MEMBER_MUST(weft_handler_product(member->ni, &accumulate, &handlers));
        member_post(member, SPIN_DATA, SPIN_TARGET, job->bytes, &handlers);
    } else {
        member_post(member, SPIN_DATA, SPIN_BUFFER, job->bytes, NULL);
    }
}

static void multiply(struct member *member, size_t bytes)
{
    double *to = numbers(member, SPIN_TARGET), *by = numbers(member, SPIN_BUFFER);
    for (size_t i = 0; i < bytes / sizeof(double); i += 2) {
        double real = to[i] * by[i] - to[i + 1] * by[i + 1];
        to[i + 1] = to[i] * by[i + 1] + to[i + 1] * by[i];
        to[i] = real;
    }
}

static void run_accumulate(struct member *member, const struct spin_job *job)
{
    for (size_t i = 0; i < job->count; i++) {
        if (member->rank == 1) {
            member_await(member, job->bytes);
            if (!job->handlers) {
                multiply(member, job->bytes);
                member_tell(member, 0);
            }
        } else if (job->handlers) {
            member_put_and_wait(member, 1, SPIN_DATA, SPIN_SOURCE, job->bytes);
        } else {
            member_put(member, 1, SPIN_DATA, SPIN_SOURCE, job->bytes);
            member_hear(member, 1);
        }
    }
}

/* a + b i, multiplied by i as often as there were messages. */
static bool accumulate_is_right(struct member *member, const struct spin_job *job)
{
    static const double powers[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    const double *power = powers[job->count % 4], *is = numbers(member, SPIN_TARGET);
    for (size_t i = 0; member->rank == 1 && i < job->bytes / sizeof(double); i += 2)
        if (is[i] != (double)i * power[0] - power[1] ||
            is[i + 1] != (double)i * power[1] + power[0])
            return false;
    return true;
}

/* ---- Broadcast ---------------------------------------------------------------------------- */

#define BROADCAST_RANKS 8

static struct weft_handler_peers children_of(const struct member *member)
{
    const struct weft_handler_job job = {.rank = member->rank, .size = BROADCAST_RANKS};
    return weft_handler_children(&job, 0);
}

static void prepare_broadcast(struct member *member, const struct spin_job *job)
{
    struct weft_handler_broadcast broadcast = {
        .match_bits = SPIN_DATA, .stream = WEFT_HANDLER_STREAM, .children = children_of(member)};
    ptl_handlers_t handlers;
    fill(member_region(member, SPIN_SOURCE), job->bytes);
    memset(member_region(member, SPIN_TARGET), 0, job->bytes);
    if (member->rank == 0)
        return;
    if (!job->handlers) {
        member_post(member, SPIN_DATA, SPIN_TARGET, job->bytes, NULL);
        return;
    }
    MEMBER_MUST(weft_handler_broadcast(member->ni, &broadcast, &handlers));
    member_post(member, SPIN_DATA, SPIN_TARGET, job->bytes, &handlers);
}

static void send_to_children(struct member *member, enum spin_region region, size_t bytes)
{
    const struct weft_handler_peers children = children_of(member);
    for (uint32_t i = 0; i < children.count; i++)
        member_put(member, children.process[i].rank, SPIN_DATA, region, bytes);
}

static void run_broadcast(struct member *member, const struct spin_job *job)
{
    for (size_t i = 0; i < job->count; i++) {
        if (member->rank == 0) {
            send_to_children(member, SPIN_SOURCE, job->bytes);
            member_hear(member, BROADCAST_RANKS - 1);
        } else {
            member_await(member, job->bytes);
            if (!job->handlers)
                send_to_children(member, SPIN_TARGET, job->bytes);
            member_tell(member, 0);
        }
    }
}

static bool broadcast_is_right(struct member *member, const struct spin_job *job)
{
    return member->rank == 0 || is_filled(member_region(member, SPIN_TARGET), job->bytes);
}

/* ---- Parity ------------------------------------------------------------------------------- */

enum { CLIENT, DATA_NODE, PARITY_NODE, PARITY_RANKS };

static void prepare_parity_handlers(struct member *member, const struct spin_job *job)
{
    struct weft_handler_raid_data data = {.parity = {.rank = PARITY_NODE},
                                          .parity_bits = SPIN_UPDATE};
    struct weft_handler_raid_parity parity = {.relay_bits = SPIN_BACK};
    struct weft_handler_raid_relay relay = {.client_bits = SPIN_BACK};
    ptl_handlers_t handlers;
    if (member->rank == CLIENT) {
        weft_handler_raid_client(&handlers);
        member_post(member, SPIN_BACK, SPIN_BUFFER, 0, &handlers);
    } else if (member->rank == DATA_NODE) {
        MEMBER_MUST(weft_handler_raid_data(member->ni, &data, &handlers));
        member_post(member, SPIN_DATA, SPIN_TARGET, job->bytes, &handlers);
        MEMBER_MUST(weft_handler_raid_relay(member->ni, &relay, &handlers));
        member_post(member, SPIN_BACK, SPIN_BUFFER, 0, &handlers);
    } else {
        MEMBER_MUST(weft_handler_raid_parity(member->ni, &parity, &handlers));
        member_post(member, SPIN_UPDATE, SPIN_TARGET, job->bytes, &handlers);
    }
}

static void prepare_parity(struct member *member, const struct spin_job *job)
{
    fill(member_region(member, SPIN_SOURCE), job->bytes);
    memset(member_region(member, SPIN_TARGET), 0, job->bytes);
    if (job->handlers)
        prepare_parity_handlers(member, job);
    else if (member->rank != CLIENT)
        member_post(member, member->rank == DATA_NODE ? SPIN_DATA : SPIN_UPDATE, SPIN_BUFFER,
                    job->bytes, NULL);
}

static void exclusive_or(uint64_t *to, const uint64_t *from, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(*to); i++)
        to[i] ^= from[i];
}

static uint64_t *words(struct member *member, enum spin_region region)
{
    return (uint64_t *)(void *)member_region(member, region);
}

static void update_data(struct member *member, size_t bytes)
{
    member_await(member, bytes);
    exclusive_or(words(member, SPIN_TARGET), words(member, SPIN_BUFFER), bytes);
    member_put(member, PARITY_NODE, SPIN_UPDATE, SPIN_TARGET, bytes);
    member_hear(member, 1);
    memcpy(member_region(member, SPIN_TARGET), member_region(member, SPIN_BUFFER), bytes);
    member_tell(member, CLIENT);
}

static void update_parity(struct member *member, size_t bytes)
{
    member_await(member, bytes);
    exclusive_or(words(member, SPIN_TARGET), words(member, SPIN_BUFFER), bytes);
    member_tell(member, DATA_NODE);
}

static void run_parity_handlers(struct member *member, const struct spin_job *job)
{
    if (member->rank != CLIENT) {
        member_hear(member, 1);
        return;
    }
    for (size_t i = 0; i < job->count; i++) {
        member_put(member, DATA_NODE, SPIN_DATA, SPIN_SOURCE, job->bytes);
        member_await(member, job->bytes);
    }
    member_tell(member, DATA_NODE);
    member_tell(member, PARITY_NODE);
}

static void run_parity(struct member *member, const struct spin_job *job)
{
    if (job->handlers) {
        run_parity_handlers(member, job);
        return;
    }
    for (size_t i = 0; i < job->count; i++) {
        if (member->rank == DATA_NODE) {
            update_data(member, job->bytes);
        } else if (member->rank == PARITY_NODE) {
            update_parity(member, job->bytes);
        } else {
            member_put(member, DATA_NODE, SPIN_DATA, SPIN_SOURCE, job->bytes);
            member_hear(member, 1);
        }
    }
}

static bool parity_is_right(struct member *member, const struct spin_job *job)
{
    return member->rank == CLIENT || is_filled(member_region(member, SPIN_TARGET), job->bytes);
}

/* ---- All ---------------------------------------------------------------------------------- */

const struct spin_case_info spin_cases[SPIN_CASES] = {
    [SPIN_PUT] = {"put", "put, an empty handler", 1, 2, 0.5, prepare_put, run_put, nothing_to_see},
    [SPIN_PING_PONG] = {"ping-pong", "ping-pong, there and back", 65536, 2, 1, prepare_ping_pong,
                        run_ping_pong, ping_pong_is_right},
    [SPIN_ACCUMULATE] = {"accumulate", "accumulate, complex products", SPIN_MOST_BYTES, 2, 1,
                         prepare_accumulate, run_accumulate, accumulate_is_right},
    [SPIN_BROADCAST] = {"broadcast", "broadcast to 8 processes", SPIN_MOST_BYTES, BROADCAST_RANKS,
                        1, prepare_broadcast, run_broadcast, broadcast_is_right},
    [SPIN_PARITY] = {"parity", "parity update, 3 processes", 262144, PARITY_RANKS, 1,
                     prepare_parity, run_parity, parity_is_right},
};
