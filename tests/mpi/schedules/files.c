/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files: each process writes to its part of one, and reads it into another layout. Layouts are
 * simple: MPICH 4.0.2 gets others wrong by itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "mpi/schedules/known_bugs.h"
#include "mpi/schedules/run.h"

enum { MOST_BYTES = 20000 };

/* Where in the file, and whether the call waits, or is two. */
enum form { NEXT, NEXT_ALL, AT, AT_ALL, LATER, LATER_AT, HALVES, HALVES_AT, FORMS };

/* What all draw alike, as far as calls of all must be the same. */
struct plan {
    enum form write, read;
    int rank;
    MPI_Comm comm;
};

static struct plan draw_plan(const struct run *run, const struct event *event)
{
    struct rng rng = rng_stream((uint64_t)event->other, 77);
    struct plan plan = {.comm = run->crew->comm[event->comm]};
    plan.write = (enum form)rng_below(&rng, FORMS);
    plan.read = (enum form)rng_below(&rng, FORMS);
    MPI_Comm_rank(plan.comm, &plan.rank);
    return plan;
}

static bool is_at(enum form form)
{
    return form == AT || form == AT_ALL || form == LATER_AT || form == HALVES_AT;
}

static int write_file(MPI_File file, enum form form, MPI_Offset at, struct side *side)
{
    const void *memory = side->address;
    switch (form) {
    case NEXT:
        return MPI_File_write(file, memory, side->count, side->type, &side->status);
    case NEXT_ALL:
        return MPI_File_write_all(file, memory, side->count, side->type, &side->status);
    case AT:
        return MPI_File_write_at(file, at, memory, side->count, side->type, &side->status);
    case AT_ALL:
        return MPI_File_write_at_all(file, at, memory, side->count, side->type, &side->status);
    case LATER:
        return MPI_File_iwrite(file, memory, side->count, side->type, &side->request);
    case LATER_AT:
        return MPI_File_iwrite_at(file, at, memory, side->count, side->type, &side->request);
    case HALVES:
        return MPI_File_write_all_begin(file, memory, side->count, side->type);
    default:
        return MPI_File_write_at_all_begin(file, at, memory, side->count, side->type);
    }
}

static int read_file(MPI_File file, enum form form, MPI_Offset at, struct side *side)
{
    switch (form) {
    case NEXT:
        return MPI_File_read(file, side->address, side->count, side->type, &side->status);
    case NEXT_ALL:
        return MPI_File_read_all(file, side->address, side->count, side->type, &side->status);
    case AT:
        return MPI_File_read_at(file, at, side->address, side->count, side->type, &side->status);
    case AT_ALL:
        return MPI_File_read_at_all(file, at, side->address, side->count, side->type,
                                    &side->status);
    case LATER:
        return MPI_File_iread(file, side->address, side->count, side->type, &side->request);
    case LATER_AT:
        return MPI_File_iread_at(file, at, side->address, side->count, side->type, &side->request);
    case HALVES:
        return MPI_File_read_all_begin(file, side->address, side->count, side->type);
    default:
        return MPI_File_read_at_all_begin(file, at, side->address, side->count, side->type);
    }
}

static int end_write(MPI_File file, enum form form, struct side *side)
{
    switch (form) {
    case LATER:
    case LATER_AT:
        return MPI_Wait(&side->request, &side->status);
    case HALVES:
        return MPI_File_write_all_end(file, side->address, &side->status);
    case HALVES_AT:
        return MPI_File_write_at_all_end(file, side->address, &side->status);
    default:
        return MPI_SUCCESS;
    }
}

static int end_read(MPI_File file, enum form form, struct side *side)
{
    switch (form) {
    case HALVES:
        return MPI_File_read_all_end(file, side->address, &side->status);
    case HALVES_AT:
        return MPI_File_read_at_all_end(file, side->address, &side->status);
    default:
        return end_write(file, form, side);
    }
}

typedef int file_call(MPI_File file, enum form form, MPI_Offset at, struct side *side);
typedef int end_call(MPI_File file, enum form form, struct side *side);

static void move(struct run *run, file_call *call, end_call *end, MPI_File file, enum form form,
                 MPI_Offset at, struct side *side)
{
    if (!is_at(form))
        must(run->crew, MPI_File_seek(file, at, MPI_SEEK_SET), "MPI_File_seek");
    must(run->crew, call(file, form, at, side), "a call of a file");
    must(run->crew, end(file, form, side), "the end of a call of a file");
}

static MPI_File open_file(struct run *run, const struct plan *plan)
{
    const char *folder = getenv("TMPDIR");
    MPI_File file;
    int process = (int)getpid();
    char path[512];
    must(run->crew, MPI_Bcast(&process, 1, MPI_INT, 0, plan->comm), "MPI_Bcast");
    snprintf(path, sizeof path, "%s/weft-fuzz.%d", folder ? folder : "/tmp", process);
    must(run->crew,
         MPI_File_open(plan->comm, path,
                       MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                       &file),
         "MPI_File_open");
    return file;
}

static struct message draw_content(const struct run *run, const struct event *event, int rank)
{
    struct message message = draw_message(run, event->other, rank, rank, MOST_BYTES);
    if (BUG_PAIRS_OF_FILES && !run->crew->bugs) {
        size_t bytes = message.units * unit_bytes(message.unit);
        message.unit = unit_without_pair(message.unit);
        message.units = message.room = bytes / unit_bytes(message.unit) + 1;
    }
    return message;
}

/* A process may have written for another in a call of all. */
void do_file(struct run *run, const struct event *event)
{
    const struct plan plan = draw_plan(run, event);
    struct message message = draw_content(run, event, plan.rank);
    struct need need = need_to_send(&message);
    struct side out = {0}, in = {0};
    MPI_Offset at = (MPI_Offset)plan.rank * 2 * MOST_BYTES;
    doing(run->crew, "a file, written by %d and read by %d, on communicator %d", plan.write,
          plan.read, event->comm);
    MPI_File file = open_file(run, &plan);
    need.shape = STEPS;
    side_open(run, &out, message.send_layout, need, SEND_FILL);
    side_write(&out, &message);
    move(run, write_file, end_write, file, plan.write, at, &out);
    side_check(run, &out, &message, "what is written to a file");
    must(run->crew, MPI_Barrier(plan.comm), "MPI_Barrier");
    side_open(run, &in, message.receive_layout, need, RECEIVE_FILL);
    side_blank(&in);
    move(run, read_file, end_read, file, plan.read, at, &in);
    side_check_arrived(run, &in, &message, "what is read from a file");
    must(run->crew, MPI_File_close(&file), "MPI_File_close");
    side_close(&out);
    side_close(&in);
}
