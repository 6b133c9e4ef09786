/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls that move data or say where it lies, against the type map. */
#include <string.h>

#include "type/random/checks.h"

static void place_stream(struct bench *bench)
{
    bool at_end = rng_one_in(&bench->rng, 2);
    bench->stream =
        (unsigned char *)window_place(&bench->packed, 0, (int64_t)bench->side.total, at_end);
    memset(bench->stream, 0, bench->side.total);
}

static bool failed_call(struct bench *bench, const char *call, int rc)
{
    return trial_fail(bench, "%s: %s", call, weft_error_name(rc));
}

/* ---- Pack --------------------------------------------------------------------------------- */

static bool packed_right(struct bench *bench, const char *how)
{
    if (memcmp(bench->stream, bench->expected, bench->side.total) == 0)
        return true;
    size_t k = 0;
    while (bench->stream[k] == bench->expected[k])
        k++;
    return trial_fail(bench, "%s: packed byte %zu is 0x%02x, expected 0x%02x", how, k,
                      bench->stream[k], bench->expected[k]);
}

static int pack_range(struct bench *bench, size_t offset, size_t length)
{
    return weft_pack(bench->side.type, bench->side.count, bench->side.base, offset,
                     bench->stream + offset, length);
}

/* Ranges are packed beside each other in any order, so one that writes too far is found. */
bool check_pack_ranges(struct bench *bench)
{
    place_stream(bench);
    int rc = trial_ranges(bench, bench->side.total, pack_range);
    if (rc)
        return failed_call(bench, "weft_pack of ranges", rc);
    return packed_right(bench, "packing ranges");
}

bool check_pack_whole(struct bench *bench)
{
    struct side *side = &bench->side;
    place_stream(bench);
    int rc = weft_pack(side->type, side->count, side->base, 0, bench->stream, side->total);
    if (rc)
        return failed_call(bench, "weft_pack", rc);
    return packed_right(bench, "packing all");
}

bool check_pack_beyond(struct bench *bench)
{
    struct side *side = &bench->side;
    size_t offset = rng_below(&bench->rng, side->total + 1);
    int rc = weft_pack(side->type, side->count, side->base, offset, bench->stream,
                       side->total - offset + 1);
    return rc == WEFT_ERR_RANGE ||
           trial_fail(bench, "packing one byte too many: %s", weft_error_name(rc));
}

/* ---- Unpack ------------------------------------------------------------------------------- */

static int unpack_range(struct bench *bench, size_t offset, size_t length)
{
    return weft_unpack(bench->side.type, bench->side.count, bench->side.base, offset,
                       bench->stream + offset, length);
}

static bool unpack_right(struct bench *bench, struct side *side, const unsigned char *packed,
                         size_t length, const char *how)
{
    int64_t wrong;
    return side_was_unpacked(side, packed, length, &wrong) ||
           trial_fail(bench, "%s: memory is wrong at displacement %lld", how, (long long)wrong);
}

static bool unpack_all(struct bench *bench, bool ranges)
{
    struct side *side = &bench->side;
    if (side->overlaps)
        return true;
    place_stream(bench);
    side_make_packed(bench->stream, side->total);
    side_blank(side);
    int rc = ranges ? trial_ranges(bench, side->total, unpack_range)
                    : unpack_range(bench, 0, side->total);
    if (rc)
        return failed_call(bench, "weft_unpack", rc);
    return unpack_right(bench, side, bench->stream, side->total,
                        ranges ? "unpacking ranges" : "unpacking all");
}

bool check_unpack_ranges(struct bench *bench)
{
    return unpack_all(bench, true);
}

bool check_unpack_whole(struct bench *bench)
{
    return unpack_all(bench, false);
}

/* ---- Pieces and places -------------------------------------------------------------------- */

/* Whether packed bytes [offset, offset + length) lie together from `displacement` on. */
static bool lies_at(const struct side *side, size_t offset, size_t length, int64_t displacement)
{
    if (length > side->total - offset)
        return false;
    for (size_t k = 0; k < length; k++)
        if (side->places[offset + k] != displacement + (int64_t)k)
            return false;
    return true;
}

static bool pieces_right(struct bench *bench, size_t offset, const struct iovec *iov, size_t used,
                         size_t bytes)
{
    size_t sum = 0;
    for (size_t i = 0; i < used; i++) {
        int64_t displacement = (int64_t)((uintptr_t)iov[i].iov_base - (uintptr_t)bench->side.base);
        if (!lies_at(&bench->side, offset + sum, iov[i].iov_len, displacement))
            return trial_fail(bench, "weft_iov: at packed byte %zu, %zu bytes at %lld",
                              offset + sum, iov[i].iov_len, (long long)displacement);
        sum += iov[i].iov_len;
    }
    return (used > 0 && sum == bytes) ||
           trial_fail(bench, "weft_iov: %zu pieces of %zu bytes, it says %zu", used, sum, bytes);
}

bool check_pieces(struct bench *bench)
{
    struct side *side = &bench->side;
    struct iovec iov[64];
    size_t offset = rng_below(&bench->rng, side->total + 1), used, bytes;
    size_t end = offset + rng_below(&bench->rng, side->total - offset + 1);
    size_t max = rng_magnitude(&bench->rng, 64);
    while (offset < end) {
        int rc = weft_iov(side->type, side->count, side->base, offset, end - offset, iov, max,
                          &used, &bytes);
        if (rc)
            return failed_call(bench, "weft_iov", rc);
        if (bytes > end - offset)
            return trial_fail(bench, "weft_iov: %zu bytes of %zu asked for", bytes, end - offset);
        if (used < max && bytes < end - offset)
            return trial_fail(bench, "weft_iov: stopped at %zu of %zu pieces", used, max);
        if (!pieces_right(bench, offset, iov, used, bytes))
            return false;
        offset += bytes;
    }
    return true;
}

bool check_locate(struct bench *bench)
{
    struct side *side = &bench->side;
    struct weft_place place;
    for (int i = 0; i < 8 && side->total; i++) {
        size_t offset = rng_below(&bench->rng, side->total);
        int rc = weft_locate(side->type, side->count, offset, &place);
        if (rc)
            return failed_call(bench, "weft_locate", rc);
        if (place.contiguous == 0 || !lies_at(side, offset, place.contiguous, place.displacement))
            return trial_fail(bench,
                              "weft_locate: packed byte %zu, %zu bytes at %td; it is "
                              "at %lld",
                              offset, place.contiguous, place.displacement,
                              (long long)side->places[offset]);
    }
    int rc = weft_locate(side->type, side->count, side->total, &place);
    return rc == WEFT_ERR_RANGE ||
           trial_fail(bench, "locating the byte after the last: %s", weft_error_name(rc));
}

/* ---- Copy --------------------------------------------------------------------------------- */

static int copy_range(struct bench *bench, size_t offset, size_t length)
{
    struct side *from = &bench->side, *to = &bench->peer;
    return weft_copy(to->type, to->count, to->base, from->type, from->count, from->base, offset,
                     length);
}

static bool copy_all(struct bench *bench, bool ranges)
{
    struct side *from = &bench->side, *to = &bench->peer;
    size_t length = from->total < to->total ? from->total : to->total;
    if (to->overlaps || !length)
        return true;
    side_fill(from);
    side_blank(to);
    int rc = ranges ? trial_ranges(bench, length, copy_range) : copy_range(bench, 0, length);
    if (rc)
        return failed_call(bench, "weft_copy", rc);
    return unpack_right(bench, to, bench->expected, length,
                        ranges ? "copying ranges to the peer" : "copying all to the peer");
}

bool check_copy_ranges(struct bench *bench)
{
    return copy_all(bench, true);
}

bool check_copy_whole(struct bench *bench)
{
    return copy_all(bench, false);
}
