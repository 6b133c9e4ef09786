/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/drive.h"

#include <stdlib.h>
#include <string.h>

#include "nic/action.h"

#define GUARD 64
#define GUARD_BYTE 0xa5

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory)
        abort();
    return memory;
}

/* ---- Packets ------------------------------------------------------------------------------ */

const char *drive_order_name(enum drive_order order)
{
    static const char *const names[] = {"in order", "reversed", "shuffled", "duplicated"};
    return names[order];
}

struct drive_packets drive_cut(const unsigned char *packed, size_t length, size_t first,
                               size_t packet)
{
    struct drive_packets cut = {allocate((length / packet + 2) * sizeof *cut.packets), 0};
    for (size_t offset = 0, size; offset < length; offset += size) {
        size = offset ? packet : first;
        if (size > length - offset)
            size = length - offset;
        cut.packets[cut.count++] = (ptl_payload_t){size, offset, packed + offset};
    }
    return cut;
}

static void exchange(ptl_payload_t *a, ptl_payload_t *b)
{
    ptl_payload_t kept = *a;
    *a = *b;
    *b = kept;
}

static void duplicate(struct drive_packets *cut, struct rng *rng)
{
    size_t extra = cut->count / 2 + 1;
    cut->packets = realloc(cut->packets, (cut->count + extra) * sizeof *cut->packets);
    if (!cut->packets)
        abort();
    for (size_t i = 0; i < extra; i++) {
        cut->packets[cut->count] = cut->packets[rng_below(rng, cut->count)];
        cut->count++;
    }
}

void drive_arrange(struct drive_packets *cut, enum drive_order order, struct rng *rng)
{
    if (order == DRIVE_DUPLICATED && cut->count)
        duplicate(cut, rng);
    if (order == DRIVE_REVERSED)
        for (size_t i = 0; i < cut->count / 2; i++)
            exchange(&cut->packets[i], &cut->packets[cut->count - 1 - i]);
    if (order == DRIVE_SHUFFLED || order == DRIVE_DUPLICATED)
        for (size_t i = cut->count; i > 1; i--)
            exchange(&cut->packets[i - 1], &cut->packets[rng_below(rng, i)]);
}

void drive_free(struct drive_packets *cut)
{
    free(cut->packets);
}

/* ---- The NIC ------------------------------------------------------------------------------ */

static unsigned char *guarded(size_t bytes)
{
    unsigned char *memory = allocate(bytes + GUARD);
    memset(memory, 0, bytes);
    memset(memory + bytes, GUARD_BYTE, GUARD);
    return memory;
}

static bool release(unsigned char *memory, size_t bytes)
{
    bool is_whole = true;
    for (size_t i = 0; i < GUARD; i++)
        is_whole &= memory[bytes + i] == GUARD_BYTE;
    free(memory);
    return is_whole;
}

/* Of an image that was written elsewhere, so that it cannot depend on its place. */
static void copy_image(const struct weft_offload *offload, unsigned char *copy, size_t bytes)
{
    void *image = allocate(bytes);
    weft_offload_write_image(offload, image);
    memcpy(copy, image, bytes);
    free(image);
}

bool drive_open(struct drive *drive, const struct weft_offload *offload, void *base,
                const void *start, uint64_t length)
{
    const struct weft_offload_facts *facts = weft_offload_facts(offload);
    struct weft_offload_head state;
    *drive = (struct drive){.offload = offload};
    if (facts->obstacle != WEFT_OFFLOAD_FALLBACK_NONE)
        return false;
    drive->image = guarded(facts->image_bytes);
    drive->head = guarded(facts->head_bytes);
    copy_image(offload, drive->image, facts->image_bytes);
    if (!weft_offload_bind(offload, drive->image, base, start, length, &state, &drive->handlers)) {
        drive_close(drive);
        return false;
    }
    memcpy(drive->head, &state, sizeof state);
    return true;
}

bool drive_close(struct drive *drive)
{
    const struct weft_offload_facts *facts = weft_offload_facts(drive->offload);
    bool image_is_whole = release(drive->image, facts->image_bytes);
    return release(drive->head, facts->head_bytes) && image_is_whole;
}

ptl_handler_result_t drive_packet(struct drive *drive, const ptl_payload_t *packet, size_t arrival)
{
    struct weft_nic_run run = {.vhpu = UINT32_MAX};
    if (drive->handlers.policy == PTL_SCHED_BLOCKED_RR) {
        size_t number = drive->deals_by_offset ? packet->offset / drive->packet : arrival;
        run.vhpu = (uint32_t)(number / drive->handlers.delta_p % drive->handlers.vhpus);
    }
    struct weft_nic_run *outer = weft_nic_run_enter(&run);
    ptl_handler_result_t result = drive->handlers.payload_handler(packet, drive->head);
    weft_nic_run_leave(outer);
    return result;
}

bool drive_run(struct drive *drive, const struct drive_packets *cut)
{
    bool succeeds = true;
    for (size_t i = 0; i < cut->count; i++)
        succeeds &= drive_packet(drive, &cut->packets[i], i) == PTL_HANDLER_SUCCESS;
    return succeeds;
}
