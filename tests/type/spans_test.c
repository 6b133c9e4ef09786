/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether random spans overlap, against comparing each with each. */
#include "support/rng.h"
#include "support/tap.h"
#include "type/spans.h"

#define MOST_SPANS 48
#define TRIALS 20000

/* How far the spans lie from each other, by and large: marked in a map or sorted. Those in cells
 * begin at multiples of a power of two and are not longer. */
enum density { CROWDED, LOOSE, SCATTERED, IN_CELLS, IN_FAR_CELLS, DENSITIES };

struct scene {
    struct weft_type_span span[MOST_SPANS];
    uint64_t count;
};

static struct weft_type_span span_of_scene(const struct weft_type_spans *spans, uint64_t i)
{
    return ((const struct scene *)spans->of)->span[i];
}

static bool share_a_byte(struct weft_type_span a, struct weft_type_span b)
{
    return a.at < b.at + (int64_t)b.bytes && b.at < a.at + (int64_t)a.bytes;
}

static bool any_share(const struct scene *scene)
{
    for (uint64_t i = 0; i < scene->count; i++)
        for (uint64_t j = 0; j < i; j++)
            if (share_a_byte(scene->span[i], scene->span[j]))
                return true;
    return false;
}

/* Disjoint spans one behind the other, with gaps of up to `gap` units. */
static void lay_out(struct scene *scene, struct rng *rng, uint64_t unit, uint64_t gap)
{
    int64_t at = -(int64_t)(unit * rng_below(rng, gap + 1) * MOST_SPANS / 2);
    scene->count = 1 + rng_below(rng, MOST_SPANS);
    for (uint64_t i = 0; i < scene->count; i++) {
        at += (int64_t)(unit * rng_below(rng, gap + 1));
        scene->span[i] = (struct weft_type_span){at, unit * (1 + rng_below(rng, 9))};
        at += (int64_t)scene->span[i].bytes;
    }
}

/* Each at the beginning of a cell, seldom two in one. */
static void lay_out_in_cells(struct scene *scene, struct rng *rng, uint64_t gap)
{
    uint64_t cell = UINT64_C(1) << rng_below(rng, 14);
    int64_t at = -(int64_t)(cell * rng_below(rng, gap + 1) * MOST_SPANS / 2);
    scene->count = 1 + rng_below(rng, MOST_SPANS);
    for (uint64_t i = 0; i < scene->count; i++) {
        if (!rng_one_in(rng, 100))
            at += (int64_t)(cell * (1 + rng_below(rng, gap + 1)));
        scene->span[i] = (struct weft_type_span){at, 1 + rng_below(rng, cell)};
    }
}

static void shuffle(struct scene *scene, struct rng *rng)
{
    for (uint64_t i = scene->count - 1; i > 0; i--) {
        uint64_t j = rng_below(rng, i + 1);
        struct weft_type_span span = scene->span[i];
        scene->span[i] = scene->span[j];
        scene->span[j] = span;
    }
}

/* One span ends where another one begins, or a byte or a unit too late. */
static void bring_together(struct scene *scene, struct rng *rng, uint64_t unit)
{
    uint64_t which = rng_below(rng, scene->count), whom = rng_below(rng, scene->count);
    uint64_t by[] = {0, 1, unit};
    int64_t end = scene->span[whom].at + (int64_t)by[rng_below(rng, 3)];
    scene->span[which].at = end - (int64_t)scene->span[which].bytes;
}

/* Returns what the oracle says, or -1 if the answer was another one. */
static int try_one(struct rng *rng, enum density density)
{
    static const uint64_t gaps[DENSITIES] = {2, 200, UINT64_C(1) << 40, 20, UINT64_C(1) << 30};
    static const uint64_t units[] = {1, 4, 8, 12, 24, 1000};
    uint64_t unit = units[rng_below(rng, sizeof(units) / sizeof(*units))];
    struct scene scene;
    bool in_cells = density >= IN_CELLS;
    if (in_cells)
        lay_out_in_cells(&scene, rng, gaps[density]);
    else
        lay_out(&scene, rng, unit, gaps[density]);
    if (!rng_one_in(rng, 4))
        shuffle(&scene, rng);
    if (rng_one_in(rng, in_cells ? 8 : 2))
        bring_together(&scene, rng, unit);
    bool expected = any_share(&scene);
    struct weft_type_spans spans = {.nth = span_of_scene, .of = &scene, .count = scene.count};
    return weft_type_spans_overlap(&spans) == expected ? expected : -1;
}

/* As long as the first, and where 32 bits say, relative to some place. */
static int try_even(struct rng *rng, enum density density)
{
    struct scene scene;
    int32_t where[MOST_SPANS];
    uint64_t bytes = 1 + rng_below(rng, 20);
    lay_out(&scene, rng, bytes, density == CROWDED ? 1 : 10000000 / bytes);
    if (rng_one_in(rng, 2))
        shuffle(&scene, rng);
    if (rng_one_in(rng, 2))
        bring_together(&scene, rng, bytes);
    for (uint64_t i = 0; i < scene.count; i++) {
        where[i] = (int32_t)scene.span[i].at;
        scene.span[i] = (struct weft_type_span){where[i] - INT64_C(7), bytes};
    }
    const struct weft_type_spans spans = {
        .count = scene.count, .where = where, .first = {-7, bytes}};
    bool expected = any_share(&scene);
    return weft_type_spans_overlap(&spans) == expected ? expected : -1;
}

static void check_even(enum density density)
{
    uint64_t wrong = 0, overlaps = 0;
    for (uint64_t i = 0; i < TRIALS; i++) {
        struct rng rng = rng_stream(DENSITIES + density, i);
        int answer = try_even(&rng, density);
        wrong += answer < 0;
        overlaps += answer == 1;
    }
    check_uint(wrong, 0);
    check(overlaps > 0 && overlaps < TRIALS);
}

static bool even_overlap(const int32_t *where, uint64_t bytes)
{
    const struct weft_type_spans spans = {.count = 3, .where = where, .first = {0, bytes}};
    return weft_type_spans_overlap(&spans);
}

static void check_extremes_of_even(void)
{
    const int32_t far[] = {INT32_MAX, INT32_MIN, 0}, same[] = {INT32_MAX, INT32_MIN, INT32_MAX};
    check(!even_overlap(far, 1));
    check(!even_overlap(far, INT32_MAX));
    check(even_overlap(far, UINT64_C(1) << 31));
    check(even_overlap(far, UINT64_C(1) << 40));
    check(even_overlap(same, 1));
}

static void check_density(const char *name, enum density density)
{
    uint64_t wrong = 0, overlaps = 0;
    for (uint64_t i = 0; i < TRIALS; i++) {
        struct rng rng = rng_stream(density, i);
        int answer = try_one(&rng, density);
        if (answer < 0 && !wrong++)
            tap_note("%s: the first wrong answer is that to trial %llu", name,
                     (unsigned long long)i);
        overlaps += answer == 1;
    }
    tap_note("%s: %d trials, %llu overlap", name, TRIALS, (unsigned long long)overlaps);
    check_uint(wrong, 0);
    check(overlaps > 0 && overlaps < TRIALS);
}

static void check_extremes(void)
{
    const int64_t most = INT64_MAX / 2;
    struct scene far = {{{most, 8}, {-most, 8}, {0, 1}}, 3};
    check(!weft_type_spans_overlap(
        &(struct weft_type_spans){.nth = span_of_scene, .of = &far, .count = 3}));
    struct scene same = {{{most, 8}, {-most, 8}, {most, 8}}, 3};
    check(weft_type_spans_overlap(
        &(struct weft_type_spans){.nth = span_of_scene, .of = &same, .count = 3}));
    struct scene around = {{{5, 1}, {-most, (uint64_t)most + 6}}, 2};
    check(weft_type_spans_overlap(
        &(struct weft_type_spans){.nth = span_of_scene, .of = &around, .count = 2}));
    check(!weft_type_spans_overlap(
        &(struct weft_type_spans){.nth = span_of_scene, .of = &around, .count = 1}));
}

int main(void)
{
    check_density("crowded", CROWDED);
    check_density("loose", LOOSE);
    check_density("scattered", SCATTERED);
    check_density("in cells", IN_CELLS);
    check_density("in far cells", IN_FAR_CELLS);
    check_extremes();
    check_even(CROWDED);
    check_even(LOOSE);
    check_extremes_of_even();
    return tap_done();
}
