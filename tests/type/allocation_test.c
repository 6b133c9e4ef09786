/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls that move data or say where it lies allocate nothing. */
#include <stdlib.h>

#include "support/allocations.h"
#include "support/irregular.h"
#include "support/model.h"
#include "support/notation.h"
#include "support/tap.h"

#define COUNT 2

struct buffers {
    char *memory, *other, *packed;
};

static size_t allocated_while_moving(const weft_type *type, const struct buffers *with)
{
    size_t total = COUNT * weft_type_size(type), before = allocations_made(), used, bytes;
    struct iovec iov[16];
    struct weft_place place;
    for (size_t offset = 0; offset < total; offset += total / 5 + 1) {
        size_t length = total - offset;
        if (weft_pack(type, COUNT, with->memory, offset, with->packed, length) ||
            weft_unpack(type, COUNT, with->memory, offset, with->packed, length) ||
            weft_copy(type, COUNT, with->other, type, COUNT, with->memory, offset, length) ||
            weft_copy(weft_basic(WEFT_BYTE), total, with->other, type, COUNT, with->memory,
                      offset, length) ||
            weft_iov(type, COUNT, with->memory, offset, length, iov, 16, &used, &bytes) ||
            weft_locate(type, COUNT, offset, &place))
            abort();
    }
    return allocations_made() - before;
}

static void check_none(const char *what, weft_type *type)
{
    struct weft_type_info info = type_info(type);
    size_t room = (size_t)(info.true_lb + info.true_extent + (COUNT - 1) * info.extent);
    struct buffers with = {model_alloc(room, 1), model_alloc(room, 1),
                           model_alloc(COUNT * info.size, 1)};
    tap_note("%s", what);
    check_uint(allocated_while_moving(type, &with), 0);
    free(with.memory);
    free(with.other);
    free(with.packed);
    weft_type_free(type);
}

int main(void)
{
    size_t before = allocations_made();
    check_none("vector", type_from("vector(100, 3, 7, int)"));
    check(allocations_made() > before); /* they are counted at all */
    check_none("deep", type_from("hvector(5, 1, 5001, hvector(5, 1, 1000, vector(5, 1, 7, "
                                 "struct(1 int @ 0, 1 byte @ 6, 2 short @ 9))))"));
    check_none("indexed", irregular_indexed(10000, weft_basic(WEFT_INT)));
    check_none("indexed_block", irregular_indexed_block(10000, weft_basic(WEFT_DOUBLE)));
    check_none("struct", irregular_struct(10000));
    check_none("nested", irregular_nested(4096));
    return tap_done();
}
