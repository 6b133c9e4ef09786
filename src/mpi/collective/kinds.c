/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/collective/kinds.h"

#include <stdlib.h>

#include "mpi/collective/occasion.h"
#include "mpi/collective/shadow.h"
#include "mpi/layout/recipe.h"
#include "mpi/layout/type.h"
#include "mpi/message/operation.h"
#include "mpi/start/attribute.h"
#include "mpi/start/ranks.h"

/* Of each family those whose sizes vary, and those of each size. Shorter ones are MPI's. */
enum { OF_VARIED, OF_SHORTEST, LOWEST_CLASS = 10, HIGHEST_CLASS = 26 };
enum { KINDS = OF_SHORTEST + HIGHEST_CLASS - LOWEST_CLASS + 1 };

struct verdicts {
    bool is_possible; /* all processes of the communicator are of this job */
    bool is_asking;   /* some kind waits for an occasion */
    struct weft_mpi_verdict of_waiting[WEFT_MPI_FAMILIES][KINDS];
    struct weft_mpi_verdict of_requesting[WEFT_MPI_FAMILIES][KINDS];
};

static struct weft_mpi_attribute attribute = {MPI_KEYVAL_INVALID, free};

void weft_mpi_kinds_begin(void)
{
    weft_mpi_attribute_begin(&attribute, NULL);
}

void weft_mpi_kinds_end(void)
{
    weft_mpi_attribute_end(&attribute);
}

/* What is spread or gathered MPI may carry as bytes; on one host, our own messages may, too. */
static bool has_other_way(enum weft_mpi_family family, bool is_on_one_host)
{
    switch (family) {
    case WEFT_MPI_BROADCAST:
    case WEFT_MPI_GATHER:
    case WEFT_MPI_SCATTER:
    case WEFT_MPI_GATHER_ALL:
        return is_on_one_host;
    default:
        return false;
    }
}

static void begin_family(struct weft_mpi_verdict verdicts[KINDS], bool has_other)
{
    for (int i = 0; i < KINDS; i++) {
        weft_mpi_verdict_begin(&verdicts[i]);
        verdicts[i].has_other = has_other;
    }
}

static struct verdicts *make(MPI_Comm comm)
{
    struct verdicts *verdicts = malloc(sizeof *verdicts);
    if (!verdicts)
        return NULL;
    verdicts->is_possible = weft_mpi_is_within_job(comm);
    verdicts->is_asking = false;
    bool is_on_one_host = weft_mpi_is_on_one_host(comm);
    for (int family = 0; family < WEFT_MPI_FAMILIES; family++) {
        bool has_other = has_other_way((enum weft_mpi_family)family, is_on_one_host);
        begin_family(verdicts->of_waiting[family], has_other);
        begin_family(verdicts->of_requesting[family], has_other);
    }
    return verdicts;
}

/* NULL if there are none. */
static struct verdicts *find(MPI_Comm comm)
{
    struct verdicts *verdicts = NULL;
    int is_there = 0;
    mpi.Comm_get_attr(comm, attribute.key, &verdicts, &is_there);
    return is_there ? verdicts : NULL;
}

/* NULL without memory. */
static struct verdicts *verdicts_of(MPI_Comm comm)
{
    struct verdicts *verdicts = find(comm);
    if (verdicts)
        return verdicts;
    verdicts = make(comm);
    if (!verdicts || mpi.Comm_set_attr(comm, attribute.key, verdicts) == MPI_SUCCESS)
        return verdicts;
    free(verdicts);
    return NULL;
}

size_t weft_mpi_side_bytes(const struct weft_mpi_side *side)
{
    MPI_Count size = 0;
    size_t bytes;
    if (weft_mpi_side_is_varied(side))
        return WEFT_MPI_VARIED;
    mpi.Type_size_x(side->type, &size);
    return __builtin_mul_overflow((size_t)size, (size_t)side->count, &bytes) ? 0 : bytes;
}

bool weft_mpi_side_is_apart(const struct weft_mpi_side *side, int peers)
{
    struct weft_mpi_type *type;
    int64_t most = 0;
    if (weft_mpi_type_is_basic(side->type) ||
        weft_mpi_type_find(side->type, &type) != WEFT_MPI_FOUND)
        return false;
    for (int i = 0; i < (weft_mpi_side_is_varied(side) ? peers : 1); i++)
        most = weft_mpi_side_count(side, i) > most ? weft_mpi_side_count(side, i) : most;
    bool is_apart = most > 0 && !weft_mpi_type_is_one_piece(type, most);
    weft_mpi_type_drop(type);
    return is_apart;
}

bool weft_mpi_kind_is_short(int64_t count, MPI_Datatype type)
{
    _Static_assert(WEFT_MPI_BRIEF <= 1 << LOWEST_CLASS, "what is brief is short");
    if (weft_mpi_type_is_basic(type))
        return weft_mpi_is_within(count, type, ((size_t)1 << LOWEST_CLASS) - 1);
    return count == 1 && !weft_mpi.is_threaded && weft_mpi_recipe_is_brief(type);
}

bool weft_mpi_kind_is_long(size_t bytes)
{
    return bytes >= (size_t)1 << LOWEST_CLASS;
}

static int kind_of(size_t bytes)
{
    if (bytes == WEFT_MPI_VARIED)
        return OF_VARIED;
    int class = 63 - __builtin_clzll(bytes);
    return OF_SHORTEST + (class < HIGHEST_CLASS ? class : HIGHEST_CLASS) - LOWEST_CLASS;
}

struct weft_mpi_verdict *weft_mpi_kind_verdict(MPI_Comm comm, enum weft_mpi_family family,
                                               bool may_wait, size_t bytes, int *result)
{
    if (!weft_mpi_kind_is_long(bytes))
        return NULL;
    struct verdicts *verdicts = verdicts_of(comm);
    if (!verdicts) {
        *result = weft_mpi_raise_no_memory(comm);
        return NULL;
    }
    if (!verdicts->is_possible)
        return NULL;
    return may_wait ? &verdicts->of_waiting[family][kind_of(bytes)]
                    : &verdicts->of_requesting[family][kind_of(bytes)];
}

bool weft_mpi_kind_is_ours_at_once(struct weft_mpi_verdict *verdict, MPI_Comm comm)
{
    weft_mpi_verdict_note(verdict, verdict->since);
    bool is_ours = weft_mpi_verdict_is_ours_once_asked(verdict);
    verdict->since = weft_mpi_verdict_clock(verdict);
    struct verdicts *verdicts = weft_mpi_verdict_is_awaited(verdict) ? find(comm) : NULL;
    if (verdicts && !verdicts->is_asking) {
        verdicts->is_asking = true;
        weft_mpi_occasion_await();
    }
    return is_ours;
}

void weft_mpi_kinds_settle(MPI_Comm comm)
{
    struct verdicts *verdicts = weft_mpi_shadow_is_possible(comm) ? find(comm) : NULL;
    if (!verdicts || !verdicts->is_asking)
        return;
    verdicts->is_asking = false;
    for (int i = 0; i < WEFT_MPI_FAMILIES * KINDS; i++)
        weft_mpi_verdict_settle(&verdicts->of_requesting[i / KINDS][i % KINDS], comm);
}
