/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/fake_nic.h"

#include <string.h>

#include "packet/packet.h"

#define LANDING_MOST ((size_t)64 << 10)

struct weft_nic_world *world;
struct weft_nic nic;
bool some_packets_are_short;
bool packets_come_in_any_order;

size_t length_of(uint32_t pid, uint32_t number, size_t most)
{
    if (some_packets_are_short && number % 3 == 0)
        return 8 + number % 80;
    return 8 + (number * 37u + pid * 101u) % (most - 8 + 1);
}

static unsigned char byte_of(uint32_t pid, uint32_t number, size_t at)
{
    return (unsigned char)(pid * 7 + number * 13 + at);
}

void write_packet(unsigned char *bytes, size_t size, uint32_t pid, uint32_t number)
{
    memcpy(bytes, &pid, 4);
    memcpy(bytes + 4, &number, 4);
    for (size_t i = 8; i < size; i++)
        bytes[i] = byte_of(pid, number, i);
}

struct weft_nic_peer *weft_nic_peer(struct weft_nic *of, struct weft_nic_address address)
{
    if (address.pid >= MOST_PEERS || of->has_no_memory)
        return NULL;
    of->peers[address.pid].address = address;
    return &of->peers[address.pid];
}

bool weft_nic_peer_waits(struct weft_nic *of, struct weft_nic_peer *peer)
{
    (void)of;
    (void)peer;
    return false;
}

static bool is_due(struct weft_nic_peer *peer, uint32_t number)
{
    if (!packets_come_in_any_order)
        return number == peer->received;
    uint32_t *seen = &peer->seen[number % RECENT_MOST];
    bool is_new = *seen != number + 1;
    *seen = number + 1;
    return is_new;
}

void weft_nic_receive(struct weft_nic *of, struct weft_nic_peer *peer, const void *packet,
                      size_t size)
{
    const unsigned char *bytes = packet;
    uint32_t pid = peer->address.pid, head[2];
    memcpy(head, bytes, sizeof(head));
    uint32_t number = head[1];
    bool fine = size == length_of(pid, number, world->packet_size) && !peer->failed;
    fine = fine && head[0] == pid && is_due(peer, number);
    for (size_t i = 8; fine && i < size; i++)
        fine = bytes[i] == byte_of(pid, number, i);
    of->damaged |= !fine;
    peer->received++;
}

/* Where the payload of every packet goes for which the world asks. */
static unsigned char landing[LANDING_MOST];

unsigned char *weft_nic_landing(struct weft_nic *of, struct weft_nic_peer *peer,
                                const void *headers, size_t size)
{
    (void)peer;
    (void)headers;
    of->landings++;
    return size - WEFT_PACKET_LANDING <= sizeof landing ? landing : NULL;
}

void weft_nic_receive_landed(struct weft_nic *of, struct weft_nic_peer *peer, const void *headers,
                             size_t size, const unsigned char *payload)
{
    static unsigned char whole[WEFT_PACKET_LANDING + LANDING_MOST];
    of->damaged |= payload != landing;
    memcpy(whole, headers, WEFT_PACKET_LANDING);
    memcpy(whole + WEFT_PACKET_LANDING, landing, size - WEFT_PACKET_LANDING);
    weft_nic_receive(of, peer, whole, size);
}

void weft_nic_packets_lost(struct weft_nic *of, struct weft_nic_address address)
{
    if (address.pid < MOST_PEERS)
        of->peers[address.pid].losses++;
}

void weft_nic_peer_failed(struct weft_nic *of, struct weft_nic_address address)
{
    if (address.pid < MOST_PEERS) {
        of->peers[address.pid].failed++;
        of->peers[address.pid].received_before_failure = of->peers[address.pid].received;
    }
}
