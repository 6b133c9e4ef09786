/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/log.h"
#include "base/setting.h"
#include "mpi/operation.h"
#include "mpi/peer.h"

struct weft_mpi_state weft_mpi = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The least that leaves no doubt: a message as long as a ticket is never sent by one. */
#define LEAST_TICKET (sizeof(struct weft_mpi_ticket) + 1)

/* The version of a process that is told to do without. */
#define NONE 0

static void prefer_settings(void)
{
    /* Where the library's own short messages end: up to there it is faster than a ticket. The
     * other's, 8 KiB, is the default. */
#ifdef OPEN_MPI
    weft_setting_prefer(WEFT_SETTING_TICKET, "4000");
#endif
    /* Short messages go through MPI, so packets may be large: fewer cuts through columns. */
    weft_setting_prefer(WEFT_SETTING_PACKET_SIZE, "16K");
    weft_setting_prefer(WEFT_SETTING_SHM_SLOTS, "16");
    /* Our thread looks in only while something is under way. */
    weft_setting_prefer(WEFT_SETTING_PROGRESS, "0");
}

/* All must have the same version of this protocol, and the same idea of what is long. */
static bool agree(void)
{
    unsigned long long own[3], lowest[3];
    unsigned long long wish = weft_setting(WEFT_SETTING_TICKET);
    own[0] = WEFT_VERSION_MAJOR << 16 | WEFT_VERSION_MINOR << 8 | WEFT_VERSION_PATCH;
    if (weft_setting(WEFT_SETTING_DISABLE))
        own[0] = NONE;
    own[1] = ~own[0];
    own[2] = ~(wish < LEAST_TICKET ? LEAST_TICKET : wish);
    mpi.Allreduce(own, lowest, 3, MPI_UNSIGNED_LONG_LONG, MPI_MIN, weft_mpi.comm);
    weft_mpi.least_pulled = (size_t)~lowest[2];
    return lowest[0] == ~lowest[1];
}

static void open_comm(void)
{
    mpi.Comm_set_errhandler(weft_mpi.comm, MPI_ERRORS_RETURN);
    mpi.Comm_rank(weft_mpi.comm, &weft_mpi.rank);
    mpi.Comm_size(weft_mpi.comm, &weft_mpi.size);
}

static bool is_threaded(void)
{
    int level = MPI_THREAD_MULTIPLE;
    mpi.Query_thread(&level);
    return level == MPI_THREAD_MULTIPLE;
}

/* Also a process that is to do without takes part in what all do together. */
static void start(void)
{
    if (weft_mpi.is_on || mpi.Comm_dup(MPI_COMM_WORLD, &weft_mpi.comm) != MPI_SUCCESS)
        return;
    open_comm();
    prefer_settings();
    weft_mpi.is_threaded = is_threaded();
    weft_mpi.is_joint = agree();
    if (weft_setting(WEFT_SETTING_DISABLE))
        return;
    weft_mpi_learn_library();
    weft_mpi_type_begin();
    weft_mpi_peer_begin();
    if (!weft_mpi.is_joint)
        weft_log(WEFT_LOG_WARN,
                 "some processes of this job have another version of Weft, or none: "
                 "messages are only packed");
    if (!weft_mpi.is_joint || weft_mpi.size == 1 || !weft_mpi_join())
        weft_mpi.net = NULL;
    weft_mpi.is_on = true;
}

static void stop(void)
{
    if (!weft_mpi.is_on)
        return;
    weft_mpi_operation_bury_orphans();
    /* All have received what they will: those who still take something are served meanwhile. */
    if (weft_mpi.is_joint)
        mpi.Barrier(weft_mpi.comm);
    weft_mpi.is_on = false;
    if (weft_mpi.is_joint)
        weft_mpi_report();
    weft_mpi_thread_stop();
    weft_mpi_leave();
    weft_mpi_type_end();
    weft_mpi_peer_end();
    if (weft_mpi.is_joint)
        mpi.Comm_free(&weft_mpi.comm);
}

int MPI_Init(int *argc, char ***argv)
{
    weft_mpi_load();
    int result = mpi.Init(argc, argv);
    if (result == MPI_SUCCESS)
        start();
    return result;
}
WEFT_MPI_ALSO_PMPI(Init);

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    weft_mpi_load();
    int result = mpi.Init_thread(argc, argv, required, provided);
    if (result == MPI_SUCCESS)
        start();
    return result;
}
WEFT_MPI_ALSO_PMPI(Init_thread);

int MPI_Finalize(void)
{
    stop();
    return mpi.Finalize();
}
WEFT_MPI_ALSO_PMPI(Finalize);
