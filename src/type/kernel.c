/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compiled once for each instruction set, with WEFT_TYPE_KERNEL_ISA naming it. The functions below
 * are templates: they are always inlined with a constant direction and class of block, so that the
 * compiler sees loops over moves of known size.
 *
 * Nothing is ever read or written outside the blocks: memory between them may belong to another
 * thread.
 */
#include "type/block_move.h"
#ifdef __AVX2__
#include "type/transpose.h"
#endif
#ifdef __AVX512BW__
#include "type/dense.h"
#endif
#if WIDEST == 64
#include "type/lanes.h"
#endif

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

INLINE void move_block(enum weft_type_direction direction, char *packed, weft_type_address mem,
                       size_t bytes, enum weft_type_kernel_class class)
{
    if (direction == WEFT_TYPE_GATHER)
        move_class(packed, (const char *)mem, bytes, class);
    else
        move_class((char *)mem, packed, bytes, class);
}

/* The loops below go through a copy of the run: the compiler cannot know that a stored block does
 * not change the original, and would read it again and again. */

/* ---- Fetching ahead ----------------------------------------------------------------------- */

/* Stores leave the processor in order, so that a miss holds up all behind it: what is stored soon
 * is fetched now. Loads need no such help, unless they come from everywhere. */

/* Blocks that are far apart are fetched so many before. */
#define FETCH_BLOCKS 16

/* A block may begin at the end of a line. One that is tiny seldom does. */
INLINE void fetch(weft_type_address block, size_t bytes)
{
    __builtin_prefetch((void *)block, 1);
    if (bytes > 16)
        __builtin_prefetch((void *)weft_type_address_add(block, (int64_t)bytes - 1), 1);
}

/* ---- Strided ------------------------------------------------------------------------------ */

/* Half a page, so that half of the time the page is known. */
#define FETCH_BYTES 2048

/* How many blocks further to fetch, as near to that as they lie; 0 if it does not pay: if several
 * blocks share their lines, which follow one another, the processor does it itself; beyond, it
 * would only add misses of the address cache; and in a short row, most of what is fetched would
 * lie behind its end. */
INLINE int64_t blocks_to_fetch(int64_t stride, uint64_t count)
{
    const int64_t step = stride < 0 ? -stride : stride;
    if (step < 128 || step > FETCH_BYTES / 2)
        return 0;
    const int64_t blocks = FETCH_BYTES / step;
    return count >= 4 * (uint64_t)blocks ? blocks : 0;
}

INLINE void scatter_sparse(enum weft_type_kernel_class class, size_t bytes, const char *packed,
                           weft_type_address mem, uint64_t count, int64_t stride, int64_t ahead)
{
    for (uint64_t i = 0; i < count; i++) {
        fetch(weft_type_address_add(mem, ahead * stride), bytes);
        move_class((char *)mem, packed, bytes, class);
        packed += bytes;
        mem = weft_type_address_add(mem, stride);
    }
}

/* Each block has a page to itself, and there are more pages than the address cache knows (1536 or
 * 2048, most often): every load waits for a page to be looked up. */
#define PAGE_BYTES 4096
#define KNOWN_PAGES 2000

INLINE bool pages_are_unknown(const struct weft_type_run *run)
{
    const int64_t step = run->stride < 0 ? -run->stride : run->stride;
    return step >= PAGE_BYTES && run->count * run->rows >= KNOWN_PAGES;
}

/* A processor looks hundreds of instructions ahead. If they all are such loads, they get in one
 * another's way: calls of memcpy, of which fewer fit into that window, were faster. So a group of
 * blocks waits for the third before it. 24 blocks under way suffice where all miss the other
 * caches as well; 16 were too few for that. */
#define WAIT_BLOCKS 8

/* 0, but the compiler must not know: what has been loaded becomes a part of the next address. */
static const volatile uint8_t nothing;

INLINE void gather_waiting(enum weft_type_kernel_class class, size_t bytes, char *packed,
                           weft_type_address mem, uint64_t count, int64_t stride)
{
    const uint8_t none = nothing;
    uint8_t third_last = 0, second_last = 0, last = 0; /* a byte of each group before */
    for (uint64_t i = 0; i < count; i++) {
        if (i % WAIT_BLOCKS == 0) {
            mem += third_last & none;
            third_last = second_last;
            second_last = last;
        }
        move_class(packed, (const char *)mem, bytes, class);
        last = (uint8_t)*packed;
        packed += bytes;
        mem = weft_type_address_add(mem, stride);
    }
}

INLINE void gather_unknown(enum weft_type_kernel_class class, char *packed,
                           const struct weft_type_run *original)
{
    const struct weft_type_run run = *original;
    const size_t bytes = class_bytes(class, run.block);
    weft_type_address mem = run.mem;
    for (uint64_t row = 0; row < run.rows; row++) {
        gather_waiting(class, bytes, packed, mem, run.count, run.stride);
        packed += run.row_bytes;
        mem = weft_type_address_add(mem, run.row_stride);
    }
}

INLINE void move_four(enum weft_type_direction direction, enum weft_type_kernel_class class,
                      size_t bytes, char *packed, weft_type_address mem, int64_t stride)
{
    move_block(direction, packed, mem, bytes, class);
    move_block(direction, packed + bytes, weft_type_address_add(mem, stride), bytes, class);
    move_block(direction, packed + 2 * bytes, weft_type_address_add(mem, 2 * stride), bytes,
               class);
    move_block(direction, packed + 3 * bytes, weft_type_address_add(mem, 3 * stride), bytes,
               class);
}

INLINE void move_row(enum weft_type_direction direction, enum weft_type_kernel_class class,
                     size_t bytes, char *packed, weft_type_address mem, uint64_t count,
                     int64_t stride)
{
    uint64_t i = 0;
    const int64_t ahead = direction == WEFT_TYPE_SCATTER && class_is_small(class)
                              ? blocks_to_fetch(stride, count)
                              : 0;
    if (ahead) {
        scatter_sparse(class, bytes, packed, mem, count, stride, ahead);
        return;
    }
#ifdef __AVX512BW__
    if ((class == WEFT_TYPE_KERNEL_4 || class == WEFT_TYPE_KERNEL_8 ||
         class == WEFT_TYPE_KERNEL_16) &&
        dense_fits(bytes, stride, count))
        i = dense_move(direction, bytes, packed, mem, count, stride);
#endif
#if WIDEST == 64
    if (i == 0 && lanes_fit(direction, class))
        i = lanes_gather_strided(bytes, packed, mem, stride, count);
#endif
    if (class_is_tiny(class) && !is_far(stride) && count >= 4) {
        for (; i + 4 <= count; i += 4)
            move_four(direction, class, bytes, packed + i * bytes,
                      weft_type_address_add(mem, (int64_t)i * stride), stride);
        if (i == count)
            return;
        /* Moving some blocks twice is cheaper than a loop that ends where nobody expects it. */
        i = count - 4;
        move_four(direction, class, bytes, packed + i * bytes,
                  weft_type_address_add(mem, (int64_t)i * stride), stride);
        return;
    }
    for (; i < count; i++)
        move_block(direction, packed + i * bytes, weft_type_address_add(mem, (int64_t)i * stride),
                   bytes, class);
}

INLINE void move_strided(enum weft_type_direction direction, enum weft_type_kernel_class class,
                         char *packed, const struct weft_type_run *original)
{
    if (direction == WEFT_TYPE_GATHER && class_is_small(class) &&
        __builtin_expect(pages_are_unknown(original), 0)) {
        gather_unknown(class, packed, original);
        return;
    }
    const struct weft_type_run run = *original;
    const size_t bytes = class_bytes(class, run.block);
    weft_type_address mem = run.mem;
    uint64_t rows = run.rows;
    do {
        move_row(direction, class, bytes, packed, mem, run.count, run.stride);
        packed += run.row_bytes;
        mem = weft_type_address_add(mem, run.row_stride);
    } while (--rows);
}

/* Rows moved together: as many as share the cache lines of a row's pieces. */
#define TILE_ROWS 16

/* Pieces [first, count) of `rows` rows. */
INLINE void move_tile(enum weft_type_direction direction, enum weft_type_kernel_class class,
                      char *packed, const struct weft_type_run *run, weft_type_address mem,
                      uint64_t first, uint64_t rows)
{
    const size_t bytes = class_bytes(class, run->block);
    for (uint64_t i = first; i < run->count; i++) {
        weft_type_address piece = weft_type_address_add(mem, (int64_t)i * run->stride);
        char *place = packed + i * bytes;
        if (direction == WEFT_TYPE_SCATTER) /* a row of one piece may have any stride */
            fetch(weft_type_address_add(piece, (int64_t)(FETCH_BLOCKS * (uint64_t)run->stride)),
                  bytes);
        for (uint64_t row = 0; row < rows; row++) {
            move_block(direction, place, piece, bytes, class);
            place += run->row_bytes;
            piece = weft_type_address_add(piece, run->row_stride);
        }
    }
}

#ifdef __AVX2__
/* The packed side of the four rows that come next. It may lie in the cache of another processor,
 * and streams of a few lines are too short for this one to see that they are some. */
INLINE void fetch_rows(enum weft_type_direction direction, const char *packed, uint64_t row_bytes)
{
    for (int row = 0; row < 4; row++)
        for (int i = 0; i < 16 * TILE_ROWS; i += 64) {
            const char *line = packed + (uint64_t)row * row_bytes + i;
            if (direction == WEFT_TYPE_GATHER)
                __builtin_prefetch(line, 1);
            else
                __builtin_prefetch(line, 0);
        }
}

/* As many pieces of a tile as go through registers; returns their number. Several lines of a row
 * are finished before the next rows' turn comes: it keeps the streams of stores long. */
INLINE uint64_t transpose_rows(enum weft_type_direction direction, char *packed,
                               const struct weft_type_run *run, weft_type_address mem,
                               uint64_t rows)
{
    uint64_t whole = run->count - run->count % 4;
    for (uint64_t first = 0; first < whole; first += TILE_ROWS) {
        uint64_t end = first + TILE_ROWS < whole ? first + TILE_ROWS : whole;
        for (uint64_t row = 0; row < rows; row += 4) {
            fetch_rows(direction,
                       row + 4 < rows ? packed + (row + 4) * run->row_bytes + 16 * first
                                      : packed + 16 * end,
                       run->row_bytes);
            for (uint64_t i = first; i < end; i += 4)
                transpose_tile(
                    direction, packed + row * run->row_bytes + 16 * i, run->row_bytes,
                    weft_type_address_add(mem, (int64_t)(16 * row) + (int64_t)i * run->stride),
                    run->stride);
        }
    }
    return whole;
}
#endif

INLINE void move_transposed(enum weft_type_direction direction, enum weft_type_kernel_class class,
                            char *packed, const struct weft_type_run *original)
{
    const struct weft_type_run run = *original;
    weft_type_address mem = run.mem;
    for (uint64_t left = run.rows, rows; left; left -= rows) {
        rows = left < TILE_ROWS ? left : TILE_ROWS;
        if (rows > 4 && rows < TILE_ROWS)
            rows -= rows % 4;
        uint64_t done = 0;
#ifdef __AVX2__
        if (class == WEFT_TYPE_KERNEL_16 && transpose_fits(&run, rows))
            done = transpose_rows(direction, packed, &run, mem, rows);
#endif
        move_tile(direction, class, packed, &run, mem, done, rows);
        packed += rows * run.row_bytes;
        mem = weft_type_address_add(mem, (int64_t)rows * run.row_stride);
    }
}

/* ---- Listed and varied -------------------------------------------------------------------- */

INLINE bool fetching_pays(const struct weft_type_run *run)
{
    return run->far && run->count >= 4 * FETCH_BLOCKS;
}

INLINE int64_t where_at(const void *where, bool wide, uint64_t i)
{
    return wide ? ((const int64_t *)where)[i] : ((const int32_t *)where)[i];
}

INLINE void move_entry(enum weft_type_direction direction, bool wide,
                       enum weft_type_kernel_class class, char *packed,
                       const struct weft_type_run *run, weft_type_address mem, uint64_t i)
{
    const size_t bytes = class_bytes(class, run->block);
    move_block(direction, packed + i * bytes,
               weft_type_address_add(mem, where_at(run->where, wide, i)), bytes, class);
}

INLINE void move_four_entries(enum weft_type_direction direction, bool wide,
                              enum weft_type_kernel_class class, char *packed,
                              const struct weft_type_run *run, weft_type_address mem, uint64_t i)
{
    move_entry(direction, wide, class, packed, run, mem, i);
    move_entry(direction, wide, class, packed, run, mem, i + 1);
    move_entry(direction, wide, class, packed, run, mem, i + 2);
    move_entry(direction, wide, class, packed, run, mem, i + 3);
}

/* As many entries as can be moved while those FETCH_BLOCKS further are fetched; returns their
 * number. */
INLINE uint64_t move_ahead(enum weft_type_direction direction, bool wide,
                           enum weft_type_kernel_class class, char *packed,
                           const struct weft_type_run *run, weft_type_address mem)
{
    uint64_t i = 0;
    for (; i + 4 + FETCH_BLOCKS <= run->count; i += 4) {
        for (uint64_t k = i + FETCH_BLOCKS; k < i + FETCH_BLOCKS + 4; k++)
            fetch(weft_type_address_add(mem, where_at(run->where, wide, k)),
                  class_bytes(class, run->block));
        move_four_entries(direction, wide, class, packed, run, mem, i);
    }
    return i;
}

/* Entries from i on. */
INLINE void move_entries(enum weft_type_direction direction, bool wide,
                         enum weft_type_kernel_class class, char *packed,
                         const struct weft_type_run *run, weft_type_address mem, uint64_t i)
{
    if (class_is_tiny(class) && run->count >= 4) {
        for (; i + 4 <= run->count; i += 4)
            move_four_entries(direction, wide, class, packed, run, mem, i);
        if (i < run->count)
            move_four_entries(direction, wide, class, packed, run, mem, run->count - 4);
        return;
    }
    for (; i < run->count; i++)
        move_entry(direction, wide, class, packed, run, mem, i);
}

INLINE void move_listed(enum weft_type_direction direction, bool wide,
                        enum weft_type_kernel_class class, char *packed,
                        const struct weft_type_run *original)
{
    const struct weft_type_run run = *original;
    weft_type_address mem = run.mem;
    uint64_t rows = run.rows;
    do {
        uint64_t i = 0;
#if WIDEST == 64
        if (lanes_fit(direction, class))
            i = lanes_gather_listed(class_bytes(class, 0), packed, mem, run.where, run.count);
#endif
        if (direction == WEFT_TYPE_SCATTER && class_is_small(class) && fetching_pays(&run))
            i = move_ahead(direction, wide, class, packed, &run, mem);
        move_entries(direction, wide, class, packed, &run, mem, i);
        packed += run.row_bytes;
        mem = weft_type_address_add(mem, run.row_stride);
    } while (--rows);
}

INLINE uint64_t end_at(const struct weft_type_run *run, bool wide, uint64_t i)
{
    return wide ? ((const uint64_t *)run->end)[i] : ((const uint32_t *)run->end)[i];
}

INLINE void move_varied(enum weft_type_direction direction, bool wide_where, bool wide_end,
                        char *packed, const struct weft_type_run *original)
{
    const struct weft_type_run run = *original;
    weft_type_address row = run.mem;
    for (uint64_t r = 0; r < run.rows; r++) {
        uint64_t done = 0;
        for (uint64_t i = 0; done < run.row_bytes; i++) {
            uint64_t end = end_at(&run, wide_end, i) - run.start;
            if (end > run.row_bytes)
                end = run.row_bytes;
            char *mem = (char *)weft_type_address_add(row, where_at(run.where, wide_where, i));
            if (direction == WEFT_TYPE_GATHER)
                move_any(packed + done, mem, end - done, true);
            else
                move_any(mem, packed + done, end - done, true);
            done = end;
        }
        packed += run.row_bytes;
        row = weft_type_address_add(row, run.row_stride);
    }
}

/* ---- The tables --------------------------------------------------------------------------- */

#define KERNEL(name, call)                                                                        \
    static void name(char *packed, const struct weft_type_run *run)                               \
    {                                                                                             \
        call;                                                                                     \
    }

#define CLASS_KERNELS(class)                                                                      \
    KERNEL(gather_strided_##class,                                                                \
           move_strided(WEFT_TYPE_GATHER, WEFT_TYPE_KERNEL_##class, packed, run))                 \
    KERNEL(scatter_strided_##class,                                                               \
           move_strided(WEFT_TYPE_SCATTER, WEFT_TYPE_KERNEL_##class, packed, run))                \
    KERNEL(gather_listed_##class,                                                                 \
           move_listed(WEFT_TYPE_GATHER, 0, WEFT_TYPE_KERNEL_##class, packed, run))               \
    KERNEL(scatter_listed_##class,                                                                \
           move_listed(WEFT_TYPE_SCATTER, 0, WEFT_TYPE_KERNEL_##class, packed, run))
WEFT_TYPE_KERNEL_FIXED_MAP(CLASS_KERNELS)
WEFT_TYPE_KERNEL_OTHER_MAP(CLASS_KERNELS)

KERNEL(gather_transposed_4, move_transposed(WEFT_TYPE_GATHER, WEFT_TYPE_KERNEL_4, packed, run))
KERNEL(gather_transposed_8, move_transposed(WEFT_TYPE_GATHER, WEFT_TYPE_KERNEL_8, packed, run))
KERNEL(gather_transposed_16, move_transposed(WEFT_TYPE_GATHER, WEFT_TYPE_KERNEL_16, packed, run))
KERNEL(gather_transposed_any, move_transposed(WEFT_TYPE_GATHER, WEFT_TYPE_KERNEL_ANY, packed, run))
KERNEL(scatter_transposed_4, move_transposed(WEFT_TYPE_SCATTER, WEFT_TYPE_KERNEL_4, packed, run))
KERNEL(scatter_transposed_8, move_transposed(WEFT_TYPE_SCATTER, WEFT_TYPE_KERNEL_8, packed, run))
KERNEL(scatter_transposed_16, move_transposed(WEFT_TYPE_SCATTER, WEFT_TYPE_KERNEL_16, packed, run))
KERNEL(scatter_transposed_any,
       move_transposed(WEFT_TYPE_SCATTER, WEFT_TYPE_KERNEL_ANY, packed, run))

KERNEL(gather_listed_wide, move_listed(WEFT_TYPE_GATHER, 1, WEFT_TYPE_KERNEL_ANY, packed, run))
KERNEL(scatter_listed_wide, move_listed(WEFT_TYPE_SCATTER, 1, WEFT_TYPE_KERNEL_ANY, packed, run))

KERNEL(gather_varied, move_varied(WEFT_TYPE_GATHER, 0, 0, packed, run))
KERNEL(scatter_varied, move_varied(WEFT_TYPE_SCATTER, 0, 0, packed, run))
KERNEL(gather_varied_wide,
       move_varied(WEFT_TYPE_GATHER, run->wide_where, run->wide_end, packed, run))
KERNEL(scatter_varied_wide,
       move_varied(WEFT_TYPE_SCATTER, run->wide_where, run->wide_end, packed, run))

static void gather_piece(char *packed, weft_type_address mem, uint64_t length)
{
    move_any(packed, (const char *)mem, length, false);
}

static void scatter_piece(char *packed, weft_type_address mem, uint64_t length)
{
    move_any((char *)mem, packed, length, false);
}

extern const struct weft_type_pair_kernels PASTE(weft_type_pair_kernels_, WEFT_TYPE_KERNEL_ISA);
const struct weft_type_kernels PASTE(weft_type_kernels_, WEFT_TYPE_KERNEL_ISA)[2];

/* Out of pack.c and into here, so that a piece costs one call. */
#define MOVER(name, direction)                                                                    \
    static bool name##_mover_piece(struct weft_type_sink *sink, weft_type_address mem,            \
                                   uint64_t length)                                               \
    {                                                                                             \
        struct weft_type_mover *mover = (struct weft_type_mover *)sink;                           \
        name##_piece(mover->packed, mem, length);                                                 \
        mover->packed += length;                                                                  \
        return true;                                                                              \
    }                                                                                             \
    static bool name##_mover_run(struct weft_type_sink *sink, const struct weft_type_run *run)    \
    {                                                                                             \
        struct weft_type_mover *mover = (struct weft_type_mover *)sink;                           \
        char *packed = mover->packed;                                                             \
        mover->packed += run->rows * run->row_bytes;                                              \
        weft_type_kernels_move(&PASTE(weft_type_kernels_, WEFT_TYPE_KERNEL_ISA)[direction],       \
                               packed, run);                                                      \
        return true;                                                                              \
    }
MOVER(gather, WEFT_TYPE_GATHER)
MOVER(scatter, WEFT_TYPE_SCATTER)

#define GATHER_ROW(class)                                                                         \
    [WEFT_TYPE_KERNEL_##class] = {gather_strided_##class, gather_listed_##class},
#define SCATTER_ROW(class)                                                                        \
    [WEFT_TYPE_KERNEL_##class] = {scatter_strided_##class, scatter_listed_##class},

/* clang-format off */
#define TABLE(direction, row)                                                                     \
    {                                                                                             \
        .mover = {direction##_mover_piece, direction##_mover_run},                                \
        .piece = direction##_piece,                                                               \
        .of = {WEFT_TYPE_KERNEL_FIXED_MAP(row) WEFT_TYPE_KERNEL_OTHER_MAP(row)},                  \
        .transposed_4 = direction##_transposed_4,                                                 \
        .transposed_8 = direction##_transposed_8,                                                 \
        .transposed_16 = direction##_transposed_16,                                               \
        .transposed_any = direction##_transposed_any,                                             \
        .listed_wide = direction##_listed_wide,                                                   \
        .varied = direction##_varied,                                                             \
        .varied_wide = direction##_varied_wide,                                                   \
        .pairs = &PASTE(weft_type_pair_kernels_, WEFT_TYPE_KERNEL_ISA),                           \
    }
/* clang-format on */

const struct weft_type_kernels PASTE(weft_type_kernels_, WEFT_TYPE_KERNEL_ISA)[2] = {
    [WEFT_TYPE_GATHER] = TABLE(gather, GATHER_ROW),
    [WEFT_TYPE_SCATTER] = TABLE(scatter, SCATTER_ROW),
};
