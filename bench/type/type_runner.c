/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures cells that `weft bench type` asks for, one request a line:
 *
 *   list
 *   cell LAYOUT 2K|64K|4M pack|unpack warm|cold SECONDS
 *   copy LAYOUT LAYOUT BYTES SECONDS                        for `weft bench copy`
 *
 * and answers with lines "layout NAME" and "end", or one line "cell KEY=VALUE...", or "skip WHY",
 * or "copy KEY=VALUE...".
 * There is one such program for each MPI, so that all rivals of a cell share a process.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WEFT_BENCH_MPI
#include <mpi.h>
#endif

#include "bench/harness/measure.h"
#include "bench/harness/word.h"
#include "bench/type/copy_cell.h"
#include "bench/type/type_cell.h"

static void list_layouts(void)
{
    for (size_t i = 0; i < layout_entry_count(); i++)
        printf("layout %s\n", layout_entry_name(i));
    printf("end\n");
}

static void print_time(const char *name, struct cell_time time)
{
    if (time.median > 0)
        printf(" %s=%.3f %s_min=%.3f", name, time.median, name, time.minimum);
}

static void print_result(const struct cell_result *result)
{
    printf("cell bytes=%zu block=%.1f rounds=%zu way=%s", result->bytes, result->block,
           result->rounds, result->way);
    print_time("memcpy", result->copy);
    print_time("hand", result->hand);
    print_time("weft", result->weft);
    print_time("mpi", result->mpi);
    printf(" weft_to_hand=%.4f locating=%.4f", result->weft_to_hand, result->locating);
    if (result->weft_to_mpi > 0)
        printf(" weft_to_mpi=%.4f", result->weft_to_mpi);
    printf("\n");
}

static bool parse_request(const char *line, struct cell_request *request)
{
    char layout[64], size[8], direction[8], cache[8];
    if (sscanf(line, "cell %63s %7s %7s %7s %lf", layout, size, direction, cache,
               &request->seconds) != 5)
        return false;
    int which_size = word_find(type_sizes, TYPE_SIZES, size);
    int which_direction = word_find(type_directions, TYPE_DIRECTIONS, direction);
    int which_cache = word_find(type_caches, TYPE_CACHES, cache);
    request->entry = layout_entry_find(layout);
    request->size = (enum type_size)which_size;
    request->direction = (enum direction)which_direction;
    request->cold = which_cache == 1;
    return request->entry && which_size >= 0 && which_direction >= 0 && which_cache >= 0;
}

static bool answer_copy(const char *line)
{
    char from[64], to[64];
    size_t target;
    double seconds;
    if (sscanf(line, "copy %63s %63s %zu %lf", from, to, &target, &seconds) != 4 ||
        !layout_entry_find(from) || !layout_entry_find(to))
        return false;
    struct copy_result result =
        copy_cell_measure(layout_entry_find(from), layout_entry_find(to), target, seconds);
    printf("copy bytes=%zu hand=%.3f packed=%.3f weft=%.3f to_hand=%.4f to_packed=%.4f\n",
           result.bytes, result.hand, result.packed, result.weft, result.weft_to_hand,
           result.weft_to_packed);
    return true;
}

static void answer(const char *line)
{
    struct cell_request request;
    struct cell_result result;
    if (strcmp(line, "list\n") == 0) {
        list_layouts();
        return;
    }
    if (answer_copy(line))
        return;
    if (!parse_request(line, &request)) {
        fprintf(stderr, "weft bench: cannot understand the request: %s", line);
        exit(2);
    }
    const char *reason = cell_measure(&request, &result);
    if (reason)
        printf("skip %s\n", reason);
    else
        print_result(&result);
}

int main(int argc, char **argv)
{
#ifdef WEFT_BENCH_MPI
    MPI_Init(&argc, &argv);
#else
    (void)argc;
    (void)argv;
#endif
    measure_stay_here();
    char line[256];
    while (fgets(line, sizeof(line), stdin)) {
        answer(line);
        fflush(stdout);
    }
#ifdef WEFT_BENCH_MPI
    MPI_Finalize();
#endif
    return 0;
}
