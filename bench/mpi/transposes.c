/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transposes of a cube of numbers that is spread over all processes, as Fourier transforms make
 * them: from an array that has all of one axis to one that has all of another. An ordinary program
 * that knows nothing of Weft; transposes.py runs it with and without. Its arguments are the
 * longest and the shortest edge of cubes. Each line that it prints is a transpose, the edge and
 * microseconds.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 16, SETTLING = 100, TURNS = 9, LONGEST = 256, SHORTEST = 32 };
#define SETTLING_SECONDS 2.0
#define TURN_SECONDS 0.01

/* Both arrays in three axes: `planes`, of which both have all or which the first has a share of;
 * then what is exchanged: the first has `share` of `edge` and the second the other way round. A
 * piece of memory that lies together has `piece` numbers at least. */
struct transpose {
    const char *name;
    int planes, edge, share, piece;
    size_t number; /* bytes of one */
    MPI_Datatype number_type;
};

static struct {
    int rank, size;
    struct transpose of;
    char *from, *to, *packed;
    MPI_Datatype cut, laid; /* what goes to a peer, and what comes from one, */
    MPI_Datatype cuts[MOST_RANKS], laids[MOST_RANKS]; /* by the place in the array */
    int one[MOST_RANKS], zero[MOST_RANKS], bytes[MOST_RANKS], places[MOST_RANKS];
} job;

/* ---- Layouts ------------------------------------------------------------------------------- */

/* Of [planes][share][edge][piece] all that one peer gets: [planes][share][share of edge][piece];
 * of [planes][edge][share][piece] all that comes from one. A slab has one plane, and long pieces;
 * what it exchanges is in the first two axes. */
static MPI_Datatype resized(int count, int block, int stride, int extent)
{
    MPI_Datatype vector, type;
    MPI_Type_vector(count, block, stride, job.of.number_type, &vector);
    MPI_Type_create_resized(vector, 0, (MPI_Aint)((size_t)extent * job.of.number), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&vector);
    return type;
}

static MPI_Datatype subarray(int rows, int columns, int own_rows, int own_columns, int number)
{
    const struct transpose *of = &job.of;
    int whole[] = {of->planes, rows, columns, of->piece};
    int part[] = {of->planes, own_rows, own_columns, of->piece};
    int start[] = {0, own_rows < rows ? number * own_rows : 0,
                   own_columns < columns ? number * own_columns : 0, 0};
    MPI_Datatype type;
    MPI_Type_create_subarray(4, whole, part, start, MPI_ORDER_C, of->number_type, &type);
    MPI_Type_commit(&type);
    return type;
}

static void open_layouts(void)
{
    const struct transpose *of = &job.of;
    int share = of->share, edge = of->edge, piece = of->piece;
    int block = of->planes * share * share * piece;
    job.cut = resized(of->planes * share, share * piece, edge * piece, share * piece);
    job.laid =
        resized(of->planes, share * share * piece, edge * share * piece, share * share * piece);
    for (int i = 0; i < job.size; i++) {
        job.cuts[i] = subarray(share, edge, share, share, i);
        job.laids[i] = subarray(edge, share, share, share, i);
        job.one[i] = 1;
        job.bytes[i] = (int)((size_t)block * of->number);
        job.places[i] = i * job.bytes[i];
    }
}

static void close_layouts(void)
{
    MPI_Type_free(&job.cut);
    MPI_Type_free(&job.laid);
    for (int i = 0; i < job.size; i++) {
        MPI_Type_free(&job.cuts[i]);
        MPI_Type_free(&job.laids[i]);
    }
}

/* ---- Ways ---------------------------------------------------------------------------------- */

static void by_subarrays(void)
{
    MPI_Alltoallw(job.from, job.one, job.zero, job.cuts, job.to, job.one, job.zero, job.laids,
                  MPI_COMM_WORLD);
}

static void by_vectors(void)
{
    MPI_Alltoall(job.from, 1, job.cut, job.to, 1, job.laid, MPI_COMM_WORLD);
}

/* Rows of bytes between an array and what goes to one peer, or comes from one. */
static void move_rows(char *array, char *block, int rows, size_t row, size_t stride, int is_out)
{
    for (int i = 0; i < rows; i++) {
        char *here = array + (size_t)i * stride, *there = block + (size_t)i * row;
        memcpy(is_out ? there : here, is_out ? here : there, row);
    }
}

static void by_hand(void)
{
    const struct transpose *of = &job.of;
    size_t row = (size_t)(of->share * of->piece) * of->number, stride = row * (size_t)job.size;
    size_t square = row * (size_t)of->share, wide = square * (size_t)job.size;
    char *received = job.packed + (size_t)job.size * (size_t)job.bytes[0];
    for (int i = 0; i < job.size; i++)
        move_rows(job.from + (size_t)i * row, job.packed + job.places[i], of->planes * of->share,
                  row, stride, 1);
    MPI_Alltoallv(job.packed, job.bytes, job.places, MPI_BYTE, received, job.bytes, job.places,
                  MPI_BYTE, MPI_COMM_WORLD);
    for (int i = 0; i < job.size; i++)
        move_rows(job.to + (size_t)i * square, received + job.places[i], of->planes, square, wide,
                  0);
}

static const struct {
    const char *name;
    void (*run)(void);
} ways[] = {{"Alltoallw", by_subarrays}, {"Alltoall", by_vectors}, {"by_hand", by_hand}};

/* ---- Is it right? -------------------------------------------------------------------------- */

/* A number of the whole, by its place: plane, row and column, with both axes whole. */
static unsigned char mark(int plane, int row, int column, size_t byte)
{
    return (unsigned char)(plane * 7 + row * 31 + column * 131 + (int)(byte % 251));
}

static void fill(void)
{
    const struct transpose *of = &job.of;
    size_t piece = (size_t)of->piece * of->number, at = 0;
    for (int plane = 0; plane < of->planes; plane++)
        for (int row = 0; row < of->share; row++)
            for (int column = 0; column < of->edge; column++)
                for (size_t byte = 0; byte < piece; byte++)
                    job.from[at++] = (char)mark(plane, job.rank * of->share + row, column, byte);
}

static int is_right(void)
{
    const struct transpose *of = &job.of;
    size_t piece = (size_t)of->piece * of->number, at = 0;
    int is_same = 1;
    for (int plane = 0; plane < of->planes; plane++)
        for (int row = 0; row < of->edge; row++)
            for (int column = 0; column < of->share; column++)
                for (size_t byte = 0; byte < piece; byte++)
                    is_same &= job.to[at++] ==
                               (char)mark(plane, row, job.rank * of->share + column, byte);
    return is_same;
}

/* ---- Time ---------------------------------------------------------------------------------- */

static double time_of(void (*run)(void), int times)
{
    double began, took, longest;
    MPI_Barrier(MPI_COMM_WORLD);
    began = MPI_Wtime();
    for (int i = 0; i < times; i++)
        run();
    took = MPI_Wtime() - began;
    MPI_Allreduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return longest / times;
}

static int compare(const void *one, const void *other)
{
    double difference = *(const double *)one - *(const double *)other;
    return (difference > 0) - (difference < 0);
}

/* The median of all turns. Before, it is run so often that all is as it will stay. */
static double measure(void (*run)(void))
{
    double turns[TURNS], once = time_of(run, 1), settled = once;
    for (int i = 0; i < SETTLING && settled < SETTLING_SECONDS; i += 4)
        settled += 4 * (once = time_of(run, 4));
    int times = once < TURN_SECONDS ? (int)(TURN_SECONDS / once) : 1;
    for (int i = 0; i < TURNS; i++)
        turns[i] = time_of(run, times);
    qsort(turns, TURNS, sizeof *turns, compare);
    return turns[TURNS / 2];
}

/* ---- All of them --------------------------------------------------------------------------- */

static void run_all(const struct transpose *of)
{
    size_t bytes = (size_t)(of->planes * of->share) * (size_t)(of->edge * of->piece) * of->number;
    job.of = *of;
    job.from = malloc(bytes);
    job.to = malloc(bytes);
    job.packed = malloc(2 * bytes);
    open_layouts();
    fill();
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        memset(job.to, 0, bytes);
        double seconds = measure(ways[i].run);
        if (!is_right()) {
            fprintf(stderr, "transposes: %s of %s is wrong\n", of->name, ways[i].name);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        if (job.rank == 0)
            printf("%s,%s %d %.3f\n", of->name, ways[i].name, of->edge, seconds * 1e6);
    }
    close_layouts();
    free(job.from);
    free(job.to);
    free(job.packed);
}

/* Slabs exchange the first two axes, pencils the last two. */
static void run_edge(int edge)
{
    int share = edge / job.size;
    const struct transpose all[] = {
        {"slab", 1, edge, share, edge, sizeof(double), MPI_DOUBLE},
        {"pencil", share, edge, share, 1, sizeof(double), MPI_DOUBLE},
        {"complex_slab", 1, edge, share, edge, 2 * sizeof(double), MPI_C_DOUBLE_COMPLEX},
        {"complex_pencil", share, edge, share, 1, 2 * sizeof(double), MPI_C_DOUBLE_COMPLEX},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        run_all(&all[i]);
}

int main(int count, char **arguments)
{
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job.size);
    long longest = count > 1 ? strtol(arguments[1], NULL, 10) : LONGEST;
    long shortest = count > 2 ? strtol(arguments[2], NULL, 10) : SHORTEST;
    int is_possible = job.size <= MOST_RANKS && shortest % job.size == 0;
    for (long edge = shortest; is_possible && edge <= longest; edge *= 2)
        run_edge((int)edge);
    if (!is_possible && job.rank == 0)
        fprintf(stderr, "transposes: at most %d processes, which divide the edge\n", MOST_RANKS);
    MPI_Finalize();
    return !is_possible;
}
