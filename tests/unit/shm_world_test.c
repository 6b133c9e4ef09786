/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes that really fork, die and misbehave. The NIC is a stub of three functions, defined
 * here, so that the linker does not take the real one. This process itself never opens a world:
 * settings are read once per process and differ between the tests.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nic/nic.h"
#include "packet/packet.h"
#include "support/tap.h"
#include "world/clock.h"
#include "world/shm/peer.h"
#include "world/world.h"

#define PATIENCE (30 * WEFT_CLOCK_SECOND)
#define SLOTS 4u
#define STREAM 20000u
#define KILLS 8u

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
};

static struct stage *stage;
static char folder[] = "/tmp/weft-test-XXXXXX";
static char rendezvous[64], messages[64];

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

static void kill_and_reap(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static bool run_alone(void (*role)(uint32_t pid))
{
    return ended_well(start(role, 1));
}

static void open_as(uint32_t pid)
{
    enum weft_world_status status;
    world = weft_world_open(pid, &status);
    need(world != NULL && status == WEFT_WORLD_OK);
    need(world->self.nid == 1 && (pid == WEFT_PID_ANY || world->self.pid == pid));
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

/* False if the route failed. */
static bool send_packet(struct weft_route *route, uint32_t number)
{
    size_t size = length_of(world->self.pid, number, world->packet_size);
    unsigned char *bytes;
    while (!(bytes = world->ops->reserve(route, size)) && !route->failed) {
        step_world();
        sched_yield();
    }
    if (!bytes)
        return false;
    write_packet(bytes, size, world->self.pid, number);
    world->ops->commit(route, size);
    return true;
}

static void set(const char *name, const char *value)
{
    setenv(name, value, 1);
}

static void begin(const char *what)
{
    tap_note("%s", what);
    set("WEFT_RENDEZVOUS", rendezvous);
    set("WEFT_SHM_SLOTS", "4");
    set("WEFT_SHM_PEERS", "7");
    set("WEFT_PACKET_SIZE", "1024");
    set("WEFT_TIMEOUT", "10000");
    set("WEFT_LOG", "warn");
    *stage = (struct stage){0};
}

/* ---- Addresses and leftovers --------------------------------------------------------------- */

static unsigned entries(const char *path, const char *named)
{
    unsigned count = 0;
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        count += strstr(entry->d_name, named) != NULL;
    if (directory)
        closedir(directory);
    return count;
}

static void allocate_pids(uint32_t pid)
{
    (void)pid;
    enum weft_world_status status;
    unsigned descriptors = entries("/proc/self/fd", "");
    open_as(WEFT_PID_ANY);
    struct weft_world *first = world;
    open_as(WEFT_PID_ANY);
    need(first->self.pid == 1 && world->self.pid == 2);
    need(weft_world_open(2, &status) == NULL && status == WEFT_WORLD_PID_IN_USE);
    first->ops->close(first);
    open_as(WEFT_PID_ANY);
    need(world->self.pid == 1);
    /* World 2 ends with the process, and nobody cleans up after it. */
    world->ops->close(world);
    need(entries("/proc/self/fd", "") == descriptors + 2);
    _exit(0);
}

static void open_and_close(uint32_t pid)
{
    open_as(pid);
    world->ops->close(world);
}

static void test_addresses(void)
{
    begin("addresses");
    check(run_alone(allocate_pids));
    check(access(rendezvous, F_OK) == 0);
    check(ended_well(start(open_and_close, 2)));
    check(access(rendezvous, F_OK) != 0);
    check_uint(entries("/dev/shm", "weft"), 0);
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
    for (uint32_t from = 2; from <= 4; from++) {
        wait_until((step_or_sleep(), nic.peers[from].failed));
        need(nic.peers[from].received_before_failure == STREAM && nic.peers[from].failed == 1);
    }
    need(!nic.damaged);
    world->ops->close(world);
}

static void send_many(uint32_t pid)
{
    open_as(pid);
    struct weft_route *route = route_to(1);
    for (uint32_t i = 0; i < STREAM; i++)
        need(send_packet(route, i));
    world->ops->close(world);
}

static void test_streams(void)
{
    begin("several senders, each in order and intact, then an orderly end");
    pid_t receiver = start(receive_from_many, 1);
    pid_t senders[3];
    for (uint32_t i = 0; i < 3; i++)
        senders[i] = start(send_many, 2 + i);
    for (uint32_t i = 0; i < 3; i++)
        check(ended_well(senders[i]));
    check(ended_well(receiver));
    check(access(rendezvous, F_OK) != 0);
}

static void send_to_self(uint32_t pid)
{
    open_as(pid);
    struct weft_route *route = route_to(pid);
    for (uint32_t i = 0; i < 100; i++)
        need(send_packet(route, i));
    wait_until((step_world(), nic.peers[pid].received == 100));
    need(!nic.damaged && !nic.peers[pid].failed);
    world->ops->close(world);
}

static void fill_ring(uint32_t pid)
{
    open_as(pid);
    struct weft_route *route = route_to(1);
    for (uint32_t i = 0; i < SLOTS; i++)
        need(send_packet(route, i));
    need(world->ops->reserve(route, 8) == NULL && !route->failed);
    stage->step = 1;
    for (uint32_t i = SLOTS; i < 3 * SLOTS; i++)
        need(send_packet(route, i));
    wait_until(stage->step == 2);
    world->ops->close(world);
}

static void drain_ring(uint32_t pid)
{
    open_as(pid);
    wait_until(stage->step == 1);
    wait_until((step_world(), nic.peers[2].received == 3 * SLOTS));
    need(!nic.damaged);
    stage->step = 2;
    wait_until((step_world(), nic.peers[2].failed == 1));
    world->ops->close(world);
}

static void test_full_ring(void)
{
    begin("a process sends to itself");
    check(run_alone(send_to_self));
    begin("a full ring has no room until the receiver has read");
    pid_t receiver = start(drain_ring, 1);
    check(ended_well(start(fill_ring, 2)));
    check(ended_well(receiver));
    begin("a ring of one slot");
    set("WEFT_SHM_SLOTS", "1");
    check(run_alone(send_to_self));
}

static void fall_asleep(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), nic.peers[2].received == 1));
    while (stage->step == 0)
        world->ops->sleep(world, weft_clock_now() + WEFT_CLOCK_SECOND);
    world->ops->close(world);
}

static void wake_up(uint32_t pid)
{
    open_as(pid);
    struct weft_route *route = route_to(1);
    need(send_packet(route, 0));
    const struct weft_segment_head *head = ((struct weft_shm_peer *)route)->claim.head;
    wait_until(head->sleeping);
    uint32_t bell = head->doorbell;
    need(send_packet(route, 1));
    need(head->doorbell == bell + 1);
    stage->step = 1;
    wait_until((step_world(), route->failed));
    world->ops->close(world);
}

static void test_sleep(void)
{
    begin("a packet for a sleeping process rings its doorbell");
    pid_t sleeper = start(fall_asleep, 1);
    check(ended_well(start(wake_up, 2)));
    check(ended_well(sleeper));
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
    wait_until(stage->step == 2);
    world->ops->close(world);
}

static void appear_late(uint32_t pid)
{
    wait_until(stage->step == 1);
    open_as(pid);
    wait_until((step_world(), nic.peers[2].received == 1));
    stage->step = 2;
    wait_until((step_world(), nic.peers[2].failed));
    world->ops->close(world);
}

static void seek_nobody(uint32_t pid)
{
    open_as(pid);
    uint64_t before = weft_clock_now();
    struct weft_route *route = route_to(5);
    wait_until((step_world(), route->failed));
    need(weft_clock_now() - before >= 50 * WEFT_CLOCK_MILLISECOND);
    need(nic.peers[5].failed == 1);
    need(world->ops->reserve(route, 8) == NULL && route_to(5) == route && route->failed);
    world->ops->close(world);
}

static void test_seeking(void)
{
    begin("a route to a process that does not exist yet");
    pid_t late = start(appear_late, 1);
    check(ended_well(start(connect_early, 2)));
    check(ended_well(late));
    begin("a route to a process that never comes");
    set("WEFT_TIMEOUT", "50");
    set("WEFT_LOG", "off");
    check(run_alone(seek_nobody));
}

/* ---- Death --------------------------------------------------------------------------------- */

static void send_for_ever(uint32_t pid)
{
    open_as(pid);
    struct weft_route *route = route_to(1);
    for (uint32_t i = 0; send_packet(route, i); i++)
        stage->committed = i + 1;
    need(route->failed);
}

static void connect_only(uint32_t pid)
{
    open_as(pid);
    struct weft_route *route = route_to(1);
    wait_until(((world->ops->check)(world, &nic), world->ops->reserve(route, 8)));
    stage->step = 100;
    wait_until(stage->step == 101);
    world->ops->close(world);
}

/* A ring that comes from another sender holds nothing of it. */
static void hear_nothing(void)
{
    nic.peers[4] = (struct weft_peer){0};
    wait_until((world->ops->poll(world, &nic), stage->step == 100));
    world->ops->poll(world, &nic);
    need(nic.peers[4].received == 0);
    stage->step = 101;
    wait_until((step_world(), nic.peers[4].failed));
    need(nic.peers[4].received == 0);
}

/* Receives from senders that are killed one after the other: the same two addresses again and
 * again, through the only ring. */
static void outlive_senders(uint32_t pid)
{
    open_as(pid);
    stage->step = 1;
    for (uint32_t i = 0; i < KILLS; i++) {
        struct weft_peer *peer = &nic.peers[2 + i % 2];
        *peer = (struct weft_peer){0};
        /* Every other one is polled only after its death. */
        if (i % 4 < 2)
            wait_until((world->ops->poll(world, &nic), stage->step == 2 * i + 2));
        wait_until(stage->step == 2 * i + 2);
        wait_until(((world->ops->check)(world, &nic), peer->failed));
        uint32_t committed = stage->committed;
        need(peer->received == committed || peer->received == committed + 1);
        need(peer->failed == 1 && peer->received_before_failure == peer->received);
        need(!nic.damaged);
        stage->step = 2 * i + 3;
    }
    hear_nothing();
    world->ops->close(world);
}

static void test_killed_senders(void)
{
    begin("what a killed sender has committed arrives, then its death is reported");
    set("WEFT_SHM_PEERS", "1");
    pid_t receiver = start(outlive_senders, 1);
    wait_until(stage->step == 1);
    for (uint32_t i = 0; i < KILLS; i++) {
        stage->committed = 0;
        pid_t sender = start(send_for_ever, 2 + i % 2);
        uint32_t enough = i % 4 < 2 ? 1 + i * 317 : SLOTS;
        wait_until(stage->committed >= enough);
        kill_and_reap(sender);
        stage->step = 2 * i + 2;
        wait_until(stage->step == 2 * i + 3);
    }
    check(ended_well(start(connect_only, 4)));
    check(ended_well(receiver));
    check(access(rendezvous, F_OK) != 0);
}

static void receive_for_ever(uint32_t pid)
{
    open_as(pid);
    for (;;) {
        step_world();
        if (nic.peers[2].received >= 10 && stage->step % 2 == 0)
            stage->step++;
    }
}

static void outlive_receivers(uint32_t pid)
{
    open_as(pid);
    for (uint32_t i = 0; i < 3; i++) {
        struct weft_route *route;
        wait_until(!(route = route_to(1))->failed);
        uint32_t number = 0;
        while (send_packet(route, number))
            number++;
        need(number >= 10 && nic.peers[1].failed == i + 1);
        need(world->ops->reserve(route, 8) == NULL);
        /* The dead one is not taken for its successor. */
        need(route_to(1) == route && route->failed);
        stage->committed = i + 1;
    }
    world->ops->close(world);
}

static void test_killed_receivers(void)
{
    begin("a killed receiver fails the route, and its successor is reached");
    pid_t receiver = start(receive_for_ever, 1);
    pid_t sender = start(outlive_receivers, 2);
    for (uint32_t i = 0; i < 3; i++) {
        wait_until(stage->step == 2 * i + 1);
        kill_and_reap(receiver);
        wait_until(stage->committed == i + 1);
        stage->step = 2 * i + 2;
        if (i < 2)
            receiver = start(receive_for_ever, 1);
    }
    check(ended_well(sender));
    check(access(rendezvous, F_OK) != 0);
}

/* ---- What is refused ----------------------------------------------------------------------- */

/* Runs a role alone and says what it wrote to standard error. */
static const char *said(void (*role)(uint32_t pid), bool *well)
{
    static char text[2048];
    int saved = dup(STDERR_FILENO);
    int file = open(messages, O_RDWR | O_CREAT | O_TRUNC, 0600);
    dup2(file, STDERR_FILENO);
    *well = run_alone(role);
    dup2(saved, STDERR_FILENO);
    ssize_t length = pread(file, text, sizeof(text) - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    close(file);
    close(saved);
    return text;
}

static void check_says(void (*role)(uint32_t pid), const char *expected)
{
    bool well;
    const char *text = said(role, &well);
    if (!check(well && strstr(text, expected)))
        tap_note("wanted \"%s\" in: %s", expected, text);
}

static void fail_to_open(uint32_t pid)
{
    enum weft_world_status status;
    need(weft_world_open(pid, &status) == NULL && status == WEFT_WORLD_FAILED);
}

static void test_bad_files(void)
{
    begin("rendezvous files that are refused");
    int file = open(rendezvous, O_WRONLY | O_CREAT, 0600);
    check(write(file, "a letter to somebody else", 25) == 25);
    check_says(fail_to_open, "holds something else");
    check(ftruncate(file, 0) == 0 && fchmod(file, 0666) == 0);
    check_says(fail_to_open, "other users may write");
    close(file);
    char elsewhere[128];
    snprintf(elsewhere, sizeof(elsewhere), "%s.moved", rendezvous);
    check(rename(rendezvous, elsewhere) == 0 && symlink(elsewhere, rendezvous) == 0);
    check_says(fail_to_open, "symbolic link");
    unlink(rendezvous);
    unlink(elsewhere);
    check(mkdir(rendezvous, 0700) == 0);
    check_says(fail_to_open, "WEFT_RENDEZVOUS");
    rmdir(rendezvous);
    begin("settings that are refused");
    set("WEFT_PACKET_SIZE", "100");
    check_says(fail_to_open, "WEFT_PACKET_SIZE");
    set("WEFT_PACKET_SIZE", "1024");
    set("WEFT_SHM_SLOTS", "0");
    check_says(fail_to_open, "WEFT_SHM_SLOTS");
    check(access(rendezvous, F_OK) != 0);
}

static void send_nonsense(uint32_t pid)
{
    open_as(pid);
    struct weft_route *route = route_to(1);
    need(send_packet(route, 0));
    need(world->ops->reserve(route, 8) != NULL);
    world->ops->commit(route, world->packet_size + 1);
    wait_until((step_world(), route->failed));
    world->ops->close(world);
}

/* A claim with an address that no process of this world has. */
static void claim_nonsense(uint32_t pid)
{
    open_as(pid);
    struct weft_shm *shm = (struct weft_shm *)world;
    struct weft_rendezvous_record record;
    struct weft_claim claim;
    wait_until(weft_rendezvous_find(&shm->rendezvous, (struct weft_address){1, 1}, &record) ==
               WEFT_RENDEZVOUS_FINE);
    need(weft_claim_make(&claim, &record.id, world->packet_size, (struct weft_address){7, 7},
                         &shm->segment.id) == WEFT_SEGMENT_FINE);
    wait_until(!weft_claim_holds(&claim));
    weft_claim_drop(&claim);
    world->ops->close(world);
}

static void hear_nonsense(uint32_t pid)
{
    pid_t sender = start(send_nonsense, 2);
    open_as(pid);
    wait_until((step_world(), nic.peers[2].failed));
    need(nic.peers[2].received == 1 && !nic.damaged);
    need(ended_well(sender));
    world->ops->close(world);
}

static void hear_nonsense_claim(uint32_t pid)
{
    pid_t sender = start(claim_nonsense, 3);
    open_as(pid);
    int status;
    wait_until((step_world(), waitpid(sender, &status, WNOHANG) == sender));
    need(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    world->ops->close(world);
}

static void be_refused(uint32_t pid)
{
    wait_until(stage->step == 1);
    set("WEFT_TIMEOUT", "50");
    open_as(pid);
    struct weft_route *route = route_to(1);
    wait_until((step_world(), route->failed));
    need(nic.peers[1].failed == 1);
    world->ops->close(world);
}

/* Its only ring goes to itself. */
static void have_no_ring(uint32_t pid)
{
    pid_t sender = start(be_refused, 2);
    set("WEFT_SHM_PEERS", "1");
    open_as(pid);
    need(send_packet(route_to(pid), 0));
    stage->step = 1;
    need(ended_well(sender));
    world->ops->close(world);
}

static void have_other_packets(uint32_t pid)
{
    pid_t sender = start(be_refused, 2);
    set("WEFT_PACKET_SIZE", "2048");
    open_as(pid);
    stage->step = 1;
    need(ended_well(sender));
    world->ops->close(world);
}

static void test_bad_peers(void)
{
    begin("peers that are refused");
    check_says(hear_nonsense, "sent a packet of 1105 bytes");
    check_says(hear_nonsense_claim, "no valid address");
    check_says(have_no_ring, "WEFT_SHM_PEERS");
    stage->step = 0;
    check_says(have_other_packets, "WEFT_PACKET_SIZE must be the same");
    check(access(rendezvous, F_OK) != 0);
}

int main(void)
{
    stage = mmap(NULL, sizeof(*stage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (stage == MAP_FAILED || !mkdtemp(folder))
        tap_skip_all("no place for the rendezvous file");
    snprintf(rendezvous, sizeof(rendezvous), "%s/rendezvous", folder);
    snprintf(messages, sizeof(messages), "%s/messages", folder);
    test_addresses();
    test_streams();
    test_full_ring();
    test_sleep();
    test_seeking();
    test_killed_senders();
    test_killed_receivers();
    test_bad_files();
    test_bad_peers();
    unlink(messages);
    check(rmdir(folder) == 0);
    return tap_done();
}
