/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes of an MPI that send layouts to each other, an ordinary program that knows nothing of
 * Weft. More than two only exchange them. Rank 0 reads what `weft bench mpi` asks for, one request
 * a line:
 *
 *   turn SEND RECEIVE BYTES derived|hand|contiguous COURSE MESSAGES
 *   verify SEND RECEIVE BYTES derived|hand|contiguous
 *
 * and answers with one line "turn KEY=VALUE...", in microseconds, "right", "wrong WHY", or
 * "skip WHY".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/harness/word.h"
#include "bench/mpi/turn.h"

enum { TAG_REQUEST = 100 };
enum what { WHAT_TURN, WHAT_VERIFY, WHAT_END };

struct request {
    enum what what;
    struct end_pair pair;
    struct turn turn;
};

static const char *const ways[WAYS] = {"derived", "hand", "contiguous"};
static const char *const courses[COURSES] = {"oneway", "pingpong", "exchange", "sendrecv",
                                             "persistent"};

static bool parse(const char *line, struct request *request)
{
    char what[8], way[16], course[16] = "oneway";
    unsigned messages = 1;
    struct end_pair *pair = &request->pair;
    int fields = sscanf(line, "%7s %63s %63s %zu %15s %15s %u", what, pair->send, pair->receive,
                        &pair->bytes, way, course, &messages);
    int which_way = word_find(ways, WAYS, way), which = word_find(courses, COURSES, course);
    request->what = strcmp(what, "verify") == 0 ? WHAT_VERIFY : WHAT_TURN;
    request->turn = (struct turn){(enum way)which_way, (enum course)which, messages};
    return fields >= (request->what == WHAT_VERIFY ? 5 : 7) && which_way >= 0 && which >= 0 &&
           messages > 0 && messages <= TURN_MOST_MESSAGES;
}

static void read_request(struct request *request)
{
    char line[256];
    memset(request, 0, sizeof(*request));
    request->what = WHAT_END;
    if (!fgets(line, sizeof(line), stdin))
        return;
    if (!parse(line, request)) {
        fprintf(stderr, "weft bench: cannot understand the request: %s", line);
        request->what = WHAT_END;
    }
}

/* Another pair of processes may be at work now: this one must leave it the processors. */
static void await_request(struct request *request)
{
    const struct timespec nap = {.tv_nsec = 2000000};
    int is_there = 0;
    for (;;) {
        MPI_Iprobe(0, TAG_REQUEST, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
        if (is_there)
            break;
        nanosleep(&nap, NULL);
    }
    MPI_Recv(request, sizeof(*request), MPI_BYTE, 0, TAG_REQUEST, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
}

static void next_request(struct request *request, int rank)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0) {
        await_request(request);
        return;
    }
    read_request(request);
    for (int to = 1; to < size; to++)
        MPI_Send(request, sizeof(*request), MPI_BYTE, to, TAG_REQUEST, MPI_COMM_WORLD);
}

static void print_times(const struct end *end, const struct turn_times *times)
{
    printf("turn bytes=%zu block=%.1f least=%.4f message=%.4f create=%.3f first=%.3f pack=%.3f "
           "unpack=%.3f "
           "free=%.3f\n",
           end->bytes, (double)end->bytes / (double)layout_pieces(&end->layout),
           times->least * 1e6, times->message * 1e6, times->create * 1e6, times->first * 1e6,
           times->pack * 1e6, times->unpack * 1e6, times->free * 1e6);
}

static void print_verdict(const char *wrong)
{
    printf(wrong ? "wrong %s\n" : "right\n", wrong);
}

static void serve(struct end *end, const struct request *request, int rank)
{
    struct turn_times times;
    if (request->what == WHAT_VERIFY) {
        const char *wrong = turn_verify(end, request->turn.way, rank);
        if (rank == 0)
            print_verdict(wrong);
        return;
    }
    bool is_right = turn_run(end, &request->turn, rank, &times);
    if (rank == 0 && is_right)
        print_times(end, &times);
    else if (rank == 0)
        print_verdict("the data that arrived are not those that were sent");
}

/* Turns of one pair follow each other, so its buffers are kept until another comes. */
static void serve_all(int rank)
{
    struct end end = {0};
    struct request request;
    for (next_request(&request, rank); request.what != WHAT_END; next_request(&request, rank)) {
        const char *reason = NULL;
        if (memcmp(&end.pair, &request.pair, sizeof(end.pair)) != 0 || !end.window) {
            end_close(&end);
            reason = end_open(&end, &request.pair, rank == 0);
        }
        if (!reason)
            serve(&end, &request, rank);
        else if (rank == 0)
            printf("skip %s\n", reason);
        fflush(stdout);
    }
    turn_end();
    end_close(&end);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size >= 2)
        serve_all(rank);
    else
        fprintf(stderr, "weft bench: this program wants two processes or more\n");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return size >= 2 ? 0 : 1;
}
