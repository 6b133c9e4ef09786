/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/record/log.h"

#include <stdlib.h>

#include "base/clock.h"

#define MOST_STEPS WEFT_MPI_NEED_BEGUN

struct weft_mpi_front weft_mpi_program;

static struct {
    struct weft_mpi_step *steps;
    size_t count, room;
    struct weft_mpi_front needs; /* of all steps, one after the other */
    bool is_starved;
    clockid_t clock;
    uint64_t begin, end; /* of the record */
    uint64_t left;       /* when the program last left MPI */
    uint64_t computed;   /* nanoseconds that are no step yet */
} all = {.clock = CLOCK_MONOTONIC};

/* ---- Memory -------------------------------------------------------------------------------- */

/* An array that has room for one more, or NULL. */
static void *with_room(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return array;
    size_t larger = *room ? 2 * *room : 64;
    void *grown = larger <= MOST_STEPS ? realloc(array, larger * size) : NULL;
    if (grown)
        *room = larger;
    else
        weft_mpi_log_starve();
    return grown;
}

static void append(struct weft_mpi_front *front, uint32_t need)
{
    uint32_t *needs = with_room(front->needs, front->count, &front->room, sizeof *needs);
    if (!needs)
        return;
    front->needs = needs;
    front->needs[front->count++] = need;
}

void weft_mpi_log_starve(void)
{
    all.is_starved = true;
}

bool weft_mpi_log_is_starved(void)
{
    return all.is_starved;
}

/* ---- Steps --------------------------------------------------------------------------------- */

uint32_t weft_mpi_log_add(const struct weft_mpi_front *after, const struct weft_mpi_step *step)
{
    if (all.is_starved)
        return WEFT_MPI_STEP_NONE;
    struct weft_mpi_step *steps = with_room(all.steps, all.count, &all.room, sizeof *steps);
    if (!steps)
        return WEFT_MPI_STEP_NONE;
    all.steps = steps;
    steps[all.count] = *step;
    steps[all.count].needs = (uint32_t)all.needs.count;
    for (size_t i = 0; i < after->count; i++)
        append(&all.needs, after->needs[i]);
    return (uint32_t)all.count++;
}

struct weft_mpi_step *weft_mpi_log_step(uint32_t step)
{
    return step < all.count ? &all.steps[step] : NULL;
}

uint32_t weft_mpi_log_count(void)
{
    return (uint32_t)all.count;
}

const uint32_t *weft_mpi_log_needs(uint32_t step, uint32_t *count)
{
    size_t end = step + 1 < all.count ? all.steps[step + 1].needs : all.needs.count;
    *count = (uint32_t)end - all.steps[step].needs;
    return all.needs.needs + all.steps[step].needs;
}

/* ---- Fronts -------------------------------------------------------------------------------- */

void weft_mpi_front_add(struct weft_mpi_front *front, uint32_t step)
{
    if (step != WEFT_MPI_STEP_NONE)
        append(front, step);
}

void weft_mpi_front_fini(struct weft_mpi_front *front)
{
    free(front->needs);
}

void weft_mpi_front_set(struct weft_mpi_front *front, uint32_t step)
{
    if (step == WEFT_MPI_STEP_NONE)
        return;
    front->count = 0;
    append(front, step);
}

void weft_mpi_front_set_begun(struct weft_mpi_front *front, uint32_t step)
{
    if (step != WEFT_MPI_STEP_NONE)
        weft_mpi_front_set(front, step | WEFT_MPI_NEED_BEGUN);
}

/* ---- Time ---------------------------------------------------------------------------------- */

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(all.clock, &time);
    return (uint64_t)time.tv_sec * WEFT_CLOCK_SECOND + (uint64_t)time.tv_nsec;
}

void weft_mpi_log_choose_clock(bool is_of_processor)
{
    all.clock = is_of_processor ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
}

void weft_mpi_log_begin(void)
{
    all.begin = weft_clock_now();
    all.left = now();
}

void weft_mpi_log_enter(void)
{
    all.computed += now() - all.left;
}

void weft_mpi_log_leave(void)
{
    all.left = now();
}

void weft_mpi_log_end(void)
{
    weft_mpi_log_enter();
    weft_mpi_log_compute();
    all.end = weft_clock_now();
}

void weft_mpi_log_compute(void)
{
    const struct weft_mpi_step step = {.kind = WEFT_MPI_STEP_COMPUTE, .size = all.computed};
    if (all.computed)
        weft_mpi_front_set(&weft_mpi_program, weft_mpi_log_add(&weft_mpi_program, &step));
    all.computed = 0;
}

uint64_t weft_mpi_log_duration(void)
{
    return all.end - all.begin;
}
