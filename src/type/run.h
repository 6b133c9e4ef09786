/* SPDX-License-Identifier: BSD-3-Clause */
/* What a walk finds: runs of many pieces of memory, who receives them, and how to go through
 * one. */
#ifndef WEFT_TYPE_RUN_H
#define WEFT_TYPE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Addresses are integers here: displacements may be absolute, the base NULL, and a pointer that
 * steps outside its object on the way to the next piece would not be C.
 */
typedef uintptr_t weft_type_address;

static inline weft_type_address weft_type_address_add(weft_type_address address,
                                                      int64_t displacement)
{
    return address + (weft_type_address)displacement;
}

enum weft_type_run_shape { WEFT_TYPE_RUN_STRIDED, WEFT_TYPE_RUN_LISTED, WEFT_TYPE_RUN_VARIED };

/*
 * `rows` rows, `row_stride` apart, of pieces that are
 *   strided: `count` of `block` bytes, `stride` apart, the first at mem
 *   listed:  `count` of `block` bytes at mem + where[i]
 *   varied:  at mem + where[i], entry i ending at packed offset end[i], row_bytes in all (the
 *            last piece may be cut); entry 0 starts at packed offset `start`
 */
struct weft_type_run {
    uint8_t shape;
    uint8_t kernel; /* for `block` bytes */
    bool wide_where;
    bool wide_end;
    bool far; /* listed: as weft_type_node.far */
    weft_type_address mem;
    uint64_t block;
    uint64_t count;
    int64_t stride;
    uint64_t rows;
    int64_t row_stride;
    const void *where;
    const void *end;
    uint64_t start;
    uint64_t row_bytes;
};

/* Who receives what the walk finds. A callback that returns false ends the walk. */
struct weft_type_sink {
    bool (*piece)(struct weft_type_sink *sink, weft_type_address mem, uint64_t length);
    bool (*run)(struct weft_type_sink *sink, const struct weft_type_run *run);
};

struct weft_type_piece {
    weft_type_address mem;
    uint64_t length;
};

/* Goes through the pieces of a run. */
struct weft_type_stepper {
    const struct weft_type_run *run;
    uint64_t row;
    uint64_t i;
    uint64_t done; /* bytes of this row */
};

static inline int64_t weft_type_run_where(const struct weft_type_run *run, uint64_t i)
{
    return run->wide_where ? ((const int64_t *)run->where)[i] : ((const int32_t *)run->where)[i];
}

static inline uint64_t weft_type_run_end(const struct weft_type_run *run, uint64_t i)
{
    return run->wide_end ? ((const uint64_t *)run->end)[i] : ((const uint32_t *)run->end)[i];
}

static inline bool weft_type_stepper_next(struct weft_type_stepper *step,
                                          struct weft_type_piece *piece)
{
    const struct weft_type_run *run = step->run;
    if (step->done == run->row_bytes) {
        step->row++;
        step->i = 0;
        step->done = 0;
    }
    if (step->row == run->rows)
        return false;
    weft_type_address row = weft_type_address_add(run->mem, (int64_t)step->row * run->row_stride);
    if (run->shape == WEFT_TYPE_RUN_STRIDED)
        piece->mem = weft_type_address_add(row, (int64_t)step->i * run->stride);
    else
        piece->mem = weft_type_address_add(row, weft_type_run_where(run, step->i));
    piece->length = run->block;
    if (run->shape == WEFT_TYPE_RUN_VARIED) {
        piece->length = weft_type_run_end(run, step->i) - run->start - step->done;
        if (piece->length > run->row_bytes - step->done)
            piece->length = run->row_bytes - step->done;
    }
    step->i++;
    step->done += piece->length;
    return true;
}

#endif
