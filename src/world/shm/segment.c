/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/shm/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/setting.h"
#include "base/shortage.h"
#include "world/shm/ring.h"

#define MAGIC UINT64_C(0x3147455354464557) /* "WEFTSEG1" */
#define NAME "weft"
#define PAGE 4096u
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW)
/* Newer than the headers of some systems that have kernels which insist on it. */
#define NO_EXECUTION 8u

#define MOST_PACKET (UINT32_C(1) << 24)
#define MOST_COUNT (UINT32_C(1) << 16)

static size_t round_up(size_t value, size_t to)
{
    return (value + to - 1) / to * to;
}

/* With the limits above, nothing here can overflow 64 bits. */
static bool shape_of(struct weft_shm_segment_shape *shape, uint32_t packet_size, uint32_t slots,
                     uint32_t rings)
{
    if (packet_size == 0 || packet_size > MOST_PACKET || slots == 0 || slots > MOST_COUNT ||
        rings == 0 || rings > MOST_COUNT)
        return false;
    size_t pairs = round_up(offsetof(struct weft_shm_ring_slot, packet) + packet_size, 128) / 128;
    shape->packet_size = packet_size;
    shape->slots = slots;
    shape->rings = rings;
    shape->stride = (pairs | 1) * 128;
    shape->few_slots = slots < WEFT_SHM_SEGMENT_SHARE ? 1 : slots / WEFT_SHM_SEGMENT_SHARE;
    shape->ring_bytes = round_up(slots * shape->stride, PAGE);
    shape->narrow_bytes = round_up(shape->few_slots * shape->stride, PAGE);
    shape->rings_at = PAGE + round_up(rings * sizeof(struct weft_shm_segment_gate), PAGE);
    shape->total = weft_shm_segment_at(shape, rings);
    return true;
}

/* The mapping outlives the descriptor. */
static void *map(int fd, size_t at, size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);
    return memory == MAP_FAILED ? NULL : memory;
}

static struct weft_shm_segment_gate *gates_of(struct weft_shm_segment_head *head)
{
    return (struct weft_shm_segment_gate *)((unsigned char *)head + PAGE);
}

/* ---- For the owner ------------------------------------------------------------------------- */

static int create_memory(size_t bytes)
{
    int fd = memfd_create(NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING | NO_EXECUTION);
    if (fd < 0 && errno == EINVAL)
        fd = memfd_create(NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -1;
    /* Sealed, or a truncation would kill every process that maps it. */
    if (ftruncate(fd, (off_t)bytes) < 0 || fcntl(fd, F_ADD_SEALS, SEALS | F_SEAL_SEAL) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

bool weft_shm_segment_create(struct weft_shm_segment *segment, uint32_t packet_size,
                             uint32_t slots, uint32_t rings)
{
    if (!shape_of(&segment->shape, packet_size, slots, rings)) {
        weft_log(WEFT_LOG_ERROR,
                 "packets of %u bytes, %s=%u and %s=%u are out of range: at most %u, %u and %u",
                 packet_size, weft_setting_info(WEFT_SETTING_SHM_SLOTS)->name, slots,
                 weft_setting_info(WEFT_SETTING_SHM_PEERS)->name, rings, MOST_PACKET, MOST_COUNT,
                 MOST_COUNT);
        return false;
    }
    uint64_t key;
    int fd = create_memory(segment->shape.total);
    void *memory = fd < 0 ? NULL : map(fd, 0, segment->shape.total);
    if (!memory || getrandom(&key, sizeof(key), 0) != sizeof(key)) {
        weft_log(WEFT_LOG_ERROR, "cannot make %zu bytes of shared memory: %s",
                 segment->shape.total, strerror(errno));
        if (memory)
            munmap(memory, segment->shape.total);
        if (fd >= 0)
            close(fd);
        return false;
    }
    segment->head = memory;
    segment->gates = gates_of(memory);
    segment->id = (struct weft_shm_segment_id){(uint32_t)getpid(), (uint32_t)fd, key | 1};
    segment->head->version = WEFT_SHM_SEGMENT_VERSION;
    segment->head->packet_size = packet_size;
    segment->head->slots = slots;
    segment->head->rings = rings;
    segment->head->key = segment->id.key;
    segment->head->magic = MAGIC;
    return true;
}

void weft_shm_segment_destroy(struct weft_shm_segment *segment)
{
    munmap(segment->head, segment->shape.total);
    close((int)segment->id.fd);
}

void weft_shm_segment_recycle(struct weft_shm_segment *segment, uint32_t ring)
{
    struct weft_shm_segment_gate *gate = &segment->gates[ring];
    off_t at = (off_t)weft_shm_segment_at(&segment->shape, ring);
    if (fallocate((int)segment->id.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at,
                  (off_t)weft_shm_segment_bytes(&segment->shape, ring)) < 0) {
        weft_log(WEFT_LOG_WARN, "cannot clear a ring of shared memory, it is not used again: %s",
                 strerror(errno));
        atomic_store_explicit(&gate->state, WEFT_SHM_GATE_EXPELLED, memory_order_relaxed);
        return;
    }
    atomic_store_explicit(&gate->consumed, 0, memory_order_relaxed);
    atomic_store_explicit(&gate->state, WEFT_SHM_GATE_FREE, memory_order_release);
}

/* ---- For senders --------------------------------------------------------------------------- */

/* A descriptor of the segment, or -1 and errno. The name is looked at first, because merely
 * opening what a recycled number leads to (a pipe, a terminal, a tape) could do harm. */
static int open_memory(const struct weft_shm_segment_id *id)
{
    static const char wanted[] = "/memfd:" NAME " ";
    char path[64], target[sizeof(wanted)];
    snprintf(path, sizeof(path), "/proc/%u/fd/%u", id->os_pid, id->fd);
    ssize_t length = readlink(path, target, sizeof(target));
    if (length < 0)
        return -1;
    if (length < (ssize_t)sizeof(wanted) - 1 || memcmp(target, wanted, sizeof(wanted) - 1) != 0) {
        errno = ENOENT;
        return -1;
    }
    return open(path, O_RDWR | O_CLOEXEC);
}

static bool holds_key(int fd, uint64_t key)
{
    uint64_t found;
    return pread(fd, &found, sizeof(found), offsetof(struct weft_shm_segment_head, key)) ==
               (ssize_t)sizeof(found) &&
           found == key;
}

bool weft_shm_segment_is(const struct weft_shm_segment_id *id)
{
    int fd = open_memory(id);
    if (fd < 0)
        return weft_shortage_is(errno);
    bool is = holds_key(fd, id->key);
    close(fd);
    return is;
}

/* Everything that the sender will rely on, from a copy. */
static enum weft_shm_segment_answer inspect(int fd, const struct weft_shm_segment_id *id,
                                            uint32_t packet_size,
                                            struct weft_shm_segment_shape *shape)
{
    struct weft_shm_segment_head head;
    struct stat status;
    int seals = fcntl(fd, F_GET_SEALS);
    if (!holds_key(fd, id->key) || pread(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
        fstat(fd, &status) < 0)
        return WEFT_SHM_SEGMENT_ABSENT;
    if (head.magic != MAGIC || head.version != WEFT_SHM_SEGMENT_VERSION) {
        weft_log(WEFT_LOG_ERROR, "process %u uses another version of this library", id->os_pid);
        return WEFT_SHM_SEGMENT_REFUSED;
    }
    if (head.packet_size != packet_size) {
        weft_log(WEFT_LOG_ERROR,
                 "process %u has packets of %u bytes and this one of %u: %s must be the same for "
                 "all",
                 id->os_pid, head.packet_size, packet_size,
                 weft_setting_info(WEFT_SETTING_PACKET_SIZE)->name);
        return WEFT_SHM_SEGMENT_REFUSED;
    }
    if (!shape_of(shape, head.packet_size, head.slots, head.rings) || seals < 0 ||
        (seals & SEALS) != SEALS || (size_t)status.st_size != shape->total) {
        weft_log(WEFT_LOG_ERROR, "the shared memory of process %u is damaged", id->os_pid);
        return WEFT_SHM_SEGMENT_REFUSED;
    }
    return WEFT_SHM_SEGMENT_FINE;
}

static int take_gate(struct weft_shm_segment_gate *gates, uint32_t count, uint32_t os_pid)
{
    uint64_t taken = (uint64_t)os_pid << 32 | WEFT_SHM_GATE_CLAIMING;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t free = WEFT_SHM_GATE_FREE;
        if (atomic_compare_exchange_strong_explicit(&gates[i].state, &free, taken,
                                                    memory_order_acquire, memory_order_relaxed))
            return (int)i;
    }
    return -1;
}

static enum weft_shm_segment_answer cannot_map(uint32_t os_pid)
{
    weft_log(WEFT_LOG_ERROR, "cannot map the memory of process %u: %s", os_pid, strerror(errno));
    return WEFT_SHM_SEGMENT_REFUSED;
}

static enum weft_shm_segment_answer claim_ring(struct weft_shm_claim *claim, int fd,
                                               const struct weft_shm_segment_id *id,
                                               struct weft_nic_address owner,
                                               const struct weft_shm_segment_id *owner_id)
{
    struct weft_shm_segment_gate *gates = gates_of(claim->head);
    int ring = take_gate(gates, claim->shape.rings, owner_id->os_pid);
    if (ring < 0)
        return WEFT_SHM_SEGMENT_FULL;
    struct weft_shm_segment_gate *gate = &gates[ring];
    claim->ring = (uint32_t)ring;
    claim->slots = map(fd, weft_shm_segment_at(&claim->shape, claim->ring),
                       weft_shm_segment_bytes(&claim->shape, claim->ring));
    if (!claim->slots) {
        atomic_store_explicit(&gate->state, WEFT_SHM_GATE_FREE, memory_order_release);
        return cannot_map(id->os_pid);
    }
    claim->gate = gate;
    gate->owner = owner;
    gate->owner_id = *owner_id;
    atomic_store_explicit(&gate->state, WEFT_SHM_GATE_OPEN, memory_order_release);
    atomic_fetch_add_explicit(&claim->head->claims, 1, memory_order_release);
    return WEFT_SHM_SEGMENT_FINE;
}

enum weft_shm_segment_answer weft_shm_claim_make(struct weft_shm_claim *claim,
                                                 const struct weft_shm_segment_id *id,
                                                 uint32_t packet_size,
                                                 struct weft_nic_address owner,
                                                 const struct weft_shm_segment_id *owner_id)
{
    *claim = (struct weft_shm_claim){0};
    int fd = open_memory(id);
    if (fd < 0)
        return weft_shortage_is(errno) ? WEFT_SHM_SEGMENT_SHORT : WEFT_SHM_SEGMENT_ABSENT;
    enum weft_shm_segment_answer answer = inspect(fd, id, packet_size, &claim->shape);
    if (answer == WEFT_SHM_SEGMENT_FINE) {
        claim->head = map(fd, 0, claim->shape.rings_at);
        answer = claim->head ? claim_ring(claim, fd, id, owner, owner_id) : cannot_map(id->os_pid);
    }
    close(fd);
    /* It may have closed between the look at its record and the claim. */
    if (answer == WEFT_SHM_SEGMENT_FINE && !weft_shm_claim_holds(claim))
        answer = WEFT_SHM_SEGMENT_ABSENT;
    if (answer != WEFT_SHM_SEGMENT_FINE)
        weft_shm_claim_drop(claim);
    return answer;
}

bool weft_shm_claim_holds(const struct weft_shm_claim *claim)
{
    return !atomic_load_explicit(&claim->head->closed, memory_order_acquire) &&
           weft_shm_gate_state(claim->gate) == WEFT_SHM_GATE_OPEN;
}

void weft_shm_claim_drop(struct weft_shm_claim *claim)
{
    uint64_t open = WEFT_SHM_GATE_OPEN;
    if (claim->gate)
        atomic_compare_exchange_strong_explicit(&claim->gate->state, &open, WEFT_SHM_GATE_LEFT,
                                                memory_order_release, memory_order_relaxed);
    if (claim->slots)
        munmap(claim->slots, weft_shm_segment_bytes(&claim->shape, claim->ring));
    if (claim->head)
        munmap(claim->head, claim->shape.rings_at);
    *claim = (struct weft_shm_claim){0};
}
