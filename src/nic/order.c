/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/order.h"

#include <stdlib.h>
#include <string.h>

static struct weft_nic_held **place_of(struct weft_nic_order *order, uint32_t number)
{
    return &order->held[number % WEFT_NIC_ORDER_WINDOW];
}

/* Of payload: what it continues has passed. Numbers wrap around. */
static bool has_header(const struct weft_nic_order *order, const struct weft_packet *packet)
{
    return weft_packet_is_payload(packet->head.kind) &&
           (int32_t)(packet->head.opener - order->expected) < 0;
}

/* Past all that has passed, up to a gap or to a packet that is held. */
static void advance(struct weft_nic_order *order)
{
    while (order->arrived & 1 && !*place_of(order, order->expected)) {
        order->arrived >>= 1;
        order->expected++;
    }
}

/* Without memory, it is as if the packet had been lost. */
static void hold(struct weft_nic_order *order, const struct weft_packet *packet)
{
    struct weft_nic_held *held = malloc(sizeof *held + packet->head.length);
    if (!held)
        return;
    held->packet = *packet;
    held->packet.payload = held->payload;
    if (packet->head.length)
        memcpy(held->payload, packet->payload, packet->head.length);
    *place_of(order, packet->head.sequence) = held;
    order->holds++;
    order->arrived |= (uint64_t)1 << (packet->head.sequence - order->expected);
}

bool weft_nic_order_accept(struct weft_nic_order *order, const struct weft_packet *packet)
{
    uint32_t ahead = packet->head.sequence - order->expected;
    if (ahead >= WEFT_NIC_ORDER_WINDOW || order->arrived >> ahead & 1)
        return false;
    if (ahead > 0 && !has_header(order, packet)) {
        hold(order, packet);
        return false;
    }
    order->arrived |= (uint64_t)1 << ahead;
    advance(order);
    return true;
}

static struct weft_nic_held *release(struct weft_nic_order *order, uint32_t number)
{
    struct weft_nic_held **place = place_of(order, number);
    struct weft_nic_held *held = *place;
    *place = NULL;
    order->holds--;
    advance(order);
    return held;
}

struct weft_nic_held *weft_nic_order_next(struct weft_nic_order *order)
{
    if (order->holds == 0)
        return NULL;
    if (order->arrived & 1)
        return release(order, order->expected);
    for (uint32_t i = 1; i < WEFT_NIC_ORDER_WINDOW; i++) {
        struct weft_nic_held *held = *place_of(order, order->expected + i);
        if (held && has_header(order, &held->packet))
            return release(order, order->expected + i);
    }
    return NULL;
}

void weft_nic_order_close(struct weft_nic_order *order)
{
    for (unsigned i = 0; i < WEFT_NIC_ORDER_WINDOW; i++)
        free(order->held[i]);
}
