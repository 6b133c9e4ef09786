/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random types on cores: the packets of a message, cut at any byte and in any order, go through
 * the handler of `seek` that was compiled for a core, and through that for the type's shape if
 * there is one. Memory must then be as the type map says, to the byte, which is what the campaign
 * demands of the host's own unpacking (type/random). campaign.h has the other arguments.
 *
 *     random_types_on_cores IMAGE [--seed S] [--first I] [--count N]
 */
#include <portals4_device.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "offload/image.h"
#include "offload/offload.h"
#include "portals/sandbox.h"
#include "support/own_symbol.h"
#include "type/random/campaign.h"

/* ---- A NIC with nothing but one entry ----------------------------------------------------- */

static struct weft_riscv_image image;
static struct weft_portals_sandbox *sandbox;

static struct station {
    struct weft_nic nic;
    struct weft_nic_ni ni;
    struct weft_nic_memory memory;
    struct weft_nic_execution execution;
    struct weft_nic_activation activation;
} station;

static void open_station(struct weft_nic_region entry, unsigned char *memory, uint64_t length)
{
    station.ni.nic = &station.nic;
    station.ni.handler_limits.max_cycles_per_byte = PTL_CYCLES_UNLIMITED;
    station.memory = (struct weft_nic_memory){.bytes = memory, .length = length};
    station.execution.memory = &station.memory;
    station.execution.mds[WEFT_NIC_MEMORY_ENTRY].region = entry;
    station.activation.delivery.ni = &station.ni;
    station.activation.delivery.execution = &station.execution;
}

static ptl_handler_result_t run(const ptl_payload_t *payload)
{
    struct weft_nic_run run = {
        .activation = &station.activation, .nic = &station.nic, .vhpu = UINT32_MAX};
    const struct weft_nic_call call = {.handler = WEFT_NIC_HANDLER_PAYLOAD,
                                       .argument.payload = payload};
    ptl_handler_result_t result = weft_nic_core_run(&sandbox->core, &call, &run);
    return run.fault == PTL_NI_OK ? result : PTL_HANDLER_SEGV;
}

static int take_packet(struct bench *bench, size_t offset, size_t length)
{
    const ptl_payload_t payload = {length, offset, bench->stream + offset};
    return length == 0 || run(&payload) == PTL_HANDLER_SUCCESS ? WEFT_OK : WEFT_ERR_ARGUMENT;
}

/* ---- Types -------------------------------------------------------------------------------- */

/* A head, and the image of the type behind it. On a core, addresses of the host are offsets in
 * the entry, and those of the memory of the NIC are where the core sees it. */
struct prepared {
    unsigned char *memory;
    uint64_t length;
    const char *handler; /* the name of the native one */
};

static struct prepared prepare(const struct weft_offload *offload, struct weft_nic_region entry,
                               void *base)
{
    const struct weft_offload_facts *facts = weft_offload_facts(offload);
    struct weft_offload_head head;
    ptl_handlers_t handlers;
    uint64_t length = sizeof head + facts->image_bytes;
    unsigned char *memory = aligned_alloc(8, (length + 7) / 8 * 8);
    if (!memory)
        abort();
    weft_offload_write_image(offload, memory + sizeof head);
    if (!weft_offload_bind(offload, memory + sizeof head, base, entry.start, entry.length, &head,
                           &handlers))
        abort();
    head.mem -= (uintptr_t)entry.start;
    head.root = head.root - (uintptr_t)memory + PTL_DEVICE_MEMORY;
    memcpy(memory, &head, sizeof head);
    return (struct prepared){memory, length, own_symbol((void (*)(void))handlers.payload_handler)};
}

static bool scatter(struct bench *bench, const struct weft_offload *offload)
{
    const struct weft_offload_facts *facts = weft_offload_facts(offload);
    struct side *side = &bench->side;
    struct weft_nic_region entry = {.start = (unsigned char *)side->base + facts->low,
                                    .length = (uint64_t)(facts->high - facts->low)};
    struct prepared prepared = prepare(offload, entry, side->base);
    open_station(entry, prepared.memory, prepared.length);
    sandbox->functions[WEFT_NIC_HANDLER_PAYLOAD] = weft_riscv_image_find(&image, prepared.handler);
    bench->stream = (unsigned char *)window_place(&bench->packed, 0, (int64_t)side->total, true);
    side_make_packed(bench->stream, side->total);
    side_blank(side);
    int rc = trial_ranges(bench, side->total, take_packet);
    free(prepared.memory);
    int64_t wrong;
    if (rc)
        return trial_fail(bench, "%s fails on a core", prepared.handler);
    return side_was_unpacked(side, bench->stream, side->total, &wrong) ||
           trial_fail(bench, "%s on a core: memory is wrong at displacement %lld",
                      prepared.handler, (long long)wrong);
}

/* What has 32 bits cannot name more; and overlapping types cannot be received. */
static bool can_receive(const struct side *side, const struct weft_offload_facts *facts)
{
    return side->total > 0 && !side->overlaps && facts->obstacle == WEFT_OFFLOAD_FALLBACK_NONE &&
           (image.text.xlen == 64 || facts->high - facts->low < INT32_MAX);
}

static bool try_strategy(struct bench *bench, enum weft_offload_strategy strategy)
{
    struct weft_offload_options options = {.type = bench->side.type,
                                           .count = bench->side.count,
                                           .attributes = {.strategy = strategy},
                                           .nic = weft_offload_nic_of_paper(256)};
    struct weft_offload *offload;
    if (weft_offload_prepare(&options, &offload) != WEFT_OK)
        return trial_fail(bench, "weft_offload_prepare");
    bool right =
        !can_receive(&bench->side, weft_offload_facts(offload)) || scatter(bench, offload);
    weft_offload_close(offload);
    return right;
}

static bool check_seek(struct bench *bench)
{
    return try_strategy(bench, WEFT_OFFLOAD_SEEK);
}

static bool check_specialized(struct bench *bench)
{
    return try_strategy(bench, WEFT_OFFLOAD_SPECIALIZED);
}

int main(int argc, char **argv)
{
    static unsigned char file[1 << 16];
    struct weft_riscv_profile profile;
    const char *why;
    FILE *from = argc > 1 ? fopen(argv[1], "rb") : NULL;
    size_t length = from ? fread(file, 1, sizeof file, from) : 0;
    if (from)
        fclose(from);
    if (!weft_riscv_profile_read("ri5cy", &profile) ||
        weft_riscv_image_open(&image, file, length, 1 << 20, &profile, &why)) {
        fprintf(stderr, "usage: random_types_on_cores IMAGE [--seed S] [--first I] [--count N]\n");
        return 2;
    }
    sandbox = weft_portals_sandbox_open(&image);
    static const trial_check checks[] = {check_seek, check_specialized, NULL};
    char program[1000]; /* with its image: what a failure is replayed by */
    snprintf(program, sizeof program, "%s %s", argv[0], argv[1]);
    argv[1] = program;
    int result = campaign_run(argc - 1, argv + 1, checks);
    free(sandbox);
    weft_riscv_image_close(&image);
    return result;
}
