/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A world of shared memory, an honest process that sends to it, and a liar that plays out the
 * input: it writes what it likes into the gates and rings that it can reach, into the file in
 * which processes find each other, and into a segment of its own to which the world sends. All
 * three are in one process here, which makes no difference: a segment is memory that anybody may
 * change.
 *
 * What the honest one sends arrives, in its order and unchanged, unless the liar has claimed its
 * address. Packets lie in the rings, the segment of the liar is written to only in the ring that
 * was claimed, every search ends, and no descriptor is left open.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "fuzz/input.h"
#include "fuzz/use.h"
#include "packet/packet.h"
#include "world/shm/peer.h"
#include "world/shm/shm.h"

#define RINGS 66u /* the last two are narrow */
#define RINGS_OF_LIAR 3u
#define SLOTS 8u
#define PAYLOAD ((unsigned)(WEFT_PACKET_SMALLEST - WEFT_PACKET_HEADERS))
#define TIMEOUT "20" /* milliseconds */
#define PATIENCE (20 * WEFT_CLOCK_SECOND)
#define PEERS_MOST 32u
#define SIZE_HONEST 100u
#define UNTOUCHED 0xA5

static const struct weft_nic_address self = {1, 1}, honest_address = {1, 2}, liar_address = {1, 3};

/* ---- The NIC ------------------------------------------------------------------------------- */

struct weft_nic_peer {
    struct weft_nic_address address;
};

static struct weft_shm *shm;
static struct weft_nic_peer nic_peers[PEERS_MOST];
static unsigned nic_peer_count;
static bool is_out_of_memory; /* for peers that are new */
static struct weft_nic *const nic = (struct weft_nic *)(void *)nic_peers;

static struct {
    struct weft_nic_world *world; /* or NULL: it has left */
    struct weft_nic_route *route;
    uint32_t ring;
    unsigned sent, received;
    bool is_impersonated;
} honest;

struct weft_nic_peer *weft_nic_peer(struct weft_nic *of, struct weft_nic_address address)
{
    (void)of;
    for (unsigned i = 0; i < nic_peer_count; i++)
        if (weft_nic_address_is(nic_peers[i].address, address))
            return &nic_peers[i];
    if (nic_peer_count == PEERS_MOST || is_out_of_memory)
        return NULL;
    nic_peers[nic_peer_count].address = address;
    return &nic_peers[nic_peer_count++];
}

bool weft_nic_peer_waits(struct weft_nic *of, struct weft_nic_peer *peer)
{
    (void)of;
    (void)peer;
    return false;
}

static void check_honest(const unsigned char *packet, size_t size)
{
    require(size == SIZE_HONEST);
    for (size_t i = 0; i < size; i++)
        require(packet[i] == (unsigned char)(honest.received + i));
    honest.received++;
}

void weft_nic_receive(struct weft_nic *of, struct weft_nic_peer *peer, const void *packet,
                      size_t size)
{
    const unsigned char *bytes = packet, *begin = (unsigned char *)shm->segment.head;
    (void)of;
    require(bytes >= begin + shm->segment.shape.rings_at && size <= shm->world.packet_size &&
            bytes + size <= begin + shm->segment.shape.total);
    if (!honest.is_impersonated && weft_nic_address_is(peer->address, honest_address))
        check_honest(bytes, size);
}

void weft_nic_peer_failed(struct weft_nic *of, struct weft_nic_address address)
{
    (void)of;
    if (weft_nic_address_is(address, honest_address) && !honest.is_impersonated)
        require(!honest.world && honest.received == honest.sent);
}

/* ---- Processes ----------------------------------------------------------------------------- */

static char folder[] = "/tmp/weft-gates-XXXXXX";
static char path[sizeof folder + 8];

static struct {
    struct weft_shm_segment segment;
    bool was_claimed[RINGS_OF_LIAR];
} liar;

static struct weft_nic_world *open_world(struct weft_nic_address address)
{
    enum weft_world_status status;
    struct weft_nic_world *world = weft_shm_open(address, path, &status);
    require(world && status == WEFT_WORLD_OK);
    return world;
}

/* The NIC knows it, so no want of memory keeps it away. */
static void open_honest(void)
{
    memset(&honest, 0, sizeof honest);
    require(weft_nic_peer(nic, honest_address) != NULL);
    honest.world = open_world(honest_address);
    honest.route = honest.world->ops->route(honest.world, self);
    const struct weft_shm_peer *peer = (struct weft_shm_peer *)honest.route;
    require(peer && peer->claim.head);
    honest.ring = peer->claim.ring;
}

static void open_liar(void)
{
    memset(&liar, 0, sizeof liar);
    require(weft_shm_segment_create(&liar.segment, shm->world.packet_size, SLOTS, RINGS_OF_LIAR));
    const struct weft_shm_segment_shape *shape = &liar.segment.shape;
    memset((unsigned char *)liar.segment.head + shape->rings_at, UNTOUCHED,
           shape->total - shape->rings_at);
    struct weft_shm_rendezvous_record record = {liar_address, liar.segment.id};
    require(weft_shm_rendezvous_enter(&shm->rendezvous, &record) == WEFT_SHM_RENDEZVOUS_FINE);
}

static void step(void)
{
    shm->world.ops->poll(&shm->world, nic);
    shm->next_check = 0;
    shm->next_look = 0;
    shm->world.ops->check(&shm->world, nic);
    const struct weft_shm_peer *peer = weft_shm_peer_find(shm, liar_address);
    if (peer && peer->claim.head) {
        require(peer->claim.ring < RINGS_OF_LIAR);
        liar.was_claimed[peer->claim.ring] = true;
    }
}

/* ---- What the liar does -------------------------------------------------------------------- */

static uint32_t next_word(void)
{
    uint32_t word = 0;
    next_bytes((unsigned char *)&word, sizeof word);
    return word;
}

static uint32_t foreign_ring(void)
{
    uint32_t ring = next_byte() % RINGS;
    return ring == honest.ring ? (ring + 1) % RINGS : ring;
}

/* One that exists, or any. */
static struct weft_shm_segment_id some_id(unsigned how)
{
    if (how & 1)
        return how & 2 ? shm->segment.id : liar.segment.id;
    struct weft_shm_segment_id id = liar.segment.id;
    if (how & 2)
        id.fd = next_byte();
    if (how & 4)
        id.os_pid = next_word();
    id.key = how & 8 ? next_word() : id.key;
    return id;
}

static void claim(void)
{
    struct weft_shm_segment_gate *gate = &shm->segment.gates[foreign_ring()];
    unsigned how = next_byte();
    gate->owner = (struct weft_nic_address){how & 16 ? next_word() : 1, next_byte() & 7};
    gate->owner_id = some_id(how);
    honest.is_impersonated |= weft_nic_address_is(gate->owner, honest_address);
    uint64_t claimer = how & 32 ? next_word() : (uint32_t)getpid();
    atomic_store(&gate->state, claimer << 32 | (how & 64 ? next_byte() : WEFT_SHM_GATE_OPEN));
    atomic_fetch_add(&shm->segment.head->claims, 1);
}

static void write_slot(void)
{
    uint32_t ring = foreign_ring(), number = next_byte() % SLOTS;
    const struct weft_shm_segment_shape *shape = &shm->segment.shape;
    number %= weft_shm_segment_slots(shape, ring);
    unsigned char *at = weft_shm_segment_ring(&shm->segment, ring) + number * shape->stride;
    struct weft_shm_ring_slot *slot = (struct weft_shm_ring_slot *)(void *)at;
    unsigned how = next_byte();
    uint64_t size = how & 1 ? next_word() : how;
    next_bytes(slot->packet, 16);
    atomic_store(&slot->word, size << 32 | (how & 2 ? next_word() : number + 1));
}

static void scribble_head(void)
{
    struct weft_shm_segment_head *head = shm->segment.head;
    _Atomic uint32_t *const words[] = {&head->doorbell, &head->sleeping, &head->claims};
    atomic_store(words[next_byte() % 3], next_word());
}

/* Whatever the world has mapped of it. */
static void change_own_segment(void)
{
    struct weft_shm_segment_head *head = liar.segment.head;
    switch (next_byte() % 4) {
    case 0:
        change(head, offsetof(struct weft_shm_segment_head, doorbell));
        break;
    case 1:
        change(&liar.segment.gates[next_byte() % RINGS_OF_LIAR], sizeof *liar.segment.gates);
        break;
    case 2:
        atomic_store(&head->closed, next_byte() & 1);
        break;
    default:
        for (unsigned i = 0; i < RINGS_OF_LIAR; i++)
            atomic_store(&liar.segment.gates[i].state, WEFT_SHM_GATE_LEFT);
    }
}

static void change_file(void)
{
    unsigned char bytes[512];
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t size = pread(fd, bytes, sizeof bytes, 0);
    require(size >= 0);
    change(bytes, (size_t)size);
    size_t wanted = next_byte() & 1 ? next_byte() : (size_t)size;
    require(pwrite(fd, bytes, (size_t)size, 0) == size && ftruncate(fd, (off_t)wanted) == 0);
    close(fd);
}

/* ---- What the others do -------------------------------------------------------------------- */

static void let_honest_send(void)
{
    unsigned char *bytes =
        honest.world ? honest.world->ops->reserve(honest.route, SIZE_HONEST) : NULL;
    if (!bytes)
        return;
    for (size_t i = 0; i < SIZE_HONEST; i++)
        bytes[i] = (unsigned char)(honest.sent + i);
    honest.sent++;
    honest.world->ops->commit(honest.route, SIZE_HONEST);
}

static void let_honest_leave(void)
{
    if (honest.world)
        honest.world->ops->close(honest.world);
    honest.world = NULL;
}

static void send_to_liar(void)
{
    struct weft_nic_route *route = shm->world.ops->route(&shm->world, liar_address);
    require(route != NULL);
    step();
    unsigned char *bytes = shm->world.ops->reserve(route, shm->world.packet_size);
    if (!bytes)
        return;
    memset(bytes, 0, shm->world.packet_size);
    shm->world.ops->commit(route, shm->world.packet_size);
}

static void let_memory_end(void)
{
    is_out_of_memory = !is_out_of_memory;
}

static void act(void)
{
    static void (*const deeds[])(void) = {
        step,         claim,       write_slot,     change_own_segment, let_honest_send,
        send_to_liar, change_file, let_memory_end, scribble_head,      let_honest_leave,
    };
    deeds[next_byte() % (sizeof deeds / sizeof *deeds)]();
}

/* ---- The end ------------------------------------------------------------------------------- */

static bool is_quiet(void)
{
    for (const struct weft_shm_peer *peer = shm->peers; peer; peer = peer->next)
        if (peer->seeking || peer->gone)
            return false;
    return honest.is_impersonated || honest.received == honest.sent;
}

static void check_segment_of_liar(void)
{
    const struct weft_shm_segment_shape *shape = &liar.segment.shape;
    for (uint32_t ring = 0; ring < RINGS_OF_LIAR; ring++) {
        const unsigned char *bytes = weft_shm_segment_ring(&liar.segment, ring);
        for (size_t i = 0; !liar.was_claimed[ring] && i < weft_shm_segment_bytes(shape, ring); i++)
            require(bytes[i] == UNTOUCHED);
    }
}

static void end(void)
{
    uint64_t deadline = weft_clock_now() + PATIENCE;
    let_honest_leave();
    /* Who was not let run for so long has one more step. */
    bool is_late = false;
    for (step(); !is_quiet(); step()) {
        require(!is_late);
        is_late = weft_clock_now() >= deadline;
    }
    shm->world.ops->close(&shm->world);
    check_segment_of_liar();
    weft_shm_segment_destroy(&liar.segment);
    unlink(path);
}

static void remove_folder(void)
{
    unlink(path);
    rmdir(folder);
}

static void begin(void)
{
    char number[16];
    require(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/table", folder);
    atexit(remove_folder);
    setenv("WEFT_LOG", "off", 1);
    setenv("WEFT_TIMEOUT", TIMEOUT, 1);
    snprintf(number, sizeof number, "%u", RINGS);
    setenv("WEFT_SHM_PEERS", number, 1);
    snprintf(number, sizeof number, "%u", SLOTS);
    setenv("WEFT_SHM_SLOTS", number, 1);
    snprintf(number, sizeof number, "%u", PAYLOAD);
    setenv("WEFT_PACKET_SIZE", number, 1);
}

static int lowest_free_descriptor(void)
{
    int fd = dup(STDERR_FILENO);
    close(fd);
    return fd;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    if (!*path)
        begin();
    begin_input(data, size);
    int descriptor = lowest_free_descriptor();
    nic_peer_count = 0;
    is_out_of_memory = false;
    shm = (struct weft_shm *)open_world(self);
    open_honest();
    open_liar();
    for (unsigned i = 0; i < 64 && has_input(); i++)
        act();
    end();
    require(lowest_free_descriptor() == descriptor);
    return 0;
}
