/* SPDX-License-Identifier: BSD-3-Clause */
/* Whoever reaches the port and does not know the key, or only knows what was said before. */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/random.h"
#include "support/tap.h"
#include "world/far/fabric.h"
#include "world/far/tests.h"
#include "world/reason.h"
#include "world/tcp/by_hand.h"
#include "world/tcp/tests.h"

/* ---- Garbage ------------------------------------------------------------------------------- */

#define GARBAGE 200u

static void send_garbage(uint32_t pid)
{
    static union {
        unsigned char bytes[3 * PAYLOAD];
        struct weft_tcp_hello hello;
    } garbage;
    uint64_t random = 1;
    (void)pid;
    for (unsigned i = 0; i < GARBAGE; i++) {
        int fd = call(1);
        for (size_t k = 0; k < sizeof garbage.bytes; k++)
            garbage.bytes[k] = (unsigned char)weft_random_next(&random);
        if (i % 2) {
            garbage.hello.magic = WEFT_TCP_WIRE_MAGIC;
            garbage.hello.version = WEFT_TCP_WIRE_VERSION;
            garbage.hello.message = WEFT_TCP_WIRE_HELLO;
        }
        say(fd, garbage.bytes, 1 + weft_random_next(&random) % sizeof garbage.bytes);
        close(fd);
    }
    stage->refusals = GARBAGE / 2;
    stage->step = 1;
}

/* ---- Greetings ----------------------------------------------------------------------------- */

/* The answer to a HELLO that has the key; false if there is none. */
static bool greet(struct weft_tcp_hello *hello, struct weft_tcp_answer *answer)
{
    int fd = call(1);
    weft_tcp_wire_sign_hello(hello, config.key);
    say(fd, hello, sizeof *hello);
    bool is_whole = recv(fd, answer, sizeof *answer, MSG_WAITALL) == (ssize_t)sizeof *answer;
    need(!is_whole || weft_tcp_wire_is_answer(answer, hello, config.key));
    close(fd);
    return is_whole;
}

static void be_refused(uint32_t pid)
{
    struct weft_tcp_answer answer;
    wait_until(cards[1].is_there);
    struct weft_tcp_hello hello = hello_of(pid);
    need(greet(&hello, &answer) && answer.message == WEFT_TCP_WIRE_WELCOME);
    hello.version++;
    need(greet(&hello, &answer) && answer.message == WEFT_TCP_WIRE_REFUSE &&
         answer.reason == WEFT_WORLD_REASON_VERSION);
    hello = hello_of(pid);
    hello.is_plain = !hello.is_plain;
    need(greet(&hello, &answer) && answer.reason == WEFT_WORLD_REASON_PRIVACY);
    hello = hello_of(pid);
    hello.target_instance++;
    need(greet(&hello, &answer) && answer.reason == WEFT_WORLD_REASON_MISTAKEN);
    hello = hello_of(pid);
    hello.target_pid++;
    need(greet(&hello, &answer) && answer.reason == WEFT_WORLD_REASON_MISTAKEN);
    hello = hello_of(pid);
    hello.packet_size++;
    need(greet(&hello, &answer) && answer.reason == WEFT_WORLD_REASON_PACKET_SIZE);
    /* In the name of the one that is called. */
    hello = hello_of(1);
    need(!greet(&hello, &answer));
    stage->step = 1;
}

static void refuse(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), stage->step == 1));
    need(counts().opened == 0 && counts().forgeries == 0);
    close_world();
}

/* ---- Silence ------------------------------------------------------------------------------- */

#define SILENT 300u

/* Says as much as brings it to each state, and then no more. The HELLO could be a recorded one. */
static void fall_silent(int fd, unsigned how)
{
    struct weft_tcp_hello hello = hello_of(4);
    struct weft_tcp_head confirm = {.kind = WEFT_TCP_FRAME_CONFIRM};
    weft_tcp_wire_sign_hello(&hello, config.key);
    if (how == 1)
        say(fd, &hello, 5);
    if (how == 2)
        say(fd, &hello, sizeof hello - 1);
    if (how >= 3)
        say(fd, &hello, sizeof hello);
    if (how == 4)
        say(fd, &confirm, sizeof confirm - 1);
}

static void stall(uint32_t pid)
{
    static int lines[SILENT];
    (void)pid;
    for (unsigned i = 0; i < SILENT; i++) {
        lines[i] = call(1);
        fall_silent(lines[i], i % 5);
    }
    stage->refusals = 1;
    stage->step = 1;
    wait_until(stage->step == 2);
}

static void send_when_all_are_silent(uint32_t pid)
{
    wait_until(stage->step == 1);
    send_many(pid);
}

/* Those that stay silent were hung up on when their time was over. */
static void outlast(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), nic.peers[2].failed));
    need(nic.peers[2].received_before_failure == stage->stream && !nic.damaged);
    need(nic.peers[4].received == 0 && counts().opened == 1);
    wait_until((step_world(), counts().strangers == SILENT));
    stage->step = 2;
    close_world();
}

/* ---- Places -------------------------------------------------------------------------------- */

/* Who was welcomed keeps its place, however many come and are silent. */
static void be_crowded(uint32_t pid)
{
    static int crowd[SILENT];
    struct by_hand caller;
    struct weft_tcp_head head;
    be_welcomed(&caller, pid);
    for (unsigned i = 0; i < SILENT; i++)
        crowd[i] = call(1);
    need(is_hung_up_on(crowd[SILENT / 2 - 1]));
    say_frame(&caller, (struct weft_tcp_head){.kind = WEFT_TCP_FRAME_CONFIRM}, NULL);
    need(hear_frame(&caller, &head) && head.kind == WEFT_TCP_FRAME_READY);
    say_packet(&caller, 0);
    wait_until(stage->step == 1);
    hang_up(&caller);
}

static void find_in_crowd(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), nic.peers[4].received));
    stage->step = 1;
    close_world();
}

void test_strangers(void)
{
    begin("a stranger sends garbage");
    set("WEFT_LOG", "off");
    pid_t receiver = start(withstand, 1), sender = start(send_many, 2);
    check(ended_well(start(send_garbage, 3)));
    check(ended_well(sender));
    check(ended_well(receiver));
    begin("who has the key is told why it is not let in");
    set("WEFT_LOG", "off");
    receiver = start(refuse, 1);
    check(ended_well(start(be_refused, 3)));
    check(ended_well(receiver));
    begin("strangers fall silent in every state, and others go on");
    config.timeout = SHORT_TIMEOUT;
    set("WEFT_LOG", "off");
    receiver = start(outlast, 1);
    sender = start(send_when_all_are_silent, 2);
    pid_t stranger = start(stall, 3);
    check(ended_well(sender));
    check(ended_well(receiver));
    check(ended_well(stranger));
    begin("who was welcomed is not displaced by those who only connect");
    config.timeout = 8 * PATIENCE; /* nobody is late */
    set("WEFT_LOG", "off");
    receiver = start(find_in_crowd, 1);
    check(ended_well(start(be_crowded, 4)));
    check(ended_well(receiver));
}
