/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From one layout into another. The source is walked; each of its runs is met by a walk of the
 * same byte range of the destination, and the two sides step through their pieces together.
 * Where one side lies together for long enough, the other side's kernels do the work.
 */
#include "type/kernel.h"
#include "type/range.h"

/* The source's current run, and how far its pieces have been used up. */
struct feed {
    struct weft_type_stepper step;
    struct weft_type_piece piece;
};

struct meeting {
    struct weft_type_sink sink; /* of the destination's walk */
    struct feed feed;
};

struct copier {
    struct weft_type_sink sink; /* of the source's walk */
    const weft_type *type;      /* the destination */
    size_t count;
    const void *base;
    size_t offset;
};

static void refill(struct feed *feed)
{
    if (!feed->piece.length)
        weft_type_stepper_next(&feed->step, &feed->piece);
}

static void use(struct feed *feed, uint64_t length)
{
    feed->piece.mem += length;
    feed->piece.length -= length;
}

static bool meet_piece(struct weft_type_sink *sink, weft_type_address mem, uint64_t length)
{
    struct feed *feed = &((struct meeting *)sink)->feed;
    const struct weft_type_kernels *gather = weft_type_kernels(WEFT_TYPE_GATHER);
    while (length) {
        refill(feed);
        uint64_t part = feed->piece.length < length ? feed->piece.length : length;
        gather->piece((char *)mem, feed->piece.mem, part);
        use(feed, part);
        mem += part;
        length -= part;
    }
    return true;
}

static bool meet_run(struct weft_type_sink *sink, const struct weft_type_run *run)
{
    struct feed *feed = &((struct meeting *)sink)->feed;
    uint64_t bytes = run->rows * run->row_bytes;
    refill(feed);
    if (feed->piece.length >= bytes) {
        weft_type_kernels_move(weft_type_kernels(WEFT_TYPE_SCATTER), (char *)feed->piece.mem, run);
        use(feed, bytes);
        return true;
    }
    struct weft_type_stepper step = {.run = run};
    for (struct weft_type_piece piece; weft_type_stepper_next(&step, &piece);)
        meet_piece(sink, piece.mem, piece.length);
    return true;
}

/* Whether the next `bytes` of the destination are one contiguous stretch, and where. */
static bool lands_together(const struct copier *copier, uint64_t bytes, weft_type_address *mem)
{
    struct weft_type_walk_place place = weft_type_walk_locate(
        copier->type->form.node, weft_type_step(copier->type), copier->offset);
    *mem = weft_type_address_add((weft_type_address)copier->base,
                                 copier->type->form.at + place.displacement);
    return place.contiguous >= bytes;
}

static bool copy_run(struct weft_type_sink *sink, const struct weft_type_run *run)
{
    struct copier *copier = (struct copier *)sink;
    uint64_t bytes = run->rows * run->row_bytes;
    weft_type_address mem;
    if (lands_together(copier, bytes, &mem)) {
        weft_type_kernels_move(weft_type_kernels(WEFT_TYPE_GATHER), (char *)mem, run);
    } else {
        struct meeting meeting = {{meet_piece, meet_run}, {.step = {.run = run}}};
        weft_type_range_walk(copier->type, copier->count, copier->base, copier->offset, bytes,
                             &meeting.sink);
    }
    copier->offset += bytes;
    return true;
}

static bool copy_piece(struct weft_type_sink *sink, weft_type_address mem, uint64_t length)
{
    struct copier *copier = (struct copier *)sink;
    weft_unpack(copier->type, copier->count, (void *)(uintptr_t)copier->base, copier->offset,
                (const void *)mem, length);
    copier->offset += length;
    return true;
}

int weft_copy(const weft_type *to_type, size_t to_count, void *to_base, const weft_type *from_type,
              size_t from_count, const void *from_base, size_t offset, size_t length)
{
    int rc = weft_type_range_check(to_type, to_count, offset, length);
    if (!rc)
        rc = weft_type_range_check(from_type, from_count, offset, length);
    if (rc || !length)
        return rc;
    struct copier copier = {{copy_piece, copy_run}, to_type, to_count, to_base, offset};
    weft_type_range_walk(from_type, from_count, from_base, offset, length, &copier.sink);
    return WEFT_OK;
}
