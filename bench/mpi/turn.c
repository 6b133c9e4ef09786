/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/mpi/turn.h"

#include <string.h>

#include "bench/harness/measure.h"

/* Weft leaves the first messages of types with long lists to MPI. What is measured is what comes
 * then; the first message has a column of its own. */
#define WARM_UP 4

/* A turn is planned by its fastest message, for hundredths of a second. Where others want the
 * processors, each message may wait for them, and hundreds would take minutes. */
#define MOST_SECONDS 1.0
#define BETWEEN_LOOKS 32 /* messages */

enum { TAG_DATA = 1, TAG_READY, TAG_DONE, TAG_REPORT };

/* What one rank knows. */
struct report {
    struct turn_times times;
    int is_right, was_blank;
};

static void send_word(int tag, int to)
{
    char word = 0;
    MPI_Send(&word, 1, MPI_BYTE, to, tag, MPI_COMM_WORLD);
}

static void await_word(int tag, int from)
{
    char word;
    MPI_Recv(&word, 1, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_data(struct end *end, enum way way, int to, double *packing)
{
    double start = measure_now();
    end_pack(end, way);
    *packing = measure_now() - start;
    struct end_buffer buffer = end_buffer(end, way);
    MPI_Send(buffer.memory, buffer.count, buffer.type, to, TAG_DATA, MPI_COMM_WORLD);
}

static void finish_data(struct end *end, enum way way, double *unpacking)
{
    double start = measure_now();
    end_unpack(end, way);
    *unpacking = measure_now() - start;
}

static void receive_data(struct end *end, enum way way, int from, double *unpacking)
{
    struct end_buffer buffer = end_buffer(end, way);
    MPI_Recv(buffer.memory, buffer.count, buffer.type, from, TAG_DATA, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    finish_data(end, way, unpacking);
}

/* ---- One message, as each rank sees it. Rank 0 returns its time ----------------------------- */

static double one_way_out(struct end *end, const struct turn *turn, unsigned round,
                          struct turn_times *times)
{
    await_word(TAG_READY, 1);
    end_write(end, turn->way, round);
    double start = measure_now();
    send_data(end, turn->way, 1, &times->pack);
    await_word(TAG_DONE, 1);
    return measure_now() - start;
}

static double one_way_in(struct end *end, const struct turn *turn, unsigned round,
                         struct turn_times *times)
{
    (void)round;
    struct end_buffer buffer = end_buffer(end, turn->way);
    MPI_Request request;
    MPI_Irecv(buffer.memory, buffer.count, buffer.type, 0, TAG_DATA, MPI_COMM_WORLD, &request);
    send_word(TAG_READY, 0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    finish_data(end, turn->way, &times->unpack);
    send_word(TAG_DONE, 0);
    return 0;
}

static double ping(struct end *end, const struct turn *turn, unsigned round,
                   struct turn_times *times)
{
    if (round == 0)
        end_write(end, turn->way, turn->messages);
    double start = measure_now();
    send_data(end, turn->way, 1, &times->pack);
    receive_data(end, turn->way, 1, &times->unpack);
    return (measure_now() - start) / 2;
}

static double pong(struct end *end, const struct turn *turn, unsigned round,
                   struct turn_times *times)
{
    (void)round;
    receive_data(end, turn->way, 0, &times->unpack);
    send_data(end, turn->way, 0, &times->pack);
    return 0;
}

/* ---- Exchanges: all ranks do the same, in a ring ------------------------------------------- */

/* Where the other's data come to, in a layout like that of one's own. */
static struct end inbox;
static MPI_Request persistent[2];
static int previous, next; /* ranks: the same one, if there are two */

static bool is_exchange(enum course course)
{
    return course >= COURSE_EXCHANGE;
}

static void open_exchange(const struct end *end, const struct turn *turn, int rank)
{
    if (!inbox.window || memcmp(&inbox.pair, &end->pair, sizeof(inbox.pair)) != 0) {
        end_close(&inbox);
        end_open(&inbox, &end->pair, rank == 0);
    }
    inbox.type = end->type;
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    previous = (rank + size - 1) % size;
    next = (rank + 1) % size;
    struct end_buffer out = end_buffer(end, turn->way), in = end_buffer(&inbox, turn->way);
    if (turn->course != COURSE_PERSISTENT)
        return;
    MPI_Recv_init(in.memory, in.count, in.type, previous, TAG_DATA, MPI_COMM_WORLD,
                  &persistent[0]);
    MPI_Send_init(out.memory, out.count, out.type, next, TAG_DATA, MPI_COMM_WORLD, &persistent[1]);
}

static void close_exchange(const struct turn *turn)
{
    if (turn->course != COURSE_PERSISTENT)
        return;
    MPI_Request_free(&persistent[0]);
    MPI_Request_free(&persistent[1]);
}

static void move_both(const struct end *end, const struct turn *turn)
{
    struct end_buffer out = end_buffer(end, turn->way), in = end_buffer(&inbox, turn->way);
    MPI_Request requests[2];
    MPI_Status statuses[2];
    if (turn->course == COURSE_SENDRECV) {
        MPI_Sendrecv(out.memory, out.count, out.type, next, TAG_DATA, in.memory, in.count, in.type,
                     previous, TAG_DATA, MPI_COMM_WORLD, statuses);
    } else if (turn->course == COURSE_PERSISTENT) {
        MPI_Startall(2, persistent);
        MPI_Waitall(2, persistent, statuses);
    } else {
        MPI_Irecv(in.memory, in.count, in.type, previous, TAG_DATA, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out.memory, out.count, out.type, next, TAG_DATA, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, statuses);
    }
}

static double exchange_data(struct end *end, const struct turn *turn, unsigned round,
                            struct turn_times *times)
{
    end_write(end, turn->way, round);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = measure_now();
    end_pack(end, turn->way);
    times->pack = measure_now() - start;
    move_both(end, turn);
    finish_data(&inbox, turn->way, &times->unpack);
    return measure_now() - start;
}

void turn_end(void)
{
    end_close(&inbox);
}

typedef double one_message(struct end *end, const struct turn *turn, unsigned round,
                           struct turn_times *times);

static one_message *const messages[COURSES][2] = {
    [COURSE_ONE_WAY] = {one_way_out, one_way_in},
    [COURSE_PING_PONG] = {ping, pong},
    [COURSE_EXCHANGE] = {exchange_data, exchange_data},
    [COURSE_SENDRECV] = {exchange_data, exchange_data},
    [COURSE_PERSISTENT] = {exchange_data, exchange_data},
};

/* ---- A turn --------------------------------------------------------------------------------- */

/* Rank 0 decides for all. */
static bool is_late(double start)
{
    int late = measure_now() - start > MOST_SECONDS;
    MPI_Bcast(&late, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return late;
}

static void run_messages(struct end *end, const struct turn *turn, int rank,
                         struct turn_times *times)
{
    static double whole[TURN_MOST_MESSAGES], pack[TURN_MOST_MESSAGES], unpack[TURN_MOST_MESSAGES];
    one_message *message = messages[turn->course][rank > 0];
    times->first = message(end, turn, 0, times);
    for (unsigned i = 0; i < WARM_UP; i++)
        message(end, turn, 0, times);
    double start = measure_now();
    size_t done = 0;
    for (unsigned round = 1; round <= turn->messages; round++, done++) {
        if (round % BETWEEN_LOOKS == 0 && is_late(start))
            round = turn->messages; /* what the last one carries is checked */
        whole[done] = message(end, turn, round, times);
        times->least = done == 0 || whole[done] < times->least ? whole[done] : times->least;
        pack[done] = times->pack;
        unpack[done] = times->unpack;
    }
    times->message = median_of(whole, done);
    times->pack = median_of(pack, done);
    times->unpack = median_of(unpack, done);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Both have packed and unpacked in a ping-pong, and one of them each otherwise. */
static void merge(struct turn_times *times, const struct turn_times *other)
{
    times->create = larger(times->create, other->create);
    times->free = larger(times->free, other->free);
    times->pack = larger(times->pack, other->pack);
    times->unpack = larger(times->unpack, other->unpack);
}

/* The others tell rank 0. */
static void tell(struct report *report, int rank)
{
    struct report other;
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0)
        MPI_Send(report, sizeof(*report), MPI_BYTE, 0, TAG_REPORT, MPI_COMM_WORLD);
    for (int from = 1; rank == 0 && from < size; from++) {
        MPI_Recv(&other, sizeof(other), MPI_BYTE, from, TAG_REPORT, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        merge(&report->times, &other.times);
        report->is_right = report->is_right && other.is_right;
        report->was_blank = report->was_blank && other.was_blank;
    }
}

bool turn_run(struct end *end, const struct turn *turn, int rank, struct turn_times *times)
{
    struct report report = {.times = {0}, .was_blank = true};
    double start = measure_now();
    if (turn->way == WAY_DERIVED)
        end_make_type(end);
    report.times.create = measure_now() - start;
    if (is_exchange(turn->course))
        open_exchange(end, turn, rank);
    run_messages(end, turn, rank, &report.times);
    report.is_right =
        end_is_right(is_exchange(turn->course) ? &inbox : end, turn->way, turn->messages);
    if (is_exchange(turn->course))
        close_exchange(turn);
    start = measure_now();
    if (turn->way == WAY_DERIVED)
        end_free_type(end);
    report.times.free = measure_now() - start;
    tell(&report, rank);
    *times = report.times;
    return report.is_right;
}

const char *turn_verify(struct end *end, enum way way, int rank)
{
    struct report report = {.is_right = true, .was_blank = true};
    struct turn_times times = {0};
    end_blank(end);
    end_make_type(end);
    if (rank == 0) {
        end_write(end, way, 1);
        send_data(end, way, 1, &times.pack);
        end_blank(end);
    }
    receive_data(end, way, 1 - rank, &times.unpack);
    report.is_right = end_is_right(end, way, 1);
    if (rank == 1) {
        send_data(end, way, 0, &times.pack);
        report.is_right = report.is_right && end_is_right(end, way, 1);
    }
    report.was_blank = end_was_blank(end, way);
    end_free_type(end);
    tell(&report, rank);
    return !report.is_right    ? "the data that arrived are not those that were sent"
           : !report.was_blank ? "memory that does not belong to the message was written"
                               : NULL;
}
