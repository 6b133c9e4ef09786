/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who takes part is known before anybody enters a collective of ours: a process that was not run
 * by `weft run` never would, and the others would wait for it for ever. Each process puts a note
 * on the launcher's board before it initialises MPI. Afterwards each looks for the notes of its
 * neighbours in a tree, speaks to those alone, and so hears whether all are there:
 *
 *   from the leaves to rank 0   what is there below, the lowest of all votes
 *   from rank 0 to the leaves   the verdict; whoever misses its parent says no to its children
 *
 * Both ends of an edge know of each other or neither does, so nobody waits for somebody absent.
 * A process is there for the others if its note is, so it looks for its own as well. If the
 * launcher does not answer, nobody can know who waits for whom, and MPI has lost it, too: the job
 * ends.
 */
#include <stdlib.h>
#include <string.h>

#include "base/deadline.h"
#include "base/log.h"
#include "base/setting.h"
#include "job/board.h"
#include "mpi/message/ticket.h"
#include "mpi/start/token.h"

/* The version of what is said here. */
#define NOTE 1u
#define TAG 0x57

/* The lowest of each word counts. */
struct vote {
    unsigned long long is_complete;
    unsigned long long version, not_version; /* the complement of the highest */
    unsigned long long eager, not_eager;     /* WEFT_EAGER, of which all must have the same */
    unsigned long long not_long;             /* the complement of WEFT_TICKET */
};
#define WORDS (int)(sizeof(struct vote) / sizeof(unsigned long long))

enum { CHILDREN = 2 };

static bool is_announced;
static bool is_called; /* MPI is initialised */

static struct {
    bool is_there;
    unsigned char bytes[WEFT_JOB_TOKEN_SIZE];
} token; /* of the board */

/* In the order of the choices of WEFT_EVERYWHERE. */
static bool is_promised(void)
{
    return weft_setting(WEFT_SETTING_EVERYWHERE) != 0;
}

void weft_mpi_announce(void)
{
    if (!is_promised())
        is_announced = weft_job_board_put(NOTE, weft_deadline_of(WEFT_SETTING_LAUNCH_TIMEOUT));
}

#if defined OPEN_MPI || defined WEFT_MPI_STANDARD_ABI
/* Open MPI 5 initialises PMIx unless somebody has, and hears its own name only when it does: its
 * MPI_Init fails if it comes second. PMIx counts its users, so it need not know of us. */
__attribute__((visibility("default"))) int PMIx_Initialized(void);

int PMIx_Initialized(void)
{
    int (*original)(void);
    *(void **)&original = weft_mpi_look_for("PMIx_Initialized");
    bool is_hidden = weft_mpi_is_open_mpi && is_announced && !is_called;
    return !is_hidden && weft_mpi_is_there((uintptr_t)original) && original();
}
#endif

/* ---- Votes --------------------------------------------------------------------------------- */

static struct vote own_vote(bool is_able)
{
    unsigned long long version =
        WEFT_VERSION_MAJOR << 16 | WEFT_VERSION_MINOR << 8 | WEFT_VERSION_PATCH;
    unsigned long long eager = weft_setting(WEFT_SETTING_EAGER);
    return (struct vote){.is_complete = is_able,
                         .version = version,
                         .not_version = ~version,
                         .eager = eager,
                         .not_eager = ~eager,
                         .not_long = ~weft_mpi_least_ticket()};
}

static void take_lowest(struct vote *vote, const struct vote *other)
{
    unsigned long long *mine = &vote->is_complete;
    const unsigned long long *theirs = &other->is_complete;
    for (int i = 0; i < WORDS; i++)
        if (theirs[i] < mine[i])
            mine[i] = theirs[i];
}

/* ---- The tree ------------------------------------------------------------------------------ */

static bool is_there(int rank)
{
    uint32_t number;
    if (!weft_job_board_get((uint32_t)rank, &number,
                            weft_deadline_of(WEFT_SETTING_LAUNCH_TIMEOUT))) {
        weft_log(WEFT_LOG_ERROR,
                 "the launcher does not answer, so nobody knows who takes part: the job ends. Set "
                 "%s=yes to start without asking, or a longer %s in milliseconds",
                 weft_setting_info(WEFT_SETTING_EVERYWHERE)->name,
                 weft_setting_info(WEFT_SETTING_LAUNCH_TIMEOUT)->name);
        mpi.Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    return number == NOTE;
}

/* The edge to another process, MPI_COMM_NULL if that is not there. Only the two make it. */
static MPI_Comm open_edge(int other)
{
    MPI_Group all = MPI_GROUP_NULL, both = MPI_GROUP_NULL;
    int ranks[2] = {weft_mpi.rank < other ? weft_mpi.rank : other,
                    weft_mpi.rank < other ? other : weft_mpi.rank};
    if (!is_there(other))
        return MPI_COMM_NULL;
    mpi.Comm_group(MPI_COMM_WORLD, &all);
    mpi.Group_incl(all, 2, ranks, &both);
    MPI_Comm edge = weft_mpi_own_comm(MPI_COMM_WORLD, both);
    mpi.Group_free(&both);
    mpi.Group_free(&all);
    return edge;
}

/* On an edge the lower rank, which is the parent, is 0. */
static void say(MPI_Comm edge, int to, const struct vote *vote)
{
    mpi.Send(vote, WORDS, MPI_UNSIGNED_LONG_LONG, to, TAG, edge);
}

static void hear(MPI_Comm edge, int from, struct vote *vote)
{
    struct vote other = {0};
    mpi.Recv(&other, WORDS, MPI_UNSIGNED_LONG_LONG, from, TAG, edge, MPI_STATUS_IGNORE);
    take_lowest(vote, &other);
}

static void ask_children(MPI_Comm edges[CHILDREN], struct vote *vote)
{
    for (int i = 0; i < CHILDREN; i++) {
        int child = CHILDREN * weft_mpi.rank + 1 + i;
        edges[i] = child < weft_mpi.size ? open_edge(child) : MPI_COMM_NULL;
        if (edges[i] != MPI_COMM_NULL)
            hear(edges[i], 1, vote);
        else if (child < weft_mpi.size)
            vote->is_complete = 0;
    }
}

static void ask_parent(struct vote *vote)
{
    if (weft_mpi.rank == 0)
        return;
    MPI_Comm edge = open_edge((weft_mpi.rank - 1) / CHILDREN);
    if (edge == MPI_COMM_NULL) {
        vote->is_complete = 0;
        return;
    }
    say(edge, 0, vote);
    hear(edge, 0, vote);
    mpi.Comm_free(&edge);
}

static void tell_children(MPI_Comm edges[CHILDREN], const struct vote *vote)
{
    for (int i = 0; i < CHILDREN; i++)
        if (edges[i] != MPI_COMM_NULL) {
            say(edges[i], 1, vote);
            mpi.Comm_free(&edges[i]);
        }
}

static void vote_by_tree(struct vote *vote)
{
    MPI_Comm edges[CHILDREN];
    ask_children(edges, vote);
    ask_parent(vote);
    tell_children(edges, vote);
    token.is_there =
        weft_job_board_token(token.bytes, weft_deadline_of(WEFT_SETTING_LAUNCH_TIMEOUT));
    weft_job_board_close();
}

/* ---- The verdict --------------------------------------------------------------------------- */

static void vote_together(struct vote *vote)
{
    struct vote lowest = {0};
    mpi.Allreduce(vote, &lowest, WORDS, MPI_UNSIGNED_LONG_LONG, MPI_MIN, MPI_COMM_WORLD);
    *vote = lowest;
}

static bool judge(const struct vote *vote)
{
    bool has_one_version = vote->version == ~vote->not_version;
    bool has_one_eager = vote->eager == ~vote->not_eager;
    if (!vote->is_complete)
        weft_log(WEFT_LOG_WARN, "some processes of this job do not run under weft run, or cannot "
                                "take part: messages are only packed");
    else if (!has_one_version)
        weft_log(WEFT_LOG_WARN,
                 "some processes of this job have another version of Weft: messages "
                 "are only packed");
    else if (!has_one_eager)
        weft_log(WEFT_LOG_WARN,
                 "%s is not the same for all processes of this job: messages are only packed",
                 weft_setting_info(WEFT_SETTING_EAGER)->name);
    return vote->is_complete && has_one_version && has_one_eager;
}

static bool refuse(void)
{
    weft_log(WEFT_LOG_WARN,
             "the launcher does not say whether all processes run under weft run: messages are "
             "only packed, unless you say so by %s=yes",
             weft_setting_info(WEFT_SETTING_EVERYWHERE)->name);
    return false;
}

bool weft_mpi_call_roll(bool is_able)
{
    struct vote vote = own_vote(is_able);
    is_called = true;
    if (is_promised())
        vote_together(&vote);
    else if (is_announced && is_there(weft_mpi.rank))
        vote_by_tree(&vote);
    else if (weft_mpi.size > 1)
        return refuse();
    weft_mpi_set_ticket((size_t)~vote.not_long);
    return judge(&vote);
}

bool weft_mpi_take_token(unsigned char bytes[WEFT_JOB_TOKEN_SIZE])
{
    memcpy(bytes, token.bytes, sizeof token.bytes);
    explicit_bzero(token.bytes, sizeof token.bytes);
    return token.is_there;
}
