/* SPDX-License-Identifier: BSD-3-Clause */
/* The families of layouts: how a program's parameters become parts and a datatype. */
#ifndef WEFT_BENCH_LAYOUTS_FAMILIES_H
#define WEFT_BENCH_LAYOUTS_FAMILIES_H

#include "bench/layouts/layouts.h"

#define FAMILY_MAX_PARAMETERS 12

/* Orders of an index list. Benchmarks shuffle theirs; meshes of real programs are sorted, or come
 * in runs of neighbours. */
enum list_order { LIST_SHUFFLED, LIST_SORTED, LIST_RUNS };

struct family {
    bool parametric; /* built at any size */
    /* Sets everything but entry and count. `target` is meant for parametric families. */
    void (*describe)(struct layout *layout, const size_t *p, size_t target);
    made_type (*make)(const struct layout *layout, const size_t *p, const struct maker *m);
};

extern const struct family family_contiguous;     /* */
extern const struct family family_vector;         /* block */
extern const struct family family_index_list;     /* block, order */
extern const struct family family_varied;         /* shortest, longest */
extern const struct family family_transpose;      /* */
extern const struct family family_milc_long;      /* D2, D3, D4 */
extern const struct family family_wrf_long;       /* s1, d1 */
extern const struct family family_face;           /* axis, n */
extern const struct family family_wrf;            /* subarrays, d1, d2, d3, s1, s2, s3, i0, j0 */
extern const struct family family_milc;           /* D2, D3, D4, D5 */
extern const struct family family_lu;             /* axis, D */
extern const struct family family_mg;             /* axis, D1, D2, D3 */
extern const struct family family_fft2_send;      /* N */
extern const struct family family_fft2_receive;   /* N */
extern const struct family family_specfem_oc;     /* D, n, order */
extern const struct family family_specfem_cm;     /* D, n, D, n, order */
extern const struct family family_specfem_mt;     /* block, n */
extern const struct family family_lammps;         /* scalars, D, n, order */
extern const struct family family_lammps_receive; /* scalars, D, n */
extern const struct family family_comb;           /* free x, free y, free z, as a list */
extern const struct family family_sw4;            /* axis, n */
extern const struct family family_halo;           /* axis, n */

/* For families: adds a part and counts its bytes. */
void layout_add_strided(struct layout *layout, size_t at, size_t block, size_t inner,
                        size_t inner_stride, size_t outer, size_t outer_stride);
void layout_add_listed(struct layout *layout, size_t at, size_t block, size_t count,
                       const int32_t *index);
void layout_add_varied(struct layout *layout, size_t count, const ptrdiff_t *where,
                       const size_t *start);

/* Memory to be freed with the layout. Returns it. */
void *layout_own(struct layout *layout, void *memory);

/* `count` different numbers below `limit`. */
int32_t *list_draw(size_t count, size_t limit, enum list_order order);

/* Doubles if blocks consist of them, else floats; and how many a block has. */
enum element element_of(size_t block);
size_t elements_in(size_t block);

/* An indexed_block at the places of a listed part; and the `make` of layouts that are nothing
 * else. */
made_type make_list(const struct layout_part *part, const struct maker *m);
made_type make_one_list(const struct layout *layout, const size_t *p, const struct maker *m);

/* Memory, or the end of the program. */
void *bench_allocate(size_t bytes);

#endif
