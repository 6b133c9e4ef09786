/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library says of a type, and the ways to write it down and read it again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "type/random/checks.h"

/* The normal form may cut blocks into so many pieces each to make all pieces alike. */
#define MOST_PARTS 4

static bool equal(struct bench *bench, const char *what, int64_t actual, int64_t expected)
{
    return actual == expected || trial_fail(bench, "%s is %lld, expected %lld", what,
                                            (long long)actual, (long long)expected);
}

static uint64_t hash_of(const weft_type *type)
{
    struct weft_type_info info;
    return weft_type_query(type, &info, sizeof(info)) ? 0 : info.hash;
}

/* Any number of elements is one piece of memory. */
static bool is_contiguous(const struct typemap *map)
{
    return typemap_pieces(map) == 1 && (int64_t)map->size == typemap_extent(map);
}

bool check_query(struct bench *bench)
{
    const struct typemap *map = bench->side.map;
    struct weft_type_info info;
    int rc = weft_type_query(bench->side.type, &info, sizeof(info));
    if (rc)
        return trial_fail(bench, "weft_type_query: %s", weft_error_name(rc));
    if (!equal(bench, "size", (int64_t)info.size, (int64_t)map->size) ||
        !equal(bench, "lb", info.lb, map->lb) ||
        !equal(bench, "extent", info.extent, typemap_extent(map)) ||
        !equal(bench, "true_lb", info.true_lb, map->true_lb) ||
        !equal(bench, "true_extent", info.true_extent, map->true_ub - map->true_lb) ||
        !equal(bench, "committed", info.committed, true))
        return false;
    if (map->size && !equal(bench, "contiguous", info.contiguous, is_contiguous(map)))
        return false;
    size_t parts = MOST_PARTS * typemap_pieces(map);
    size_t most = parts > map->count ? parts : map->count;
    if (info.pieces < typemap_pieces(map) || info.pieces > most)
        return trial_fail(bench, "pieces is %zu, expected %zu to %zu", info.pieces,
                          typemap_pieces(map), most);
    if (typemap_overlaps(map, 1) && !info.may_overlap)
        return trial_fail(bench, "may_overlap is false, yet two bytes have one address");
    return true;
}

bool check_commit_again(struct bench *bench)
{
    uint64_t before = hash_of(bench->side.type);
    int rc = weft_type_commit(bench->side.type);
    if (rc)
        return trial_fail(bench, "the second weft_type_commit: %s", weft_error_name(rc));
    return hash_of(bench->side.type) == before ||
           trial_fail(bench, "committing again changes the hash");
}

/* Checks that a type made in another way is the same, and frees it. */
static bool same_type(struct bench *bench, const char *way, int rc, weft_type *made)
{
    if (rc)
        return trial_fail(bench, "%s: %s", way, weft_error_name(rc));
    struct side *side = &bench->side;
    unsigned char *packed = model_alloc(side->total, 1);
    bool equal_hash = hash_of(made) == hash_of(side->type);
    rc = weft_type_commit(made);
    if (!rc)
        rc = weft_pack(made, side->count, side->base, 0, packed, side->total);
    bool equal_bytes = memcmp(packed, bench->expected, side->total) == 0;
    free(packed);
    weft_type_free(made);
    if (rc)
        return trial_fail(bench, "%s: then packing: %s", way, weft_error_name(rc));
    if (!equal_hash)
        return trial_fail(bench, "%s: the hash differs", way);
    return equal_bytes || trial_fail(bench, "%s: it packs other bytes", way);
}

bool check_rebuild(struct bench *bench)
{
    weft_type *made = NULL;
    int rc = model_build(bench->side.model, &made);
    return same_type(bench, "building it again", rc, made);
}

static bool parse(struct bench *bench, const char *way, const char *text)
{
    weft_type *made = NULL;
    struct weft_syntax_error error = {0};
    int rc = weft_type_parse(text, &made, &error);
    if (rc == WEFT_ERR_SYNTAX)
        return trial_fail(bench, "%s: %s at byte %zu of %.200s", way, error.message, error.at,
                          text);
    return same_type(bench, way, rc, made);
}

bool check_parse_model(struct bench *bench)
{
    char *text = model_text(bench->side.model);
    bool holds = parse(bench, "parsing its constructors", text);
    free(text);
    return holds;
}

bool check_parse_printed(struct bench *bench)
{
    ptrdiff_t length = weft_type_print(bench->side.type, NULL, 0);
    if (length < 0)
        return trial_fail(bench, "weft_type_print: %s", weft_error_name((int)length));
    char *text = model_alloc((size_t)length + 1, 1);
    ptrdiff_t again = weft_type_print(bench->side.type, text, (size_t)length + 1);
    bool holds = equal(bench, "length printed", again, length) &&
                 equal(bench, "length of the text", (int64_t)strlen(text), length) &&
                 parse(bench, "parsing what was printed", text);
    free(text);
    return holds;
}

static bool damaged_bytes(struct bench *bench, unsigned char *bytes, size_t length)
{
    size_t cut = rng_below(&bench->rng, length);
    weft_type *made = NULL;
    if (weft_type_deserialize(bytes, cut, &made) == WEFT_OK) {
        weft_type_free(made);
        return trial_fail(bench, "the first %zu of %zu serialised bytes were accepted", cut,
                          length);
    }
    unsigned char *damaged = &bytes[rng_below(&bench->rng, length)];
    *damaged ^= (unsigned char)(1 << rng_below(&bench->rng, 8));
    if (weft_type_deserialize(bytes, length, &made) == WEFT_OK)
        weft_type_free(made);
    return true;
}

/* The length, or 0 after trial_fail. */
static size_t serialise(struct bench *bench, unsigned char *bytes, size_t room)
{
    ptrdiff_t length = weft_type_serialize(bench->side.type, bytes, room);
    if (length <= 0)
        trial_fail(bench, "weft_type_serialize: %s", weft_error_name((int)length));
    return length > 0 ? (size_t)length : 0;
}

bool check_serialise(struct bench *bench)
{
    size_t length = serialise(bench, NULL, 0);
    if (!length)
        return false;
    unsigned char *bytes = model_alloc(length, 1);
    weft_type *made = NULL;
    size_t again = serialise(bench, bytes, length);
    bool holds = again && equal(bench, "length serialised", (int64_t)again, (int64_t)length);
    if (holds) {
        int rc = weft_type_deserialize(bytes, length, &made);
        holds = same_type(bench, "deserialising", rc, made) && damaged_bytes(bench, bytes, length);
    }
    free(bytes);
    return holds;
}
