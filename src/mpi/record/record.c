/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/record/record.h"

#include <unistd.h>

#include "base/log.h"
#include "base/setting.h"
#include "mpi/record/absent.h"
#include "mpi/record/between.h"
#include "mpi/record/identity.h"
#include "mpi/record/request.h"
#include "mpi/record/write.h"

bool weft_mpi_record_is_on;

bool weft_mpi_record_has_moved(int result)
{
    int class = result;
    if (result == MPI_SUCCESS)
        return true;
    if (WEFT_MPI_HAS(Error_class))
        mpi.Error_class(result, &class);
    switch (class) {
    case MPI_ERR_ARG:
    case MPI_ERR_BUFFER:
    case MPI_ERR_COMM:
    case MPI_ERR_COUNT:
    case MPI_ERR_GROUP:
    case MPI_ERR_OP:
    case MPI_ERR_RANK:
    case MPI_ERR_REQUEST:
    case MPI_ERR_ROOT:
    case MPI_ERR_TAG:
    case MPI_ERR_TYPE:
        return false;
    default:
        return true;
    }
}

#ifdef WEFT_MPI_JUMP
static const bool can_step_between = true;
#else
static const bool can_step_between = false;
#endif

/* Why there can be none, or NULL. */
static const char *obstacle(void)
{
    if (!weft_mpi.is_joint)
        return "not all processes of the job take part";
    if (weft_mpi.is_threaded)
        return "threads of the program may call MPI at the same time";
    return can_step_between ? NULL : "this processor is not known";
}

/* A process that shares its processor with others is often made to wait without knowing it. */
static bool shares_processor(void)
{
    long near = 0;
    for (int i = 0; i < weft_mpi.size; i++)
        near += !weft_mpi.net || weft_mpi_is_near(i);
    return near > sysconf(_SC_NPROCESSORS_ONLN);
}

static bool counts_processor_time(void)
{
    int level = MPI_THREAD_SERIALIZED;
    switch (weft_setting(WEFT_SETTING_RECORD_CLOCK)) {
    case 0: /* auto; threads have clocks of their own */
        mpi.Query_thread(&level);
        return level < MPI_THREAD_SERIALIZED && shares_processor();
    case 1:
        return false;
    default:
        return true;
    }
}

static bool all_say(bool is_fine)
{
    int own = is_fine, all = 0;
    mpi.Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, weft_mpi.comm);
    return all;
}

static void tell_absent(void)
{
    uint64_t own = 0, sum = 0, calls;
    for (uint32_t i = 0; i < weft_mpi_absent_count(); i++) {
        weft_mpi_absent_name(i, &calls);
        own += calls;
    }
    mpi.Allreduce(&own, &sum, 1, MPI_UINT64_T, MPI_SUM, weft_mpi.comm);
    if (sum && weft_mpi.rank == 0)
        weft_log(WEFT_LOG_WARN,
                 "the record is incomplete: %llu calls that move data are not in it; its comments "
                 "say which (search for \"not recorded\")",
                 (unsigned long long)sum);
}

/* All begin at the same time, or nobody does. */
void weft_mpi_record_begin(void)
{
    bool is_wanted = *weft_setting_text(WEFT_SETTING_RECORD) != 0;
    const char *reason = obstacle();
    if (is_wanted && reason && weft_mpi.rank == 0)
        weft_log(WEFT_LOG_ERROR, "there will be no record of the program: %s", reason);
    if (!weft_mpi.is_joint || !all_say(is_wanted && !reason && weft_mpi_record_requests_begin() &&
                                       weft_mpi_record_open()))
        return;
    weft_mpi_record_is_on = true;
    weft_mpi_log_choose_clock(counts_processor_time());
    weft_mpi_identity_begin();
    weft_mpi_step_in_to_count();
    weft_mpi_record_step_messages();
    weft_mpi_record_step_completions();
    weft_mpi_record_step_collectives();
    weft_mpi_step_in_to_record();
    mpi.Barrier(weft_mpi.comm);
    weft_mpi_log_begin();
}

void weft_mpi_record_stop(void)
{
    if (weft_mpi_record_is_on)
        weft_mpi_log_end();
}

void weft_mpi_record_write(void)
{
    if (!weft_mpi_record_is_on)
        return;
    weft_mpi_record_is_on = false;
    bool is_complete = all_say(!weft_mpi_log_is_starved());
    tell_absent();
    if (is_complete)
        weft_mpi_record_all();
    else if (weft_mpi.rank == 0)
        weft_log(WEFT_LOG_ERROR, "there was no memory for a record of the program");
    weft_mpi_record_close();
    weft_mpi_identity_end();
}
