/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/schedules/begin.h"

#include <stddef.h>

static MPI_Errhandler errhandler_of(MPI_Comm_errhandler_function *handler)
{
    MPI_Errhandler errhandler = MPI_ERRORS_RETURN;
    if (handler)
        MPI_Comm_create_errhandler(handler, &errhandler);
    return errhandler;
}

#if MPI_VERSION >= 4

static MPI_Session session = MPI_SESSION_NULL;

static MPI_Comm begin_session(int thread_level, MPI_Comm_errhandler_function *handler)
{
    const char *level =
        thread_level == MPI_THREAD_MULTIPLE ? "MPI_THREAD_MULTIPLE" : "MPI_THREAD_SINGLE";
    MPI_Group group;
    MPI_Info info;
    MPI_Comm world;
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", level);
    MPI_Session_init(info, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "weft.random", MPI_INFO_NULL, MPI_ERRORS_RETURN, &world);
    MPI_Comm_set_errhandler(world, errhandler_of(handler));
    MPI_Group_free(&group);
    MPI_Info_free(&info);
    return world;
}

static bool end_session(MPI_Comm world)
{
    if (session == MPI_SESSION_NULL)
        return false;
    MPI_Comm_free(&world);
    MPI_Session_finalize(&session);
    return true;
}

#else

static MPI_Comm begin_session(int thread_level, MPI_Comm_errhandler_function *handler)
{
    (void)thread_level;
    (void)handler;
    return MPI_COMM_NULL;
}

static bool end_session(MPI_Comm world)
{
    (void)world;
    return false;
}

#endif

MPI_Comm begin_mpi(bool has_session, int thread_level, MPI_Comm_errhandler_function *handler)
{
    int provided = 0;
    if (has_session)
        return begin_session(thread_level, handler);
    MPI_Init_thread(NULL, NULL, thread_level, &provided);
    MPI_Errhandler errhandler = errhandler_of(handler);
    /* Errors of requests belong to no communicator that MPI_Test or MPI_Wait would know. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, errhandler);
    return provided < thread_level ? MPI_COMM_NULL : MPI_COMM_WORLD;
}

void end_mpi(MPI_Comm world)
{
    if (!end_session(world))
        MPI_Finalize();
}
