/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Fourier transform of an N x N matrix whose rows are dealt out to the processes: each
 * transforms its rows, the matrix is transposed, and each transforms its rows again. Transposing
 * is a matter of types: what is sent row by row is received column by column, straight into its
 * place. Rank 0 compares the result with that of a serial run.
 *
 *     fft [-t [N]]     -t: also compares the time of a transposition with that of packing by hand
 */
#include <kiss_fft.h>
#include <math.h>

#include "net.h"

#define ROUNDS 100
#define MOST_RANKS 64
#define PANEL 8u /* numbers in a cache line */

struct matrix {
    weft_net *net;
    int ranks;
    size_t n, rows;          /* rows: of this process */
    kiss_fft_cpx *from, *to; /* rows x n */
    kiss_fft_cpx *packed, *arrived;
    weft_type *block;  /* rows x rows of a matrix of n columns */
    weft_type *turned; /* the same, column by column */
};

static kiss_fft_cpx value_of(size_t row, size_t column, size_t n)
{
    kiss_fft_cpx value = {(float)((row * 31 + column * 17) % 64) - 32,
                          (float)((row * n + column) % 19) - 9};
    return value;
}

/* ---- Types -------------------------------------------------------------------------------- */

/* Both sides go through a block in panels of some columns, so that the rows of a panel, which are
 * written as columns, fill whole cache lines before they are left. */
static void make_types(struct matrix *matrix)
{
    const weft_type *number = weft_basic(WEFT_COMPLEX);
    size_t rows = matrix->rows, width = rows % PANEL ? 1 : PANEL;
    ptrdiff_t n = (ptrdiff_t)matrix->n, size = sizeof(kiss_fft_cpx);
    weft_type *panel, *column;
    must(weft_type_vector(rows, width, n, number, &panel));
    must(weft_type_hvector(rows / width, 1, (ptrdiff_t)width * size, panel, &matrix->block));
    weft_type_free(panel);
    must(weft_type_vector(width, 1, n, number, &column));
    must(weft_type_hvector(rows, 1, size, column, &panel));
    must(weft_type_hvector(rows / width, 1, (ptrdiff_t)width * n * size, panel, &matrix->turned));
    weft_type_free(column);
    weft_type_free(panel);
    ready(matrix->block);
    ready(matrix->turned);
}

/* Block j of my rows becomes block `rank` of the rows of process j. */
static void transpose(void *argument)
{
    struct matrix *matrix = argument;
    weft_request *requests[2 * MOST_RANKS];
    for (int j = 0; j < matrix->ranks; j++)
        must(weft_irecv(matrix->net, matrix->turned, 1, matrix->to + (size_t)j * matrix->rows, j,
                        1, &requests[j]));
    for (int j = 0; j < matrix->ranks; j++)
        must(weft_isend(matrix->net, matrix->block, 1, matrix->from + (size_t)j * matrix->rows, j,
                        1, &requests[matrix->ranks + j]));
    for (int j = 0; j < 2 * matrix->ranks; j++)
        must(weft_wait(&requests[j], -1, NULL));
}

/* ---- The same, packed by hand ------------------------------------------------------------- */

static void pack(const struct matrix *matrix, size_t j, kiss_fft_cpx *out)
{
    for (size_t row = 0; row < matrix->rows; row++)
        memcpy(out + row * matrix->rows, matrix->from + row * matrix->n + j * matrix->rows,
               matrix->rows * sizeof *out);
}

static void unpack(const struct matrix *matrix, size_t j, const kiss_fft_cpx *in)
{
    for (size_t row = 0; row < matrix->rows; row++)
        for (size_t column = 0; column < matrix->rows; column++)
            matrix->to[row * matrix->n + j * matrix->rows + column] =
                in[column * matrix->rows + row];
}

static void transpose_packed(void *argument)
{
    struct matrix *matrix = argument;
    weft_request *requests[2 * MOST_RANKS];
    const weft_type *number = weft_basic(WEFT_COMPLEX);
    size_t size = matrix->rows * matrix->rows;
    for (int j = 0; j < matrix->ranks; j++)
        must(weft_irecv(matrix->net, number, size, matrix->arrived + (size_t)j * size, j, 1,
                        &requests[j]));
    for (int j = 0; j < matrix->ranks; j++) {
        pack(matrix, (size_t)j, matrix->packed + (size_t)j * size);
        must(weft_isend(matrix->net, number, size, matrix->packed + (size_t)j * size, j, 1,
                        &requests[matrix->ranks + j]));
    }
    for (int j = 0; j < matrix->ranks; j++) {
        must(weft_wait(&requests[j], -1, NULL));
        unpack(matrix, (size_t)j, matrix->arrived + (size_t)j * size);
    }
    for (int j = matrix->ranks; j < 2 * matrix->ranks; j++)
        must(weft_wait(&requests[j], -1, NULL));
}

/* ---- Transforming ------------------------------------------------------------------------- */

static void transform_rows(kiss_fft_cfg plan, const kiss_fft_cpx *from, kiss_fft_cpx *to,
                           size_t rows, size_t n)
{
    for (size_t row = 0; row < rows; row++)
        kiss_fft(plan, from + row * n, to + row * n);
}

/* The result is left transposed, as usual. */
static void transform(struct matrix *matrix)
{
    kiss_fft_cfg plan = kiss_fft_alloc((int)matrix->n, 0, NULL, NULL);
    transform_rows(plan, matrix->from, matrix->to, matrix->rows, matrix->n);
    kiss_fft_cpx *rows = matrix->to;
    matrix->to = matrix->from;
    matrix->from = rows;
    transpose(matrix);
    transform_rows(plan, matrix->to, matrix->from, matrix->rows, matrix->n);
    kiss_fft_free(plan);
}

static kiss_fft_cpx *serial_run(size_t n)
{
    kiss_fft_cfg plan = kiss_fft_alloc((int)n, 0, NULL, NULL);
    kiss_fft_cpx *a = memory(n * n * sizeof *a), *b = memory(n * n * sizeof *b);
    for (size_t i = 0; i < n * n; i++)
        a[i] = value_of(i / n, i % n, n);
    transform_rows(plan, a, b, n, n);
    for (size_t i = 0; i < n * n; i++)
        a[i % n * n + i / n] = b[i];
    transform_rows(plan, a, b, n, n);
    kiss_fft_free(plan);
    free(a);
    return b;
}

/* ---- Putting it together ------------------------------------------------------------------ */

static int compare(const struct matrix *matrix)
{
    size_t n = matrix->n, mine = matrix->rows * n, wrong = 0;
    const weft_type *number = weft_basic(WEFT_COMPLEX);
    weft_request *request;
    must(weft_isend(matrix->net, number, mine, matrix->from, 0, 2, &request));
    if (weft_rank(matrix->net) == 0) {
        kiss_fft_cpx *whole = memory(n * n * sizeof *whole), *serial = serial_run(n);
        for (int j = 0; j < matrix->ranks; j++)
            must(weft_recv(matrix->net, number, mine, whole + (size_t)j * mine, j, 2, NULL));
        for (size_t i = 0; i < n * n; i++)
            wrong += fabsf(whole[i].r - serial[i].r) + fabsf(whole[i].i - serial[i].i) > 1e-3f;
        printf("fft: %zu of %zu numbers differ from the serial run\n", wrong, n * n);
        free(whole);
        free(serial);
    }
    must(weft_wait(&request, -1, NULL));
    return wrong != 0;
}

static void open_matrix(struct matrix *matrix, size_t n)
{
    matrix->ranks = weft_size(matrix->net);
    matrix->n = n;
    matrix->rows = n / (size_t)matrix->ranks;
    if (matrix->ranks > MOST_RANKS || matrix->rows * (size_t)matrix->ranks != n) {
        fprintf(stderr, "fft: %zu rows cannot be dealt out to %d processes\n", n, matrix->ranks);
        exit(1);
    }
    size_t bytes = matrix->rows * n * sizeof(kiss_fft_cpx);
    matrix->from = memory(bytes);
    matrix->to = memory(bytes);
    matrix->packed = memory(bytes);
    matrix->arrived = memory(bytes);
    make_types(matrix);
    size_t first = (size_t)weft_rank(matrix->net) * matrix->rows;
    for (size_t i = 0; i < matrix->rows * n; i++)
        matrix->from[i] = value_of(first + i / n, i % n, n);
}

static void close_matrix(struct matrix *matrix)
{
    weft_type_free(matrix->block);
    weft_type_free(matrix->turned);
    free(matrix->from);
    free(matrix->to);
    free(matrix->packed);
    free(matrix->arrived);
}

int main(int count, char **arguments)
{
    bool timed = count > 1 && strcmp(arguments[1], "-t") == 0;
    size_t n = count > 2 ? strtoul(arguments[2], NULL, 10) : timed ? 1024 : 256;
    struct matrix matrix;
    must(weft_open(&matrix.net));
    open_matrix(&matrix, n);
    transform(&matrix);
    int result = compare(&matrix);
    if (timed) {
        double packed = fastest(matrix.net, ROUNDS, transpose_packed, &matrix);
        double types = fastest(matrix.net, ROUNDS, transpose, &matrix);
        if (weft_rank(matrix.net) == 0)
            printf("fft: %zu x %zu numbers, types %.0f us, packed by hand %.0f us\n", n, n, types,
                   packed);
    }
    close_matrix(&matrix);
    weft_close(matrix.net);
    return result;
}
