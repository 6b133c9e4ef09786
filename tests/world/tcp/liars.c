/* SPDX-License-Identifier: BSD-3-Clause */
/* Who has the key, and then does what no process of ours does. */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "packet/packet.h"
#include "support/tap.h"
#include "world/card.h"
#include "world/far/fabric.h"
#include "world/tcp/by_hand.h"
#include "world/tcp/place.h"
#include "world/tcp/tests.h"

#define LIAR 4u
#define LARGEST (PAYLOAD + WEFT_PACKET_HEADERS)

/* ---- Frames that make no sense ------------------------------------------------------------- */

struct lie {
    const char *what;
    struct weft_tcp_head head;
};

/* Sizes are of bytes that do follow, so that the seal would be right. */
static const struct lie lies[] = {
    {"a packet of no bytes", {.kind = WEFT_TCP_FRAME_DATA}},
    {"a packet that is too long", {.kind = WEFT_TCP_FRAME_DATA, .size = LARGEST + 1}},
    {"a kind that is none", {.kind = 0}},
    {"a kind of the future", {.kind = WEFT_TCP_FRAME_KINDS}},
    {"CONFIRM again", {.kind = WEFT_TCP_FRAME_CONFIRM}},
    {"READY from who has called", {.kind = WEFT_TCP_FRAME_READY}},
    {"ALIVE with a packet", {.kind = WEFT_TCP_FRAME_ALIVE, .size = 8}},
    {"BYE with a packet", {.kind = WEFT_TCP_FRAME_BYE, .size = 8}},
};

#define LIES (sizeof lies / sizeof *lies)

static void lie(uint32_t pid)
{
    static const unsigned char packet[LARGEST + 1];
    struct by_hand liar;
    wait_until(stage->step == 1);
    be_admitted(&liar, pid);
    say_packet(&liar, 0);
    say_frame(&liar, lies[stage->refusals].head, packet);
    say_packet(&liar, 1);
    need(is_hung_up_on(liar.fd));
    hang_up(&liar);
}

/* What came before the lie is taken, nothing behind it; others are not concerned. */
static void give_up_liar(uint32_t pid)
{
    open_as(pid);
    stage->step = 1;
    wait_until((step_world(), nic.peers[LIAR].failed));
    need(nic.peers[LIAR].received == 1 && nic.peers[LIAR].failed == 1);
    wait_until((step_world(), nic.peers[2].failed));
    need(nic.peers[2].received_before_failure == stage->stream && !nic.damaged);
    close_world();
}

static void test_lies(void)
{
    for (size_t i = 0; i < LIES; i++) {
        begin(lies[i].what);
        set("WEFT_LOG", "off");
        stage->refusals = (uint32_t)i;
        stage->stream = 300;
        pid_t receiver = start(give_up_liar, 1), sender = start(send_many, 2);
        check(ended_well(start(lie, LIAR)));
        check(ended_well(sender));
        check(ended_well(receiver));
    }
}

/* ---- Calls ---------------------------------------------------------------------------------- */

/* READY was lost for it, so it calls once more: that is the line. */
static void call_again(uint32_t pid)
{
    struct by_hand first, second;
    struct weft_tcp_head head;
    be_admitted(&first, pid);
    be_admitted(&second, pid);
    need(!hear_frame(&first, &head));
    say_packet(&second, 0);
    wait_until(stage->step == 1);
    hang_up(&first);
    /* From now on it knows that it was admitted: a third line is not the one. */
    be_welcomed(&first, pid);
    say_frame(&first, (struct weft_tcp_head){.kind = WEFT_TCP_FRAME_CONFIRM}, NULL);
    need(!hear_frame(&first, &head));
    say_packet(&second, 1);
    wait_until(stage->step == 2);
    hang_up(&first);
    hang_up(&second);
}

static void be_called_again(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), nic.peers[LIAR].received == 1));
    stage->step = 1;
    wait_until((step_world(), nic.peers[LIAR].received == 2));
    need(nic.peers[LIAR].failed == 0 && counts().sessions == 1 && !nic.damaged);
    stage->step = 2;
    wait_until((step_world(), nic.peers[LIAR].failed == 1));
    close_world();
}

/* A place where nobody listens. */
static void post_empty_place(uint32_t pid)
{
    struct weft_tcp_place place;
    need(weft_tcp_place_read(&cards[1].card, &place));
    int fd = socket(place.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (place.any.sa_family == AF_INET)
        place.four.sin_port = 0;
    else
        place.six.sin6_port = 0;
    need(fd >= 0 && bind(fd, &place.any, place.size) == 0);
    need(getsockname(fd, &place.any, &place.size) == 0);
    close(fd);
    weft_world_card_begin(&cards[pid].card, INSTANCE_BY_HAND);
    weft_tcp_place_write(&place, &cards[pid].card);
    cards[pid].is_there = true;
}

/* It may not have heard READY; but nobody is there to be called back. */
static void die_admitted(uint32_t pid)
{
    struct by_hand caller;
    wait_until(cards[1].is_there);
    post_empty_place(pid);
    be_admitted(&caller, pid);
    hang_up(&caller);
}

static void hear_of_death(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), nic.peers[LIAR].failed));
    need(nic.peers[LIAR].failed == 1 && counts().opened == 1);
    close_world();
}

/* Its BYE, which is no farewell for ever, is not answered before we close. */
static void park(uint32_t pid)
{
    unsigned char bytes[1024], packet[64];
    struct by_hand caller;
    struct weft_tcp_head head = {.kind = WEFT_TCP_FRAME_DATA};
    be_admitted(&caller, pid);
    head.size = (uint32_t)length_of(pid, 0, LARGEST);
    need(head.size <= sizeof packet);
    write_packet(packet, head.size, pid, 0);
    size_t size = make_frame(&caller, head, packet, bytes);
    size += make_frame(&caller, (struct weft_tcp_head){.kind = WEFT_TCP_FRAME_BYE}, NULL,
                       bytes + size);
    say(caller.fd, bytes, size);
    need(hear_frame(&caller, &head));
    need(head.kind == WEFT_TCP_FRAME_BYE && head.flags & WEFT_TCP_BYE_LEAVE);
    hang_up(&caller);
}

static void close_when_parked(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), nic.peers[LIAR].received));
    close_world();
}

/* Who has called says at once that it has heard READY, so that the other may speak. */
static void call_and_be_silent(uint32_t pid)
{
    open_as(pid);
    route_to(1);
    wait_until((step_world(), nic.peers[1].received));
    stage->step = 1;
    close_world();
}

static void be_called_and_speak(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), counts().opened));
    need(send_packet(route_to(2), 0));
    wait_until((step_world(), stage->step == 1));
    close_world();
}

void test_liars(void)
{
    test_lies();
    begin("who was called speaks first");
    config.timeout = 8 * PATIENCE; /* nobody says that it is alive because it was silent */
    pid_t called = start(be_called_and_speak, 1);
    check(ended_well(start(call_and_be_silent, 2)));
    check(ended_well(called));
    begin("who has not heard READY calls again");
    set("WEFT_LOG", "off");
    pid_t receiver = start(be_called_again, 1);
    check(ended_well(start(call_again, LIAR)));
    check(ended_well(receiver));
    begin("who has called dies before it says a word");
    config.timeout = 8 * PATIENCE; /* what tells is not that it does not answer */
    set("WEFT_LOG", "off");
    receiver = start(hear_of_death, 1);
    check(ended_well(start(die_admitted, LIAR)));
    check(ended_well(receiver));
    begin("a world is closed while a line is being parked");
    receiver = start(close_when_parked, 1);
    check(ended_well(start(park, LIAR)));
    check(ended_well(receiver));
}
