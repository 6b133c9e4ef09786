/* SPDX-License-Identifier: BSD-3-Clause */
/* What the cells of `weft bench type` say, for people and for programs. */
#ifndef WEFT_BENCH_TYPE_TYPE_REPORT_H
#define WEFT_BENCH_TYPE_TYPE_REPORT_H

#include "bench/harness/bar.h"
#include "bench/type/type_programs.h"
#include "bench/type/type_words.h"

/* X(name): the figures of one program for a cell, by the names in its answer. Times are in
 * nanoseconds; what was not measured is 0. */
#define TYPE_FIGURE_MAP(X)                                                                        \
    X(bytes)                                                                                      \
    X(block)                                                                                      \
    X(rounds)                                                                                     \
    X(memcpy)                                                                                     \
    X(memcpy_min) X(hand) X(hand_min) X(weft) X(weft_min) X(mpi) X(mpi_min) X(locating)           \
        X(weft_to_hand) X(weft_to_mpi)

struct type_figures {
#define TYPE_FIGURE_MEMBER(name) double name;
    TYPE_FIGURE_MAP(TYPE_FIGURE_MEMBER)
#undef TYPE_FIGURE_MEMBER
    char way[32]; /* of writing the hand loop */
};

struct type_cell {
    const char *layout;
    unsigned size, direction, cache;
    bool skipped;
    bool again; /* measured a second time, for longer */
    struct type_figures of[TYPE_PROGRAMS];
};

void type_cell_print_heading(unsigned size, unsigned cache);
void type_cell_print(const struct type_cell *cell);
void type_cells_print_means(const struct type_cell *cells, size_t count);

/* Members of an object that is open. */
void type_cells_print_json(const struct type_cell *cells, size_t count);

/* ---- The bars ----------------------------------------------------------------------------- */

#define TYPE_BAR_TO_BEST 1.05
#define TYPE_BAR_OPENMPI 2.5
#define TYPE_BAR_MPICH 2.3
#define TYPE_BAR_LOCATE 15 /* percent */
#define TYPE_BAR_LOCATE_BLOCK 64

bool type_cell_misses(const struct type_cell *cell);

/* Adds what is missed. */
void type_cell_look(const struct type_cell *cell, struct bar_list *missed);
void type_cells_look_at_mean(const struct type_cell *cells, size_t count,
                             enum type_program program, struct bar_list *missed);

#endif
