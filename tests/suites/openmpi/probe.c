/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Probe, MPI_Iprobe, MPI_Mprobe and MPI_Improbe tell what waits and take nothing else;
 * MPI_Cancel of a receive that nothing has matched. */
#include "program.h"

static const int lengths[] = {0, 1, 100, 2048, 2049, 50000};
#define LENGTHS ((int)(sizeof lengths / sizeof *lengths))
#define MOST 50000

static unsigned char *buffer;

static void send_all(void)
{
    for (int round = 0; round < 4; round++)
        for (int i = 0; i < LENGTHS; i++) {
            fill(buffer, (size_t)lengths[i], (unsigned)(rank * 10 + i));
            MPI_Send(buffer, lengths[i], MPI_BYTE, 0, 10 + i, MPI_COMM_WORLD);
        }
}

static void check_message(const MPI_Status *status, int source, int i)
{
    int count;
    MPI_Get_count(status, MPI_BYTE, &count);
    check(status->MPI_SOURCE == source && status->MPI_TAG == 10 + i && count == lengths[i]);
}

static void check_data(int source, int i)
{
    check(is_filled(buffer, (size_t)lengths[i], (unsigned)(source * 10 + i)));
}

static void receive_probed(int source, int i, int blocking)
{
    MPI_Status status;
    int there = 0;
    if (blocking)
        MPI_Probe(source, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    else
        while (!there)
            MPI_Iprobe(source, 10 + i, MPI_COMM_WORLD, &there, &status);
    check_message(&status, source, i);
    memset(buffer, 0, MOST);
    MPI_Recv(buffer, MOST, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
    check_message(&status, source, i);
    check_data(source, i);
}

static void receive_matched(int source, int i, int blocking)
{
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    int there = 0;
    if (blocking)
        MPI_Mprobe(source, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
    else
        while (!there)
            MPI_Improbe(source, 10 + i, MPI_COMM_WORLD, &there, &message, &status);
    check_message(&status, source, i);
    memset(buffer, 0, MOST);
    MPI_Mrecv(buffer, lengths[i], MPI_BYTE, &message, &status);
    check(message == MPI_MESSAGE_NULL);
    check_message(&status, source, i);
    check_data(source, i);
}

static void receive_all(void)
{
    for (int source = size - 1; source > 0; source--)
        for (int round = 0; round < 4; round++)
            for (int i = 0; i < LENGTHS; i++)
                if (round < 2)
                    receive_probed(source, i, round == 0);
                else
                    receive_matched(source, i, round == 2);
}

/* What is not there is not found, and asking for it does no harm. */
static void find_nothing(void)
{
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    int there = 1;
    MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &there, &status);
    check(!there);
    there = 1;
    MPI_Improbe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &there, &message, &status);
    check(!there);
}

static void cancel_receives(void)
{
    static const int sizes[] = {4, 4096};
    for (int i = 0; i < 2; i++) {
        MPI_Request request;
        MPI_Status status;
        int cancelled = 0;
        MPI_Irecv(buffer, sizes[i], MPI_BYTE, MPI_ANY_SOURCE, 98, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &cancelled);
        check(cancelled);
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    buffer = malloc(MOST);
    find_nothing();
    cancel_receives();
    if (rank == 0)
        receive_all();
    else
        send_all();
    find_nothing();
    free(buffer);
    return finish();
}
