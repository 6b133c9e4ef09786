/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compiled once for each instruction set, with WEFT_KERNEL_ISA naming it. The functions below are
 * templates: they are always inlined with a constant direction and class of block, so that the
 * compiler sees loops over moves of known size.
 *
 * Nothing is ever read or written outside the blocks: memory between them may belong to another
 * thread.
 */
#include "type/block_move.h"
#ifdef __AVX512BW__
#include "type/dense.h"
#include "type/lanes.h"
#endif

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

INLINE void move_block(enum weft_direction direction, char *packed, weft_address mem,
                       size_t bytes, enum weft_kernel_class class)
{
    if (direction == WEFT_GATHER)
        move_class(packed, (const char *)mem, bytes, class);
    else
        move_class((char *)mem, packed, bytes, class);
}

/* The loops below go through a copy of the run: the compiler cannot know that a stored block does
 * not change the original, and would read it again and again. */

/* ---- Strided ------------------------------------------------------------------------------ */

INLINE void move_row(enum weft_direction direction, enum weft_kernel_class class, size_t bytes,
                     char *packed, weft_address mem, uint64_t count, int64_t stride)
{
#ifdef __AVX512BW__
    uint64_t done = 0;
    if ((class == WEFT_KERNEL_4 || class == WEFT_KERNEL_8 || class == WEFT_KERNEL_16) &&
        dense_fits(bytes, stride, count))
        done = dense_move(direction, bytes, packed, mem, count, stride);
    else if (lanes_fit(direction, class))
        done = lanes_gather_strided(bytes, packed, mem, stride, count);
    packed += done * bytes;
    mem = weft_address_add(mem, (int64_t)done * stride);
    count -= done;
#endif
    for (; count >= 4; count -= 4) {
        move_block(direction, packed, mem, bytes, class);
        move_block(direction, packed + bytes, weft_address_add(mem, stride), bytes, class);
        move_block(direction, packed + 2 * bytes, weft_address_add(mem, 2 * stride), bytes,
                   class);
        move_block(direction, packed + 3 * bytes, weft_address_add(mem, 3 * stride), bytes,
                   class);
        packed += 4 * bytes;
        mem = weft_address_add(mem, 4 * stride);
    }
    for (; count; count--) {
        move_block(direction, packed, mem, bytes, class);
        packed += bytes;
        mem = weft_address_add(mem, stride);
    }
}

INLINE void move_strided(enum weft_direction direction, enum weft_kernel_class class,
                         char *packed, const struct weft_run *original)
{
    const struct weft_run run = *original;
    const size_t bytes = class_bytes(class, run.block);
    weft_address mem = run.mem;
    uint64_t rows = run.rows;
    do {
        move_row(direction, class, bytes, packed, mem, run.count, run.stride);
        packed += run.row_bytes;
        mem = weft_address_add(mem, run.row_stride);
    } while (--rows);
}

/* Rows moved together: as many as share the cache lines of a row's pieces. */
#define TILE_ROWS 8

INLINE void move_transposed(enum weft_direction direction, enum weft_kernel_class class,
                            char *packed, const struct weft_run *original)
{
    const struct weft_run run = *original;
    const size_t bytes = class_bytes(class, run.block);
    for (uint64_t first = 0; first < run.rows; first += TILE_ROWS) {
        uint64_t rows = run.rows - first < TILE_ROWS ? run.rows - first : TILE_ROWS;
        weft_address mem = weft_address_add(run.mem, (int64_t)first * run.row_stride);
        char *out = packed + first * run.row_bytes;
        for (uint64_t i = 0; i < run.count; i++) {
            for (uint64_t row = 0; row < rows; row++)
                move_block(direction, out + row * run.row_bytes,
                           weft_address_add(mem, (int64_t)row * run.row_stride), bytes, class);
            mem = weft_address_add(mem, run.stride);
            out += bytes;
        }
    }
}

/* ---- Listed and varied -------------------------------------------------------------------- */

/* The next but so many blocks are fetched while one is stored: stores leave the processor in
 * order, so that a miss holds up all behind it. Loads need no such help, nor do constant strides:
 * there it only added misses of the address cache. */
#define PREFETCH_AHEAD 16

/* Blocks of a line and more are prefetched only where they cannot all be in the nearer caches. */
#define PREFETCH_MANY 16384

INLINE bool prefetch_pays(const struct weft_run *run)
{
    return run->far && run->count >= (run->block < 64 ? 4 * PREFETCH_AHEAD : PREFETCH_MANY);
}

INLINE int64_t where_at(const void *where, bool wide, uint64_t i)
{
    return wide ? ((const int64_t *)where)[i] : ((const int32_t *)where)[i];
}

/* Entries [i, count), four to a turn; `ahead` is constant. Returns the first that is left. */
INLINE uint64_t move_entries(enum weft_direction direction, bool wide,
                             enum weft_kernel_class class, char *packed,
                             const struct weft_run *run, weft_address mem, uint64_t i,
                             uint64_t ahead)
{
    const size_t bytes = class_bytes(class, run->block);
    const void *where = run->where;
    packed += i * bytes;
    for (; i + 4 + ahead <= run->count; i += 4) {
        for (int k = 0; ahead && k < 4; k++)
            __builtin_prefetch((void *)weft_address_add(mem, where_at(where, wide, i + ahead + k)),
                               1);
        move_block(direction, packed, weft_address_add(mem, where_at(where, wide, i)), bytes,
                   class);
        move_block(direction, packed + bytes,
                   weft_address_add(mem, where_at(where, wide, i + 1)), bytes, class);
        move_block(direction, packed + 2 * bytes,
                   weft_address_add(mem, where_at(where, wide, i + 2)), bytes, class);
        move_block(direction, packed + 3 * bytes,
                   weft_address_add(mem, where_at(where, wide, i + 3)), bytes, class);
        packed += 4 * bytes;
    }
    for (; i + ahead < run->count; i++) {
        move_block(direction, packed, weft_address_add(mem, where_at(where, wide, i)), bytes,
                   class);
        packed += bytes;
    }
    return i;
}

INLINE void move_listed(enum weft_direction direction, bool wide, enum weft_kernel_class class,
                        char *packed, const struct weft_run *original)
{
    const struct weft_run run = *original;
    weft_address mem = run.mem;
    uint64_t rows = run.rows;
    do {
        uint64_t i = 0;
#ifdef __AVX512BW__
        if (!wide && lanes_fit(direction, class))
            i = lanes_gather_listed(class_bytes(class, 0), packed, mem, run.where, run.count);
#endif
        if (direction == WEFT_SCATTER && prefetch_pays(&run))
            i = move_entries(direction, wide, class, packed, &run, mem, 0, PREFETCH_AHEAD);
        move_entries(direction, wide, class, packed, &run, mem, i, 0);
        packed += run.row_bytes;
        mem = weft_address_add(mem, run.row_stride);
    } while (--rows);
}

INLINE uint64_t end_at(const struct weft_run *run, bool wide, uint64_t i)
{
    return wide ? ((const uint64_t *)run->end)[i] : ((const uint32_t *)run->end)[i];
}

INLINE void move_varied(enum weft_direction direction, bool wide_where, bool wide_end,
                        char *packed, const struct weft_run *original)
{
    const struct weft_run run = *original;
    weft_address row = run.mem;
    for (uint64_t r = 0; r < run.rows; r++) {
        uint64_t done = 0;
        for (uint64_t i = 0; done < run.row_bytes; i++) {
            uint64_t end = end_at(&run, wide_end, i) - run.start;
            if (end > run.row_bytes)
                end = run.row_bytes;
            char *mem = (char *)weft_address_add(row, where_at(run.where, wide_where, i));
            if (direction == WEFT_GATHER)
                move_any(packed + done, mem, end - done);
            else
                move_any(mem, packed + done, end - done);
            done = end;
        }
        packed += run.row_bytes;
        row = weft_address_add(row, run.row_stride);
    }
}

/* ---- The tables --------------------------------------------------------------------------- */

#define KERNEL(name, call)                                                                        \
    static void name(char *packed, const struct weft_run *run)                                    \
    {                                                                                             \
        call;                                                                                     \
    }

#define CLASS_KERNELS(class)                                                                      \
    KERNEL(gather_strided_##class, move_strided(WEFT_GATHER, WEFT_KERNEL_##class, packed, run))   \
    KERNEL(gather_transposed_##class,                                                             \
           move_transposed(WEFT_GATHER, WEFT_KERNEL_##class, packed, run))                        \
    KERNEL(scatter_transposed_##class,                                                            \
           move_transposed(WEFT_SCATTER, WEFT_KERNEL_##class, packed, run))                       \
    KERNEL(gather_near_##class, move_listed(WEFT_GATHER, 0, WEFT_KERNEL_##class, packed, run))    \
    KERNEL(gather_wide_##class, move_listed(WEFT_GATHER, 1, WEFT_KERNEL_##class, packed, run))    \
    KERNEL(scatter_strided_##class, move_strided(WEFT_SCATTER, WEFT_KERNEL_##class, packed, run)) \
    KERNEL(scatter_near_##class, move_listed(WEFT_SCATTER, 0, WEFT_KERNEL_##class, packed, run))  \
    KERNEL(scatter_wide_##class, move_listed(WEFT_SCATTER, 1, WEFT_KERNEL_##class, packed, run))
WEFT_KERNEL_FIXED_MAP(CLASS_KERNELS)
WEFT_KERNEL_OTHER_MAP(CLASS_KERNELS)

KERNEL(gather_varied_00, move_varied(WEFT_GATHER, 0, 0, packed, run))
KERNEL(gather_varied_01, move_varied(WEFT_GATHER, 0, 1, packed, run))
KERNEL(gather_varied_10, move_varied(WEFT_GATHER, 1, 0, packed, run))
KERNEL(gather_varied_11, move_varied(WEFT_GATHER, 1, 1, packed, run))
KERNEL(scatter_varied_00, move_varied(WEFT_SCATTER, 0, 0, packed, run))
KERNEL(scatter_varied_01, move_varied(WEFT_SCATTER, 0, 1, packed, run))
KERNEL(scatter_varied_10, move_varied(WEFT_SCATTER, 1, 0, packed, run))
KERNEL(scatter_varied_11, move_varied(WEFT_SCATTER, 1, 1, packed, run))

static void gather_piece(char *packed, weft_address mem, uint64_t length)
{
    move_any(packed, (const char *)mem, length);
}

static void scatter_piece(char *packed, weft_address mem, uint64_t length)
{
    move_any((char *)mem, packed, length);
}

#define GATHER_ROW(class)                                                                         \
    [WEFT_KERNEL_##class] = {gather_strided_##class,                                              \
                             gather_transposed_##class,                                           \
                             {gather_near_##class, gather_wide_##class}},
#define SCATTER_ROW(class)                                                                        \
    [WEFT_KERNEL_##class] = {scatter_strided_##class,                                             \
                             scatter_transposed_##class,                                          \
                             {scatter_near_##class, scatter_wide_##class}},

const struct weft_kernels PASTE(weft_kernels_, WEFT_KERNEL_ISA)[2] = {
    [WEFT_GATHER] = {gather_piece,
                     {{gather_varied_00, gather_varied_01}, {gather_varied_10, gather_varied_11}},
                     {WEFT_KERNEL_FIXED_MAP(GATHER_ROW) WEFT_KERNEL_OTHER_MAP(GATHER_ROW)}},
    [WEFT_SCATTER] = {scatter_piece,
                      {{scatter_varied_00, scatter_varied_01},
                       {scatter_varied_10, scatter_varied_11}},
                      {WEFT_KERNEL_FIXED_MAP(SCATTER_ROW) WEFT_KERNEL_OTHER_MAP(SCATTER_ROW)}},
};
