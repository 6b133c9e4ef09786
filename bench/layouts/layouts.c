/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/layouts/layouts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness/random.h"
#include "bench/layouts/families.h"

/* More memory than this would measure the page tables. */
#define LAYOUT_MAX_WINDOW ((size_t)512 << 20)

struct layout_entry {
    const char *name;
    const struct family *family;
    size_t parameters[FAMILY_MAX_PARAMETERS];
};

#define IN_THREE_ORDERS(name, family, ...)                                                        \
    {name, family, {__VA_ARGS__, LIST_SHUFFLED}},                                                 \
        {name "_sorted", family, {__VA_ARGS__, LIST_SORTED}},                                     \
    {                                                                                             \
        name "_runs", family,                                                                     \
        {                                                                                         \
            __VA_ARGS__, LIST_RUNS                                                                \
        }                                                                                         \
    }

#define WRF_BOTH_WAYS(name, ...)                                                                  \
    {"wrf_" name "_vec", &family_wrf, {0, __VA_ARGS__}},                                          \
    {                                                                                             \
        "wrf_" name "_sa", &family_wrf,                                                           \
        {                                                                                         \
            1, __VA_ARGS__                                                                        \
        }                                                                                         \
    }

#define MG_ALL_AXES(name, ...)                                                                    \
    {"mg_x_" name, &family_mg, {0, __VA_ARGS__}}, {"mg_y_" name, &family_mg, {1, __VA_ARGS__}},   \
    {                                                                                             \
        "mg_z_" name, &family_mg,                                                                 \
        {                                                                                         \
            2, __VA_ARGS__                                                                        \
        }                                                                                         \
    }

#define LU_BOTH_AXES(name, D)                                                                     \
    {"lu_x_" name, &family_lu, {0, D}},                                                           \
    {                                                                                             \
        "lu_y_" name, &family_lu,                                                                 \
        {                                                                                         \
            1, D                                                                                  \
        }                                                                                         \
    }

#define FFT2_BOTH_SIDES(name, N)                                                                  \
    {"fft2_send_" name, &family_fft2_send, {N}},                                                  \
    {                                                                                             \
        "fft2_recv_" name, &family_fft2_receive,                                                  \
        {                                                                                         \
            N                                                                                     \
        }                                                                                         \
    }

#define LAMMPS(name, ...)                                                                         \
    IN_THREE_ORDERS("lammps_" name, &family_lammps, __VA_ARGS__),                                 \
    {                                                                                             \
        "lammps_" name "_recv", &family_lammps_receive,                                           \
        {                                                                                         \
            __VA_ARGS__                                                                           \
        }                                                                                         \
    }

#define FACES(name, n)                                                                            \
    {"face_x_" name, &family_face, {0, n}}, {"face_y_" name, &family_face, {1, n}},               \
    {                                                                                             \
        "face_z_" name, &family_face,                                                             \
        {                                                                                         \
            2, n                                                                                  \
        }                                                                                         \
    }

static const struct layout_entry entries[] = {
    {"contiguous", &family_contiguous, {0}},
    {"vec4", &family_vector, {4}},
    {"vec8", &family_vector, {8}},
    {"vec16", &family_vector, {16}},
    {"vec32", &family_vector, {32}},
    {"vec64", &family_vector, {64}},
    {"vec128", &family_vector, {128}},
    {"vec256", &family_vector, {256}},
    {"vec512", &family_vector, {512}},
    {"vec1024", &family_vector, {1024}},
    {"vec2048", &family_vector, {2048}},
    {"vec4096", &family_vector, {4096}},
    {"ib8s", &family_index_list, {8, LIST_SORTED}},
    {"ib8r", &family_index_list, {8, LIST_SHUFFLED}},
    {"ib24r", &family_index_list, {24, LIST_SHUFFLED}},
    {"ib64r", &family_index_list, {64, LIST_SHUFFLED}},
    {"hidx8-256", &family_varied, {8, 256}},
    {"milc768", &family_milc_long, {8, 8, 8}},
    {"wrf_x", &family_wrf_long, {5, 64}},
    {"wrf_y", &family_wrf_long, {64, 80}},
    {"fft2d", &family_transpose, {0}},
    FACES("128", 128),
    FACES("256", 256),

    WRF_BOTH_WAYS("y_32x65x52", 32, 65, 52, 23, 65, 3, 5, 7),
    WRF_BOTH_WAYS("y_27x65x41", 27, 65, 41, 19, 65, 3, 4, 7),
    WRF_BOTH_WAYS("y_24x65x34", 24, 65, 34, 16, 65, 3, 4, 7),
    WRF_BOTH_WAYS("y_22x65x30", 22, 65, 30, 14, 65, 3, 4, 7),
    WRF_BOTH_WAYS("y_19x65x24", 19, 65, 24, 11, 65, 3, 4, 7),
    WRF_BOTH_WAYS("x_32x65x52", 32, 65, 52, 3, 65, 44, 22, 4),
    WRF_BOTH_WAYS("x_24x65x34", 24, 65, 34, 3, 65, 26, 14, 4),
    WRF_BOTH_WAYS("x_19x65x24", 19, 65, 24, 3, 65, 16, 9, 4),

    {"milc_16x16x16x16", &family_milc, {16, 16, 16, 16}},
    {"milc_8x16x16x16", &family_milc, {8, 16, 16, 16}},
    {"milc_8x8x8x16", &family_milc, {8, 8, 8, 16}},
    {"milc_8x8x8x8", &family_milc, {8, 8, 8, 8}},
    {"milc_8x8x16x32", &family_milc, {8, 8, 16, 32}},
    {"milc_8x16x16x32", &family_milc, {8, 16, 16, 32}},
    {"milc_16x16x32x32", &family_milc, {16, 16, 32, 32}},
    {"milc_16x32x32x32", &family_milc, {16, 32, 32, 32}},

    LU_BOTH_AXES("12", 12),
    LU_BOTH_AXES("33", 33),
    LU_BOTH_AXES("64", 64),
    LU_BOTH_AXES("102", 102),
    LU_BOTH_AXES("162", 162),
    LU_BOTH_AXES("408", 408),
    LU_BOTH_AXES("1020", 1020),

    MG_ALL_AXES("34x18x18", 34, 18, 18),
    MG_ALL_AXES("130x66x66", 130, 66, 66),
    MG_ALL_AXES("258x130x130", 258, 130, 130),
    MG_ALL_AXES("514x258x258", 514, 258, 258),
    {"mg_y_512x66x66", &family_mg, {1, 512, 66, 66}},
    {"mg_y_1024x66x66", &family_mg, {1, 1024, 66, 66}},
    {"mg_y_2048x66x120", &family_mg, {1, 2048, 66, 120}},

    FFT2_BOTH_SIDES("256", 256),
    FFT2_BOTH_SIDES("512", 512),
    FFT2_BOTH_SIDES("768", 768),
    FFT2_BOTH_SIDES("1024", 1024),
    FFT2_BOTH_SIDES("1536", 1536),

    IN_THREE_ORDERS("specfem_oc_3225", &family_specfem_oc, 88881, 3225),
    IN_THREE_ORDERS("specfem_oc_1897", &family_specfem_oc, 38585, 1897),
    IN_THREE_ORDERS("specfem_oc_877", &family_specfem_oc, 12857, 877),
    IN_THREE_ORDERS("specfem_oc_493", &family_specfem_oc, 3697, 493),
    IN_THREE_ORDERS("specfem_cm_11797", &family_specfem_cm, 834917, 11797, 51153, 3009),
    IN_THREE_ORDERS("specfem_cm_7125", &family_specfem_cm, 396849, 7125, 22477, 1729),
    IN_THREE_ORDERS("specfem_cm_3801", &family_specfem_cm, 152001, 3801, 7209, 801),
    IN_THREE_ORDERS("specfem_cm_1957", &family_specfem_cm, 39929, 1957, 1225, 245),
    {"specfem_mt_7600", &family_specfem_mt, {12, 7600}},
    {"specfem_mt_6400", &family_specfem_mt, {12, 6400}},
    {"specfem_mt_5600", &family_specfem_mt, {12, 5600}},
    {"specfem_mt_6200", &family_specfem_mt, {12, 6200}},
    {"specfem_mt_4k_32", &family_specfem_mt, {4096, 32}},
    {"specfem_mt_4k_64", &family_specfem_mt, {4096, 64}},
    {"specfem_mt_4k_128", &family_specfem_mt, {4096, 128}},

    LAMMPS("full_3062", 5, 3534, 3062),
    LAMMPS("full_2243", 5, 2597, 2243),
    LAMMPS("full_1662", 5, 1907, 1662),
    LAMMPS("atomic_243", 3, 4084, 243),
    LAMMPS("atomic_145", 3, 2157, 145),
    LAMMPS("atomic_114", 3, 1217, 114),

    {"comb_face_x", &family_comb, {0, 1, 1, 0}},
    {"comb_face_y", &family_comb, {1, 0, 1, 0}},
    {"comb_face_z", &family_comb, {1, 1, 0, 0}},
    {"comb_edge_x", &family_comb, {1, 0, 0, 0}},
    {"comb_edge_y", &family_comb, {0, 1, 0, 0}},
    {"comb_edge_z", &family_comb, {0, 0, 1, 0}},
    {"comb_corner", &family_comb, {0, 0, 0, 0}},
    {"comb_face_x_list", &family_comb, {0, 1, 1, 1}},
    {"comb_face_y_list", &family_comb, {1, 0, 1, 1}},
    {"comb_face_z_list", &family_comb, {1, 1, 0, 1}},

    {"sw4_x", &family_sw4, {0, 100}},
    {"sw4_y", &family_sw4, {1, 100}},
};

/* Those of exchanges, which are too many and too large for the others. */
#define CUBE(n)                                                                                   \
    {"halo_x_" #n, &family_halo, {0, n}}, {"halo_y_" #n, &family_halo, {1, n}},                   \
    {                                                                                             \
        "halo_z_" #n, &family_halo,                                                               \
        {                                                                                         \
            2, n                                                                                  \
        }                                                                                         \
    }
static const struct layout_entry halos[] = {CUBE(32), CUBE(64), CUBE(128), CUBE(192)};
#undef CUBE

size_t layout_entry_count(void)
{
    return sizeof(entries) / sizeof(entries[0]);
}

const char *layout_entry_name(size_t i)
{
    return entries[i].name;
}

static const struct layout_entry *find_among(const struct layout_entry *some, size_t count,
                                             const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(some[i].name, name) == 0)
            return &some[i];
    return NULL;
}

const struct layout_entry *layout_entry_find(const char *name)
{
    const struct layout_entry *entry = find_among(entries, layout_entry_count(), name);
    return entry ? entry : find_among(halos, sizeof(halos) / sizeof(halos[0]), name);
}

bool layout_entry_is_parametric(const struct layout_entry *entry)
{
    return entry->family->parametric;
}

void layout_build(const struct layout_entry *entry, size_t target, struct layout *layout)
{
    memset(layout, 0, sizeof(*layout));
    layout->entry = entry;
    entry->family->describe(layout, entry->parameters, target);
    size_t count = entry->family->parametric ? 1 : (target + layout->size / 2) / layout->size;
    size_t most = LAYOUT_MAX_WINDOW / layout->extent;
    if (count > most)
        count = most;
    layout->count = count ? count : 1;
}

void layout_clear(struct layout *layout)
{
    for (size_t i = 0; i < layout->owned_count; i++)
        free(layout->owned[i]);
    memset(layout, 0, sizeof(*layout));
}

made_type layout_make(const struct layout *layout, const struct maker *maker)
{
    const struct layout_entry *entry = layout->entry;
    made_type type = entry->family->make(layout, entry->parameters, maker);
    type = maker->resized(type, layout->extent);
    maker->commit(type);
    return type;
}

size_t layout_bytes(const struct layout *layout)
{
    return layout->count * layout->size;
}

size_t layout_window(const struct layout *layout)
{
    return layout->count * layout->extent;
}

size_t layout_pieces(const struct layout *layout)
{
    size_t pieces = 0;
    for (size_t i = 0; i < layout->part_count; i++) {
        const struct layout_part *part = &layout->part[i];
        pieces += part->count[0] * (part->shape == PART_STRIDED ? part->count[1] : 1);
    }
    return layout->count * pieces;
}

void *layout_own(struct layout *layout, void *memory)
{
    layout->owned[layout->owned_count++] = memory;
    return memory;
}

static struct layout_part *add_part(struct layout *layout)
{
    if (layout->part_count == LAYOUT_MAX_PARTS) {
        fprintf(stderr, "weft bench: raise LAYOUT_MAX_PARTS\n");
        abort();
    }
    return &layout->part[layout->part_count++];
}

void layout_add_strided(struct layout *layout, size_t at, size_t block, size_t inner,
                        size_t inner_stride, size_t outer, size_t outer_stride)
{
    *add_part(layout) = (struct layout_part){.shape = PART_STRIDED,
                                             .at = at,
                                             .bytes = block * inner * outer,
                                             .block = block,
                                             .count = {inner, outer},
                                             .stride = {inner_stride, outer_stride}};
    layout->size += block * inner * outer;
}

void layout_add_listed(struct layout *layout, size_t at, size_t block, size_t count,
                       const int32_t *index)
{
    *add_part(layout) = (struct layout_part){.shape = PART_LISTED,
                                             .at = at,
                                             .bytes = block * count,
                                             .block = block,
                                             .count = {count, 1},
                                             .index = index};
    layout->size += block * count;
}

void layout_add_varied(struct layout *layout, size_t count, const ptrdiff_t *where,
                       const size_t *start)
{
    *add_part(layout) = (struct layout_part){.shape = PART_VARIED,
                                             .bytes = start[count],
                                             .count = {count, 1},
                                             .where = where,
                                             .start = start};
    layout->size += start[count];
}

void *bench_allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory) {
        fprintf(stderr, "weft bench: out of memory\n");
        exit(1);
    }
    return memory;
}

enum element element_of(size_t block)
{
    return block % 8 ? ELEMENT_FLOAT : ELEMENT_DOUBLE;
}

size_t elements_in(size_t block)
{
    return block % 8 ? block / 4 : block / 8;
}

made_type make_list(const struct layout_part *part, const struct maker *m)
{
    size_t length = elements_in(part->block), n = part->count[0];
    int32_t *first = bench_allocate(n * sizeof(*first));
    for (size_t i = 0; i < n; i++)
        first[i] = part->index[i] * (int32_t)length;
    made_type type = m->indexed_block(n, length, first, m->basic(element_of(part->block)));
    free(first);
    return type;
}

made_type make_one_list(const struct layout *layout, const size_t *p, const struct maker *m)
{
    (void)p;
    return make_list(&layout->part[0], m);
}

static int compare_numbers(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Runs of up to 16 neighbours, with the numbers left over spread at random between them. */
static void draw_runs(int32_t *list, size_t count, size_t limit, struct random *random)
{
    for (size_t i = 0, run = 0, gap = 0; i < count; i++, run--) {
        if (run == 0) {
            run = 1 + random_below(random, 16);
            gap = random_below(random, limit - count + 1);
        }
        list[i] = (int32_t)gap;
    }
    qsort(list, count, sizeof(*list), compare_numbers);
    for (size_t i = 0; i < count; i++)
        list[i] += (int32_t)i;
}

int32_t *list_draw(size_t count, size_t limit, enum list_order order)
{
    struct random random = {limit};
    size_t drawn = order == LIST_RUNS ? count : limit;
    int32_t *list = bench_allocate(drawn * sizeof(*list));
    if (order == LIST_RUNS) {
        draw_runs(list, count, limit, &random);
        return list;
    }
    for (size_t i = 0; i < limit; i++)
        list[i] = (int32_t)i;
    random_shuffle(&random, list, limit);
    if (order == LIST_SORTED)
        qsort(list, count, sizeof(*list), compare_numbers);
    return list;
}
