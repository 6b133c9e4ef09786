/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects that stay where they are, and ids that are never taken for those of their successors. */
#include "base/pool.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/large.h"
#include "support/allocations.h"
#include "support/rng.h"
#include "support/tap.h"

struct object {
    struct weft_pool_slot slot;
    uint64_t value;
    char text[3]; /* an odd size, to be rounded up */
};

static bool is_zero(const struct object *object)
{
    static const char zeros[sizeof object->text];
    return object->value == 0 && memcmp(object->text, zeros, sizeof zeros) == 0;
}

static void objects_are_zero_and_found_by_their_ids(void)
{
    struct weft_pool pool;
    weft_pool_init(&pool, sizeof(struct object), 10, 0);
    check(weft_pool_find(&pool, 0) == NULL);
    check(weft_pool_find(&pool, UINT32_MAX) == NULL);
    struct object *first = weft_pool_take(&pool), *second = weft_pool_take(&pool);
    check(first && second && first != second);
    check(is_zero(first) && is_zero(second));
    check(first->slot.id != 0 && first->slot.id != second->slot.id);
    check(first->slot.id >> WEFT_POOL_ID_BITS == 0);
    check((uintptr_t)first % 16 == 0 && (uintptr_t)second % 16 == 0);
    check(weft_pool_find(&pool, first->slot.id) == first);
    check(weft_pool_find(&pool, second->slot.id) == second);
    check_uint(pool.used, 2);

    uint32_t id = first->slot.id;
    memset((char *)first + sizeof first->slot, 0xff, sizeof *first - sizeof first->slot);
    weft_pool_give(&pool, first);
    check(weft_pool_find(&pool, id) == NULL);
    check_uint(pool.used, 1);
    struct object *again = weft_pool_take(&pool);
    check(again && is_zero(again));
    check(again->slot.id != id);
    check(weft_pool_find(&pool, id) == NULL);
    check(weft_pool_find(&pool, again->slot.id) == again);
    weft_pool_fini(&pool);
}

/* Ids of free objects and of places that were never made. */
static void only_taken_objects_are_found(void)
{
    struct weft_pool pool;
    weft_pool_init(&pool, sizeof(struct object), 10, 0);
    struct object *object = weft_pool_take(&pool);
    unsigned found = 0;
    for (uint32_t generation = 0; generation < 1u << WEFT_POOL_GENERATION_BITS; generation++)
        for (uint32_t index = 0; index < 2 * WEFT_POOL_CHUNK; index++)
            found += weft_pool_find(&pool, index | generation << WEFT_POOL_INDEX_BITS) != NULL;
    check_uint(found, 1);
    check(weft_pool_find(&pool, object->slot.id | 1u << WEFT_POOL_ID_BITS) == NULL);
    weft_pool_fini(&pool);
}

static void generations_come_round_but_not_soon(void)
{
    struct weft_pool pool;
    weft_pool_init(&pool, sizeof(struct object), 1, 0);
    struct object *object = weft_pool_take(&pool);
    uint32_t id = object->slot.id, uses = 0;
    bool zero = false;
    do {
        weft_pool_give(&pool, object);
        object = weft_pool_take(&pool);
        zero |= object->slot.id == 0;
        uses++;
    } while (object->slot.id != id && uses < 1u << (WEFT_POOL_GENERATION_BITS + 1));
    check_uint(uses, (1u << WEFT_POOL_GENERATION_BITS) - 1);
    check(!zero);
    weft_pool_fini(&pool);
}

static void the_limit_is_exact(uint32_t limit)
{
    struct weft_pool pool;
    weft_pool_init(&pool, sizeof(struct weft_pool_slot), limit, 0);
    uint32_t promised = limit < WEFT_POOL_MOST ? limit : WEFT_POOL_MOST, taken = 0;
    struct weft_pool_slot *slot, *last = NULL;
    while ((slot = weft_pool_take(&pool))) {
        last = slot;
        taken++;
    }
    check_uint(taken, promised);
    if (last) {
        weft_pool_give(&pool, last);
        check(weft_pool_take(&pool) != NULL);
        check(weft_pool_take(&pool) == NULL);
    }
    weft_pool_fini(&pool);
}

static void without_memory_it_says_so_and_goes_on(void)
{
    struct weft_pool pool;
    weft_pool_init(&pool, sizeof(struct object), 1000, 0);
    for (size_t working = 0; working < 2; working++) {
        allocations_fail_after(working);
        void *object = weft_pool_take(&pool);
        allocations_work_again();
        check(object == NULL);
        check_uint(pool.used, 0);
    }
    /* The second chunk: what was taken from the first stays. */
    struct object *first = weft_pool_take(&pool);
    for (uint32_t i = 1; i < WEFT_POOL_CHUNK; i++)
        weft_pool_take(&pool);
    allocations_fail_after(0);
    void *object = weft_pool_take(&pool);
    allocations_work_again();
    check(object == NULL);
    check(weft_pool_find(&pool, first->slot.id) == first);
    check(weft_pool_take(&pool) != NULL);
    check_uint(pool.used, WEFT_POOL_CHUNK + 1);
    weft_pool_fini(&pool);
}

/* Those beyond the first page of such a size, and all are as before. */
static void many_objects_lie_in_large_pages(void)
{
    enum { SIZE = 4096, EACH = WEFT_LARGE_PAGE / SIZE, PAGES = 3 };
    struct weft_pool pool;
    unsigned wrong = 0, pages = 0;
    weft_pool_init(&pool, SIZE, PAGES * EACH, 0);
    for (unsigned i = 0; i < PAGES * EACH; i++) {
        struct weft_pool_slot *slot = weft_pool_take(&pool);
        wrong += !slot || weft_pool_find(&pool, slot->id) != slot;
        pages += i >= EACH && (uintptr_t)slot % WEFT_LARGE_PAGE == 0;
    }
    check_uint(wrong, 0);
    check_uint(pages, PAGES - 1);
    weft_pool_fini(&pool);
}

static void a_large_page_that_is_refused_is_asked_for_again(void)
{
    enum { SIZE = 4096, EACH = WEFT_LARGE_PAGE / SIZE };
    struct weft_pool pool;
    weft_pool_init(&pool, SIZE, 2 * EACH, 0);
    for (unsigned i = 0; i < EACH; i++)
        weft_pool_take(&pool);
    allocations_fail_after(1); /* the table of chunks grows before */
    void *object = weft_pool_take(&pool);
    allocations_work_again();
    check(object == NULL);
    check(weft_pool_take(&pool) != NULL);
    check_uint(pool.used, EACH + 1);
    weft_pool_fini(&pool);
}

/* Takes and gives at random; every id, of the living and of the dead, means what it should. */
static void random_use(void)
{
    enum { MOST = 300, STEPS = 20000, DEAD = 100 };
    struct weft_pool pool;
    struct rng rng = rng_stream(1, 0);
    struct object *living[MOST];
    uint32_t ids[MOST], dead[DEAD] = {0};
    unsigned count = 0, deaths = 0, wrong = 0;
    weft_pool_init(&pool, sizeof(struct object), MOST, 0);
    for (unsigned step = 0; step < STEPS; step++) {
        if (count < MOST && (count == 0 || rng_one_in(&rng, 2) || step < MOST)) {
            struct object *object = weft_pool_take(&pool);
            if (!object)
                break;
            wrong += !is_zero(object);
            object->value = object->slot.id;
            ids[count] = object->slot.id;
            living[count++] = object;
        } else {
            size_t which = rng_below(&rng, count);
            wrong += weft_pool_find(&pool, ids[which]) != living[which];
            wrong += living[which]->value != ids[which];
            dead[deaths++ % DEAD] = ids[which];
            weft_pool_give(&pool, living[which]);
            count--;
            living[which] = living[count];
            ids[which] = ids[count];
        }
        wrong += weft_pool_find(&pool, dead[step % DEAD]) != NULL;
        wrong += pool.used != count;
    }
    check_uint(wrong, 0);
    check(deaths > STEPS / 4);
    weft_pool_fini(&pool);
}

int main(void)
{
    objects_are_zero_and_found_by_their_ids();
    only_taken_objects_are_found();
    generations_come_round_but_not_soon();
    the_limit_is_exact(0);
    the_limit_is_exact(1);
    the_limit_is_exact(WEFT_POOL_CHUNK);
    the_limit_is_exact(WEFT_POOL_CHUNK + 1);
    the_limit_is_exact(WEFT_POOL_MOST);
    the_limit_is_exact(UINT32_MAX);
    without_memory_it_says_so_and_goes_on();
    many_objects_lie_in_large_pages();
    a_large_page_that_is_refused_is_asked_for_again();
    random_use();
    return tap_done();
}
