/* SPDX-License-Identifier: BSD-3-Clause */
/* The benchmarks of `weft bench`. */
#ifndef WEFT_BENCH_HARNESS_BENCH_H
#define WEFT_BENCH_HARNESS_BENCH_H

#include <stdbool.h>
#include <stddef.h>

int weft_bench_type(int argc, char **argv);
int weft_bench_seek(int argc, char **argv);
int weft_bench_put(int argc, char **argv);
int weft_bench_get(int argc, char **argv);
int weft_bench_rate(int argc, char **argv);
int weft_bench_match(int argc, char **argv);
int weft_bench_spin(int argc, char **argv);
int weft_bench_ddt(int argc, char **argv);
int weft_bench_transfer(int argc, char **argv);
int weft_bench_mpi(int argc, char **argv);

/* ---- Progress: one line on standard error if that is a terminal -------------------------- */

void weft_progress_show(size_t done, size_t all, const char *what);
void weft_progress_clear(void);

/* ---- The programs that measure datatypes, one for each MPI ------------------------------- */

enum weft_runner_kind { WEFT_RUNNER_OPENMPI, WEFT_RUNNER_MPICH, WEFT_RUNNER_NONE };
#define WEFT_RUNNERS 3

const char *weft_runner_name(enum weft_runner_kind kind);

/* False if the program is not there. Others failures end this program, here and below. */
bool weft_runner_open(enum weft_runner_kind kind);
bool weft_runner_is_open(enum weft_runner_kind kind);
void weft_runner_ask(enum weft_runner_kind kind, const char *request);
void weft_runner_answer(enum weft_runner_kind kind, char *line, size_t size);
void weft_runner_close_all(void);

/* ---- What was measured ------------------------------------------------------------------- */

enum weft_cell_size { WEFT_CELL_2K, WEFT_CELL_64K, WEFT_CELL_4M };
#define WEFT_CELL_SIZES 3

extern const char *const weft_cell_sizes[];      /* "2K", "64K", "4M" */
extern const char *const weft_cell_directions[]; /* "pack", "unpack" */
extern const char *const weft_cell_caches[];     /* "warm", "cold" */

/* X(name): the figures of one runner for a cell, by the names in its answer. Times are in
 * nanoseconds; what was not measured is 0. */
#define WEFT_FIGURE_MAP(X)                                                                        \
    X(bytes)                                                                                      \
    X(block) X(rounds) X(memcpy) X(memcpy_min) X(hand) X(hand_min) X(weft) X(weft_min) X(mpi)     \
        X(mpi_min) X(locating) X(weft_to_hand) X(weft_to_mpi)

struct weft_figures {
#define WEFT_FIGURE_MEMBER(name) double name;
    WEFT_FIGURE_MAP(WEFT_FIGURE_MEMBER)
#undef WEFT_FIGURE_MEMBER
    char way[32]; /* of writing the hand loop */
};

struct weft_cell {
    const char *layout;
    unsigned size, direction, cache;
    bool skipped;
    bool again; /* measured a second time, for longer */
    struct weft_figures of[WEFT_RUNNERS];
};

/* The middle of what the runners measured, 0 if none did. `member` is an offset in
 * struct weft_figures. */
double weft_cell_middle(const struct weft_cell *cell, size_t member);

/* Weft's time relative to the fastest of the others. */
double weft_cell_to_best(const struct weft_cell *cell);

/* How many times faster Weft is, as a geometric mean over the cells of a size and cache; 0 if
 * there are none. `runner` names the MPI compared with, WEFT_RUNNER_NONE the hand loop. */
double weft_cells_mean(const struct weft_cell *cells, size_t count, unsigned size, unsigned cache,
                       enum weft_runner_kind runner);

/* ---- Reports ----------------------------------------------------------------------------- */

void weft_cell_print_heading(unsigned size, unsigned cache);
void weft_cell_print(const struct weft_cell *cell);
void weft_cells_print_means(const struct weft_cell *cells, size_t count);

/* Opens an object, which the caller closes. */
void weft_cells_print_json(const struct weft_cell *cells, size_t count);

/* ---- The bars ---------------------------------------------------------------------------- */

#define WEFT_BAR_TO_BEST 1.05
#define WEFT_BAR_OPENMPI 2.5
#define WEFT_BAR_MPICH 2.3
#define WEFT_BAR_LOCATE 0.15
#define WEFT_BAR_LOCATE_BLOCK 64

/* Whether a bar for single cells is missed; says which in `text`. */
bool weft_cell_misses(const struct weft_cell *cell, char *text, size_t size);
bool weft_cells_miss_mean(const struct weft_cell *cells, size_t count,
                          enum weft_runner_kind runner, char *text, size_t size);

#endif
