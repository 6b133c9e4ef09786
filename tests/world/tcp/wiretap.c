/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Somebody sits on the wire between two processes: it cuts it, changes a byte, says no in the name
 * of one, sends everything back, or says later what it has heard. During the handshake that costs
 * time; after it the two have lost each other; what they get is right in any case.
 */
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/tap.h"
#include "world/far/fabric.h"
#include "world/tcp/place.h"
#include "world/tcp/tcp.h"
#include "world/tcp/tests.h"
#include "world/tcp/wire.h"

#define PACKETS 12u
#define RECORDED 65536u

/* Bytes of the handshake, by direction: from the one that calls, and to it. */
static const size_t handshake[2] = {
    sizeof(struct weft_tcp_hello) + sizeof(struct weft_tcp_head),
    sizeof(struct weft_tcp_answer) + sizeof(struct weft_tcp_head),
};

enum deed { CUT, FLIP, REFUSE, REFLECT, RECORD };

/* What is done: to the first connection at byte `at`, to the next at the byte behind it, and so on
 * before byte `end`. All others pass. */
static struct plan {
    struct posted_card real; /* of process 1; the others know that of the wiretap */
    enum deed deed;
    unsigned direction;
    size_t at, end;
    size_t recorded;
    unsigned char record[RECORDED];
} * plan;

/* ---- The wiretap --------------------------------------------------------------------------- */

struct tapped {
    int ends[2]; /* of the one that calls, and of the one that is called */
    size_t passed[2];
    bool passes;
    size_t at;
};

static int listen_as_first(void)
{
    struct weft_tcp_place place;
    int fd;
    wait_until(plan->real.is_there);
    need(weft_tcp_place_read(&plan->real.card, &place));
    if (place.any.sa_family == AF_INET)
        place.four.sin_port = 0;
    else
        place.six.sin6_port = 0;
    need((fd = socket(place.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0)) >= 0);
    need(bind(fd, &place.any, place.size) == 0 && listen(fd, 8) == 0);
    need(getsockname(fd, &place.any, &place.size) == 0);
    cards[1].card = plan->real.card;
    weft_tcp_place_write(&place, &cards[1].card);
    cards[1].is_there = true;
    return fd;
}

static int call_first(void)
{
    struct weft_tcp_place place;
    need(weft_tcp_place_read(&plan->real.card, &place));
    int fd = socket(place.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    need(fd >= 0 && connect(fd, &place.any, place.size) == 0);
    return fd;
}

static void say_all(int fd, const unsigned char *bytes, size_t size)
{
    while (size) {
        ssize_t count = send(fd, bytes, size, MSG_NOSIGNAL);
        if (count < 0)
            return; /* it has hung up */
        bytes += count;
        size -= (size_t)count;
    }
}

static void record(const unsigned char *bytes, size_t size)
{
    size_t room = RECORDED - plan->recorded;
    memcpy(plan->record + plan->recorded, bytes, size < room ? size : room);
    plan->recorded += size < room ? size : room;
}

/* False if the connection is to end. */
static bool pass(struct tapped *tapped, unsigned from, unsigned char *bytes, size_t size)
{
    size_t begin = tapped->passed[from];
    bool is_direction = !tapped->passes && from == plan->direction;
    bool is_here = is_direction && tapped->at >= begin && tapped->at < begin + size;
    tapped->passed[from] += size;
    if (is_here && plan->deed == FLIP)
        bytes[tapped->at - begin] ^= 0x10;
    if (is_here && plan->deed == REFUSE)
        ((struct weft_tcp_answer *)(void *)bytes)->message = WEFT_TCP_WIRE_REFUSE;
    if (is_direction && plan->deed == RECORD)
        record(bytes, size);
    if (is_direction && plan->deed == REFLECT) {
        say_all(tapped->ends[from], bytes, size);
        return true;
    }
    bool is_cut = is_here && plan->deed == CUT;
    say_all(tapped->ends[!from], bytes, is_cut ? tapped->at - begin : size);
    return !is_cut;
}

/* Until one of them hangs up. */
static void tap_line(struct tapped *tapped)
{
    static _Alignas(8) unsigned char bytes[PAYLOAD];
    struct pollfd ends[2] = {{.fd = tapped->ends[0], .events = POLLIN},
                             {.fd = tapped->ends[1], .events = POLLIN}};
    for (bool goes_on = true; goes_on;) {
        need(poll(ends, 2, (int)(PATIENCE / WEFT_CLOCK_MILLISECOND)) > 0);
        for (unsigned from = 0; from < 2 && goes_on; from++) {
            if (!ends[from].revents)
                continue;
            ssize_t count = recv(ends[from].fd, bytes, sizeof bytes, 0);
            goes_on = count > 0 && pass(tapped, from, bytes, (size_t)count);
        }
    }
    close(tapped->ends[0]);
    close(tapped->ends[1]);
}

static void be_wiretap(uint32_t pid)
{
    int listener = listen_as_first();
    (void)pid;
    for (size_t at = plan->at;; at++) {
        struct tapped tapped = {.passes = at >= plan->end, .at = at};
        tapped.ends[0] = accept(listener, NULL, NULL);
        need(tapped.ends[0] >= 0);
        tapped.ends[1] = call_first();
        tap_line(&tapped);
    }
}

/* ---- The two ------------------------------------------------------------------------------- */

static bool is_in_handshake(void)
{
    return plan->end <= handshake[plan->direction];
}

static void open_behind_wiretap(uint32_t pid)
{
    config.self = (struct weft_nic_address){1, pid};
    world = weft_tcp_open(&config, &plan->real.card);
    need(world != NULL);
    plan->real.is_there = true;
}

static void receive_tapped(uint32_t pid)
{
    open_behind_wiretap(pid);
    wait_until((step_world(), nic.peers[2].failed));
    need(!nic.damaged && nic.peers[2].failed == 1);
    need((nic.peers[2].received == PACKETS) == is_in_handshake());
    close_world();
}

static void send_tapped(uint32_t pid)
{
    open_as(pid);
    struct weft_nic_route *route = route_to(1);
    bool goes_on = true;
    for (uint32_t i = 0; i < PACKETS && goes_on; i++)
        goes_on = send_packet(route, i);
    need(goes_on || !is_in_handshake());
    /* Somebody who cuts the farewell is noticed, too. */
    close_world();
}

static bool survives(enum deed deed, unsigned direction, size_t at, size_t end)
{
    memset(cards, 0, MOST_PEERS * sizeof *cards);
    *plan = (struct plan){.deed = deed, .direction = direction, .at = at, .end = end};
    pid_t wiretap = start(be_wiretap, 3);
    pid_t receiver = start(receive_tapped, 1), sender = start(send_tapped, 2);
    bool is_sender_well = ended_well(sender), is_receiver_well = ended_well(receiver);
    kill_and_reap(wiretap);
    return is_sender_well && is_receiver_well;
}

/* One at a time, because then the one that was called calls back, past the wiretap. */
static void test_ready(enum deed deed)
{
    tap_note("at every byte of READY");
    for (size_t at = sizeof(struct weft_tcp_answer); at < handshake[1]; at++)
        check(survives(deed, 1, at, at + 1));
}

/* After the handshake: in the length, the kind, the rest and the tag of the first frame, which has
 * no packet, and of the second, in its packet, and behind it. */
static void test_session(enum deed deed)
{
    static const size_t places[] = {0, 3, 4, 6, 8, 23, 24, 27, 28, 30, 32, 47, 48, 55, 200};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        size_t at = handshake[0] + places[i];
        tap_note("byte %zu", at);
        check(survives(deed, 0, at, at + 1));
    }
}

/* ---- What was said before ------------------------------------------------------------------ */

/* Half of the stream before it is said again, and half after that. */
static void send_in_two_halves(uint32_t pid)
{
    open_as(pid);
    struct weft_nic_route *route = route_to(1);
    for (uint32_t i = 0; i < PACKETS; i++) {
        if (i == PACKETS / 2) {
            stage->step = 1;
            wait_until((step_world(), stage->step == 2));
        }
        need(send_packet(route, i));
    }
    close_world();
}

static void receive_in_two_halves(uint32_t pid)
{
    open_behind_wiretap(pid);
    wait_until((step_world(), stage->step == 2));
    need(counts().forgeries == 1 && counts().opened == 1);
    wait_until((step_world(), nic.peers[2].failed));
    need(!nic.damaged && nic.peers[2].received == PACKETS && counts().forgeries == 1);
    close_world();
}

/* Says all that process 2 has said, word by word, until it is hung up on. */
static void say_again(uint32_t pid)
{
    unsigned char answer[RECORDED];
    (void)pid;
    wait_until(stage->step == 1);
    int fd = call_first();
    say_all(fd, plan->record, plan->recorded);
    for (ssize_t count = 1; count > 0;)
        count = recv(fd, answer, sizeof answer, 0);
    stage->step = 2;
}

static void test_replay(void)
{
    begin("a whole connection is replayed while it is there");
    set("WEFT_LOG", "off");
    *plan = (struct plan){.deed = RECORD, .end = 1};
    pid_t wiretap = start(be_wiretap, 3), again = start(say_again, 4);
    pid_t receiver = start(receive_in_two_halves, 1), sender = start(send_in_two_halves, 2);
    check(ended_well(again));
    check(ended_well(sender));
    check(ended_well(receiver));
    check(plan->recorded > handshake[0] + sizeof(struct weft_tcp_head));
    kill_and_reap(wiretap);
}

void test_wiretap(void)
{
    plan = share_memory(sizeof *plan);
    static const char *const words[] = {[CUT] = "the wire is cut", [FLIP] = "a byte is changed"};
    for (enum deed deed = CUT; deed <= FLIP; deed++) {
        begin(words[deed]);
        config.timeout = PATIENCE; /* so many attempts are made, but no more */
        set("WEFT_LOG", "off");
        tap_note("at every byte of the handshake");
        check(survives(deed, 0, 0, handshake[0]));
        check(survives(deed, 1, 0, sizeof(struct weft_tcp_answer)));
        test_ready(deed);
        /* A length that was changed may promise more than comes. */
        config.timeout = SHORT_TIMEOUT;
        test_session(deed);
    }
    begin("a process is told in the name of another that it is not wanted");
    set("WEFT_LOG", "off");
    check(survives(REFUSE, 1, 0, 1));
    begin("what a process says comes back to it");
    set("WEFT_LOG", "off");
    for (unsigned direction = 0; direction < 2; direction++)
        check(survives(REFLECT, direction, 0, 1));
    test_replay();
}
