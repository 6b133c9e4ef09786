/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The layouts of programs: those of ddtbench and of the UMR paper, the faces of Comb and SW4.
 * Sizes are in the order of the programs, the fastest dimension first, unless an array of sizes
 * is handed to a constructor.
 */
#include "bench/layouts/families.h"

#include <stdlib.h>

/* A face of a cube of doubles, normal to x, y or z. */
static void describe_face(struct layout *layout, const size_t *p, size_t target)
{
    (void)target;
    size_t n = p[1];
    if (p[0] == 0)
        layout_add_strided(layout, 0, 8, n * n, 8 * n, 1, 0);
    else if (p[0] == 1)
        layout_add_strided(layout, 0, 8 * n, n, 8 * n * n, 1, 0);
    else
        layout_add_strided(layout, 0, 8 * n * n, 1, 0, 1, 0);
    layout->extent = 8 * n * n * n;
}

static made_type make_face(const struct layout *layout, const size_t *p, const struct maker *m)
{
    (void)layout;
    size_t n = p[1], sizes[] = {n, n, n}, subsizes[] = {n, n, n}, starts[] = {0, 0, 0};
    subsizes[2 - p[0]] = 1;
    return m->subarray(3, sizes, subsizes, starts, m->basic(ELEMENT_DOUBLE));
}

const struct family family_face = {false, describe_face, make_face};

/* WRF: four arrays [d3][d1], three [d3][d2][d1], and of two [2][d3][d2][d1] the second scalar. */
struct wrf {
    bool subarrays;
    size_t d1, d2, d3, s1, s2, s3, i0, j0;
};

enum { WRF_PARTS = 9, WRF_FLAT = 4, WRF_DEEP = 3 };

static struct wrf wrf_of(const size_t *p)
{
    return (struct wrf){p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8]};
}

static size_t wrf_array_bytes(const struct wrf *w, size_t i)
{
    size_t flat = 4 * w->d1 * w->d3;
    return i < WRF_FLAT ? flat : i < WRF_FLAT + WRF_DEEP ? flat * w->d2 : 2 * flat * w->d2;
}

/* From the start of an array to the corner of its box. */
static size_t wrf_corner(const struct wrf *w, size_t i)
{
    if (i < WRF_FLAT)
        return 4 * (w->j0 * w->d1 + w->i0);
    size_t box = 4 * (w->j0 * w->d2 * w->d1 + w->i0);
    return i < WRF_FLAT + WRF_DEEP ? box : box + wrf_array_bytes(w, i) / 2;
}

static void describe_wrf(struct layout *layout, const size_t *p, size_t target)
{
    (void)target;
    struct wrf w = wrf_of(p);
    size_t array = 0;
    for (size_t i = 0; i < WRF_PARTS; i++) {
        size_t rows = i < WRF_FLAT ? w.s3 : w.s2 * w.s3;
        layout_add_strided(layout, array + wrf_corner(&w, i), 4 * w.s1, rows, 4 * w.d1, 1, 0);
        array += wrf_array_bytes(&w, i);
    }
    layout->extent = array;
}

static made_type wrf_make_vectors(const struct wrf *w, size_t i, const struct maker *m)
{
    if (i < WRF_FLAT)
        return m->vector(w->s3, w->s1, w->d1, m->basic(ELEMENT_FLOAT));
    made_type plane = m->vector(w->s2, w->s1, w->d1, m->basic(ELEMENT_FLOAT));
    return m->hvector(w->s3, 1, 4 * w->d1 * w->d2, plane);
}

static made_type wrf_make_subarray(const struct wrf *w, size_t i, const struct maker *m)
{
    made_type number = m->basic(ELEMENT_FLOAT);
    if (i < WRF_FLAT)
        return m->subarray(2, (const size_t[]){w->d3, w->d1}, (const size_t[]){w->s3, w->s1},
                           (const size_t[]){w->j0, w->i0}, number);
    const size_t sizes[] = {2, w->d3, w->d2, w->d1}, subsizes[] = {1, w->s3, w->s2, w->s1};
    const size_t starts[] = {1, w->j0, 0, w->i0};
    size_t skipped = i < WRF_FLAT + WRF_DEEP ? 1 : 0;
    return m->subarray(4 - skipped, sizes + skipped, subsizes + skipped, starts + skipped, number);
}

static made_type make_wrf(const struct layout *layout, const size_t *p, const struct maker *m)
{
    (void)layout;
    struct wrf w = wrf_of(p);
    made_type parts[WRF_PARTS];
    ptrdiff_t at[WRF_PARTS];
    size_t array = 0;
    for (size_t i = 0; i < WRF_PARTS; i++) {
        parts[i] = w.subarrays ? wrf_make_subarray(&w, i, m) : wrf_make_vectors(&w, i, m);
        at[i] = (ptrdiff_t)(w.subarrays ? array : array + wrf_corner(&w, i));
        array += wrf_array_bytes(&w, i);
    }
    return m->structure(WRF_PARTS, at, parts);
}

const struct family family_wrf = {false, describe_wrf, make_wrf};

/* MILC: both checkerboards of a lattice of su3 vectors, which are six floats each. */
static void describe_milc(struct layout *layout, const size_t *p, size_t target)
{
    (void)target;
    size_t block = 12 * p[0] * p[1];
    layout_add_strided(layout, 0, block, 2 * p[3], block * p[2], 1, 0);
    layout->extent = 2 * p[3] * block * p[2];
}

static made_type make_milc(const struct layout *layout, const size_t *p, const struct maker *m)
{
    (void)layout;
    size_t plane = p[0] * p[1] / 2;
    made_type su3 = m->contiguous(6, m->basic(ELEMENT_FLOAT));
    made_type half = m->vector(p[3], plane, plane * p[2], su3);
    return m->hvector(2, 1, 24 * plane * p[2] * p[3], half);
}

const struct family family_milc = {false, describe_milc, make_milc};

/* NAS LU: five doubles per point of a plane with a halo of one. */
static void describe_lu(struct layout *layout, const size_t *p, size_t target)
{
    (void)target;
    size_t D = p[1], line = 40 * (D + 2);
    if (p[0] == 0)
        layout_add_strided(layout, 0, 40 * D, 1, 0, 1, 0);
    else
        layout_add_strided(layout, 0, 40, D, line, 1, 0);
    layout->origin = p[0] == 0 ? 40 + line * D : 40 * D + line;
    layout->extent = line * (D + 2);
}

static made_type make_lu(const struct layout *layout, const size_t *p, const struct maker *m)
{
    (void)layout;
    size_t D = p[1];
    if (p[0] == 0)
        return m->contiguous(5 * D, m->basic(ELEMENT_DOUBLE));
    return m->vector(D, 5, 5 * (D + 2), m->basic(ELEMENT_DOUBLE));
}

const struct family family_lu = {false, describe_lu, make_lu};

/* NAS MG: the last inner plane of a box of doubles, without its rim. */
static void describe_mg(struct layout *layout, const size_t *p, size_t target)
{
    (void)target;
    size_t D1 = p[1], D2 = p[2], D3 = p[3], line = 8 * D1, plane = line * D2;
    if (p[0] == 0) {
        layout_add_strided(layout, 0, 8, D2 - 2, line, D3 - 2, plane);
        layout->origin = 8 * (D1 - 2) + line + plane;
    } else if (p[0] == 1) {
        layout_add_strided(layout, 0, line - 16, D3 - 2, plane, 1, 0);
        layout->origin = 8 + line * (D2 - 2) + plane;
    } else {
        layout_add_strided(layout, 0, line - 16, D2 - 2, line, 1, 0);
        layout->origin = 8 + line + plane;
    }
    layout->extent = plane * D3;
}

static made_type make_mg(const struct layout *layout, const size_t *p, const struct maker *m)
{
    (void)layout;
    size_t D1 = p[1], D2 = p[2], D3 = p[3];
    made_type number = m->basic(ELEMENT_DOUBLE);
    if (p[0] == 0)
        return m->hvector(D3 - 2, 1, 8 * D1 * D2, m->vector(D2 - 2, 1, D1, number));
    if (p[0] == 1)
        return m->vector(D3 - 2, D1 - 2, D1 * D2, number);
    return m->vector(D2 - 2, D1 - 2, D1, number);
}

const struct family family_mg = {false, describe_mg, make_mg};

/* FFT2: the exchange between two processes that each hold half of the rows of N x N complex
 * numbers. What is sent are half rows; what is received goes into columns. */
static void describe_fft2_send(struct layout *layout, const size_t *p, size_t target)
{
    (void)target;
    size_t N = p[0];
    layout_add_strided(layout, 0, 8 * N, N / 2, 16 * N, 1, 0);
    layout->extent = 8 * N * N;
}

static made_type make_fft2_send(const struct layout *layout, const size_t *p,
                                const struct maker *m)
{
    (void)layout;
    return m->vector(p[0] / 2, p[0] / 2, p[0], m->basic(ELEMENT_DOUBLE_COMPLEX));
}

const struct family family_fft2_send = {false, describe_fft2_send, make_fft2_send};

static void describe_fft2_receive(struct layout *layout, const size_t *p, size_t target)
{
    (void)target;
    size_t N = p[0];
    layout_add_strided(layout, 0, 16, N / 2, 16 * N, N / 2, 16);
    layout->extent = 8 * N * N;
}

static made_type make_fft2_receive(const struct layout *layout, const size_t *p,
                                   const struct maker *m)
{
    (void)layout;
    made_type column = m->vector(p[0] / 2, 1, p[0], m->basic(ELEMENT_DOUBLE_COMPLEX));
    return m->contiguous(p[0] / 2, m->resized(column, 16));
}

const struct family family_fft2_receive = {false, describe_fft2_receive, make_fft2_receive};

/* SPECFEM3D: single floats of the outer core. */
static void describe_specfem_oc(struct layout *layout, const size_t *p, size_t target)
{
    (void)target;
    int32_t *points = layout_own(layout, list_draw(p[1], p[0], (enum list_order)p[2]));
    layout_add_listed(layout, 0, 4, p[1], points);
    layout->extent = 4 * p[0];
}

const struct family family_specfem_oc = {false, describe_specfem_oc, make_one_list};

/* SPECFEM3D: vectors of three floats of crust and mantle, and of the inner core. */
static void describe_specfem_cm(struct layout *layout, const size_t *p, size_t target)
{
    (void)target;
    enum list_order order = (enum list_order)p[4];
    int32_t *mantle = layout_own(layout, list_draw(p[1], p[0], order));
    int32_t *core = layout_own(layout, list_draw(p[3], p[2], order));
    layout_add_listed(layout, 0, 12, p[1], mantle);
    layout_add_listed(layout, 12 * p[0], 12, p[3], core);
    layout->extent = 12 * (p[0] + p[2]);
}

static made_type make_specfem_cm(const struct layout *layout, const size_t *p,
                                 const struct maker *m)
{
    (void)p;
    made_type parts[2];
    ptrdiff_t at[2];
    for (size_t i = 0; i < 2; i++) {
        parts[i] = make_list(&layout->part[i], m);
        at[i] = (ptrdiff_t)layout->part[i].at;
    }
    return m->structure(2, at, parts);
}

const struct family family_specfem_cm = {false, describe_specfem_cm, make_specfem_cm};

/* SPECFEM3D: every second block. */
static void describe_specfem_mt(struct layout *layout, const size_t *p, size_t target)
{
    (void)target;
    layout_add_strided(layout, 0, p[0], p[1], 2 * p[0], 1, 0);
    layout->extent = 2 * p[0] * p[1];
}

static made_type make_specfem_mt(const struct layout *layout, const size_t *p,
                                 const struct maker *m)
{
    (void)layout;
    return m->vector(p[1], p[0] / 4, p[0] / 2, m->basic(ELEMENT_FLOAT));
}

const struct family family_specfem_mt = {false, describe_specfem_mt, make_specfem_mt};

/* LAMMPS: positions and some scalars of the atoms that leave; all are doubles. */
static void describe_lammps(struct layout *layout, const size_t *p, size_t target)
{
    (void)target;
    size_t room = p[1] + p[2];
    int32_t *atoms = layout_own(layout, list_draw(p[2], p[1], (enum list_order)p[3]));
    layout_add_listed(layout, 0, 24, p[2], atoms);
    for (size_t i = 1; i <= p[0]; i++)
        layout_add_listed(layout, 8 * (2 + i) * room, 8, p[2], atoms);
    layout->extent = 8 * (3 + p[0]) * room;
}

static made_type make_lammps(const struct layout *layout, const size_t *p, const struct maker *m)
{
    made_type parts[LAYOUT_MAX_PARTS];
    ptrdiff_t at[LAYOUT_MAX_PARTS];
    for (size_t i = 0; i <= p[0]; i++) {
        parts[i] = make_list(&layout->part[i], m);
        at[i] = (ptrdiff_t)layout->part[i].at;
    }
    return m->structure(p[0] + 1, at, parts);
}

const struct family family_lammps = {false, describe_lammps, make_lammps};

/* LAMMPS: the tails of the same arrays. */
static void describe_lammps_receive(struct layout *layout, const size_t *p, size_t target)
{
    (void)target;
    size_t room = p[1] + p[2];
    layout_add_strided(layout, 24 * p[1], 24 * p[2], 1, 0, 1, 0);
    for (size_t i = 1; i <= p[0]; i++)
        layout_add_strided(layout, 8 * ((2 + i) * room + p[1]), 8 * p[2], 1, 0, 1, 0);
    layout->extent = 8 * (3 + p[0]) * room;
}

static made_type make_lammps_receive(const struct layout *layout, const size_t *p,
                                     const struct maker *m)
{
    made_type parts[LAYOUT_MAX_PARTS];
    ptrdiff_t at[LAYOUT_MAX_PARTS];
    for (size_t i = 0; i <= p[0]; i++) {
        parts[i] = m->contiguous(layout->part[i].block / 8, m->basic(ELEMENT_DOUBLE));
        at[i] = (ptrdiff_t)layout->part[i].at;
    }
    return m->structure(p[0] + 1, at, parts);
}

const struct family family_lammps_receive = {false, describe_lammps_receive, make_lammps_receive};

/* Comb: what goes to one of the 26 neighbours, of three variables on 100^3 cells with a halo of
 * one; a dimension that is not free contributes one layer of cells. */
enum { COMB_VARIABLES = 3, COMB_CELLS = 100, COMB_SIDE = COMB_CELLS + 2 };

#define COMB_BYTES ((size_t)8 * COMB_SIDE * COMB_SIDE * COMB_SIDE)

struct comb_box {
    size_t x, y, z;
};

static struct comb_box comb_box(const size_t *p)
{
    return (struct comb_box){p[0] ? COMB_CELLS : 1, p[1] ? COMB_CELLS : 1, p[2] ? COMB_CELLS : 1};
}

static int32_t *comb_list(struct comb_box box)
{
    int32_t *cells = bench_allocate(box.x * box.y * box.z * sizeof(*cells)), *next = cells;
    for (size_t z = 1; z <= box.z; z++)
        for (size_t y = 1; y <= box.y; y++)
            for (size_t x = 1; x <= box.x; x++)
                *next++ = (int32_t)((z * COMB_SIDE + y) * COMB_SIDE + x);
    return cells;
}

static void describe_comb(struct layout *layout, const size_t *p, size_t target)
{
    (void)target;
    struct comb_box box = comb_box(p);
    size_t line = 8 * COMB_SIDE, plane = line * COMB_SIDE;
    int32_t *cells = p[3] ? layout_own(layout, comb_list(box)) : NULL;
    for (size_t i = 0; i < COMB_VARIABLES; i++) {
        size_t at = i * COMB_BYTES;
        if (cells)
            layout_add_listed(layout, at, 8, box.x * box.y * box.z, cells);
        else if (box.y > 1)
            layout_add_strided(layout, at + plane + line + 8, 8 * box.x, box.y, line, box.z,
                               plane);
        else
            layout_add_strided(layout, at + plane + line + 8, 8 * box.x, box.z, plane, 1, 0);
    }
    layout->extent = COMB_VARIABLES * COMB_BYTES;
}

static made_type make_comb(const struct layout *layout, const size_t *p, const struct maker *m)
{
    struct comb_box box = comb_box(p);
    const size_t sizes[] = {COMB_SIDE, COMB_SIDE, COMB_SIDE}, starts[] = {1, 1, 1};
    made_type parts[COMB_VARIABLES];
    ptrdiff_t at[COMB_VARIABLES];
    for (size_t i = 0; i < COMB_VARIABLES; i++) {
        if (p[3])
            parts[i] = make_list(&layout->part[i], m);
        else
            parts[i] = m->subarray(3, sizes, (const size_t[]){box.z, box.y, box.x}, starts,
                                   m->basic(ELEMENT_DOUBLE));
        at[i] = (ptrdiff_t)(i * COMB_BYTES);
    }
    return m->structure(COMB_VARIABLES, at, parts);
}

const struct family family_comb = {false, describe_comb, make_comb};

/* SW4: two layers of points, three doubles each, of a cube of n^3. */
enum { SW4_PAD = 2 };

static void describe_sw4(struct layout *layout, const size_t *p, size_t target)
{
    (void)target;
    size_t n = p[1], line = 24 * n;
    if (p[0] == 0)
        layout_add_strided(layout, 0, 24 * SW4_PAD, n * n, line, 1, 0);
    else
        layout_add_strided(layout, 0, line * SW4_PAD, n, line * n, 1, 0);
    layout->extent = line * n * n;
}

static made_type make_sw4(const struct layout *layout, const size_t *p, const struct maker *m)
{
    (void)layout;
    size_t n = p[1];
    if (p[0] == 0)
        return m->vector(n * n, 3 * SW4_PAD, 3 * n, m->basic(ELEMENT_DOUBLE));
    return m->vector(n, 3 * SW4_PAD * n, 3 * n * n, m->basic(ELEMENT_DOUBLE));
}

const struct family family_sw4 = {false, describe_sw4, make_sw4};

/* Two layers of cells below a face of a cube of n^3 doubles, around which there are two layers of
 * ghosts; in z whole planes, which lie together. */
enum { HALO_DEPTH = 2 };

static void describe_halo(struct layout *layout, const size_t *p, size_t target)
{
    (void)target;
    size_t n = p[1], side = n + 2 * HALO_DEPTH, line = 8 * side, plane = line * side;
    size_t first = HALO_DEPTH * (plane + line + 8);
    if (p[0] == 0)
        layout_add_strided(layout, first, 8 * HALO_DEPTH, n, line, n, plane);
    else if (p[0] == 1)
        layout_add_strided(layout, first, 8 * n, HALO_DEPTH, line, n, plane);
    else
        layout_add_strided(layout, HALO_DEPTH * plane, HALO_DEPTH * plane, 1, 0, 1, 0);
    layout->extent = plane * side;
}

static made_type make_halo(const struct layout *layout, const size_t *p, const struct maker *m)
{
    (void)layout;
    size_t n = p[1], side = n + 2 * HALO_DEPTH, d = HALO_DEPTH;
    const size_t sizes[] = {side, side, side};
    const size_t cells[3][3] = {{n, n, d}, {n, d, n}, {d, side, side}};
    const size_t starts[3][3] = {{d, d, d}, {d, d, d}, {d, 0, 0}};
    return m->subarray(3, sizes, cells[p[0]], starts[p[0]], m->basic(ELEMENT_DOUBLE));
}

const struct family family_halo = {false, describe_halo, make_halo};
