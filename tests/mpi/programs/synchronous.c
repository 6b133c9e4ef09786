/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Synchronous sends end when their receive has begun: not before, whoever probes; and then,
 * whatever the receiver does meanwhile. Some messages are just as long as a ticket.
 */
#include "corner.h"

#define TAG 5

/* Doubles. */
static const int lengths[] = {1, 8, 9, 64, 76, 1000, 8200, 60000};
enum { LENGTHS = sizeof lengths / sizeof lengths[0], MOST = 60000 };

/* Long enough for whoever would give up waiting. */
#define A_WHILE 0.08

static double sent[2 * MOST], got[2 * MOST];

/* One of them is contiguous. */
struct message {
    int length, stride;
    MPI_Datatype type;
};

static struct message make_message(int length, int stride)
{
    struct message message = {length, stride, MPI_DATATYPE_NULL};
    MPI_Type_vector(length, 1, stride, MPI_DOUBLE, &message.type);
    MPI_Type_commit(&message.type);
    for (int i = 0; i < length; i++) {
        sent[i * stride] = value_of(i);
        got[i * stride] = 0;
    }
    return message;
}

/* ---- The sender ---------------------------------------------------------------------------- */

typedef void begin_call(const struct message *message, int to, MPI_Request *request);

static void by_issend(const struct message *message, int to, MPI_Request *request)
{
    MPI_Issend(sent, 1, message->type, to, TAG, MPI_COMM_WORLD, request);
}

static void by_init(const struct message *message, int to, MPI_Request *request)
{
    MPI_Ssend_init(sent, 1, message->type, to, TAG, MPI_COMM_WORLD, request);
    MPI_Start(request);
}

static begin_call *const begins[] = {by_issend, by_init};
enum { BEGINS = sizeof begins / sizeof begins[0] };

static void free_persistent(MPI_Request *request)
{
    if (*request != MPI_REQUEST_NULL)
        MPI_Request_free(request);
}

/* Ends the request if it has. */
static int ends_within(double seconds, MPI_Request *request)
{
    int is_over = 0;
    double until = MPI_Wtime() + seconds;
    while (!is_over && MPI_Wtime() < until)
        MPI_Test(request, &is_over, MPI_STATUS_IGNORE);
    return is_over;
}

/* ---- The receiver -------------------------------------------------------------------------- */

static MPI_Message matched;

static void find_nothing(int from)
{
    (void)from;
}

static void find_by_probe(int from)
{
    MPI_Status status;
    MPI_Probe(from, TAG, MPI_COMM_WORLD, &status);
}

static void find_by_iprobe(int from)
{
    int flag = 0;
    while (!flag)
        MPI_Iprobe(from, TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

static void find_by_mprobe(int from)
{
    MPI_Mprobe(from, TAG, MPI_COMM_WORLD, &matched, MPI_STATUS_IGNORE);
}

static void find_by_improbe(int from)
{
    int flag = 0;
    while (!flag)
        MPI_Improbe(from, TAG, MPI_COMM_WORLD, &flag, &matched, MPI_STATUS_IGNORE);
}

static const struct finding {
    const char *name;
    void (*find)(int from);
    int is_matched;
} findings[] = {
    {"nothing", find_nothing, 0},        {"MPI_Probe", find_by_probe, 0},
    {"MPI_Iprobe", find_by_iprobe, 0},   {"MPI_Mprobe", find_by_mprobe, 1},
    {"MPI_Improbe", find_by_improbe, 1},
};
enum { FINDINGS = sizeof findings / sizeof findings[0] };

static void receive(const struct finding *finding, const struct message *message, int from)
{
    if (finding->is_matched)
        MPI_Mrecv(got, 1, message->type, &matched, MPI_STATUS_IGNORE);
    else
        MPI_Recv(got, 1, message->type, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    judge(has_column(got, message->length, message->stride), finding->name);
}

/* ---- Both ---------------------------------------------------------------------------------- */

/* The barriers say that the receiver has looked, and that the sender has waited. */
static void send_to_who_looks(const struct finding *finding, begin_call *begin,
                              const struct message *message)
{
    MPI_Request request;
    if (rank == 0)
        begin(message, 1, &request);
    else
        finding->find(0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        judge(!ends_within(A_WHILE, &request), finding->name);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        free_persistent(&request);
    } else {
        receive(finding, message, 0);
    }
}

/* The same within one process. */
static void send_to_oneself(const struct finding *finding, begin_call *begin,
                            const struct message *message)
{
    MPI_Request request;
    begin(message, rank, &request);
    finding->find(rank);
    judge(!ends_within(A_WHILE, &request), finding->name);
    receive(finding, message, rank);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    free_persistent(&request);
}

/* The receive has begun, but its process waits for the sender in a call of MPI. */
static void send_to_who_is_away(const struct message *message)
{
    MPI_Request request;
    if (rank == 1)
        MPI_Irecv(got, 1, message->type, 0, TAG, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Ssend(sent, 1, message->type, 1, TAG, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        judge(has_column(got, message->length, message->stride), "a receive begun before");
    }
}

/* Those as long as a ticket may be, 64 or 608 bytes. */
static int may_be_as_ticket(int i)
{
    return lengths[i / 2] == 8 || lengths[i / 2] == 76;
}

/* They meet all who look, if they are contiguous. */
static int is_tried(int i, int finding)
{
    return (may_be_as_ticket(i) && i % 2 == 0) || i % FINDINGS == finding;
}

int main(int argc, char **argv)
{
    corner_open(&argc, &argv);
    for (int i = 0; i < 2 * LENGTHS; i++) {
        struct message message = make_message(lengths[i / 2], 1 + i % 2);
        send_to_who_is_away(&message);
        for (int j = 0; j < FINDINGS; j++)
            if (is_tried(i, j))
                send_to_who_looks(&findings[j], begins[(i + j) % BEGINS], &message);
        if (may_be_as_ticket(i))
            send_to_oneself(&findings[i % FINDINGS], begins[i % BEGINS], &message);
        MPI_Type_free(&message.type);
    }
    return corner_close();
}
