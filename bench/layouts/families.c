/* SPDX-License-Identifier: BSD-3-Clause */
/* The layouts of the microbenchmarks, built at any size. Those of programs are in programs.c. */
#include "bench/layouts/families.h"

#include <stdlib.h>

#include "bench/harness/random.h"

static size_t at_least_one(size_t n)
{
    return n ? n : 1;
}

static void describe_contiguous(struct layout *layout, const size_t *p, size_t target)
{
    (void)p;
    layout_add_strided(layout, 0, target, 1, 0, 1, 0);
    layout->extent = target;
}

static made_type make_contiguous(const struct layout *layout, const size_t *p,
                                 const struct maker *m)
{
    (void)p;
    return m->contiguous(layout->size / 8, m->basic(ELEMENT_DOUBLE));
}

const struct family family_contiguous = {true, describe_contiguous, make_contiguous};

static void describe_vector(struct layout *layout, const size_t *p, size_t target)
{
    size_t block = p[0], n = at_least_one(target / block);
    layout_add_strided(layout, 0, block, n, 2 * block, 1, 0);
    layout->extent = 2 * block * n;
}

static made_type make_vector(const struct layout *layout, const size_t *p, const struct maker *m)
{
    size_t length = elements_in(p[0]);
    return m->vector(layout->size / p[0], length, 2 * length, m->basic(element_of(p[0])));
}

const struct family family_vector = {true, describe_vector, make_vector};

/* Every second place is taken; in the sorted list at random one of each two. */
static void describe_index_list(struct layout *layout, const size_t *p, size_t target)
{
    size_t block = p[0], n = at_least_one(target / block);
    struct random random = {n};
    int32_t *index = layout_own(layout, bench_allocate(n * sizeof(*index)));
    for (size_t i = 0; i < n; i++)
        index[i] = (int32_t)(2 * i);
    if (p[1] == LIST_SHUFFLED)
        random_shuffle(&random, index, n);
    else
        for (size_t i = 0; i < n; i++)
            index[i] += (int32_t)random_below(&random, 2);
    layout_add_listed(layout, 0, block, n, index);
    layout->extent = 2 * block * n;
}

const struct family family_index_list = {true, describe_index_list, make_one_list};

static void describe_varied(struct layout *layout, const size_t *p, size_t target)
{
    size_t shortest = p[0], longest = p[1], most = target / shortest + 1;
    struct random random = {target};
    ptrdiff_t *where = layout_own(layout, bench_allocate(most * sizeof(*where)));
    size_t *start = layout_own(layout, bench_allocate((most + 1) * sizeof(*start)));
    size_t n = 0, at = 0;
    for (start[0] = 0; start[n] < target; n++) {
        size_t length = shortest + 8 * random_below(&random, (longest - shortest) / 8 + 1);
        if (length > target - start[n])
            length = target - start[n];
        where[n] = (ptrdiff_t)at;
        start[n + 1] = start[n] + length;
        at += length + shortest + 8 * random_below(&random, (longest - shortest) / 8 + 1);
    }
    layout_add_varied(layout, n, where, start);
    layout->extent = at;
}

static made_type make_varied(const struct layout *layout, const size_t *p, const struct maker *m)
{
    (void)p;
    const struct layout_part *part = &layout->part[0];
    size_t n = part->count[0];
    size_t *lengths = bench_allocate(n * sizeof(*lengths));
    ptrdiff_t *first = bench_allocate(n * sizeof(*first));
    for (size_t i = 0; i < n; i++) {
        lengths[i] = (part->start[i + 1] - part->start[i]) / 8;
        first[i] = part->where[i] / 8;
    }
    made_type type = m->indexed(n, lengths, first, m->basic(ELEMENT_DOUBLE));
    free(lengths);
    free(first);
    return type;
}

const struct family family_varied = {true, describe_varied, make_varied};

/* All columns of a square matrix of complex numbers, one after the other. */
static void describe_transpose(struct layout *layout, const size_t *p, size_t target)
{
    (void)p;
    size_t n = 1;
    while ((n + 1) * (n + 1) * 16 <= target)
        n++;
    layout_add_strided(layout, 0, 16, n, 16 * n, n, 16);
    layout->extent = 16 * n * n;
    layout->parameter = n;
}

static made_type make_transpose(const struct layout *layout, const size_t *p,
                                const struct maker *m)
{
    (void)p;
    size_t n = layout->parameter;
    made_type column = m->vector(n, 1, n, m->basic(ELEMENT_DOUBLE_COMPLEX));
    return m->contiguous(n, m->resized(column, 16));
}

const struct family family_transpose = {true, describe_transpose, make_transpose};

/* MILC's z-down face on a lattice that is as long in its last dimension as the size asks for. */
static void describe_milc_long(struct layout *layout, const size_t *p, size_t target)
{
    size_t block = 12 * p[0] * p[1], n = at_least_one(target / (2 * block));
    layout->parameter = n;
    family_milc.describe(layout, (const size_t[]){p[0], p[1], p[2], n}, target);
}

static made_type make_milc_long(const struct layout *layout, const size_t *p,
                                const struct maker *m)
{
    return family_milc.make(layout, (const size_t[]){p[0], p[1], p[2], layout->parameter}, m);
}

const struct family family_milc_long = {true, describe_milc_long, make_milc_long};

/* Three fields of floats with levels in the middle dimension and a halo around them. */
#define WRF_FIELDS 3

struct wrf_box {
    size_t sizes[3], subsizes[3], starts[3];
};

static struct wrf_box wrf_box(const size_t *p, size_t rows)
{
    size_t levels = rows < 17 ? rows : 17, lines = rows / levels;
    return (struct wrf_box){
        .sizes = {lines + 4, levels + 3, p[1]},
        .subsizes = {lines, levels, p[0]},
        .starts = {2, 1, 3},
    };
}

static size_t wrf_box_bytes(const struct wrf_box *box)
{
    return 4 * box->sizes[0] * box->sizes[1] * box->sizes[2];
}

static void describe_wrf_long(struct layout *layout, const size_t *p, size_t target)
{
    size_t block = 4 * p[0], rows = at_least_one(target / (WRF_FIELDS * block));
    struct wrf_box box = wrf_box(p, rows);
    size_t line = 4 * box.sizes[2], plane = line * box.sizes[1];
    size_t corner = plane * box.starts[0] + line * box.starts[1] + 4 * box.starts[2];
    for (size_t i = 0; i < WRF_FIELDS; i++)
        layout_add_strided(layout, i * wrf_box_bytes(&box) + corner, block, box.subsizes[1], line,
                           box.subsizes[0], plane);
    layout->extent = WRF_FIELDS * wrf_box_bytes(&box);
    layout->parameter = rows;
}

static made_type make_wrf_long(const struct layout *layout, const size_t *p, const struct maker *m)
{
    struct wrf_box box = wrf_box(p, layout->parameter);
    made_type fields[WRF_FIELDS];
    ptrdiff_t at[WRF_FIELDS];
    for (size_t i = 0; i < WRF_FIELDS; i++) {
        fields[i] = m->subarray(3, box.sizes, box.subsizes, box.starts, m->basic(ELEMENT_FLOAT));
        at[i] = (ptrdiff_t)(i * wrf_box_bytes(&box));
    }
    return m->structure(WRF_FIELDS, at, fields);
}

const struct family family_wrf_long = {true, describe_wrf_long, make_wrf_long};
