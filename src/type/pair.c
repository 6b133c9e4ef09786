/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled once for each instruction set; see kernel.c. */
#include "type/pair.h"

#include "type/block_move.h"

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

INLINE weft_type_address block_at(const struct weft_type_pair_side *side, bool listed, uint64_t i)
{
    return weft_type_address_add(side->mem,
                                 listed ? (int64_t)side->where[i] : (int64_t)i * side->step);
}

INLINE void copy_block(enum weft_type_kernel_class class, bool to_listed, bool from_listed,
                       size_t bytes, const struct weft_type_pair *pair, uint64_t i)
{
    move_class((char *)block_at(&pair->to, to_listed, i),
               (const char *)block_at(&pair->from, from_listed, i), bytes, class);
}

INLINE void pass(struct weft_type_pair_side *side, bool listed, uint64_t blocks)
{
    if (listed)
        side->where += blocks;
    else
        side->mem = weft_type_address_add(side->mem, (int64_t)blocks * side->step);
}

/* `count` may be a constant. */
INLINE void copy_group(enum weft_type_kernel_class class, bool to_listed, bool from_listed,
                       uint64_t count, struct weft_type_pair pair)
{
    const size_t bytes = class_bytes(class, pair.block);
    if (class_is_tiny(class))
        for (; count >= 4; count -= 4) {
            copy_block(class, to_listed, from_listed, bytes, &pair, 0);
            copy_block(class, to_listed, from_listed, bytes, &pair, 1);
            copy_block(class, to_listed, from_listed, bytes, &pair, 2);
            copy_block(class, to_listed, from_listed, bytes, &pair, 3);
            pass(&pair.to, to_listed, 4);
            pass(&pair.from, from_listed, 4);
        }
    for (; count; count--) {
        copy_block(class, to_listed, from_listed, bytes, &pair, 0);
        pass(&pair.to, to_listed, 1);
        pass(&pair.from, from_listed, 1);
    }
}

INLINE void copy_groups(enum weft_type_kernel_class class, bool to_listed, bool from_listed,
                        uint64_t count, struct weft_type_pair pair)
{
    do {
        copy_group(class, to_listed, from_listed, count, pair);
        pair.to.mem = weft_type_address_add(pair.to.mem, pair.to.group);
        pair.from.mem = weft_type_address_add(pair.from.mem, pair.from.group);
    } while (--pair.groups);
}

/* Of so few tiny blocks, a loop over them would take longer than they do, unless the groups lie
 * far apart where they are loaded: then all of a group are better loaded by one instruction, for
 * the processor prefetches by the strides that it sees at each. */
INLINE void copy_pair(enum weft_type_kernel_class class, bool to_listed, bool from_listed,
                      const struct weft_type_pair *pair)
{
    const bool may_be_few =
        class_is_tiny(class) && !to_listed && !from_listed && !is_far(pair->from.group);
    if (may_be_few && pair->count == 2)
        copy_groups(class, false, false, 2, *pair);
    else if (may_be_few && pair->count == 4)
        copy_groups(class, false, false, 4, *pair);
    else if (may_be_few && pair->count == 8)
        copy_groups(class, false, false, 8, *pair);
    else
        copy_groups(class, to_listed, from_listed, pair->count, *pair);
}

static void copy_twins(const struct weft_type_run *to, const struct weft_type_run *from)
{
    const struct weft_type_run there = *to;
    const int32_t *where = there.where;
    const uint32_t *end = there.end;
    weft_type_address source = from->mem, target = there.mem;
    const int64_t source_stride = from->row_stride;
    for (uint64_t row = 0; row < there.rows; row++) {
        uint64_t done = 0;
        for (uint64_t i = 0; done < there.row_bytes; i++) {
            uint64_t upto = end[i] - there.start;
            if (upto > there.row_bytes)
                upto = there.row_bytes;
            move_any((char *)weft_type_address_add(target, where[i]),
                     (const char *)weft_type_address_add(source, where[i]), upto - done, true);
            done = upto;
        }
        target = weft_type_address_add(target, there.row_stride);
        source = weft_type_address_add(source, source_stride);
    }
}

INLINE void refill(struct weft_type_feed *feed)
{
    if (!feed->rest.length)
        weft_type_stepper_next(&feed->step, &feed->rest);
}

INLINE void use(struct weft_type_feed *feed, uint64_t length)
{
    feed->rest.mem += length;
    feed->rest.length -= length;
}

/* What most runs have, and spares the loop below some questions. */
INLINE bool is_simple(const struct weft_type_run *run)
{
    return run->rows == 1 &&
           (run->shape == WEFT_TYPE_RUN_STRIDED ||
            (run->shape == WEFT_TYPE_RUN_VARIED && !run->wide_where && !run->wide_end));
}

INLINE void assume(struct weft_type_run *run, bool varied)
{
    run->shape = varied ? WEFT_TYPE_RUN_VARIED : WEFT_TYPE_RUN_STRIDED;
    run->rows = 1;
    run->row_stride = 0;
    run->wide_where = run->wide_end = false;
}

/* `simple` (both are), `to_varied` and `from_varied`: constants. */
INLINE void copy_pieces_of(bool simple, bool to_varied, bool from_varied,
                           struct weft_type_feed *to, struct weft_type_feed *from, uint64_t bytes)
{
    /* Copies: a stored piece might change the originals, for all that the compiler knows. */
    struct weft_type_run to_run = *to->step.run, from_run = *from->step.run;
    struct weft_type_feed there = *to, here = *from;
    there.step.run = &to_run;
    here.step.run = &from_run;
    if (simple) {
        assume(&to_run, to_varied);
        assume(&from_run, from_varied);
    }
    while (bytes) {
        refill(&there);
        refill(&here);
        uint64_t part =
            there.rest.length < here.rest.length ? there.rest.length : here.rest.length;
        part = part < bytes ? part : bytes;
        move_any((char *)there.rest.mem, (const char *)here.rest.mem, part, true);
        use(&there, part);
        use(&here, part);
        bytes -= part;
    }
    there.step.run = to->step.run;
    here.step.run = from->step.run;
    *to = there;
    *from = here;
}

static void copy_pieces(struct weft_type_feed *to, struct weft_type_feed *from, uint64_t bytes)
{
    bool to_varied = to->step.run->shape == WEFT_TYPE_RUN_VARIED;
    bool from_varied = from->step.run->shape == WEFT_TYPE_RUN_VARIED;
    if (!is_simple(to->step.run) || !is_simple(from->step.run))
        copy_pieces_of(false, false, false, to, from, bytes);
    else if (to_varied && from_varied)
        copy_pieces_of(true, true, true, to, from, bytes);
    else if (to_varied)
        copy_pieces_of(true, true, false, to, from, bytes);
    else if (from_varied)
        copy_pieces_of(true, false, true, to, from, bytes);
    else
        copy_pieces_of(true, false, false, to, from, bytes);
}

#define KERNEL(class, to_listed, from_listed)                                                     \
    static void copy_##class##_##to_listed##from_listed(const struct weft_type_pair *pair)        \
    {                                                                                             \
        copy_pair(WEFT_TYPE_KERNEL_##class, to_listed, from_listed, pair);                        \
    }
#define CLASS_KERNELS(class)                                                                      \
    KERNEL(class, 0, 0) KERNEL(class, 0, 1) KERNEL(class, 1, 0) KERNEL(class, 1, 1)
WEFT_TYPE_KERNEL_FIXED_MAP(CLASS_KERNELS)
WEFT_TYPE_KERNEL_OTHER_MAP(CLASS_KERNELS)

#define ROW(class)                                                                                \
    [WEFT_TYPE_KERNEL_##class] = {{copy_##class##_00, copy_##class##_01},                         \
                                  {copy_##class##_10, copy_##class##_11}},

const struct weft_type_pair_kernels PASTE(weft_type_pair_kernels_, WEFT_TYPE_KERNEL_ISA);

/* clang-format off */
const struct weft_type_pair_kernels PASTE(weft_type_pair_kernels_, WEFT_TYPE_KERNEL_ISA) = {
    .of = {WEFT_TYPE_KERNEL_FIXED_MAP(ROW) WEFT_TYPE_KERNEL_OTHER_MAP(ROW)},
    .pieces = copy_pieces,
    .twins = copy_twins,
};
/* clang-format on */
