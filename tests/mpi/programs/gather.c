/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gather [SEED [TURNS]]: MPI_Bcast and the collectives that gather and scatter, of datatypes and
 * in all their forms, often enough that it is tried whether they are faster of packed bytes, on
 * several communicators in turns. Each process knows less than all: whether its own data lie
 * apart, and how. At last, the same from roots that are nobody.
 */
#include "spread.h"

/* What is the same for all has no receiver of its own. */
enum { EVERYBODY = 63 };

/* Of what is as long for all processes: the shortest, and how often that is doubled. */
enum { LEAST = 200, SIZES = 6 };

enum call { BCAST, GATHER, GATHERV, SCATTER, SCATTERV, ALLGATHER, ALLGATHERV, CALLS };
static const char *const names[] = {"MPI_Bcast",     "MPI_Gather",   "MPI_Gatherv",
                                    "MPI_Scatter",   "MPI_Scatterv", "MPI_Allgather",
                                    "MPI_Allgatherv"};

struct collective {
    MPI_Comm comm;
    enum call call;
    int size, self, root; /* of the communicator */
    int world[MOST];
    int lengths[MOST]; /* of what each process sends or gets */
    int is_in_place;
};

static void draw(struct collective *of, MPI_Comm comm, enum call call)
{
    int is_varied = call == GATHERV || call == SCATTERV || call == ALLGATHERV;
    int length = LEAST << mix(6, 0, 0) % SIZES;
    of->comm = comm;
    of->call = call;
    of->size = find_peers(comm, of->world);
    MPI_Comm_rank(comm, &of->self);
    of->root = (int)(mix(7, 0, 0) % (unsigned)of->size);
    of->is_in_place = mix(8, 0, 0) % 4 == 0;
    for (int i = 0; i < of->size; i++)
        of->lengths[i] = is_varied ? (int)(mix(9, (uint64_t)of->world[i], 0) % 5000) : length;
}

static int is_gathered_by_all(const struct collective *of)
{
    return of->call == ALLGATHER || of->call == ALLGATHERV;
}

/* A side of all processes' messages, or of one. */
static void open_all(struct side *side, const struct collective *of, int is_out)
{
    side->self = is_gathered_by_all(of) ? EVERYBODY : rank;
    side->peers = of->size;
    memcpy(side->lengths, of->lengths, sizeof of->lengths);
    open_side(side, is_out);
}

static void open_one(struct side *side, const struct collective *of, int self, int is_out)
{
    side->self = self;
    side->peers = 1;
    side->lengths[0] = of->lengths[of->self];
    open_side(side, is_out);
}

/* ---- Calls --------------------------------------------------------------------------------- */

static void broadcast(const struct collective *of)
{
    int is_root = of->self == of->root, everybody = EVERYBODY, root = of->world[of->root];
    struct side side;
    open_one(&side, of, is_root ? rank : EVERYBODY, is_root);
    if (is_root)
        write_numbers(&side, side.all, 1, &everybody);
    MPI_Request request = MPI_REQUEST_NULL;
    MAKE(drawn_form(), MPI_Bcast, MPI_Ibcast, (side.all, side.lengths[0], side.type),
         (side.all, side.lengths[0], side.type), (of->root, of->comm))
    end(&request, NULL, &side, of->comm);
    if (!is_root)
        compare(&side, &root, names[of->call]);
    close_side(&side);
}

/* What a process that gathers in place has there before. */
static void write_own(const struct collective *of, struct side *in)
{
    struct side own = *in;
    int self = of->world[of->self];
    own.peers = 1;
    own.lengths[0] = in->lengths[of->self];
    own.places[0] = in->places[of->self];
    write_numbers(&own, in->all, 0, &self);
}

static void gather(const struct collective *of)
{
    int is_root = of->self == of->root || is_gathered_by_all(of);
    int to = is_gathered_by_all(of) ? EVERYBODY : of->world[of->root];
    int is_in_place = is_root && of->is_in_place;
    struct side out, in = {.type = MPI_DATATYPE_NULL};
    open_one(&out, of, rank, 1);
    write_numbers(&out, out.all, 1, &to);
    if (is_root)
        open_all(&in, of, 0);
    if (is_in_place)
        write_own(of, &in);
    const void *sent = is_in_place ? MPI_IN_PLACE : out.all;
    int length = out.lengths[0], common = of->lengths[0];
    MPI_Request request = MPI_REQUEST_NULL;
    if (of->call == GATHER)
        MAKE(drawn_form(), MPI_Gather, MPI_Igather,
             (sent, length, out.type, in.all, common, in.type),
             (sent, length, out.type, in.all, common, in.type), (of->root, of->comm))
    else if (of->call == GATHERV)
        MAKE(drawn_form(), MPI_Gatherv, MPI_Igatherv,
             (sent, length, out.type, in.all, in.lengths, in.places, in.type),
             (sent, length, out.type, in.all, in.large_lengths, in.far, in.type),
             (of->root, of->comm))
    else if (of->call == ALLGATHER)
        MAKE(drawn_form(), MPI_Allgather, MPI_Iallgather,
             (sent, length, out.type, in.all, common, in.type),
             (sent, length, out.type, in.all, common, in.type), (of->comm))
    else
        MAKE(drawn_form(), MPI_Allgatherv, MPI_Iallgatherv,
             (sent, length, out.type, in.all, in.lengths, in.places, in.type),
             (sent, length, out.type, in.all, in.large_lengths, in.far, in.type), (of->comm))
    end(&request, &out, &in, of->comm);
    if (is_root) {
        compare(&in, of->world, names[of->call]);
        close_side(&in);
    }
    close_side(&out);
}

static void scatter(const struct collective *of)
{
    int is_root = of->self == of->root, root = of->world[of->root];
    int is_in_place = is_root && of->is_in_place;
    struct side out = {.type = MPI_DATATYPE_NULL}, in;
    open_one(&in, of, rank, 0);
    if (is_root) {
        open_all(&out, of, 1);
        write_numbers(&out, out.all, 1, of->world);
    }
    void *received = is_in_place ? MPI_IN_PLACE : in.all;
    int length = in.lengths[0];
    MPI_Request request = MPI_REQUEST_NULL;
    if (of->call == SCATTER)
        MAKE(drawn_form(), MPI_Scatter, MPI_Iscatter,
             (out.all, of->lengths[0], out.type, received, length, in.type),
             (out.all, of->lengths[0], out.type, received, length, in.type), (of->root, of->comm))
    else
        MAKE(drawn_form(), MPI_Scatterv, MPI_Iscatterv,
             (out.all, out.lengths, out.places, out.type, received, length, in.type),
             (out.all, out.large_lengths, out.far, out.type, received, length, in.type),
             (of->root, of->comm))
    end(&request, &out, &in, of->comm);
    if (!is_in_place)
        compare(&in, &root, names[of->call]);
    close_side(&in);
    if (is_root)
        close_side(&out);
}

static void make(MPI_Comm comm, enum call call)
{
    struct collective of;
    draw(&of, comm, call);
    if (call == BCAST)
        broadcast(&of);
    else if (call == SCATTER || call == SCATTERV)
        scatter(&of);
    else
        gather(&of);
}

/* ---- Roots that are nobody ----------------------------------------------------------------- */

static void judge_root(int error, enum call call)
{
    judge(error_class(error) == MPI_ERR_ROOT, names[call]);
}

static void refuse(int length, int root)
{
    enum { APART = 2 };
    int counts[MOST], places[MOST];
    int *out = calloc(MOST * APART * (size_t)length, sizeof *out);
    int *in = calloc(MOST * APART * (size_t)length, sizeof *in);
    MPI_Datatype type;
    MPI_Type_create_resized(MPI_INT, 0, APART * (MPI_Aint)sizeof(int), &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < MOST; i++) {
        counts[i] = length;
        places[i] = i * length;
    }
    const MPI_Comm all = MPI_COMM_WORLD;
    judge_root(MPI_Bcast(out, length, type, root, all), BCAST);
    judge_root(MPI_Gather(out, length, type, in, length, type, root, all), GATHER);
    judge_root(MPI_Gatherv(out, length, type, in, counts, places, type, root, all), GATHERV);
    judge_root(MPI_Scatter(out, length, type, in, length, type, root, all), SCATTER);
    judge_root(MPI_Scatterv(out, counts, places, type, in, length, type, root, all), SCATTERV);
    MPI_Type_free(&type);
    free(out);
    free(in);
}

static void refuse_all(void)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < SIZES; i++) {
        refuse(LEAST << i, -1);
        refuse(LEAST << i, size);
    }
}

int main(int argc, char **argv)
{
    corner_open(&argc, &argv);
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    unsigned long long turns = argc > 2 ? strtoull(argv[2], NULL, 10) : 200;
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    for (turn = 0; turn < turns; turn++) {
        for (int call = 0; call < CALLS; call++)
            make(MPI_COMM_WORLD, (enum call)call);
        make(half, (enum call)(turn % CALLS));
    }
    MPI_Comm_free(&half);
    refuse_all();
    return corner_close();
}
