/* SPDX-License-Identifier: BSD-3-Clause */
/* Building an equal type again finds its normal form instead of making it. */
#include "support/irregular.h"
#include "support/notation.h"
#include "support/tap.h"
#include "type/intern.h"
#include "type/type.h"

static void equal_types_share_nodes(void)
{
    weft_type *one = type_from("vector(5, 1, 3, struct(1 int @ 0, 1 byte @ 7))");
    weft_type *other = type_from("vector(5, 1, 3, struct(1 int @ 0, 1 byte @ 7))");
    check(one != other);
    check(one->form.node == other->form.node);
    weft_type_free(one);
    /* What is left is not harmed. */
    check_uint(weft_type_size(other), 25);
    weft_type_free(other);
}

static void equal_types_are_equal(void)
{
    weft_type *one = type_from("vector(4, 1, 3, double)");
    weft_type *same = type_from("hindexed_block(2, [0, 24, 48, 72], float)");
    weft_type *longer = type_from("vector(5, 1, 3, double)");
    weft_type *padded = type_from("resized(0, 96, vector(4, 1, 3, double))");
    check(weft_type_equal(one, one));
    check(weft_type_equal(one, same));
    check(!weft_type_equal(one, longer));
    check(!weft_type_equal(one, padded));
    check(!weft_type_equal(one, NULL));
    check(weft_type_equal(NULL, NULL));
    weft_type_free(one);
    weft_type_free(same);
    weft_type_free(longer);
    weft_type_free(padded);
}

static void rebuilding_is_a_look_up(void)
{
    weft_type *type = irregular_indexed(5000, weft_basic(WEFT_SHORT));
    const struct weft_type_node *node = type->form.node;
    uint64_t hash = type_info(type).hash, hits = weft_type_node_intern_hits();
    weft_type_free(type);
    type = irregular_indexed(5000, weft_basic(WEFT_SHORT));
    check(weft_type_node_intern_hits() > hits);
    check(type->form.node == node);
    check_uint(type_info(type).hash, hash);
    weft_type_free(type);
}

static void places_do_not_matter(void)
{
    weft_type *one = type_from("hindexed([1, 2, 1], [0, 8, 100], int)");
    weft_type *other = type_from("hindexed([1, 2, 1], [40, 48, 140], int)");
    check(one->form.node == other->form.node);
    check(type_info(one).hash != type_info(other).hash);
    weft_type_free(one);
    weft_type_free(other);
}

/* More than the cache holds: the oldest go, and come back when they are asked for. */
static void cache_is_bounded(void)
{
    uint64_t first = 0;
    for (size_t blocks = 100000; blocks < 100100; blocks++) {
        weft_type *type = irregular_indexed(blocks, weft_basic(WEFT_DOUBLE));
        if (blocks == 100000)
            first = type_info(type).hash;
        weft_type_free(type);
    }
    weft_type *again = irregular_indexed(100000, weft_basic(WEFT_DOUBLE));
    check_uint(type_info(again).hash, first);
    weft_type_free(again);
}

int main(void)
{
    equal_types_share_nodes();
    equal_types_are_equal();
    rebuilding_is_a_look_up();
    places_do_not_matter();
    cache_is_bounded();
    return tap_done();
}
