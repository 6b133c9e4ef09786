/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends a column of one matrix into a column of another, in two packets that arrive in the wrong
 * order and were cut in the middle of a number. */
#include <stdio.h>
#include <stdlib.h>

#include <weft.h>

enum { ROWS = 6, WIDE = 5, NARROW = 3, BYTES = ROWS * sizeof(double), CUT = 20 };

static void must(int rc)
{
    if (rc == WEFT_OK)
        return;
    fprintf(stderr, "%s: %s\n", weft_error_name(rc), weft_error_text(rc));
    exit(1);
}

static weft_type *column_of(int width)
{
    weft_type *type;
    must(weft_type_vector(ROWS, 1, width, weft_basic(WEFT_DOUBLE), &type));
    must(weft_type_commit(type));
    return type;
}

int main(void)
{
    double from[ROWS][WIDE] = {{0}}, to[ROWS][NARROW] = {{0}};
    char first[CUT], second[BYTES - CUT];
    for (int i = 0; i < ROWS; i++)
        from[i][3] = i + 0.5;

    weft_type *wide = column_of(WIDE), *narrow = column_of(NARROW);
    must(weft_pack(wide, 1, &from[0][3], CUT, second, sizeof(second)));
    must(weft_unpack(narrow, 1, &to[0][1], CUT, second, sizeof(second)));
    must(weft_pack(wide, 1, &from[0][3], 0, first, sizeof(first)));
    must(weft_unpack(narrow, 1, &to[0][1], 0, first, sizeof(first)));
    weft_type_free(wide);
    weft_type_free(narrow);

    for (int i = 0; i < ROWS; i++) {
        printf("%4.1f %4.1f %4.1f\n", to[i][0], to[i][1], to[i][2]);
        if (to[i][0] != 0 || to[i][1] != i + 0.5 || to[i][2] != 0)
            return 1;
    }
    return 0;
}
