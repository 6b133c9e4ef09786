/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A world without another side: what the NIC sends is checked and thrown away, and time passes
 * when the test says so.
 */
#ifndef WEFT_TESTS_STUB_WORLD_H
#define WEFT_TESTS_STUB_WORLD_H

#include "nic/world_ops.h"
#include "packet/packet.h"

/* Small, so that messages need several. */
#define STUB_PACKET ((uint32_t)WEFT_PACKET_SMALLEST)
#define STUB_PEERS 2

struct stub_world {
    struct weft_nic_world world; /* must be first */
    uint64_t time;
    unsigned refusals; /* of every four reservations */
    unsigned reservations;
    struct stub_route {
        struct weft_nic_route route; /* must be first */
        uint32_t sent;               /* numbered packets, as the newest of them says */
    } routes[STUB_PEERS + 1];
    unsigned char *place; /* of the packet that the NIC is writing */
    size_t size;
    uint32_t operation; /* of the newest packet that wants an answer */
};

void stub_open(struct stub_world *stub, bool reliable);
void stub_close(struct stub_world *stub);

/* The processes that send to us. */
struct weft_nic_address stub_peer(unsigned which);

/* Ends the program: the code under test broke a promise. */
void stub_require(bool condition);

/* Memory that the code under test must not touch from now on, where a sanitizer can see that. */
void stub_forbid(void *start, size_t size);
void stub_allow(void *start, size_t size);

#endif
