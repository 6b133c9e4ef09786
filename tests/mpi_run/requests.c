/* SPDX-License-Identifier: BSD-3-Clause */
/* Every way to start and to complete requests. */
#include <sched.h>

#include "mpi_run/run.h"

void breathe(void)
{
    sched_yield();
}

void start_requests(struct run *run, struct side **sides, int count)
{
    MPI_Request requests[MOST_MESSAGES];
    for (int i = 0; i < count; i++)
        requests[i] = sides[i]->request;
    if (count == 1 && rng_one_in(&run->rng, 2))
        must(run->crew, MPI_Start(&requests[0]), "MPI_Start");
    else
        must(run->crew, MPI_Startall(count, requests), "MPI_Startall");
    for (int i = 0; i < count; i++) {
        sides[i]->request = requests[i];
        sides[i]->active = true;
    }
}

/* ---- A set of requests -------------------------------------------------------------------- */

enum { MOST_REQUESTS = 2 * MOST_MESSAGES };

struct set {
    struct run *run;
    struct side *side[MOST_REQUESTS];
    MPI_Request request[MOST_REQUESTS];
    int count;
    int needed; /* the first so many must be completed; the others may be */
};

static void add(struct set *set, struct side *side)
{
    for (int i = 0; i < set->count; i++)
        if (set->side[i] == side)
            return;
    set->request[set->count] = side->request;
    set->side[set->count++] = side;
}

static bool all_done(const struct set *set)
{
    for (int i = 0; i < set->needed; i++)
        if (set->side[i]->active)
            return false;
    return true;
}

static void settle(struct set *set, int i, const MPI_Status *status)
{
    struct side *side = set->side[i];
    if (!side->active)
        fail(set->run->crew, "request %d of the set is completed twice", i);
    side->active = false;
    side->request = set->request[i];
    if (status)
        side->status = *status;
    else
        side->ignores_status = true;
    if (!side->persistent && side->request != MPI_REQUEST_NULL)
        fail(set->run->crew, "request %d is complete, but not MPI_REQUEST_NULL", i);
    if (side->persistent && side->request == MPI_REQUEST_NULL)
        fail(set->run->crew, "a persistent request is MPI_REQUEST_NULL");
}

static void expect_index(struct set *set, int i)
{
    if (i < 0 || i >= set->count)
        fail(set->run->crew, "index %d of a set of %d", i, set->count);
}

/* ---- One by one --------------------------------------------------------------------------- */

static void by_wait(struct set *set)
{
    MPI_Status status;
    for (int i = 0; i < set->needed; i++) {
        bool ignore = set->side[i]->ignores_status;
        must(set->run->crew, MPI_Wait(&set->request[i], ignore ? MPI_STATUS_IGNORE : &status),
             "MPI_Wait");
        settle(set, i, ignore ? NULL : &status);
    }
}

static void by_test(struct set *set)
{
    MPI_Status status;
    for (int i = 0; i < set->needed; i++) {
        int done = 0;
        while (!done) {
            must(set->run->crew, MPI_Test(&set->request[i], &done, &status), "MPI_Test");
            breathe();
        }
        settle(set, i, &status);
    }
}

/* The status without completion; a test must then complete at once. */
static void by_get_status(struct set *set)
{
    struct crew *crew = set->run->crew;
    MPI_Status status;
    for (int i = 0; i < set->needed; i++) {
        int done = 0;
        while (!done) {
            must(crew, MPI_Request_get_status(set->request[i], &done, &status),
                 "MPI_Request_get_status");
            breathe();
        }
        must(crew, MPI_Test(&set->request[i], &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (!done)
            fail(crew, "MPI_Request_get_status says complete, MPI_Test does not");
        settle(set, i, &status);
    }
}

static void by_copy(struct set *set)
{
    MPI_Status status;
    for (int i = 0; i < set->needed; i++) {
        MPI_Request copy = set->request[i];
        must(set->run->crew, MPI_Wait(&copy, &status), "MPI_Wait of a copy");
        set->request[i] = copy;
        settle(set, i, &status);
    }
}

static void by_fortran_handle(struct set *set)
{
    MPI_Status status;
    for (int i = 0; i < set->needed; i++) {
        MPI_Fint handle = MPI_Request_c2f(set->request[i]);
        MPI_Request copy = MPI_Request_f2c(handle);
        must(set->run->crew, MPI_Wait(&copy, &status), "MPI_Wait of a Fortran handle");
        set->request[i] = copy;
        settle(set, i, &status);
    }
}

/* ---- Together ----------------------------------------------------------------------------- */

static void by_waitall(struct set *set)
{
    MPI_Status statuses[MOST_REQUESTS];
    must(set->run->crew, MPI_Waitall(set->needed, set->request, statuses), "MPI_Waitall");
    for (int i = 0; i < set->needed; i++)
        settle(set, i, &statuses[i]);
}

static void by_testall(struct set *set)
{
    MPI_Status statuses[MOST_REQUESTS];
    int done = 0;
    while (!done) {
        must(set->run->crew, MPI_Testall(set->needed, set->request, &done, statuses),
             "MPI_Testall");
        breathe();
    }
    for (int i = 0; i < set->needed; i++)
        settle(set, i, &statuses[i]);
}

static void by_waitany(struct set *set)
{
    MPI_Status status;
    while (!all_done(set)) {
        int i = -1;
        must(set->run->crew, MPI_Waitany(set->count, set->request, &i, &status), "MPI_Waitany");
        expect_index(set, i);
        settle(set, i, &status);
    }
}

static void by_testany(struct set *set)
{
    MPI_Status status;
    while (!all_done(set)) {
        int i = -1, done = 0;
        must(set->run->crew, MPI_Testany(set->count, set->request, &i, &done, &status),
             "MPI_Testany");
        breathe();
        if (!done)
            continue;
        expect_index(set, i);
        settle(set, i, &status);
    }
}

static void some(struct set *set, bool wait)
{
    MPI_Status statuses[MOST_REQUESTS];
    int indices[MOST_REQUESTS];
    while (!all_done(set)) {
        int done = 0;
        must(set->run->crew,
             (wait ? MPI_Waitsome : MPI_Testsome)(set->count, set->request, &done, indices,
                                                  statuses),
             wait ? "MPI_Waitsome" : "MPI_Testsome");
        if (done == MPI_UNDEFINED || (wait && done == 0))
            fail(set->run->crew, "%d requests are done", done);
        for (int k = 0; k < done; k++) {
            expect_index(set, indices[k]);
            settle(set, indices[k], &statuses[k]);
        }
        breathe();
    }
}

static void by_waitsome(struct set *set)
{
    some(set, true);
}

static void by_testsome(struct set *set)
{
    some(set, false);
}

/* ---- The choice --------------------------------------------------------------------------- */

static const struct way {
    const char *name;
    void (*complete)(struct set *set);
    bool may_do_more; /* completes those of the others that happen to be complete */
} ways[] = {
    {"MPI_Wait", by_wait, false},
    {"MPI_Test", by_test, false},
    {"MPI_Request_get_status", by_get_status, false},
    {"MPI_Wait of a copy", by_copy, false},
    {"MPI_Wait of a Fortran handle", by_fortran_handle, false},
    {"MPI_Waitall", by_waitall, false},
    {"MPI_Waitall", by_waitall, false},
    {"MPI_Testall", by_testall, false},
    {"MPI_Waitany", by_waitany, true},
    {"MPI_Testany", by_testany, true},
    {"MPI_Waitsome", by_waitsome, true},
    {"MPI_Testsome", by_testsome, true},
};

/* Only for a receive that ends with an error. */
static void finish_cut_short(struct run *run, struct side *side)
{
    doing(run->crew, "MPI_Wait of a receive that is too short");
    if (rng_one_in(&run->rng, 2)) {
        side->error = MPI_Wait(&side->request, &side->status);
    } else {
        int done = 0;
        while (!done && side->error == MPI_SUCCESS) {
            side->error = MPI_Test(&side->request, &done, &side->status);
            breathe();
        }
    }
    side->active = false;
}

static void add_all_active(struct set *set)
{
    struct run *run = set->run;
    for (int i = 0; i < MOST_MESSAGES; i++) {
        if (run->out[i].active)
            add(set, &run->out[i]);
        if (run->in[i].active && !run->in[i].cut_short)
            add(set, &run->in[i]);
    }
}

void finish(struct run *run, struct side **sides, int count)
{
    const struct way *way = &ways[rng_below(&run->rng, sizeof(ways) / sizeof(ways[0]))];
    struct set set = {.run = run};
    for (int i = 0; i < count; i++) {
        if (sides[i]->active && sides[i]->cut_short)
            finish_cut_short(run, sides[i]);
        else if (sides[i]->active)
            add(&set, sides[i]);
    }
    set.needed = set.count;
    if (set.needed == 0)
        return;
    if (way->may_do_more && rng_one_in(&run->rng, 2))
        add_all_active(&set);
    doing(run->crew, "%s of %d requests, of which %d are needed", way->name, set.count,
          set.needed);
    way->complete(&set);
}
