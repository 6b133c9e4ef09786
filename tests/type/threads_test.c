/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads share types: four unpack disjoint byte ranges of one message in any order, and four
 * build, commit, use and free equal types. To be run under a thread sanitizer as well.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "support/irregular.h"
#include "support/model.h"
#include "support/notation.h"
#include "support/rng.h"
#include "support/tap.h"

#define THREADS 4
#define RANGES 200
#define COUNT 3

/* ---- Unpacking one message ---------------------------------------------------------------- */

struct message {
    const weft_type *type;
    size_t total;
    unsigned char *packed;
    char *base;
    size_t cuts[RANGES + 1];
    size_t order[RANGES];
    atomic_size_t next;
    atomic_int failures;
};

static int by_value(const void *left, const void *right)
{
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    return (a > b) - (a < b);
}

static void cut_and_shuffle(struct message *message, struct rng *rng)
{
    for (size_t i = 1; i < RANGES; i++)
        message->cuts[i] = rng_below(rng, message->total + 1);
    message->cuts[0] = 0;
    message->cuts[RANGES] = message->total;
    qsort(message->cuts, RANGES + 1, sizeof(size_t), by_value);
    for (size_t i = 0; i < RANGES; i++) {
        size_t j = rng_below(rng, i + 1);
        message->order[i] = message->order[j];
        message->order[j] = i;
    }
}

static void *unpack_ranges(void *argument)
{
    struct message *message = argument;
    for (size_t i; (i = atomic_fetch_add(&message->next, 1)) < RANGES;) {
        size_t range = message->order[i], offset = message->cuts[range];
        message->failures +=
            weft_unpack(message->type, COUNT, message->base, offset, message->packed + offset,
                        message->cuts[range + 1] - offset) != WEFT_OK;
    }
    return NULL;
}

static void run_threads(void *(*body)(void *), void *argument)
{
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, body, argument))
            abort();
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* What one thread unpacks at once is what many must leave behind. */
static void check_message(const char *what, weft_type *type)
{
    struct rng rng = {7};
    struct weft_type_info info = type_info(type);
    struct message message = {.type = type, .total = COUNT * info.size};
    ptrdiff_t last = (COUNT - 1) * info.extent;
    ptrdiff_t low = info.true_lb + (last < 0 ? last : 0);
    size_t room = (size_t)(info.true_extent + (last < 0 ? -last : last));
    char *expected = model_alloc(room, 1), *memory = model_alloc(room, 1);
    message.packed = model_alloc(message.total, 1);
    for (size_t k = 0; k < message.total; k++)
        message.packed[k] = (unsigned char)rng_next(&rng);
    if (weft_unpack(type, COUNT, expected - low, 0, message.packed, message.total))
        abort();
    message.base = memory - low;
    cut_and_shuffle(&message, &rng);
    run_threads(unpack_ranges, &message);
    tap_note("%s: %zu bytes in %d ranges", what, message.total, RANGES);
    check_int(message.failures, 0);
    check(memcmp(memory, expected, room) == 0);
    free(expected);
    free(memory);
    free(message.packed);
    weft_type_free(type);
}

/* ---- Building equal types ----------------------------------------------------------------- */

#define ROUNDS 300

static const char *const texts[] = {
    "vector(64, 3, 100, double)",
    "hindexed([1, 2, 3, 1], [0, 9, 30, 70], int)",
    "struct(1 vector(40, 1, 3, int) @ 0, 1 indexed_block(2, [0, 9, 11], short) @ 1000)",
    "subarray([10, 10], [3, 4], [5, 6], F, float)",
};

/* In step, so that all threads build, and free for the last time, the same type at once. */
static pthread_barrier_t step;
static atomic_int different;

static void *build_and_free(void *argument)
{
    const uint64_t *hashes = argument;
    char memory[64 * 800] = {0}, packed[64];
    for (int round = 0; round < ROUNDS; round++) {
        size_t i = (size_t)round % (sizeof(texts) / sizeof(texts[0]));
        pthread_barrier_wait(&step);
        weft_type *type = type_from(texts[i]);
        different += type_info(type).hash != hashes[i];
        different += weft_pack(type, 1, memory, 3, packed, 20) != WEFT_OK;
        weft_type_free(type);
    }
    return NULL;
}

static void check_building(void)
{
    uint64_t hashes[sizeof(texts) / sizeof(texts[0])];
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        hashes[i] = info_from(texts[i]).hash;
    pthread_barrier_init(&step, NULL, THREADS);
    run_threads(build_and_free, hashes);
    pthread_barrier_destroy(&step);
    check_int(different, 0);
}

/* One type, not committed yet, that all threads commit at once. */
static void *commit(void *argument)
{
    return weft_type_commit(argument) ? argument : NULL;
}

static void check_committing(void)
{
    weft_type *type;
    if (weft_type_parse("hvector(100, 1, 50, hindexed([1, 2], [0, 9], int))", &type, NULL))
        abort();
    run_threads(commit, type);
    check(type_info(type).committed);
    check(!type_info(type).may_overlap);
    weft_type_free(type);
}

int main(void)
{
    check_message("contiguous", type_from("contiguous(3000, int)"));
    check_message("loop", type_from("vector(1000, 3, 7, byte)"));
    check_message("loop backwards", type_from("vector(1000, 1, -2, double)"));
    check_message("nested loops", type_from("hvector(30, 1, 5001, vector(70, 1, 9, dcomplex))"));
    check_message("transposed", type_from("resized(0, 16384, contiguous(64, resized(0, 4, "
                                          "vector(64, 1, 64, float))))"));
    check_message("varied list", irregular_indexed(2000, weft_basic(WEFT_BYTE)));
    check_message("list", irregular_indexed_block(2000, weft_basic(WEFT_INT)));
    check_message("seq", irregular_struct(2000));
    check_message("list of lists", irregular_nested(2048));
    check_building();
    check_committing();
    return tap_done();
}
