/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/writes.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define FIRST_ROOM 64

void weft_nic_writes_close(struct weft_nic_writes *writes)
{
    free(writes->heap);
    free(writes->ends);
}

/* ---- The heap ----------------------------------------------------------------------------- */

static bool is_before(const struct weft_nic_write *a, const struct weft_nic_write *b)
{
    return a->issue != b->issue ? a->issue < b->issue : a->order < b->order;
}

static void rise(struct weft_nic_write *heap, size_t at)
{
    struct weft_nic_write write = heap[at];
    for (; at > 0 && is_before(&write, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = write;
}

static void sink(struct weft_nic_write *heap, size_t count)
{
    struct weft_nic_write write = heap[0];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_before(&heap[child + 1], &heap[child]))
            child++;
        if (!is_before(&heap[child], &write))
            break;
        heap[at] = heap[child];
    }
    heap[at] = write;
}

void weft_nic_writes_add(struct weft_nic_writes *writes, uint64_t issue, uint64_t bytes,
                         uint32_t message)
{
    if (!weft_array_reserve(&writes->heap, writes->count, &writes->room, sizeof *writes->heap)) {
        writes->is_starved = true;
        return;
    }
    writes->heap[writes->count] = (struct weft_nic_write){
        .issue = issue, .order = writes->counts.issued, .bytes = bytes, .message = message};
    rise(writes->heap, writes->count++);
    writes->counts.issued++;
    writes->counts.bytes += bytes;
    writes->counts.waiting++;
}

/* ---- How many wait ------------------------------------------------------------------------ */

static bool make_room_for_end(struct weft_nic_writes *writes)
{
    if (writes->end_count < writes->end_room)
        return true;
    size_t room = writes->end_room ? 2 * writes->end_room : FIRST_ROOM;
    uint64_t *ends = malloc(room * sizeof *ends);
    if (!ends)
        return false;
    for (size_t i = 0; i < writes->end_count; i++)
        ends[i] = writes->ends[(writes->end_first + i) % writes->end_room];
    free(writes->ends);
    writes->ends = ends;
    writes->end_first = 0;
    writes->end_room = room;
    return true;
}

static void note_depth(struct weft_nic_writes *writes, uint64_t issue, uint64_t end)
{
    while (writes->end_count && writes->ends[writes->end_first] <= issue * WEFT_NIC_SERVER_PS) {
        writes->end_first = (writes->end_first + 1) % writes->end_room;
        writes->end_count--;
    }
    if (!make_room_for_end(writes)) {
        writes->is_starved = true;
        return;
    }
    writes->ends[(writes->end_first + writes->end_count++) % writes->end_room] = end;
    if (writes->end_count > writes->counts.deepest)
        writes->counts.deepest = writes->end_count;
    if (writes->period && issue / writes->period < WEFT_NIC_WRITE_PERIODS &&
        writes->end_count > writes->counts.deepest_in[issue / writes->period])
        writes->counts.deepest_in[issue / writes->period] = writes->end_count;
}

/* ---- The engine --------------------------------------------------------------------------- */

/* A write of nothing is a packet, too. */
static uint64_t packets_of(const struct weft_nic_writes *writes, uint64_t bytes)
{
    if (bytes == 0 || writes->tlp_payload == 0)
        return 1;
    return (bytes + writes->tlp_payload - 1) / writes->tlp_payload;
}

uint64_t weft_nic_writes_service(const struct weft_nic_writes *writes, uint64_t bytes)
{
    uint64_t headers = packets_of(writes, bytes) * writes->tlp_header;
    return weft_nic_server_time(bytes + headers, writes->rate);
}

bool weft_nic_writes_serve(struct weft_nic_writes *writes, uint64_t now, uint32_t *message,
                           uint64_t *end)
{
    if (writes->count == 0 || writes->heap[0].issue > now)
        return false;
    struct weft_nic_write write = writes->heap[0];
    writes->heap[0] = writes->heap[--writes->count];
    if (writes->count)
        sink(writes->heap, writes->count);
    uint64_t served = weft_nic_server_serve(&writes->engine, write.issue,
                                            weft_nic_writes_service(writes, write.bytes));
    note_depth(writes, write.issue, served);
    writes->counts.served++;
    writes->counts.served_bytes += write.bytes;
    writes->counts.waiting--;
    *message = write.message;
    *end = weft_nic_server_nanoseconds(served) + writes->latency;
    return true;
}
