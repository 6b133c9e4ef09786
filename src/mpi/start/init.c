/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "base/log.h"
#include "base/setting.h"
#include "mpi/collective/kinds.h"
#include "mpi/collective/offload.h"
#include "mpi/collective/shadow.h"
#include "mpi/library/device.h"
#include "mpi/message/operation.h"
#include "mpi/record/record.h"
#include "mpi/report/slice.h"
#include "mpi/start/ranks.h"
#include "transfer/net.h"

struct weft_mpi_state weft_mpi = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void prefer_settings(void)
{
    /* From about there a ticket is faster than packed bytes. The other's, 8 KiB, is the default. */
    if (weft_mpi_is_open_mpi)
        weft_setting_prefer(WEFT_SETTING_TICKET, "6000");
    /* Short messages go through MPI, so packets may be large: fewer cuts through columns. */
    weft_setting_prefer(WEFT_SETTING_PACKET_SIZE, "16K");
    weft_setting_prefer(WEFT_SETTING_SHM_SLOTS, "16");
    /* Our thread looks in only while something is under way. */
    weft_setting_prefer(WEFT_SETTING_PROGRESS, "0");
}

MPI_Comm weft_mpi_own_comm(MPI_Comm parent, MPI_Group group)
{
    enum { TAG = 0x57 };
    MPI_Comm own = MPI_COMM_NULL;
    if (mpi.Comm_create_group(parent, group, TAG, &own) != MPI_SUCCESS)
        return MPI_COMM_NULL;
    mpi.Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    return own;
}

/* Not MPI_Comm_dup, by which Open MPI begins its first non-blocking collective, and from then on
 * looks for such whenever it waits: messages of a few bytes take a tenth longer. */
static MPI_Comm own_copy(MPI_Comm comm)
{
    MPI_Group group = MPI_GROUP_NULL;
    mpi.Comm_group(comm, &group);
    MPI_Comm copy = weft_mpi_own_comm(comm, group);
    mpi.Group_free(&group);
    return copy;
}

static bool is_threaded(void)
{
    int level = MPI_THREAD_MULTIPLE;
    mpi.Query_thread(&level);
    return level == MPI_THREAD_MULTIPLE;
}

/* What this process needs whoever else takes part. */
static bool prepare(void)
{
    mpi.Comm_rank(MPI_COMM_WORLD, &weft_mpi.rank);
    mpi.Comm_size(MPI_COMM_WORLD, &weft_mpi.size);
    weft_mpi.is_threaded = is_threaded();
    weft_mpi.self = own_copy(MPI_COMM_SELF);
    bool is_able = weft_mpi.self != MPI_COMM_NULL && weft_mpi_learn_library();
    if (is_able) {
        weft_mpi_type_begin();
        weft_mpi_device_begin();
        weft_mpi_peer_begin();
        weft_mpi_shadow_begin();
        weft_mpi_kinds_begin();
    }
    return is_able;
}

/* Natively a long send waits for its receiver; ours may have returned before. Registered after all
 * libraries that our worlds load, so that these are still there. */
static void deliver_at_exit(void)
{
    if (weft_mpi.is_on && weft_mpi.net)
        weft_net_deliver_at_exit(weft_mpi.net);
}

/* Whoever was announced takes part in the roll, even if it cannot do more. */
static void start(void)
{
    bool is_able = prepare();
    weft_mpi.is_joint = weft_mpi_call_roll(is_able && !weft_mpi_has_strange_call());
    if (weft_mpi.is_joint)
        weft_mpi.comm = own_copy(MPI_COMM_WORLD);
    weft_mpi.is_joint = weft_mpi.is_joint && weft_mpi.comm != MPI_COMM_NULL;
    if (!weft_mpi.is_joint || weft_mpi.size == 1 || !weft_mpi_join())
        weft_mpi.net = NULL;
    if (weft_mpi.net)
        atexit(deliver_at_exit);
    if (weft_mpi.rank == 0)
        weft_setting_warn_unknown();
    weft_mpi.is_on = is_able;
    if (is_able) {
        weft_mpi_report_begin();
        weft_mpi_offload_begin();
        weft_mpi_slice_calls();
        weft_mpi_record_begin();
    } else {
        weft_log(WEFT_LOG_WARN, "all messages of this process are left to MPI");
    }
}

static void stop(void)
{
    if (!weft_mpi.is_on)
        return;
    weft_mpi_record_stop();
    weft_mpi_operation_bury_orphans();
    /* All have received what they will: those who still take something are served meanwhile. */
    if (weft_mpi.is_joint)
        mpi.Barrier(weft_mpi.comm);
    weft_mpi.is_on = false;
    weft_mpi_record_write();
    weft_mpi_report();
    weft_mpi_thread_stop();
    weft_mpi_offload_end();
    weft_mpi_leave();
    weft_mpi_type_end();
    weft_mpi_peer_end();
    weft_mpi_shadow_end();
    weft_mpi_kinds_end();
    if (weft_mpi.is_joint)
        mpi.Comm_free(&weft_mpi.comm);
    mpi.Comm_free(&weft_mpi.self);
}

/* Whether Weft is to take part: then the others are told before MPI waits for all. */
static bool is_wanted(void)
{
    if (weft_mpi.is_on)
        return false;
    if (!weft_mpi_load() || weft_setting(WEFT_SETTING_DISABLE)) {
        weft_mpi_step_aside();
        return false;
    }
    prefer_settings();
    weft_mpi_announce();
    return true;
}

int MPI_Init(int *argc, char ***argv)
{
    bool takes_part = is_wanted();
    int result = mpi.Init(argc, argv);
    if (result == MPI_SUCCESS && takes_part)
        start();
    return result;
}
WEFT_MPI_ALSO_PMPI(Init);

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    bool takes_part = is_wanted();
    int result = mpi.Init_thread(argc, argv, required, provided);
    if (result == MPI_SUCCESS && takes_part)
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
