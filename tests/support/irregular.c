/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/irregular.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/model.h"
#include "support/rng.h"

static weft_type *ready(int rc, weft_type *type)
{
    if (!rc)
        rc = weft_type_commit(type);
    if (rc) {
        fprintf(stderr, "cannot make an irregular type: %s\n", weft_error_text(rc));
        abort();
    }
    return type;
}

static weft_type *make_indexed(size_t blocks, size_t longest, uint64_t seed,
                               const weft_type *old)
{
    struct rng rng = {seed};
    size_t *lengths = model_alloc(blocks, sizeof(*lengths));
    ptrdiff_t *places = model_alloc(blocks, sizeof(*places)), next = 0;
    for (size_t i = 0; i < blocks; i++) {
        lengths[i] = 1 + rng_below(&rng, longest);
        places[i] = next;
        next += (ptrdiff_t)lengths[i] + rng_between(&rng, 1, 9);
    }
    weft_type *type = NULL;
    int rc = weft_type_indexed(blocks, lengths, places, old, &type);
    free(lengths);
    free(places);
    return ready(rc, type);
}

weft_type *irregular_indexed(size_t blocks, const weft_type *old)
{
    return make_indexed(blocks, 20, 1, old);
}

weft_type *irregular_indexed_block(size_t blocks, const weft_type *old)
{
    return make_indexed(blocks, 1, 2, old);
}

weft_type *irregular_struct(size_t blocks)
{
    weft_type *members[4], *type = NULL;
    size_t lengths[4] = {1, 1, 1, 1};
    ptrdiff_t places[4], next = 0;
    for (size_t i = 0; i < 4; i++) {
        members[i] = make_indexed(blocks / 4, 20 + i, 10 + i, weft_basic(WEFT_INT));
        places[i] = next;
        next += weft_type_extent(members[i]);
    }
    int rc = weft_type_struct(4, lengths, places, (const weft_type *const *)members, &type);
    for (size_t i = 0; i < 4; i++)
        weft_type_free(members[i]);
    return ready(rc, type);
}

weft_type *irregular_nested(size_t blocks)
{
    size_t each = 1;
    while (each * each < blocks)
        each *= 2;
    weft_type *inner = make_indexed(each, 20, 20, weft_basic(WEFT_INT));
    weft_type *outer = make_indexed(blocks / each, 1, 21, inner);
    weft_type_free(inner);
    return outer;
}
