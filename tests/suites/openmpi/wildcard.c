/* SPDX-License-Identifier: BSD-3-Clause */
/* Receives from any source with any tag: messages of one sender stay in order, posted receives
 * are served in the order of posting, and the status tells who sent what. */
#include "program.h"

#define COUNT 300

struct record {
    int source;
    int number;
};

static void send_all(void)
{
    for (int i = 0; i < COUNT; i++) {
        struct record record = {rank, i};
        MPI_Send(&record, 2, MPI_INT, 0, i % 7, MPI_COMM_WORLD);
    }
}

static void take(const struct record *record, const MPI_Status *status, int *next)
{
    int count;
    MPI_Get_count(status, MPI_INT, &count);
    check(count == 2);
    check(status->MPI_SOURCE == record->source);
    check(status->MPI_TAG == record->number % 7);
    check(record->number == next[record->source]);
    next[record->source]++;
}

/* One at a time: some come before the receive, some after. */
static void receive_one_by_one(void)
{
    int *next = calloc((size_t)size, sizeof *next);
    for (int i = 0; i < COUNT * (size - 1); i++) {
        struct record record;
        MPI_Status status;
        MPI_Recv(&record, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        take(&record, &status, next);
    }
    free(next);
}

/* All posted before anything is sent: the order of the receives is the order of each sender. */
static void receive_posted(MPI_Request *requests, struct record *records)
{
    int *next = calloc((size_t)size, sizeof *next);
    int total = COUNT * (size - 1);
    MPI_Status *statuses = malloc((size_t)total * sizeof *statuses);
    MPI_Waitall(total, requests, statuses);
    for (int i = 0; i < total; i++)
        take(&records[i], &statuses[i], next);
    free(statuses);
    free(next);
}

/* A receive with a named tag is posted between two with any: each message goes to the first that
 * fits. */
static void receive_mixed(void)
{
    int a = 0, b = 0, c = 0;
    MPI_Request requests[3];
    MPI_Status statuses[3];
    MPI_Irecv(&a, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&b, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(&c, 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[2]);
    MPI_Send(NULL, 0, MPI_INT, 1, 9, MPI_COMM_WORLD);
    MPI_Waitall(3, requests, statuses);
    check(a == 45 && b == 46 && c == 47);
    check(statuses[0].MPI_TAG == 5 && statuses[1].MPI_TAG == 6 && statuses[2].MPI_TAG == 5);
}

static void send_mixed(void)
{
    MPI_Recv(NULL, 0, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int values[] = {46, 45, 47}, tags[] = {6, 5, 5};
    for (int i = 0; i < 3; i++)
        MPI_Send(&values[i], 1, MPI_INT, 0, tags[i], MPI_COMM_WORLD);
}

static void lead(void)
{
    receive_one_by_one();
    int total = COUNT * (size - 1);
    MPI_Request *requests = malloc((size_t)total * sizeof(MPI_Request));
    struct record *records = malloc((size_t)total * sizeof *records);
    for (int i = 0; i < total; i++)
        MPI_Irecv(&records[i], 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                  &requests[i]);
    for (int i = 1; i < size; i++)
        MPI_Send(NULL, 0, MPI_INT, i, 8, MPI_COMM_WORLD);
    receive_posted(requests, records);
    receive_mixed();
    free(records);
    free(requests);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (rank == 0) {
        lead();
    } else {
        send_all();
        MPI_Recv(NULL, 0, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        send_all();
        if (rank == 1)
            send_mixed();
    }
    return finish();
}
