/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ofi_world_test [provider]: processes that really fork, die and misbehave, over one provider of
 * libfabric. The NIC is a stub of three functions, defined here, so that the linker does not take
 * the real one. This process itself never opens a world: libfabric does not survive a fork.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "nic/nic.h"
#include "packet/packet.h"
#include "support/tap.h"
#include "world/clock.h"
#include "world/ofi/ofi.h"
#include "world/ofi/peer.h"
#include "world/ofi/provider.h"

#define PATIENCE (30 * WEFT_CLOCK_SECOND)
#define STREAM 3000u
#define PAYLOAD 4096u
#define WINDOW 16u

/* ---- The stub ------------------------------------------------------------------------------ */

#define MOST_PEERS 8u

struct weft_peer {
    struct weft_address address;
    uint32_t received;
    uint32_t failed; /* how often that was reported */
    uint32_t received_before_failure;
};

struct weft_nic {
    struct weft_peer peers[MOST_PEERS];
    bool damaged;
};

struct weft_peer *weft_nic_peer(struct weft_nic *nic, struct weft_address address)
{
    if (address.pid >= MOST_PEERS)
        return NULL;
    nic->peers[address.pid].address = address;
    return &nic->peers[address.pid];
}

/* A packet is its sender, its number and bytes that follow from them. */
static size_t length_of(uint32_t pid, uint32_t number, size_t most)
{
    if (number % 3 == 0)
        return 8 + number % 80;
    return 8 + (number * 37u + pid * 101u) % (most - 8 + 1);
}

static unsigned char byte_of(uint32_t pid, uint32_t number, size_t at)
{
    return (unsigned char)(pid * 7 + number * 13 + at);
}

static void write_packet(unsigned char *bytes, size_t size, uint32_t pid, uint32_t number)
{
    memcpy(bytes, &pid, 4);
    memcpy(bytes + 4, &number, 4);
    for (size_t i = 8; i < size; i++)
        bytes[i] = byte_of(pid, number, i);
}

static struct weft_world *world;
static struct weft_nic nic;

void weft_nic_receive(struct weft_nic *of, struct weft_peer *peer, const void *packet, size_t size)
{
    const unsigned char *bytes = packet;
    uint32_t pid = peer->address.pid, head[2];
    bool fine = size == length_of(pid, peer->received, world->packet_size) && !peer->failed;
    memcpy(head, bytes, sizeof(head));
    fine = fine && head[0] == pid && head[1] == peer->received;
    for (size_t i = 8; fine && i < size; i++)
        fine = bytes[i] == byte_of(pid, peer->received, i);
    of->damaged |= !fine;
    peer->received++;
}

void weft_nic_peer_failed(struct weft_nic *of, struct weft_address address)
{
    if (address.pid < MOST_PEERS) {
        of->peers[address.pid].failed++;
        of->peers[address.pid].received_before_failure = of->peers[address.pid].received;
    }
}

/* ---- Processes ----------------------------------------------------------------------------- */

/* What they share. */
struct stage {
    _Atomic uint32_t step; /* how far the test has come */
    _Atomic uint32_t committed;
    _Atomic uint32_t refusals;         /* that are to be counted, at least */
    _Atomic bool is_there[MOST_PEERS]; /* the card is */
    struct weft_ofi_card cards[MOST_PEERS];
};

static struct stage *stage;

/* In a child, which has no TAP of its own: says what went wrong and ends. */
#define need(condition) need_at((condition), __LINE__, #condition)

static void need_at(bool holds, int line, const char *what)
{
    if (!holds) {
        fprintf(stderr, "# in process %d, line %d: %s (%s)\n", (int)getpid(), line, what,
                strerror(errno));
        _exit(1);
    }
}

#define wait_until(condition)                                                                     \
    for (uint64_t limit_ = weft_clock_now() + PATIENCE; !(condition);) {                          \
        need(weft_clock_now() < limit_);                                                          \
        sched_yield();                                                                            \
    }

static pid_t start(void (*role)(uint32_t pid), uint32_t pid)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* some roles have no end of their own */
        role(pid);
        exit(0);
    }
    return child;
}

static bool ended_well(pid_t child)
{
    int status;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int find_card(struct weft_directory *directory, struct weft_address address,
                     struct weft_ofi_card *card)
{
    (void)directory;
    if (address.nid != 1 || address.pid >= MOST_PEERS)
        return -ENOENT;
    if (!stage->is_there[address.pid])
        return -EAGAIN;
    *card = stage->cards[address.pid];
    return 0;
}

static struct weft_directory directory = {find_card};

static struct weft_ofi_config config = {
    .provider = "",
    .interface = "",
    .payload = PAYLOAD,
    .directory = &directory,
    .window = WINDOW,
    .key = "sixteen bytes..",
};

static void open_as(uint32_t pid)
{
    config.self = (struct weft_address){1, pid};
    world = weft_ofi_open(&config, &stage->cards[pid]);
    need(world != NULL);
    stage->is_there[pid] = true;
}

static struct weft_route *route_to(uint32_t pid)
{
    struct weft_route *route = world->ops->route(world, (struct weft_address){1, pid});
    need(route != NULL);
    return route;
}

/* The name of the operation is that of a macro of tap.h. */
static void step_world(void)
{
    world->ops->poll(world, &nic);
    (world->ops->check)(world, &nic);
}

static bool try_to_send(struct weft_route *route, uint32_t number)
{
    size_t size = length_of(world->self.pid, number, world->packet_size);
    unsigned char *bytes = world->ops->reserve(route, size);
    if (!bytes)
        return false;
    write_packet(bytes, size, world->self.pid, number);
    world->ops->commit(route, size);
    return true;
}

/* False if the route failed. */
static bool send_packet(struct weft_route *route, uint32_t number)
{
    while (!try_to_send(route, number)) {
        if (route->failed)
            return false;
        step_world();
        sched_yield();
    }
    return true;
}

static void close_world(void)
{
    world->ops->close(world);
}

static void begin(const char *what)
{
    tap_note("%s: %s", config.provider, what);
    config.timeout = 10 * WEFT_CLOCK_SECOND;
    config.session_limit = 0;
    setenv("WEFT_LOG", "warn", 1);
    *stage = (struct stage){0};
}

/* ---- Streams ------------------------------------------------------------------------------- */

static void step_or_sleep(void)
{
    if (!world->ops->poll(world, &nic))
        world->ops->sleep(world, UINT64_MAX);
    (world->ops->check)(world, &nic);
}

static void receive_from_many(uint32_t pid)
{
    open_as(pid);
    for (uint32_t from = 2; from <= 3; from++) {
        wait_until((step_or_sleep(), nic.peers[from].failed));
        need(nic.peers[from].received_before_failure == STREAM && nic.peers[from].failed == 1);
    }
    need(!nic.damaged);
    close_world();
}

static void send_many(uint32_t pid)
{
    open_as(pid);
    struct weft_route *route = route_to(1);
    for (uint32_t i = 0; i < STREAM; i++)
        need(send_packet(route, i));
    close_world();
}

static void test_streams(void)
{
    begin("several senders, each in order and intact, then an orderly end");
    pid_t receiver = start(receive_from_many, 1);
    pid_t one = start(send_many, 2), two = start(send_many, 3);
    check(ended_well(one));
    check(ended_well(two));
    check(ended_well(receiver));
}

static void send_to_self(uint32_t pid)
{
    open_as(pid);
    struct weft_route *route = route_to(pid);
    for (uint32_t i = 0; i < 300; i++)
        need(send_packet(route, i));
    wait_until((step_world(), nic.peers[pid].received == 300));
    need(!nic.damaged && !nic.peers[pid].failed);
    close_world();
}

/* Both greet at once, and both send. */
static void talk(uint32_t pid)
{
    uint32_t other = 3 - pid;
    open_as(pid);
    stage->step++;
    wait_until(stage->step >= 2);
    struct weft_route *route = route_to(other);
    for (uint32_t i = 0; i < STREAM; i++)
        need(send_packet(route, i));
    wait_until((step_world(), nic.peers[other].received == STREAM));
    need(!nic.damaged && !nic.peers[other].failed);
    stage->step++;
    wait_until((step_world(), stage->step >= 4));
    need(weft_ofi_counts(world).opened == 1);
    close_world();
}

static void test_talk(void)
{
    begin("a process sends to itself");
    check(ended_well(start(send_to_self, 1)));
    begin("two processes greet and send to each other at once");
    pid_t one = start(talk, 1), two = start(talk, 2);
    check(ended_well(one));
    check(ended_well(two));
}

/* ---- Credits ------------------------------------------------------------------------------- */

/* Sends until there has been no room for a while, though it polls. */
static uint32_t send_all_that_fits(struct weft_route *route)
{
    uint32_t count = 0;
    need(send_packet(route, count));
    count++;
    for (unsigned in_vain = 0; in_vain < 300; in_vain++) {
        if (try_to_send(route, count)) {
            count++;
            in_vain = 0;
        }
        step_world();
        usleep(100);
    }
    return count;
}

static void fill_window(uint32_t pid)
{
    open_as(pid);
    struct weft_route *route = route_to(1);
    wait_until((step_world(), weft_ofi_counts(world).sessions == 1));
    stage->step = 1;
    wait_until(stage->step == 2);
    need(send_all_that_fits(route) == WINDOW && !route->failed);
    stage->step = 3;
    for (uint32_t i = WINDOW; i < 5 * WINDOW; i++)
        need(send_packet(route, i));
    wait_until((step_world(), stage->step == 4));
    close_world();
}

static void look_away(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), stage->step == 1));
    /* The handshake is over when we have seen the first frame of the session. */
    wait_until((step_world(), weft_ofi_counts(world).sessions == 1));
    stage->step = 2;
    wait_until(stage->step == 3);
    wait_until((step_world(), nic.peers[2].received == 5 * WINDOW));
    need(!nic.damaged && !nic.peers[2].failed);
    stage->step = 4;
    wait_until((step_world(), nic.peers[2].failed));
    close_world();
}

#define SENDERS 6u
#define ALL_TOGETHER 512u

static void send_one_of_many(uint32_t pid)
{
    open_as(pid);
    struct weft_route *route = route_to(1);
    wait_until((step_world(), weft_ofi_counts(world).sessions == 1));
    stage->step++;
    wait_until((step_world(), stage->step > SENDERS));
    stage->committed += send_all_that_fits(route);
    stage->step++;
    wait_until((step_world(), stage->step == 2 * SENDERS + 2));
    close_world();
}

static uint32_t received_in_all(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < MOST_PEERS; i++)
        count += nic.peers[i].received;
    return count;
}

static void look_away_from_many(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), weft_ofi_counts(world).sessions == SENDERS));
    wait_until((step_world(), stage->step == SENDERS));
    stage->step++;
    wait_until(stage->step == 2 * SENDERS + 1);
    need(stage->committed <= ALL_TOGETHER && stage->committed > ALL_TOGETHER / 2);
    wait_until((step_world(), received_in_all() == stage->committed));
    need(!nic.damaged);
    stage->step++;
    close_world();
}

static void test_credits(void)
{
    begin("a process that does not look gets as much as it has granted, and no more");
    pid_t receiver = start(look_away, 1);
    check(ended_well(start(fill_window, 2)));
    check(ended_well(receiver));
    begin("what many processes may send to one together is bounded");
    config.window = ALL_TOGETHER / 4;
    pid_t senders[SENDERS];
    receiver = start(look_away_from_many, 1);
    for (uint32_t i = 0; i < SENDERS; i++)
        senders[i] = start(send_one_of_many, 2 + i);
    for (uint32_t i = 0; i < SENDERS; i++)
        check(ended_well(senders[i]));
    check(ended_well(receiver));
    config.window = WINDOW;
}

/* ---- Finding each other -------------------------------------------------------------------- */

static void connect_early(uint32_t pid)
{
    open_as(pid);
    struct weft_route *route = route_to(1);
    step_world();
    need(world->ops->reserve(route, 8) == NULL && !route->failed);
    stage->step = 1;
    need(send_packet(route, 0));
    wait_until((step_world(), stage->step == 2));
    close_world();
}

static void appear_late(uint32_t pid)
{
    wait_until(stage->step == 1);
    open_as(pid);
    wait_until((step_world(), nic.peers[2].received == 1));
    stage->step = 2;
    wait_until((step_world(), nic.peers[2].failed));
    close_world();
}

static void seek_nobody(uint32_t pid)
{
    open_as(pid);
    uint64_t before = weft_clock_now();
    struct weft_route *route = route_to(5);
    wait_until((step_world(), route->failed));
    need(weft_clock_now() - before >= config.timeout / 2);
    need(nic.peers[5].failed == 1);
    need(world->ops->reserve(route, 8) == NULL && route_to(5) == route && route->failed);
    need((route = route_to(MOST_PEERS)) != NULL);
    wait_until((step_world(), route->failed));
    close_world();
}

static void come_and_go(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), nic.peers[2].received == 1));
    close_world();
}

static void meet_successors(uint32_t pid)
{
    open_as(pid);
    for (uint32_t i = 0; i < 3; i++) {
        /* Each of them expects number 0 of a process that it has never heard of. */
        wait_until((step_world(), !route_to(1)->failed));
        need(send_packet(route_to(1), 0));
        wait_until((step_world(), nic.peers[1].failed == i + 1));
        need(route_to(1)->failed || i < 2);
        stage->step++;
    }
    close_world();
}

static void test_seeking(void)
{
    begin("a route to a process that does not exist yet");
    pid_t late = start(appear_late, 1);
    check(ended_well(start(connect_early, 2)));
    check(ended_well(late));
    begin("a route to a process that never comes, and to one that cannot");
    config.timeout = 50 * WEFT_CLOCK_MILLISECOND;
    setenv("WEFT_LOG", "off", 1);
    check(ended_well(start(seek_nobody, 1)));
    begin("an address goes from process to process");
    pid_t steady = start(meet_successors, 2);
    for (uint32_t i = 0; i < 3; i++) {
        check(ended_well(start(come_and_go, 1)));
        wait_until(stage->step == i + 1);
    }
    check(ended_well(steady));
}

/* ---- Death --------------------------------------------------------------------------------- */

#define SHORT_TIMEOUT (WEFT_CLOCK_SECOND / 2)
/* More than the timeout, because the machine may be busy with something else. */
#define NOTICE (10 * SHORT_TIMEOUT)

static void send_for_ever(uint32_t pid)
{
    open_as(pid);
    struct weft_route *route = route_to(1);
    for (uint32_t i = 0; send_packet(route, i); i++)
        stage->committed = i + 1;
    need(route->failed && nic.peers[1].failed == 1);
}

static void listen_for_ever(uint32_t pid)
{
    open_as(pid);
    for (;;)
        step_world();
}

static void outlive_sender(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), stage->step == 1));
    uint64_t before = weft_clock_now();
    wait_until((step_world(), nic.peers[2].failed));
    need(weft_clock_now() - before < NOTICE);
    need(nic.peers[2].failed == 1 && !nic.damaged);
    need(nic.peers[2].received <= stage->committed + 1);
    close_world();
}

static void outlive_receiver(uint32_t pid)
{
    open_as(pid);
    struct weft_route *route = route_to(1);
    uint32_t count = 0;
    /* Idle when the other dies, or in the middle of sending to it. */
    bool is_idle = stage->committed;
    for (; stage->step == 0; step_world())
        if (!is_idle || count < WINDOW / 2)
            count += try_to_send(route, count);
    uint64_t before = weft_clock_now();
    for (; !route->failed; step_world()) {
        need(weft_clock_now() - before < NOTICE);
        if (!is_idle)
            count += try_to_send(route, count);
    }
    need(nic.peers[1].failed == 1 && world->ops->reserve(route, 8) == NULL);
    need(route_to(1)->failed);
    close_world();
}

static void kill_at(pid_t child, uint32_t committed)
{
    wait_until(stage->committed >= committed);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    stage->step = 1;
}

static void test_death(void)
{
    begin("a sender is killed");
    config.timeout = SHORT_TIMEOUT;
    setenv("WEFT_LOG", "off", 1);
    pid_t survivor = start(outlive_sender, 1);
    kill_at(start(send_for_ever, 2), 200);
    check(ended_well(survivor));
    for (uint32_t is_idle = 0; is_idle < 2; is_idle++) {
        begin(is_idle ? "an idle receiver is killed" : "a receiver is killed");
        config.timeout = SHORT_TIMEOUT;
        setenv("WEFT_LOG", "off", 1);
        stage->committed = is_idle;
        pid_t victim = start(listen_for_ever, 1);
        survivor = start(outlive_receiver, 2);
        usleep(300000);
        kill_at(victim, 0);
        check(ended_well(survivor));
    }
}

/* ---- Stopped ------------------------------------------------------------------------------- */

static void send_until_refused(uint32_t pid)
{
    open_as(pid);
    struct weft_route *route = route_to(1);
    for (uint32_t i = 0; send_packet(route, i); i++)
        stage->committed = i + 1;
    /* Both sides have given up the other, for good. */
    need(nic.peers[1].failed == 1 && !nic.peers[1].received);
    need(route_to(1)->failed);
    stage->step = 3;
    close_world();
}

static void give_up_stopped(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), nic.peers[2].failed));
    uint32_t received = nic.peers[2].received;
    stage->step = 2;
    wait_until((step_world(), stage->step == 3));
    /* The stub would have noticed anything that comes after the failure. */
    need(nic.peers[2].received == received && nic.peers[2].failed == 1 && !nic.damaged);
    need(!try_to_send(route_to(2), 0));
    close_world();
}

static void send_until_told(uint32_t pid)
{
    open_as(pid);
    struct weft_route *route = route_to(1);
    uint32_t count = 0;
    for (; stage->step < 2; count++) {
        need(send_packet(route, count));
        stage->committed = count + 1;
    }
    stage->committed = count;
    stage->step = 3;
    wait_until((step_world(), stage->step == 4));
    need(!nic.peers[1].failed);
    close_world();
}

static void wait_for_stopped(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), stage->step == 3));
    wait_until((step_world(), nic.peers[2].received == stage->committed));
    need(!nic.damaged && !nic.peers[2].failed);
    stage->step = 4;
    wait_until((step_world(), nic.peers[2].failed));
    close_world();
}

static void test_stopped(void)
{
    begin("a process stops for longer than the timeout: both sides give up, once");
    config.timeout = SHORT_TIMEOUT;
    setenv("WEFT_LOG", "off", 1);
    pid_t survivor = start(give_up_stopped, 1), stopped = start(send_until_refused, 2);
    wait_until(stage->committed >= 100);
    kill(stopped, SIGSTOP);
    wait_until(stage->step == 2);
    kill(stopped, SIGCONT);
    check(ended_well(stopped));
    check(ended_well(survivor));
    begin("a process stops for less than the timeout: nothing happens");
    survivor = start(wait_for_stopped, 1);
    stopped = start(send_until_told, 2);
    wait_until(stage->committed >= 100);
    kill(stopped, SIGSTOP);
    usleep(300000);
    kill(stopped, SIGCONT);
    stage->step = 2;
    check(ended_well(stopped));
    check(ended_well(survivor));
}

/* ---- Strangers ----------------------------------------------------------------------------- */

static void knock_with_wrong_key(uint32_t pid)
{
    memset(config.key, 'x', sizeof config.key);
    config.timeout = SHORT_TIMEOUT;
    open_as(pid);
    struct weft_route *route = route_to(1);
    wait_until((step_world(), route->failed));
    need(nic.peers[1].failed == 1);
    close_world();
}

static void have_wrong_key(uint32_t pid)
{
    memset(config.key, 'x', sizeof config.key);
    open_as(pid);
    wait_until((step_world(), stage->step == 1));
    need(weft_ofi_counts(world).opened == 0 && weft_ofi_counts(world).forgeries > 0);
    close_world();
}

static uint64_t refused(void)
{
    struct weft_ofi_counts counts = weft_ofi_counts(world);
    return counts.strangers + counts.forgeries;
}

/* Takes a stream from process 2 while process 3 tries what it can. */
static void withstand(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), nic.peers[2].failed && stage->step == 1));
    need(nic.peers[2].received_before_failure == STREAM && !nic.damaged);
    need(nic.peers[3].received == 0);
    wait_until((step_world(), refused() >= stage->refusals));
    need(weft_ofi_counts(world).opened == 1);
    close_world();
}

static void knock_at_wrong_door(uint32_t pid)
{
    open_as(pid);
    struct weft_route *route = route_to(1);
    wait_until((step_world(), route->failed));
    stage->step = 1;
    close_world();
}

static void test_wrong_key(void)
{
    begin("a process with a wrong key is not let in");
    setenv("WEFT_LOG", "off", 1);
    pid_t receiver = start(withstand, 1), sender = start(send_many, 2);
    stage->refusals = 1;
    check(ended_well(start(knock_with_wrong_key, 3)));
    stage->step = 1;
    check(ended_well(sender));
    check(ended_well(receiver));
    begin("a process with a wrong key is not talked to");
    config.timeout = SHORT_TIMEOUT;
    setenv("WEFT_LOG", "off", 1);
    pid_t other = start(have_wrong_key, 1);
    check(ended_well(start(knock_at_wrong_door, 2)));
    check(ended_well(other));
}

/* An endpoint without a world. */
static struct weft_endpoint raw;
static struct weft_rx raw_rx;
static fi_addr_t target;

static void open_raw(void)
{
    size_t frame_size = WEFT_FRAME_HEAD + PAYLOAD;
    need(weft_endpoint_open(&raw, frame_size, config.provider, config.interface));
    need(weft_rx_open(&raw_rx, &raw));
    wait_until(stage->is_there[1]);
    target = weft_endpoint_insert(&raw, stage->cards[1].bytes + sizeof(uint64_t));
    need(target != FI_ADDR_NOTAVAIL);
}

/* The first frame that comes, or NULL after a while. */
static const struct weft_frame *raw_receive(unsigned milliseconds)
{
    uint64_t end = weft_clock_now() + milliseconds * WEFT_CLOCK_MILLISECOND;
    struct fi_cq_data_entry entry;
    while (weft_clock_now() < end)
        if (fi_cq_read(raw.cq, &entry, 1) == 1 && entry.flags & FI_RECV)
            return entry.buf;
    return NULL;
}

static void raw_send(const void *bytes, size_t size)
{
    static struct fi_context2 contexts[16];
    static unsigned next;
    struct fi_cq_data_entry entry;
    wait_until((fi_cq_read(raw.cq, &entry, 1),
                fi_send(raw.ep, bytes, size, NULL, target, &contexts[next % 16]) == 0));
    next++;
}

static void send_garbage(uint32_t pid)
{
    static union {
        unsigned char bytes[3 * PAYLOAD];
        struct weft_frame frame;
    } garbage;
    uint64_t random = 1;
    open_raw();
    for (unsigned i = 0; i < 200; i++) {
        for (size_t k = 0; k < sizeof garbage.bytes; k++)
            garbage.bytes[k] = (unsigned char)weft_random_next(&random);
        /* Half of them look like frames of a process that is connected. */
        if (i % 2) {
            garbage.frame.head.version = WEFT_FRAME_VERSION;
            garbage.frame.head.kind = (uint8_t)(i / 2 % WEFT_FRAME_KINDS);
            garbage.frame.head.source_nid = 1;
            garbage.frame.head.source_pid = 2;
        }
        bool is_control = i % 2 && garbage.frame.head.kind != WEFT_FRAME_DATA &&
                          garbage.frame.head.kind != WEFT_FRAME_NONE;
        raw_send(&garbage, is_control
                               ? weft_frame_size((enum weft_frame_kind)garbage.frame.head.kind)
                               : 1 + weft_random_next(&random) % (PAYLOAD + WEFT_FRAME_HEAD));
    }
    (void)pid;
    stage->refusals = 200;
    stage->step = 1;
    wait_until((raw_receive(1), stage->step == 2));
}

/* Larger than any frame, and larger than what is left of a receive buffer. Providers may cut the
 * connection of whoever does that. */
static void send_too_much(uint32_t pid)
{
    static unsigned char garbage[100000];
    open_raw();
    for (unsigned i = 0; i < 50; i++)
        raw_send(garbage, sizeof garbage);
    (void)pid;
    stage->refusals = 1;
    stage->step = 1;
    wait_until((raw_receive(1), stage->step == 2));
}

static struct weft_frame hello_of(uint32_t pid, uint8_t version)
{
    struct weft_frame frame = {
        .head = {.version = version,
                 .kind = WEFT_FRAME_HELLO,
                 .token = WEFT_FRAME_MAGIC,
                 .source_nid = 1,
                 .source_pid = pid},
        .hello = {.token = 42,
                  .target_instance = weft_ofi_card_instance(&stage->cards[1]),
                  .target_nid = 1,
                  .target_pid = 1,
                  .packet_size = PAYLOAD + WEFT_PACKET_HEADERS,
                  .window = 1}};
    frame.hello.card[0] = 7; /* the instance */
    frame.hello.card_size =
        (uint16_t)(sizeof(uint64_t) + weft_endpoint_name(&raw, frame.hello.card + sizeof(uint64_t),
                                                         WEFT_OFI_CARD_MAX - sizeof(uint64_t)));
    weft_frame_sign(&frame, &(struct weft_frame_secret){.key = config.key});
    return frame;
}

static void be_of_another_version(uint32_t pid)
{
    open_raw();
    struct weft_frame hello = hello_of(pid, WEFT_FRAME_VERSION + 1);
    raw_send(&hello, weft_frame_size(WEFT_FRAME_HELLO));
    const struct weft_frame *answer = raw_receive(10000);
    need(answer && answer->head.kind == WEFT_FRAME_REFUSE && answer->head.token == 42);
    need(answer->refuse.reason == WEFT_FRAME_REASON_VERSION);
    /* The MAC is of another frame: no answer at all. */
    hello.head.version = WEFT_FRAME_VERSION;
    raw_send(&hello, weft_frame_size(WEFT_FRAME_HELLO));
    need(!raw_receive(100));
    stage->step = 1;
}

static void withstand_hellos(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), stage->step == 1));
    need(weft_ofi_counts(world).forgeries == 1 && weft_ofi_counts(world).opened == 0);
    close_world();
}

static void test_garbage(void)
{
    static void (*const attacks[])(uint32_t pid) = {send_garbage, send_too_much};
    for (unsigned i = 0; i < 2; i++) {
        begin(i ? "a stranger sends too much at once" : "a stranger sends garbage");
        setenv("WEFT_LOG", "off", 1);
        pid_t receiver = start(withstand, 1), sender = start(send_many, 2);
        pid_t stranger = start(attacks[i], 3);
        check(ended_well(sender));
        check(ended_well(receiver));
        stage->step = 2;
        check(ended_well(stranger));
    }
    begin("a process of another version is told so");
    setenv("WEFT_LOG", "off", 1);
    pid_t receiver = start(withstand_hellos, 1);
    check(ended_well(start(be_of_another_version, 3)));
    check(ended_well(receiver));
}

/* ---- Parking ------------------------------------------------------------------------------- */

#define LIMIT 2u
#define CIRCLE 5u
#define ROUNDS 8u

static bool has_heard_all(uint32_t round)
{
    for (uint32_t i = 1; i <= CIRCLE; i++)
        if (i != world->self.pid && nic.peers[i].received < round)
            return false;
    return true;
}

/* All talk with all, though each may have only two connections. */
static void talk_in_circle(uint32_t pid)
{
    open_as(pid);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 1; i < CIRCLE; i++)
            need(send_packet(route_to(1 + (pid - 1 + i) % CIRCLE), round));
        wait_until((step_world(), has_heard_all(round + 1)));
    }
    stage->step++;
    wait_until((step_world(), stage->step == CIRCLE));
    wait_until((step_world(), weft_ofi_counts(world).sessions <= LIMIT));
    for (uint32_t i = 1; i <= CIRCLE; i++)
        need(!nic.peers[i].failed);
    need(!nic.damaged && weft_ofi_counts(world).parked > 0);
    stage->committed++;
    wait_until((step_world(), stage->committed == CIRCLE));
    close_world();
}

static void test_parking(void)
{
    begin("five processes talk, each with at most two connections");
    config.session_limit = LIMIT;
    pid_t children[CIRCLE];
    for (uint32_t i = 0; i < CIRCLE; i++)
        children[i] = start(talk_in_circle, 1 + i);
    for (uint32_t i = 0; i < CIRCLE; i++)
        check(ended_well(children[i]));
}

int main(int argc, char **argv)
{
    static void (*const tests[])(void) = {test_streams, test_talk,      test_credits,
                                          test_seeking, test_death,     test_stopped,
                                          test_parking, test_wrong_key, test_garbage};
    stage = mmap(NULL, sizeof(*stage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    config.provider = argc > 1 ? argv[1] : "net";
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tests[i]();
    return tap_done();
}
