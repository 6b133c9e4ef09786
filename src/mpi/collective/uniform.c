/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges in which the peers of a process share one datatype. MPI libraries have better
 * algorithms for short messages than one message for each pair, and types that they pack by
 * themselves; so who does an exchange is tried, for each communicator and kind.
 */
#include "mpi/collective/define.h"
#include "mpi/collective/kinds.h"
#include "mpi/collective/shadow.h"
#include "mpi/message/route.h"

struct tried {
    struct weft_mpi_exchange exchange;
    const struct weft_mpi_partners *partners;
    enum weft_mpi_family family;
    struct weft_mpi_verdict *verdict; /* NULL: MPI does it */
    uint64_t since;
};

/* ---- Deciding ------------------------------------------------------------------------------ */

static bool is_apart(const struct weft_mpi_exchange *exchange)
{
    return weft_mpi_side_is_apart(&exchange->out, exchange->targets) ||
           weft_mpi_side_is_apart(&exchange->in, exchange->sources);
}

/* Of data that lie together one message is enough that could be copied once. */
static bool is_shared(const struct weft_mpi_exchange *exchange)
{
    const struct weft_mpi_side *out = &exchange->out;
    MPI_Count low = 0, extent = 0;
    if (!weft_mpi.has_heaps)
        return false;
    mpi.Type_get_extent_x(out->type, &low, &extent);
    for (int i = 0; i < exchange->targets; i++)
        if (weft_mpi_route_is_shared((const char *)out->buffer +
                                         weft_mpi_side_place(out, i) * extent,
                                     (size_t)(weft_mpi_side_count(out, i) * extent)))
            return true;
    return false;
}

static bool is_wanted(struct tried *tried)
{
    struct weft_mpi_exchange *exchange = &tried->exchange;
    bool is_basic =
        weft_mpi_type_is_basic(exchange->out.type) && weft_mpi_type_is_basic(exchange->in.type);
    if (is_basic && !weft_mpi.has_heaps)
        return false;
    return tried->partners->look(exchange) && weft_mpi_exchange_are_valid(exchange) &&
           (is_apart(exchange) || is_shared(exchange));
}

/* Only where all exchange with all must all messages have one size. */
static size_t bytes_of(const struct tried *tried)
{
    const struct weft_mpi_side *out = &tried->exchange.out;
    if (tried->family != WEFT_MPI_ALL_TO_ALL || weft_mpi_side_is_varied(out))
        return WEFT_MPI_VARIED;
    return weft_mpi_exchange_is_valid(out, 1) ? weft_mpi_side_bytes(out) : 0;
}

/* Whatever this looks at is the same for all processes. Messages of one size have no trials of
 * their own: what is under way in those would be taken for the way of the whole. */
static void find_verdict(struct tried *tried, bool may_wait, int *result)
{
    MPI_Comm comm = tried->exchange.program;
    if (!weft_mpi_shadow_is_possible(comm) || tried->exchange.out.buffer == MPI_IN_PLACE)
        return;
    size_t bytes = bytes_of(tried);
    tried->exchange.is_judged = bytes != WEFT_MPI_VARIED;
    tried->verdict = weft_mpi_kind_verdict(comm, tried->family, may_wait, bytes, result);
    if (tried->verdict && !tried->verdict->is_wanted)
        tried->verdict->is_wanted = is_wanted(tried);
}

/* A process without memory cannot know what the others will do, so its call fails. Otherwise false
 * if MPI is to do it. */
static bool is_done(struct tried *tried, MPI_Request *request, int *result)
{
    MPI_Comm comm = tried->exchange.program;
    find_verdict(tried, !request, result);
    if (*result != MPI_SUCCESS || !tried->verdict)
        return *result != MPI_SUCCESS;
    bool is_ours = request ? weft_mpi_kind_is_ours_at_once(tried->verdict, comm)
                           : weft_mpi_verdict_is_ours(tried->verdict, comm);
    if (!request)
        tried->since = weft_mpi_verdict_clock(tried->verdict);
    return is_ours && weft_mpi_exchange(&tried->exchange, tried->partners, request, result);
}

/* ---- The calls ----------------------------------------------------------------------------- */

/* MPI's own calls of it, for its own ends, go to MPI. */
#define DEFINE(name, SIZE, OUT, IN, parameters, arguments, request, of_partners, of_family)       \
    int MPI_##name(WEFT_MPI_##OUT##_PARAMETERS(SIZE), WEFT_MPI_##IN##_PARAMETERS(SIZE),           \
                   WEFT_MPI_EXCHANGE_BARE parameters)                                             \
    {                                                                                             \
        if (!WEFT_MPI_IS_OURS)                                                                    \
            return mpi.name(WEFT_MPI_##OUT##_ARGUMENTS, WEFT_MPI_##IN##_ARGUMENTS,                \
                            WEFT_MPI_EXCHANGE_BARE arguments);                                    \
        struct tried tried = {.exchange = {.out = WEFT_MPI_##OUT(SIZE),                           \
                                           .in = WEFT_MPI_##IN(SIZE),                             \
                                           .program = comm},                                      \
                              .partners = &(of_partners),                                         \
                              .family = (of_family)};                                             \
        int result = MPI_SUCCESS;                                                                 \
        uint64_t slice = weft_mpi_slice_begin();                                                  \
        if (is_done(&tried, request, &result)) {                                                  \
            weft_mpi_absent_pass("MPI_" #name);                                                   \
            weft_mpi_slice_end(WEFT_MPI_SLICE_##name, slice);                                     \
        } else {                                                                                  \
            result = WEFT_MPI_NATIVELY_##SIZE(name)(WEFT_MPI_##OUT##_ARGUMENTS,                   \
                                                    WEFT_MPI_##IN##_ARGUMENTS,                    \
                                                    WEFT_MPI_EXCHANGE_BARE arguments);            \
        }                                                                                         \
        weft_mpi_verdict_note(tried.verdict, tried.since);                                        \
        return result;                                                                            \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name);

#define DEFINE_BOTH(name, requesting, SIZE, OUT, IN, partners, family)                            \
    DEFINE(name, SIZE, OUT, IN, (MPI_Comm comm), (comm), NULL, partners, family)                  \
    DEFINE(requesting, SIZE, OUT, IN, (MPI_Comm comm, MPI_Request * request), (comm, request),    \
           request, partners, family)

#define DEFINE_ALL(name, requesting, OUT, IN, partners, family)                                   \
    DEFINE_BOTH(name, requesting, INT, OUT, IN, partners, family)                                 \
    DEFINE_BOTH(name##_c, requesting##_c, LARGE, OUT, IN, partners, family)

DEFINE_ALL(Alltoall, Ialltoall, OUT_ONE, IN_ONE, weft_mpi_all, WEFT_MPI_ALL_TO_ALL)
DEFINE_ALL(Alltoallv, Ialltoallv, OUT_MANY, IN_MANY, weft_mpi_all, WEFT_MPI_ALL_TO_ALL)
DEFINE_ALL(Neighbor_alltoall, Ineighbor_alltoall, OUT_ONE, IN_ONE, weft_mpi_around,
           WEFT_MPI_EXCHANGE_AROUND)
DEFINE_ALL(Neighbor_alltoallv, Ineighbor_alltoallv, OUT_MANY, IN_MANY, weft_mpi_around,
           WEFT_MPI_EXCHANGE_AROUND)
DEFINE_ALL(Neighbor_allgather, Ineighbor_allgather, OUT_SAME, IN_ONE, weft_mpi_around,
           WEFT_MPI_GATHER_AROUND)
DEFINE_ALL(Neighbor_allgatherv, Ineighbor_allgatherv, OUT_SAME, IN_MANY, weft_mpi_around,
           WEFT_MPI_GATHER_AROUND)
