/* SPDX-License-Identifier: BSD-3-Clause */
/* A committed type takes at most 16 bytes for each irregular block, and none for a regular one. */
#include <stdlib.h>

#include "support/irregular.h"
#include "support/model.h"
#include "support/notation.h"
#include "support/rng.h"
#include "support/tap.h"

/* For the nodes themselves. */
#define CONSTANT 2048

static void check_memory(const char *what, weft_type *type, size_t irregular_blocks)
{
    size_t memory = type_info(type).memory;
    tap_note("%s: %zu bytes for %zu irregular blocks", what, memory, irregular_blocks);
    check(memory <= 16 * irregular_blocks + CONSTANT);
    weft_type_free(type);
}

/* Displacements and packed offsets both need more than 32 bits. */
static weft_type *wide(size_t blocks)
{
    struct rng rng = {3};
    size_t *lengths = model_alloc(blocks, sizeof(*lengths));
    ptrdiff_t *places = model_alloc(blocks, sizeof(*places)), next = 0;
    weft_type *type = NULL;
    for (size_t i = 0; i < blocks; i++) {
        lengths[i] = ((size_t)1 << 24) + rng_below(&rng, 1000);
        places[i] = next;
        next += ((ptrdiff_t)1 << 33) + rng_between(&rng, 0, 1000);
    }
    if (weft_type_hindexed(blocks, lengths, places, weft_basic(WEFT_BYTE), &type))
        abort();
    free(lengths);
    free(places);
    return type;
}

int main(void)
{
    const weft_type *old = weft_basic(WEFT_INT), *byte = weft_basic(WEFT_BYTE);
    check_memory("vector", type_from("vector(1000000, 3, 7, int)"), 0);
    check_memory("nested vectors", type_from("hvector(1000, 1, 9001, vector(1000, 1, 2, int))"),
                 0);
    check_memory("subarray", type_from("subarray([500, 500, 500], [400, 300, 7], [1, 2, 3], C, "
                                       "double)"), 0);
    check_memory("cyclic darray", type_from("darray(6, 3, [9000, 9000], [cyclic(3), cyclic], "
                                            "[2, 3], C, float)"), 0);
    check_memory("arithmetic list", type_from("indexed_block(1, [0..1000000:5], int)"), 0);
    check_memory("indexed", irregular_indexed(100000, old), 100000);
    check_memory("indexed bytes", irregular_indexed(100000, byte), 100000);
    check_memory("indexed_block", irregular_indexed_block(100000, old), 100000);
    check_memory("struct of indexed", irregular_struct(100000), 100000);
    check_memory("list of lists", irregular_nested(65536), 512);
    check_memory("wide", wide(10000), 10000);
    return tap_done();
}
