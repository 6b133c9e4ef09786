/* SPDX-License-Identifier: BSD-3-Clause */
/* Every way to start and to complete requests. */
#include <sched.h>

#include "mpi/schedules/fortran.h"
#include "mpi/schedules/known_bugs.h"
#include "mpi/schedules/run.h"

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
    if (!side->persistent && !side->cut_short && side->request != MPI_REQUEST_NULL)
        fail(set->run->crew, "request %d is complete, but not MPI_REQUEST_NULL", i);
    if (side->persistent && side->request == MPI_REQUEST_NULL)
        fail(set->run->crew, "a persistent request is MPI_REQUEST_NULL");
}

static int class_of(int error)
{
    int class = error;
    MPI_Error_class(error, &class);
    return class;
}

/* The error of a call for one request, which may be that its receive has too little room. */
static void take_error(struct set *set, int i, int error, const char *what)
{
    if (!set->side[i]->cut_short)
        must(set->run->crew, error, what);
    else if (error != MPI_SUCCESS)
        set->side[i]->error = error;
}

/* Of a call for several: whether the statuses hold the errors. */
static bool errors_in_statuses(struct set *set, int error, const char *what)
{
    bool is_so = class_of(error) == MPI_ERR_IN_STATUS;
    if (!is_so)
        must(set->run->crew, error, what);
    return is_so;
}

/* If another request had an error, this one may still be under way. */
static void settle_unless_pending(struct set *set, int i, MPI_Status *status, bool has_error)
{
    if (has_error && class_of(status->MPI_ERROR) == MPI_ERR_PENDING)
        return;
    if (has_error)
        take_error(set, i, status->MPI_ERROR, "a request among several");
    settle(set, i, status);
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
        take_error(set, i, MPI_Wait(&set->request[i], ignore ? MPI_STATUS_IGNORE : &status),
                   "MPI_Wait");
        settle(set, i, ignore ? NULL : &status);
    }
}

static void by_test(struct set *set)
{
    MPI_Status status;
    for (int i = 0; i < set->needed; i++) {
        int done = 0;
        while (!done && set->side[i]->error == MPI_SUCCESS) {
            take_error(set, i, MPI_Test(&set->request[i], &done, &status), "MPI_Test");
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
        while (!done && set->side[i]->error == MPI_SUCCESS) {
            take_error(set, i, MPI_Request_get_status(set->request[i], &done, &status),
                       "MPI_Request_get_status");
            breathe();
        }
        take_error(set, i, MPI_Test(&set->request[i], &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (!done && set->side[i]->error == MPI_SUCCESS)
            fail(crew, "MPI_Request_get_status says complete, MPI_Test does not");
        settle(set, i, &status);
    }
}

static void by_copy(struct set *set)
{
    MPI_Status status;
    for (int i = 0; i < set->needed; i++) {
        MPI_Request copy = set->request[i];
        take_error(set, i, MPI_Wait(&copy, &status), "MPI_Wait of a copy");
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
        take_error(set, i, MPI_Wait(&copy, &status), "MPI_Wait of a Fortran handle");
        set->request[i] = copy;
        settle(set, i, &status);
    }
}

/* ---- Together ----------------------------------------------------------------------------- */

static void by_testall(struct set *set)
{
    MPI_Status statuses[MOST_REQUESTS];
    int done = 0;
    bool has_errors = false;
    while (!done && !has_errors) {
        int error = MPI_Testall(set->needed, set->request, &done, statuses);
        has_errors = errors_in_statuses(set, error, "MPI_Testall");
        breathe();
    }
    for (int i = 0; i < set->needed; i++)
        settle_unless_pending(set, i, &statuses[i], has_errors);
}

static bool has_one_too_short(const struct set *set)
{
    for (int i = 0; i < set->count; i++)
        if (set->side[i]->cut_short)
            return true;
    return false;
}

static void by_waitall(struct set *set)
{
    MPI_Status statuses[MOST_REQUESTS];
    if (BUG_TRUNCATED_WAITALL && !set->run->crew->bugs && has_one_too_short(set)) {
        by_testall(set);
        return;
    }
    int error = MPI_Waitall(set->needed, set->request, statuses);
    bool has_errors = errors_in_statuses(set, error, "MPI_Waitall");
    for (int i = 0; i < set->needed; i++)
        settle_unless_pending(set, i, &statuses[i], has_errors);
}

static void by_waitany(struct set *set)
{
    MPI_Status status;
    while (!all_done(set)) {
        int i = -1;
        int error = MPI_Waitany(set->count, set->request, &i, &status);
        expect_index(set, i);
        take_error(set, i, error, "MPI_Waitany");
        settle(set, i, &status);
    }
}

static void by_testany(struct set *set)
{
    MPI_Status status;
    while (!all_done(set)) {
        int i = -1, done = 0;
        int error = MPI_Testany(set->count, set->request, &i, &done, &status);
        breathe();
        if (!done && error == MPI_SUCCESS)
            continue;
        expect_index(set, i);
        take_error(set, i, error, "MPI_Testany");
        settle(set, i, &status);
    }
}

static void some(struct set *set, bool wait)
{
    MPI_Status statuses[MOST_REQUESTS];
    int indices[MOST_REQUESTS];
    while (!all_done(set)) {
        int done = 0;
        int error = (wait ? MPI_Waitsome : MPI_Testsome)(set->count, set->request, &done, indices,
                                                         statuses);
        bool has_errors = errors_in_statuses(set, error, wait ? "MPI_Waitsome" : "MPI_Testsome");
        if (done == MPI_UNDEFINED || (wait && done == 0))
            fail(set->run->crew, "%d requests are done", done);
        for (int k = 0; k < done; k++) {
            expect_index(set, indices[k]);
            settle_unless_pending(set, indices[k], &statuses[k], has_errors);
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

/* Of several receives that are too short, one is completed with the others, so that it is known
 * how many errors MPI tells of. */
static bool may_join(const struct set *set, const struct side *side)
{
    if (!side->active)
        return false;
    if (BUG_TRUNCATED_TOGETHER && !set->run->crew->bugs)
        return set->count == 0 || !(side->cut_short || has_one_too_short(set));
    return !(side->cut_short && has_one_too_short(set));
}

static bool may_do_more(const struct set *set, const struct way *way)
{
    return way->may_do_more &&
           !(BUG_TRUNCATED_TOGETHER && !set->run->crew->bugs && has_one_too_short(set));
}

void finish(struct run *run, struct side **sides, int count)
{
    const struct way *way = &ways[rng_below(&run->rng, sizeof(ways) / sizeof(ways[0]))];
    struct set set = {.run = run};
    for (int i = 0; i < count; i++)
        if (may_join(&set, sides[i]))
            add(&set, sides[i]);
    set.needed = set.count;
    if (set.needed == 0)
        return;
    if (may_do_more(&set, way) && rng_one_in(&run->rng, 2))
        add_all_active(&set);
    doing(run->crew, "%s of %d requests, of which %d are needed", way->name, set.count,
          set.needed);
    way->complete(&set);
    finish(run, sides, count);
}
