/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of many nodes: all are found, those of one hash in their order, and few are passed on
 * the way. */
#include "base/index.h"

#include <stdlib.h>

#include "support/allocations.h"
#include "support/rng.h"
#include "support/tap.h"

enum { MANY = 1 << 17, HASHES = MANY / 2 };

/* Nodes i and i + HASHES have the same hash. */
static uint64_t hash_of(uint64_t i)
{
    struct rng rng = rng_stream(7, i % HASHES);
    return rng_next(&rng);
}

static uint64_t count_passed(const struct weft_index *index, const struct weft_index_node *node)
{
    uint64_t passed = 0;
    const struct weft_list *link = weft_index_bucket(index, node->hash)->next;
    for (; link != &node->link; link = link->next)
        passed++;
    return passed;
}

static void many_nodes_are_found_and_few_are_passed(void)
{
    struct weft_index index;
    struct weft_index_node *nodes = malloc(MANY * sizeof *nodes);
    uint64_t wrong = 0, passed = 0;
    check(nodes && weft_index_init(&index));
    for (uint64_t i = 0; i < MANY; i++)
        weft_index_add(&index, &nodes[i], hash_of(i));
    for (uint64_t i = 0; i < HASHES; i++) {
        struct weft_index_node *first = weft_index_first(&index, hash_of(i));
        wrong += first != &nodes[i] || weft_index_next(&index, first) != &nodes[i + HASHES];
        passed += count_passed(&index, &nodes[i]);
    }
    check_uint(wrong, 0);
    tap_note("%.2f others are passed", (double)passed / HASHES);
    check(passed * 5 < HASHES);
    for (uint64_t i = 0; i < HASHES; i++)
        weft_index_remove(&index, &nodes[i]);
    for (uint64_t i = 0; i < HASHES; i++)
        wrong += weft_index_first(&index, hash_of(i)) != &nodes[i + HASHES];
    check_uint(wrong, 0);
    check_uint(index.count, HASHES);
    weft_index_fini(&index);
    free(nodes);
}

/* A table that cannot grow has longer buckets. */
static void without_memory_it_goes_on(void)
{
    enum { SOME = 1000 };
    static struct weft_index_node nodes[SOME];
    struct weft_index index;
    uint64_t wrong = 0;
    check(weft_index_init(&index));
    allocations_fail_after(1);
    for (uint64_t i = 0; i < SOME; i++)
        weft_index_add(&index, &nodes[i], hash_of(i));
    allocations_work_again();
    for (uint64_t i = 0; i < SOME; i++)
        wrong += weft_index_first(&index, hash_of(i)) != &nodes[i];
    check_uint(wrong, 0);
    weft_index_fini(&index);
}

int main(void)
{
    many_nodes_are_found_and_few_are_passed();
    without_memory_it_goes_on();
    return tap_done();
}
