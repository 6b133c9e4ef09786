/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding a packed byte takes steps that are logarithmic in the number of blocks. */
#include "support/irregular.h"
#include "support/rng.h"
#include "support/notation.h"
#include "support/tap.h"

static unsigned most_steps(const weft_type *type)
{
    struct rng rng = {1};
    struct weft_place place;
    unsigned most = 0;
    for (int i = 0; i < 2000; i++) {
        size_t offset = rng_below(&rng, 3 * weft_type_size(type));
        if (weft_locate(type, 3, offset, &place))
            return ~0u;
        most = place.steps > most ? place.steps : most;
    }
    return most;
}

static unsigned log2_of(size_t n)
{
    unsigned bits = 0;
    while (n >>= 1)
        bits++;
    return bits;
}

static void check_steps(const char *what, size_t blocks, weft_type *type)
{
    unsigned steps = most_steps(type), levels = type_info(type).depth;
    tap_note("%s of %zu blocks: %u steps, %u levels", what, blocks, steps, levels);
    check(steps >= levels && steps <= log2_of(blocks) + 2 * levels + 2);
    weft_type_free(type);
}

int main(void)
{
    for (size_t blocks = 1000; blocks <= 1000000; blocks *= 10) {
        check_steps("indexed", blocks, irregular_indexed(blocks, weft_basic(WEFT_INT)));
        check_steps("indexed_block", blocks,
                    irregular_indexed_block(blocks, weft_basic(WEFT_INT)));
        check_steps("struct of indexed", blocks, irregular_struct(blocks));
        check_steps("list of lists", blocks, irregular_nested(blocks));
    }
    return tap_done();
}
