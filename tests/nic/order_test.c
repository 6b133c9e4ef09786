/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets that come in any order, several times or not at all: which of them pass, and when. */
#include "nic/order.h"

#include <stdlib.h>
#include <string.h>

#include "support/allocations.h"
#include "support/rng.h"
#include "support/tap.h"

#define PACKETS 5000u
#define WINDOW WEFT_NIC_ORDER_WINDOW
#define PAYLOAD 24u
#define FIRST (UINT32_MAX - PACKETS / 2) /* so that numbers wrap around */

/* What is sent, and what became of it. */
struct sent {
    enum weft_packet_kind kind;
    unsigned opener; /* of payload: index of what it continues */
    bool has_come;
    unsigned passed; /* times */
};

static struct sent sent[PACKETS];
static struct weft_nic_order order;
static bool once, in_order, after_opener, as_it_comes, intact;

static enum weft_packet_kind draw_kind(struct rng *rng, bool has_put, bool has_reply)
{
    switch (rng_below(rng, 8)) {
    case 0:
        return WEFT_PACKET_PUT;
    case 1:
        return WEFT_PACKET_ACK;
    case 2:
        return WEFT_PACKET_REPLY;
    case 3:
    case 4:
        return has_reply ? WEFT_PACKET_REPLY_DATA : WEFT_PACKET_REPLY;
    default:
        return has_put ? WEFT_PACKET_DATA : WEFT_PACKET_PUT;
    }
}

static void draw_all(struct rng *rng)
{
    unsigned put = PACKETS, reply = PACKETS;
    memset(sent, 0, sizeof sent);
    for (unsigned i = 0; i < PACKETS; i++) {
        sent[i].kind = draw_kind(rng, put < PACKETS, reply < PACKETS);
        if (sent[i].kind == WEFT_PACKET_PUT)
            put = i;
        if (sent[i].kind == WEFT_PACKET_REPLY)
            reply = i;
        sent[i].opener = sent[i].kind == WEFT_PACKET_DATA ? put : reply;
    }
}

static unsigned expected(void)
{
    return order.expected - FIRST;
}

static bool is_payload(unsigned i)
{
    return weft_packet_is_payload(sent[i].kind);
}

/* Whether all of those before it have come. */
static bool is_next(unsigned i)
{
    for (unsigned k = i >= WINDOW ? i - WINDOW : 0; k < i; k++)
        if (!sent[k].has_come)
            return false;
    return true;
}

static void pass(const struct weft_packet *packet)
{
    unsigned i = packet->head.sequence - FIRST;
    once &= sent[i].passed++ == 0;
    for (unsigned k = 0; k < packet->head.length; k++)
        intact &= packet->payload[k] == (unsigned char)(i + k);
    if (is_payload(i))
        after_opener &= sent[sent[i].opener].passed;
    else
        in_order &= i == 0 || is_next(i);
}

/* Nothing that has come waits without a reason. */
static void check_waiting(void)
{
    for (unsigned i = expected(); i < PACKETS && i < expected() + WINDOW; i++)
        if (sent[i].has_come && !sent[i].passed)
            as_it_comes &= !is_next(i) && !(is_payload(i) && sent[sent[i].opener].passed);
}

static void arrive(unsigned i)
{
    unsigned char payload[PAYLOAD];
    for (unsigned k = 0; k < PAYLOAD; k++)
        payload[k] = (unsigned char)(i + k);
    struct weft_packet packet = {.head = {.kind = (uint8_t)sent[i].kind,
                                          .length = PAYLOAD,
                                          .sequence = FIRST + i,
                                          .opener = is_payload(i) ? FIRST + sent[i].opener : 0},
                                 .payload = payload};
    bool passes = weft_nic_order_accept(&order, &packet);
    sent[i].has_come = true;
    if (passes)
        pass(&packet);
    struct weft_nic_held *held;
    while (passes && (held = weft_nic_order_next(&order))) {
        pass(&held->packet);
        free(held);
    }
    check_waiting();
}

/* Any of those that a sender may have sent by now, also those that have come. */
static unsigned draw_arrival(struct rng *rng)
{
    unsigned oldest = expected() > 3 ? expected() - 3 : 0;
    unsigned i = oldest + (unsigned)rng_below(rng, rng_one_in(rng, 2) ? 6 : WINDOW);
    unsigned last = expected() + WINDOW - 1 < PACKETS ? expected() + WINDOW - 1 : PACKETS - 1;
    return i < last ? i : last;
}

static void test_any_order(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct rng rng = rng_stream(seed, 0);
        order = (struct weft_nic_order){.expected = FIRST};
        once = in_order = after_opener = as_it_comes = intact = true;
        draw_all(&rng);
        while (expected() < PACKETS)
            arrive(draw_arrival(&rng));
        check(once && in_order && after_opener && as_it_comes && intact);
        check(order.arrived == 0 && order.holds == 0);
        for (unsigned i = 0; i < PACKETS; i++)
            once &= sent[i].passed == 1;
        check(once);
        if (!once || !in_order || !after_opener || !as_it_comes || !intact)
            tap_note("seed %llu: once %d, in order %d, after its opener %d, as it comes %d, "
                     "intact %d",
                     (unsigned long long)seed, once, in_order, after_opener, as_it_comes, intact);
    }
}

static struct weft_packet numbered(uint32_t number)
{
    return (struct weft_packet){.head = {.kind = WEFT_PACKET_ACK, .sequence = number}};
}

static void test_bound(void)
{
    struct weft_packet far = numbered(WINDOW), near = numbered(WINDOW - 1), old = numbered(~0u);
    order = (struct weft_nic_order){0};
    check(!weft_nic_order_accept(&order, &far) && order.arrived == 0);
    check(!weft_nic_order_accept(&order, &old) && order.arrived == 0);
    check(!weft_nic_order_accept(&order, &near));
    check_uint(order.arrived, UINT64_C(1) << (WINDOW - 1));
    check_uint(order.holds, 1);
    check(!weft_nic_order_accept(&order, &near) && order.holds == 1);
    check(!weft_nic_order_next(&order));
    weft_nic_order_close(&order);
}

/* It was not here, then, and its sender sends it again. */
static void test_no_memory(void)
{
    struct weft_packet first = numbered(0), second = numbered(1);
    order = (struct weft_nic_order){0};
    allocations_fail_after(0);
    check(!weft_nic_order_accept(&order, &second));
    allocations_work_again();
    check(order.arrived == 0 && order.holds == 0);
    check(weft_nic_order_accept(&order, &first));
    check(!weft_nic_order_next(&order));
    check(weft_nic_order_accept(&order, &second));
    check_uint(order.expected, 2);
}

int main(void)
{
    test_any_order();
    test_bound();
    test_no_memory();
    return tap_done();
}
