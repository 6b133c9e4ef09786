/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compiled once for each instruction set, with WEFT_KERNEL_ISA naming it. The functions below are
 * templates: they are always inlined with a constant direction and class of block, so that the
 * compiler sees loops over moves of known size.
 *
 * Nothing is ever read or written outside the blocks: memory between them may belong to another
 * thread.
 */
#include "type/kernel.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

#ifdef __clang__
#define UNROLL _Pragma("unroll 4")
#else
#define UNROLL _Pragma("GCC unroll 4")
#endif

/* ---- Moving one block --------------------------------------------------------------------- */

/* The compiler splits these into whatever registers it has. */
typedef char vector16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef char vector32 __attribute__((vector_size(32), aligned(1), may_alias));
typedef char vector64 __attribute__((vector_size(64), aligned(1), may_alias));

INLINE void move(char *to, const char *from, size_t bytes)
{
    if (bytes == 16)
        *(vector16 *)to = *(const vector16 *)from;
    else if (bytes == 32)
        *(vector32 *)to = *(const vector32 *)from;
    else if (bytes == 64)
        *(vector64 *)to = *(const vector64 *)from;
    else
        memcpy(to, from, bytes);
}

/* Two moves of a constant size that meet or overlap in the middle. */
INLINE void move_ends(char *to, const char *from, size_t bytes, size_t each)
{
    move(to, from, each);
    move(to + bytes - each, from + bytes - each, each);
}

INLINE void move_large(char *to, const char *from, size_t bytes)
{
    size_t i = 0;
    for (; i + 256 <= bytes; i += 256) {
        move(to + i, from + i, 64);
        move(to + i + 64, from + i + 64, 64);
        move(to + i + 128, from + i + 128, 64);
        move(to + i + 192, from + i + 192, 64);
    }
    for (; i + 64 < bytes; i += 64)
        move(to + i, from + i, 64);
    move(to + bytes - 64, from + bytes - 64, 64);
}

/* From here on the C library's copy, which aligns its stores, is faster. */
#define LIBRARY_BYTES 1024

INLINE void move_class(char *to, const char *from, size_t bytes, enum weft_kernel_class class)
{
    switch (class) {
#define FIXED(n)                                                                                  \
    case WEFT_KERNEL_##n:                                                                         \
        move(to, from, n);                                                                        \
        break;
        WEFT_KERNEL_FIXED_MAP(FIXED)
#undef FIXED
    case WEFT_KERNEL_UPTO_3:
        move_ends(to, from, bytes, 2);
        break;
    case WEFT_KERNEL_UPTO_7:
        move_ends(to, from, bytes, 4);
        break;
    case WEFT_KERNEL_UPTO_15:
        move_ends(to, from, bytes, 8);
        break;
    case WEFT_KERNEL_UPTO_31:
        move_ends(to, from, bytes, 16);
        break;
    case WEFT_KERNEL_UPTO_63:
        move_ends(to, from, bytes, 32);
        break;
    case WEFT_KERNEL_UPTO_128:
        move_ends(to, from, bytes, 64);
        break;
    case WEFT_KERNEL_UPTO_256:
        move_ends(to, from, 128, 64);
        move_ends(to + bytes - 128, from + bytes - 128, 128, 64);
        break;
    default:
        if (bytes < LIBRARY_BYTES)
            move_large(to, from, bytes);
        else
            memcpy(to, from, bytes);
    }
}

/* Any number of bytes. */
INLINE void move_any(char *to, const char *from, size_t bytes)
{
    if (bytes > 256)
        move_class(to, from, bytes, WEFT_KERNEL_LARGE);
    else if (bytes > 128)
        move_class(to, from, bytes, WEFT_KERNEL_UPTO_256);
    else if (bytes >= 64)
        move_class(to, from, bytes, WEFT_KERNEL_UPTO_128);
    else if (bytes >= 32)
        move_class(to, from, bytes, WEFT_KERNEL_UPTO_63);
    else if (bytes >= 16)
        move_class(to, from, bytes, WEFT_KERNEL_UPTO_31);
    else if (bytes >= 8)
        move_class(to, from, bytes, WEFT_KERNEL_UPTO_15);
    else if (bytes >= 4)
        move_class(to, from, bytes, WEFT_KERNEL_UPTO_7);
    else if (bytes >= 2)
        move_class(to, from, bytes, WEFT_KERNEL_UPTO_3);
    else if (bytes)
        *to = *from;
}

INLINE size_t class_bytes(enum weft_kernel_class class, size_t bytes)
{
    switch (class) {
#define FIXED(n)                                                                                  \
    case WEFT_KERNEL_##n:                                                                         \
        return n;
        WEFT_KERNEL_FIXED_MAP(FIXED)
#undef FIXED
    default:
        return bytes;
    }
}

INLINE void move_block(enum weft_direction direction, char *packed, weft_address mem,
                       size_t bytes, enum weft_kernel_class class)
{
    if (direction == WEFT_GATHER)
        move_class(packed, (const char *)mem, bytes, class);
    else
        move_class((char *)mem, packed, bytes, class);
}

/* ---- Runs --------------------------------------------------------------------------------- */

/*
 * A transposed array: the next row begins within the cache line that a row's piece has touched,
 * while the next piece of the row is far away. Then several rows are moved together, so that a
 * line is used up before it is left. Pieces must be disjoint, since their order changes.
 */
INLINE bool is_transposed(const struct weft_run *run)
{
    int64_t row = run->row_stride, step = run->stride < 0 ? -run->stride : run->stride;
    return run->rows > 1 && row >= (int64_t)run->block && row <= 64 && step >= 256 &&
           (uint64_t)step / run->rows >= (uint64_t)row;
}

#define TILE_ROWS 8

INLINE void move_transposed(enum weft_direction direction, enum weft_kernel_class class,
                            char *packed, const struct weft_run *run)
{
    size_t bytes = class_bytes(class, run->block);
    for (uint64_t first = 0; first < run->rows; first += TILE_ROWS) {
        uint64_t rows = run->rows - first < TILE_ROWS ? run->rows - first : TILE_ROWS;
        weft_address mem = weft_address_add(run->mem, (int64_t)first * run->row_stride);
        char *out = packed + first * run->row_bytes;
        for (uint64_t i = 0; i < run->count; i++) {
            for (uint64_t row = 0; row < rows; row++)
                move_block(direction, out + row * run->row_bytes,
                           weft_address_add(mem, (int64_t)row * run->row_stride), bytes, class);
            mem = weft_address_add(mem, run->stride);
            out += bytes;
        }
    }
}

INLINE void move_strided(enum weft_direction direction, enum weft_kernel_class class,
                         char *packed, const struct weft_run *run)
{
    if (is_transposed(run)) {
        move_transposed(direction, class, packed, run);
        return;
    }
    size_t bytes = class_bytes(class, run->block);
    weft_address row = run->mem;
    for (uint64_t r = 0; r < run->rows; r++) {
        weft_address mem = row;
        UNROLL for (uint64_t i = 0; i < run->count; i++)
        {
            move_block(direction, packed, mem, bytes, class);
            mem = weft_address_add(mem, run->stride);
            packed += bytes;
        }
        row = weft_address_add(row, run->row_stride);
    }
}

INLINE int64_t where_at(const struct weft_run *run, bool wide, uint64_t i)
{
    return wide ? ((const int64_t *)run->where)[i] : ((const int32_t *)run->where)[i];
}

INLINE void move_listed(enum weft_direction direction, bool wide, enum weft_kernel_class class,
                        char *packed, const struct weft_run *run)
{
    size_t bytes = class_bytes(class, run->block);
    weft_address row = run->mem;
    for (uint64_t r = 0; r < run->rows; r++) {
        UNROLL for (uint64_t i = 0; i < run->count; i++)
        {
            weft_address mem = weft_address_add(row, where_at(run, wide, i));
            move_block(direction, packed, mem, bytes, class);
            packed += bytes;
        }
        row = weft_address_add(row, run->row_stride);
    }
}

INLINE uint64_t end_at(const struct weft_run *run, bool wide, uint64_t i)
{
    return wide ? ((const uint64_t *)run->end)[i] : ((const uint32_t *)run->end)[i];
}

INLINE void move_varied(enum weft_direction direction, bool wide_where, bool wide_end,
                        char *packed, const struct weft_run *run)
{
    for (uint64_t r = 0; r < run->rows; r++) {
        weft_address row = weft_address_add(run->mem, (int64_t)r * run->row_stride);
        uint64_t done = 0;
        for (uint64_t i = 0; done < run->row_bytes; i++) {
            uint64_t end = end_at(run, wide_end, i) - run->start;
            if (end > run->row_bytes)
                end = run->row_bytes;
            char *mem = (char *)weft_address_add(row, where_at(run, wide_where, i));
            if (direction == WEFT_GATHER)
                move_any(packed + done, mem, end - done);
            else
                move_any(mem, packed + done, end - done);
            done = end;
        }
        packed += run->row_bytes;
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
    [WEFT_KERNEL_##class] = {gather_strided_##class, {gather_near_##class, gather_wide_##class}},
#define SCATTER_ROW(class)                                                                        \
    [WEFT_KERNEL_##class] = {scatter_strided_##class,                                             \
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
