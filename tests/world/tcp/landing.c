/* SPDX-License-Identifier: BSD-3-Clause */
/* The payload of a long packet is decrypted to where the NIC wants it, and is not believed before
 * all of the packet is. */
#include "packet/packet.h"
#include "support/tap.h"
#include "world/far/fabric.h"
#include "world/far/tests.h"
#include "world/tcp/by_hand.h"
#include "world/tcp/tests.h"

#define FORGER 4u
#define LARGEST (PAYLOAD + WEFT_PACKET_HEADERS)

/* What is not encrypted is copied when it has been authenticated. */
static void receive_landing(uint32_t pid)
{
    receive_from_many(pid);
    need((nic.landings > 0) == !config.is_plain);
}

static void forge(uint32_t pid)
{
    static const unsigned char packet[LARGEST];
    unsigned char bytes[sizeof(struct weft_tcp_head) + LARGEST];
    struct by_hand forger;
    be_admitted(&forger, pid);
    say_frame(&forger, (struct weft_tcp_head){.kind = WEFT_TCP_FRAME_ALIVE}, NULL);
    size_t size =
        make_frame(&forger, (struct weft_tcp_head){.kind = WEFT_TCP_FRAME_DATA, .size = LARGEST},
                   packet, bytes);
    bytes[size - 1] ^= 1;
    say(forger.fd, bytes, size);
    need(is_hung_up_on(forger.fd));
    hang_up(&forger);
}

static void refuse_forged(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), nic.peers[FORGER].failed));
    need(nic.peers[FORGER].received == 0 && !nic.damaged);
    need(nic.landings == !config.is_plain && counts().forgeries == 1);
    close_world();
}

/* Those of libfabric are longer. */
static void have_usual_packets(uint32_t pid)
{
    open_as(pid);
    need(world->packet_size == WEFT_WORLD_PAYLOAD_TCP + WEFT_PACKET_HEADERS);
    close_world();
}

void test_landing(void)
{
    begin("packets are as long as is best for sockets");
    config.payload = 0;
    check(ended_well(start(have_usual_packets, 1)));
    begin("long packets land where the NIC wants them");
    config.payload = 8 * PAYLOAD;
    stage->stream = 300;
    check_streams(receive_landing);
    begin("a long packet that lands was changed on the way");
    set("WEFT_LOG", "off");
    pid_t receiver = start(refuse_forged, 1);
    check(ended_well(start(forge, FORGER)));
    check(ended_well(receiver));
}
