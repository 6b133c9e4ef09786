/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A 3-D grid on a torus of 2 x 2 x 1 processes. In each step every process exchanges its six faces
 * with its neighbours, itself among them, and averages over neighbouring cells. The faces are
 * types; nothing is packed. Rank 0 compares the result with that of a serial run.
 *
 *     halo [-t [CELLS]]     -t: also compares the time with that of packing by hand
 */
#include "net.h"

#define STEPS 5
#define ROUNDS 200

/* Cells with a layer of ghosts around them, z the slowest dimension. */
struct grid {
    size_t n[3]; /* without ghosts */
    double *cells, *next;
};

static size_t place(const struct grid *grid, size_t z, size_t y, size_t x)
{
    return (z * (grid->n[1] + 2) + y) * (grid->n[2] + 2) + x;
}

static struct grid new_grid(size_t z, size_t y, size_t x)
{
    size_t bytes = (z + 2) * (y + 2) * (x + 2) * sizeof(double);
    return (struct grid){{z, y, x}, memory(bytes), memory(bytes)};
}

static void free_grid(struct grid *grid)
{
    free(grid->cells);
    free(grid->next);
}

/* The value that a cell of the whole torus begins with. */
static double first_value(size_t z, size_t y, size_t x)
{
    return (double)((z * 7 + y * 31 + x * 113) % 101);
}

static void begin(struct grid *grid, size_t y0, size_t x0)
{
    for (size_t z = 1; z <= grid->n[0]; z++)
        for (size_t y = 1; y <= grid->n[1]; y++)
            for (size_t x = 1; x <= grid->n[2]; x++)
                grid->cells[place(grid, z, y, x)] = first_value(z, y0 + y, x0 + x);
}

static void average(struct grid *grid)
{
    const double *c = grid->cells;
    size_t up = place(grid, 1, 0, 0), south = place(grid, 0, 1, 0);
    for (size_t z = 1; z <= grid->n[0]; z++)
        for (size_t y = 1; y <= grid->n[1]; y++)
            for (size_t x = 1; x <= grid->n[2]; x++) {
                size_t i = place(grid, z, y, x);
                grid->next[i] =
                    (c[i - up] + c[i + up] + c[i - south] + c[i + south] + c[i - 1] + c[i + 1]) /
                    6;
            }
    double *old = grid->cells;
    grid->cells = grid->next;
    grid->next = old;
}

/* ---- Faces -------------------------------------------------------------------------------- */

struct face {
    weft_type *send, *receive; /* of the whole grid with ghosts */
    size_t sizes[3], from[3], to[3];
    int neighbour;
    double *out, *in; /* for packing by hand */
};

struct halo {
    weft_net *net;
    struct grid *grid;
    struct face faces[6]; /* 2 d: towards smaller indices of dimension d; 2 d + 1: larger */
};

static weft_type *box(const struct grid *grid, const size_t sizes[3], const size_t starts[3])
{
    const size_t whole[3] = {grid->n[0] + 2, grid->n[1] + 2, grid->n[2] + 2};
    weft_type *type;
    must(
        weft_type_subarray(3, whole, sizes, starts, WEFT_ORDER_C, weft_basic(WEFT_DOUBLE), &type));
    return ready(type);
}

/* Two processes in y and two in x: both neighbours in a dimension are the same one. */
static int neighbour(int rank, unsigned dimension)
{
    return dimension == 1 ? rank ^ 2 : dimension == 2 ? rank ^ 1 : rank;
}

static void open_face(struct halo *halo, unsigned index)
{
    struct face *face = &halo->faces[index];
    const struct grid *grid = halo->grid;
    unsigned d = index / 2;
    for (unsigned i = 0; i < 3; i++) {
        face->sizes[i] = i == d ? 1 : grid->n[i];
        face->from[i] = face->to[i] = 1;
    }
    face->from[d] = index % 2 ? grid->n[d] : 1;
    face->to[d] = index % 2 ? grid->n[d] + 1 : 0;
    face->send = box(grid, face->sizes, face->from);
    face->receive = box(grid, face->sizes, face->to);
    face->neighbour = neighbour(weft_rank(halo->net), d);
    face->out = memory(weft_type_size(face->send));
    face->in = memory(weft_type_size(face->send));
}

static void close_face(struct face *face)
{
    weft_type_free(face->send);
    weft_type_free(face->receive);
    free(face->out);
    free(face->in);
}

/* The face that leaves in one direction arrives as the ghosts of the other. */
static void exchange(void *argument)
{
    struct halo *halo = argument;
    weft_request *requests[12];
    for (int i = 0; i < 6; i++)
        must(weft_irecv(halo->net, halo->faces[i].receive, 1, halo->grid->cells,
                        halo->faces[i].neighbour, i ^ 1, &requests[i]));
    for (int i = 0; i < 6; i++)
        must(weft_isend(halo->net, halo->faces[i].send, 1, halo->grid->cells,
                        halo->faces[i].neighbour, i, &requests[6 + i]));
    for (int i = 0; i < 12; i++)
        must(weft_wait(&requests[i], -1, NULL));
}

/* ---- The same, packed by hand ------------------------------------------------------------- */

static void pack(const struct grid *grid, const struct face *face)
{
    double *out = face->out;
    for (size_t z = 0; z < face->sizes[0]; z++)
        for (size_t y = 0; y < face->sizes[1]; y++)
            for (size_t x = 0; x < face->sizes[2]; x++)
                *out++ = grid->cells[place(grid, face->from[0] + z, face->from[1] + y,
                                           face->from[2] + x)];
}

static void unpack(struct grid *grid, const struct face *face)
{
    const double *in = face->in;
    for (size_t z = 0; z < face->sizes[0]; z++)
        for (size_t y = 0; y < face->sizes[1]; y++)
            for (size_t x = 0; x < face->sizes[2]; x++)
                grid->cells[place(grid, face->to[0] + z, face->to[1] + y, face->to[2] + x)] =
                    *in++;
}

static void exchange_packed(void *argument)
{
    struct halo *halo = argument;
    weft_request *requests[12];
    const weft_type *type = weft_basic(WEFT_DOUBLE);
    for (int i = 0; i < 6; i++) {
        const struct face *face = &halo->faces[i];
        size_t count = face->sizes[0] * face->sizes[1] * face->sizes[2];
        must(weft_irecv(halo->net, type, count, face->in, face->neighbour, i ^ 1, &requests[i]));
    }
    for (int i = 0; i < 6; i++) {
        const struct face *face = &halo->faces[i];
        size_t count = face->sizes[0] * face->sizes[1] * face->sizes[2];
        pack(halo->grid, face);
        must(weft_isend(halo->net, type, count, face->out, face->neighbour, i, &requests[6 + i]));
    }
    for (int i = 0; i < 6; i++) {
        must(weft_wait(&requests[i], -1, NULL));
        unpack(halo->grid, &halo->faces[i]);
    }
    for (int i = 6; i < 12; i++)
        must(weft_wait(&requests[i], -1, NULL));
}

/* ---- The serial run ----------------------------------------------------------------------- */

static void copy_ghosts(struct grid *grid, unsigned d)
{
    size_t n[3] = {grid->n[0] + 2, grid->n[1] + 2, grid->n[2] + 2};
    size_t step = d == 0 ? place(grid, 1, 0, 0) : d == 1 ? place(grid, 0, 1, 0) : 1;
    size_t last = grid->n[d] * step;
    n[d] = 1;
    for (size_t z = 0; z < n[0]; z++)
        for (size_t y = 0; y < n[1]; y++)
            for (size_t x = 0; x < n[2]; x++) {
                double *low = &grid->cells[place(grid, z, y, x)];
                low[0] = low[last];
                low[last + step] = low[step];
            }
}

static struct grid serial_run(size_t z, size_t y, size_t x)
{
    struct grid grid = new_grid(z, y, x);
    begin(&grid, 0, 0);
    for (unsigned i = 0; i < STEPS; i++) {
        for (unsigned d = 0; d < 3; d++)
            copy_ghosts(&grid, d);
        average(&grid);
    }
    return grid;
}

/* ---- Putting it together ------------------------------------------------------------------ */

/* Every process sends its cells without ghosts; they are received in their place of the whole. */
static struct grid collect(struct halo *halo)
{
    const struct grid *grid = halo->grid;
    const size_t *n = grid->n, mine[3] = {1, 1, 1};
    struct grid whole = new_grid(n[0], 2 * n[1], 2 * n[2]);
    weft_request *request;
    weft_type *inner = box(grid, n, mine);
    must(weft_isend(halo->net, inner, 1, grid->cells, 0, 100, &request));
    for (size_t rank = 0; weft_rank(halo->net) == 0 && rank < 4; rank++) {
        const size_t starts[3] = {1, 1 + rank / 2 * n[1], 1 + rank % 2 * n[2]};
        weft_type *part = box(&whole, n, starts);
        must(weft_recv(halo->net, part, 1, whole.cells, (int)rank, 100, NULL));
        weft_type_free(part);
    }
    must(weft_wait(&request, -1, NULL));
    weft_type_free(inner);
    return whole;
}

static size_t differences(const struct grid *one, const struct grid *other)
{
    size_t count = 0;
    for (size_t z = 1; z <= one->n[0]; z++)
        for (size_t y = 1; y <= one->n[1]; y++)
            for (size_t x = 1; x <= one->n[2]; x++)
                count += one->cells[place(one, z, y, x)] != other->cells[place(other, z, y, x)];
    return count;
}

static int compare(struct halo *halo)
{
    struct grid whole = collect(halo);
    int result = 0;
    if (weft_rank(halo->net) == 0) {
        struct grid serial = serial_run(whole.n[0], whole.n[1], whole.n[2]);
        size_t wrong = differences(&whole, &serial);
        printf("halo: %d steps, %zu of %zu cells differ from the serial run\n", STEPS, wrong,
               whole.n[0] * whole.n[1] * whole.n[2]);
        result = wrong != 0;
        free_grid(&serial);
    }
    free_grid(&whole);
    return result;
}

int main(int count, char **arguments)
{
    bool timed = count > 1 && strcmp(arguments[1], "-t") == 0;
    size_t n = count > 2 ? strtoul(arguments[2], NULL, 10) : timed ? 128 : 32;
    struct halo halo;
    must(weft_open(&halo.net));
    if (weft_size(halo.net) != 4) {
        fprintf(stderr, "halo: start 4 processes\n");
        return 1;
    }
    struct grid grid = new_grid(n, n, n);
    size_t rank = (size_t)weft_rank(halo.net);
    halo.grid = &grid;
    for (unsigned i = 0; i < 6; i++)
        open_face(&halo, i);
    begin(&grid, rank / 2 * n, rank % 2 * n);
    for (unsigned i = 0; i < STEPS; i++) {
        exchange(&halo);
        average(&grid);
    }
    int result = compare(&halo);
    if (timed) {
        double packed = fastest(halo.net, ROUNDS, exchange_packed, &halo);
        double types = fastest(halo.net, ROUNDS, exchange, &halo);
        if (rank == 0)
            printf("halo: %zu^3 cells, types %.0f us, packed by hand %.0f us\n", n, types, packed);
    }
    for (unsigned i = 0; i < 6; i++)
        close_face(&halo.faces[i]);
    free_grid(&grid);
    weft_close(halo.net);
    return result;
}
