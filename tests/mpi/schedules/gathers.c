/* SPDX-License-Identifier: BSD-3-Clause */
/* Broadcasts, and all that gather and scatter: each process has a layout of its own. */
#include <stdlib.h>
#include <string.h>

#include "mpi/schedules/known_bugs.h"
#include "mpi/schedules/run.h"

enum { MOST_BYTES = 8000, MOST_ELEMENTS = 3, MARGIN = 32 };

enum call { BCAST, GATHER, GATHERV, SCATTER, SCATTERV, ALLGATHER, ALLGATHERV, CALLS };

static const char *const names[CALLS] = {
    [BCAST] = "MPI_Bcast",           [GATHER] = "MPI_Gather",     [GATHERV] = "MPI_Gatherv",
    [SCATTER] = "MPI_Scatter",       [SCATTERV] = "MPI_Scatterv", [ALLGATHER] = "MPI_Allgather",
    [ALLGATHERV] = "MPI_Allgatherv",
};

/* What all draw alike. */
struct plan {
    enum call call;
    int seed, root, rank, size;
    MPI_Comm comm;
    struct message element;
    int counts[MOST_RANKS], places[MOST_RANKS]; /* elements of each process, where all are */
    int elements;
    bool is_in_place;
};

static bool is_varied(enum call call)
{
    return call == GATHERV || call == SCATTERV || call == ALLGATHERV;
}

static bool is_scatter(enum call call)
{
    return call == SCATTER || call == SCATTERV;
}

static bool is_rooted(enum call call)
{
    return call < ALLGATHER;
}

/* An algorithm may put the elements of all into one message. */
static void avoid_mixed(const struct run *run, struct plan *plan)
{
    size_t unit = unit_bytes(plan->element.unit) * (size_t)(plan->elements + 1);
    size_t most = BUG_MIXED_UNIT_BYTES / unit;
    if (!run->crew->bugs && unit_elements(plan->element.unit) > 1 && plan->element.units > most)
        plan->element.units = plan->element.room = most + 1;
}

/* MPICH 4.0.2 takes no notice of the place in MPI_Allgatherv of one process. */
static struct plan draw_plan(const struct run *run, const struct event *event)
{
    struct rng rng = rng_stream((uint64_t)event->other, 77);
    struct plan plan = {.seed = event->other,
                        .comm = run->crew->comm[event->comm],
                        .element = draw_message(run, event->other, 0, 0, MOST_BYTES)};
    plan.call = (enum call)rng_below(&rng, CALLS);
    plan.is_in_place = rng_one_in(&rng, 4);
    int count = 1 + (int)rng_below(&rng, MOST_ELEMENTS);
    MPI_Comm_rank(plan.comm, &plan.rank);
    MPI_Comm_size(plan.comm, &plan.size);
    plan.root = (int)rng_below(&rng, (size_t)plan.size);
    for (int i = 0; i < plan.size; i++) {
        bool varies = is_varied(plan.call), has_gaps = varies && plan.size > 1;
        plan.counts[i] = varies ? (int)rng_below(&rng, MOST_ELEMENTS + 1) : count;
        plan.places[i] = plan.elements + (has_gaps ? (int)rng_below(&rng, 2) : 0);
        plan.elements = plan.places[i] + plan.counts[i];
    }
    avoid_mixed(run, &plan);
    return plan;
}

/* One of a process's elements. */
static struct message element_of(const struct plan *plan, int rank, int number)
{
    struct rng rng = rng_stream((uint64_t)plan->seed, (uint64_t)(1000 + rank * 16 + number));
    struct message element = plan->element;
    element.content = rng_next(&rng);
    return element;
}

/* ---- Elements in a row, each a copy of one layout ------------------------------------------ */

struct row {
    struct layout layout;
    MPI_Datatype type; /* MPI_DATATYPE_NULL: there is no row */
    int64_t start, step;
    char *memory, *expected;
    size_t size;
};

static void row_open(struct row *row, uint64_t seed, const struct message *element, int elements)
{
    struct rng rng = {seed};
    MPI_Datatype all;
    row->layout = layout_draw(&rng, ANY, element->unit, element->units);
    row->start = (row->layout.low & ~(int64_t)15) - MARGIN;
    row->step = ((row->layout.high - row->start) | 15) + 1 + 16 * (int64_t)rng_below(&rng, 3);
    MPI_Type_contiguous(row->layout.count, row->layout.type, &all);
    MPI_Type_create_resized(all, 8 * (MPI_Aint)rng_below(&rng, 3), row->step, &row->type);
    MPI_Type_commit(&row->type);
    MPI_Type_free(&all);
    row->size = (size_t)row->step * (size_t)elements + 1;
    row->memory = malloc(row->size);
    row->expected = malloc(row->size);
    memset(row->memory, RECEIVE_FILL, row->size);
    memset(row->expected, RECEIVE_FILL, row->size);
}

static void row_close(struct row *row)
{
    if (row->type == MPI_DATATYPE_NULL)
        return;
    MPI_Type_free(&row->type);
    layout_free(&row->layout);
    free(row->memory);
    free(row->expected);
}

/* What MPI is told. */
static char *row_base(const struct row *row)
{
    return row->type == MPI_DATATYPE_NULL ? NULL : row->memory - row->start;
}

static MPI_Datatype row_type(const struct row *row)
{
    return row->type == MPI_DATATYPE_NULL ? MPI_BYTE : row->type;
}

static void put(const struct row *row, char *memory, int place, const struct message *element)
{
    char *content = message_content(element);
    layout_scatter(&row->layout, memory - row->start + place * row->step, content,
                   element->units * unit_bytes(element->unit));
    free(content);
}

/* The elements of a process will be there, or are from the beginning. */
static void row_fill(const struct plan *plan, struct row *row, int rank, int place, bool is_there)
{
    for (int i = 0; i < plan->counts[rank]; i++) {
        struct message element = element_of(plan, rank, i);
        put(row, row->expected, place + i, &element);
        if (is_there)
            put(row, row->memory, place + i, &element);
    }
}

/* An MPI library may move a long double as a number. */
static void settle_padding(const struct plan *plan, struct row *row, int place)
{
    size_t bytes = plan->element.units * unit_bytes(plan->element.unit);
    char *base = row->memory - row->start + place * row->step, *packed = malloc(bytes + 1);
    layout_gather(&row->layout, base, packed, bytes);
    unit_fill_padding(plan->element.unit, packed, bytes, RECEIVE_FILL);
    layout_scatter(&row->layout, base, packed, bytes);
    free(packed);
}

static void row_check(struct run *run, const struct plan *plan, struct row *row, int elements,
                      const char *which)
{
    size_t at = 0;
    if (row->type == MPI_DATATYPE_NULL)
        return;
    for (int i = 0; i < elements; i++)
        settle_padding(plan, row, i);
    while (at < row->size && row->memory[at] == row->expected[at])
        at++;
    if (at < row->size)
        fail(run->crew, "%s, %s: byte %zu of %zu is 0x%02x instead of 0x%02x", names[plan->call],
             which, at, row->size, (unsigned char)row->memory[at],
             (unsigned char)row->expected[at]);
}

/* ---- Calls --------------------------------------------------------------------------------- */

static int make_call(const struct plan *plan, const struct row *own, const struct row *all)
{
    const int *counts = plan->counts, *places = plan->places;
    int mine = counts[plan->rank], root = plan->root, each = counts[0];
    bool has_all = all->type != MPI_DATATYPE_NULL, is_absent = plan->is_in_place && has_all;
    void *here = is_absent ? MPI_IN_PLACE : row_base(own), *there = row_base(all);
    MPI_Datatype type = row_type(own), many = row_type(all);
    switch (plan->call) {
    case BCAST:
        return MPI_Bcast(row_base(own), each, type, root, plan->comm);
    case GATHER:
        return MPI_Gather(here, mine, type, there, each, many, root, plan->comm);
    case GATHERV:
        return MPI_Gatherv(here, mine, type, there, counts, places, many, root, plan->comm);
    case SCATTER:
        return MPI_Scatter(there, each, many, here, mine, type, root, plan->comm);
    case SCATTERV:
        return MPI_Scatterv(there, counts, places, many, here, mine, type, root, plan->comm);
    case ALLGATHER:
        return MPI_Allgather(here, mine, type, there, each, many, plan->comm);
    default:
        return MPI_Allgatherv(here, mine, type, there, counts, places, many, plan->comm);
    }
}

/* All have what the root has. */
static void fill_for_bcast(const struct plan *plan, struct row *own)
{
    row_fill(plan, own, plan->root, 0, plan->rank == plan->root);
}

/* In place nothing comes to, or from, a process's own row. */
static void fill_for_others(const struct plan *plan, struct row *own, struct row *all)
{
    bool has_all = all->type != MPI_DATATYPE_NULL, is_absent = plan->is_in_place && has_all;
    if (!is_absent)
        row_fill(plan, own, plan->rank, 0, !is_scatter(plan->call));
    for (int i = 0; has_all && i < plan->size; i++) {
        bool is_own = i == plan->rank && is_absent;
        row_fill(plan, all, i, plan->places[i], is_scatter(plan->call) || is_own);
    }
}

void do_gather(struct run *run, const struct event *event)
{
    const struct plan plan = draw_plan(run, event);
    struct row own = {.type = MPI_DATATYPE_NULL}, all = own;
    bool has_all = plan.call != BCAST && (!is_rooted(plan.call) || plan.rank == plan.root);
    doing(run->crew, "%s of %d elements on communicator %d", names[plan.call], plan.elements,
          event->comm);
    row_open(&own, rng_next(&run->rng), &plan.element, plan.counts[plan.rank]);
    if (has_all)
        row_open(&all, rng_next(&run->rng), &plan.element, plan.elements);
    if (plan.call == BCAST)
        fill_for_bcast(&plan, &own);
    else
        fill_for_others(&plan, &own, &all);
    must(run->crew, make_call(&plan, &own, &all), names[plan.call]);
    row_check(run, &plan, &own, plan.counts[plan.rank], "one process's row");
    row_check(run, &plan, &all, plan.elements, "the row of all");
    row_close(&own);
    row_close(&all);
}
