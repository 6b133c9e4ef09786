/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz/use.h"

#include <stdlib.h>
#include <string.h>

#include "support/model.h"
#include "support/notation.h"

#define MOST_MEMORY ((ptrdiff_t)1 << 16)
#define MOST_PACKED ((size_t)1 << 16)
#define MOST_TEXT ((ptrdiff_t)1 << 16)

static void require(bool condition)
{
    if (!condition)
        abort();
}

/* Packing what was unpacked gives the same bytes. */
static void move_data(const weft_type *type, const struct weft_type_info *info)
{
    char *memory = model_alloc((size_t)info->true_extent, 1);
    unsigned char *packed = model_alloc(info->size, 1), *again = model_alloc(info->size, 1);
    char *base = (char *)((uintptr_t)memory - (uintptr_t)info->true_lb);
    size_t cut = info->size / 3;
    struct weft_place place;
    for (size_t k = 0; k < info->size; k++)
        packed[k] = (unsigned char)(k * 7 + 1);
    require(weft_unpack(type, 1, base, cut, packed + cut, info->size - cut) == WEFT_OK);
    require(weft_unpack(type, 1, base, 0, packed, cut) == WEFT_OK);
    require(weft_pack(type, 1, base, 0, again, info->size) == WEFT_OK);
    require(info->may_overlap || memcmp(packed, again, info->size) == 0);
    require(weft_locate(type, 1, info->size - 1, &place) == WEFT_OK);
    require(place.displacement >= info->true_lb &&
            place.displacement < info->true_lb + info->true_extent);
    free(memory);
    free(packed);
    free(again);
}

static void check_equal(const weft_type *type, int rc, weft_type *other)
{
    require(rc == WEFT_OK);
    require(type_info(other).hash == type_info(type).hash);
    weft_type_free(other);
}

static void write_and_read(const weft_type *type)
{
    weft_type *other = NULL;
    ptrdiff_t length = weft_type_serialize(type, NULL, 0);
    require(length > 0);
    void *bytes = model_alloc((size_t)length, 1);
    require(weft_type_serialize(type, bytes, (size_t)length) == length);
    int rc = weft_type_deserialize(bytes, (size_t)length, &other);
    check_equal(type, rc, other);
    free(bytes);
    length = weft_type_print(type, NULL, 0);
    if (length > MOST_TEXT || length < 0) /* shared nodes can print to a text without end */
        return;
    char *text = model_alloc((size_t)length + 1, 1);
    require(weft_type_print(type, text, (size_t)length + 1) == length);
    rc = weft_type_parse(text, &other, NULL);
    if (rc != WEFT_ERR_SYNTAX) /* the text may nest deeper than the parser allows */
        check_equal(type, rc, other);
    free(text);
}

void use_type(weft_type *type)
{
    struct weft_type_info info;
    require(weft_type_commit(type) == WEFT_OK);
    require(weft_type_query(type, &info, sizeof(info)) == WEFT_OK);
    require(info.true_extent >= 0 && info.depth <= WEFT_MAX_DEPTH);
    require(info.size == weft_type_size(type));
    write_and_read(type);
    if (info.size && info.size <= MOST_PACKED && info.true_extent <= MOST_MEMORY)
        move_data(type, &info);
}
