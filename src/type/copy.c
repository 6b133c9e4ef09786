/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From one layout into another. The source is walked; each of its runs is met by a walk of the
 * same byte range of the destination. Where blocks of the two belong together they are copied
 * straight (meeting.h); where one side lies together, by the other side's kernels; and where
 * neither is the case, through a buffer that stays in the first cache.
 */
#include "type/kernel.h"
#include "type/meeting.h"
#include "type/range.h"

struct copy_side {
    const weft_type *type;
    size_t count;
    weft_type_address base;
};

struct copier {
    struct weft_type_sink sink; /* of the source's walk */
    struct copy_side to, from;
    size_t offset; /* what lies before has been copied */
    /* Of what should go through the buffer, as in a meeting. */
    size_t refused, turned_row;
};

static bool walk(const struct copy_side *side, size_t offset, size_t length,
                 struct weft_type_sink *sink)
{
    return weft_type_range_walk(side->type, side->count, (const void *)side->base, offset, length,
                                sink);
}

static void move(enum weft_type_direction direction, const struct copy_side *side, size_t offset,
                 char *packed, size_t length)
{
    struct weft_type_mover mover = {weft_type_kernels(direction)->mover, packed};
    walk(side, offset, length, &mover.sink);
}

/* Whether the next `bytes` of the destination are one contiguous stretch, and where. */
static bool lands_together(const struct copier *copier, uint64_t bytes, weft_type_address *mem)
{
    const weft_type *type = copier->to.type;
    struct weft_type_walk_place place =
        weft_type_walk_locate(type->form.node, weft_type_step(type), copier->offset);
    *mem = weft_type_address_add(copier->to.base, type->form.at + place.displacement);
    return place.contiguous >= bytes;
}

/* False if a part of the run should go through the buffer. */
static bool copy_run(struct weft_type_sink *sink, const struct weft_type_run *run)
{
    struct copier *copier = (struct copier *)sink;
    uint64_t bytes = run->rows * run->row_bytes;
    weft_type_address mem;
    if (lands_together(copier, bytes, &mem)) {
        weft_type_kernels_move(weft_type_kernels(WEFT_TYPE_GATHER), (char *)mem, run);
        copier->offset += bytes;
        return true;
    }
    struct weft_type_meeting meeting = weft_type_meeting(run);
    bool met = walk(&copier->to, copier->offset, bytes, &meeting.sink);
    copier->offset += meeting.copied;
    copier->refused = meeting.refused;
    copier->turned_row = meeting.turned_row;
    return met;
}

static bool copy_piece(struct weft_type_sink *sink, weft_type_address mem, uint64_t length)
{
    struct copier *copier = (struct copier *)sink;
    move(WEFT_TYPE_SCATTER, &copier->to, copier->offset, (char *)mem, length);
    copier->offset += length;
    return true;
}

/* Less than the first cache, for what is copied needs room there as well. Of a transposed array
 * several whole rows must fit, or its kernels have nothing to turn. */
#define BUFFER_BYTES 16384
#define TURNED_BYTES 65536
#define TURNED_ROWS 16

static size_t buffered_at_once(size_t turned_row)
{
    if (!turned_row || turned_row > TURNED_BYTES / 2)
        return BUFFER_BYTES;
    size_t rows = TURNED_BYTES / turned_row;
    return turned_row * (rows < TURNED_ROWS ? rows : TURNED_ROWS);
}

static void copy_through_buffer(struct copier *copier, size_t length)
{
    _Alignas(64) char buffer[TURNED_BYTES];
    const size_t at_once = buffered_at_once(copier->turned_row);
    while (length) {
        size_t part = length < at_once ? length : at_once;
        move(WEFT_TYPE_GATHER, &copier->from, copier->offset, buffer, part);
        move(WEFT_TYPE_SCATTER, &copier->to, copier->offset, buffer, part);
        copier->offset += part;
        length -= part;
    }
}

/* What needed the buffer most often still does: ever more goes through it before the next attempt
 * without. At first only what belongs together, so that rows which are turned come whole; once
 * there are some, all of it. */
static void copy_range(struct copier *copier, size_t end)
{
    size_t most = 0;
    while (copier->offset < end &&
           !walk(&copier->from, copier->offset, end - copier->offset, &copier->sink)) {
        size_t rest = end - copier->offset;
        most = copier->turned_row ? rest : most ? 2 * most : copier->refused;
        copy_through_buffer(copier, most < rest ? most : rest);
    }
}

int weft_copy(const weft_type *to_type, size_t to_count, void *to_base, const weft_type *from_type,
              size_t from_count, const void *from_base, size_t offset, size_t length)
{
    int rc = weft_type_range_check(to_type, to_count, offset, length);
    if (!rc)
        rc = weft_type_range_check(from_type, from_count, offset, length);
    if (rc || !length)
        return rc;
    struct copier copier = {.sink = {copy_piece, copy_run},
                            .to = {to_type, to_count, (weft_type_address)to_base},
                            .from = {from_type, from_count, (weft_type_address)from_base},
                            .offset = offset};
    copy_range(&copier, offset + length);
    return WEFT_OK;
}
