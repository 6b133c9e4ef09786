/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/schedules/unit.h"

#include <float.h>
#include <string.h>

enum basic { CHAR, SHORT, INT, LONG, FLOAT, DOUBLE, LONG_DOUBLE, COMPLEX };

/* Of Fortran's types: how many digits, and which exponent they must hold. */
enum family { NO_FAMILY, INTEGERS, REALS, COMPLEXES };

static const struct {
    MPI_Datatype type;
    size_t size;
    enum family family;
    int digits, range;
} basics[] = {
    [CHAR] = {MPI_CHAR, 1, NO_FAMILY, 0, 0},
    [SHORT] = {MPI_SHORT, 2, INTEGERS, 4, 0},
    [INT] = {MPI_INT, 4, INTEGERS, 9, 0},
    [LONG] = {MPI_LONG, 8, INTEGERS, 18, 0},
    [FLOAT] = {MPI_FLOAT, 4, REALS, 6, 37},
    [DOUBLE] = {MPI_DOUBLE, 8, REALS, 15, 307},
    [LONG_DOUBLE] = {MPI_LONG_DOUBLE, 16, NO_FAMILY, 0, 0},
    [COMPLEX] = {MPI_C_DOUBLE_COMPLEX, 16, COMPLEXES, 15, 307},
};

static const struct {
    size_t fields;
    struct {
        enum basic basic;
        size_t length;
    } field[MOST_FIELDS];
    MPI_Datatype pair;
} units[] = {
    {1, {{CHAR, 1}}, MPI_DATATYPE_NULL},
    {1, {{SHORT, 1}}, MPI_DATATYPE_NULL},
    {1, {{INT, 1}}, MPI_DATATYPE_NULL},
    {1, {{DOUBLE, 1}}, MPI_DATATYPE_NULL},
    {1, {{COMPLEX, 1}}, MPI_DATATYPE_NULL},
    {2, {{INT, 1}, {DOUBLE, 1}}, MPI_DATATYPE_NULL},
    {3, {{CHAR, 3}, {SHORT, 1}, {INT, 2}}, MPI_DATATYPE_NULL},
    {2, {{INT, 1}, {INT, 1}}, MPI_2INT},
    {2, {{SHORT, 1}, {INT, 1}}, MPI_SHORT_INT},
    {2, {{LONG, 1}, {INT, 1}}, MPI_LONG_INT},
    {2, {{FLOAT, 1}, {INT, 1}}, MPI_FLOAT_INT},
    {2, {{DOUBLE, 1}, {INT, 1}}, MPI_DOUBLE_INT},
    {2, {{LONG_DOUBLE, 1}, {INT, 1}}, MPI_LONG_DOUBLE_INT},
};

unsigned unit_draw(struct rng *rng)
{
    return (unsigned)rng_below(rng, sizeof(units) / sizeof(units[0]));
}

static const unsigned unit_int = 2, first_mixed = 5, first_pair = 7; /* of the table above */

unsigned unit_of_int(void)
{
    return unit_int;
}

unsigned unit_of_one_field(unsigned unit)
{
    return unit % first_mixed;
}

unsigned unit_without_pair(unsigned unit)
{
    return unit % first_pair;
}

size_t unit_bytes(unsigned unit)
{
    size_t bytes = 0;
    for (size_t i = 0; i < units[unit].fields; i++)
        bytes += units[unit].field[i].length * basics[units[unit].field[i].basic].size;
    return bytes;
}

size_t unit_elements(unsigned unit)
{
    size_t elements = 0;
    for (size_t i = 0; i < units[unit].fields; i++)
        elements += units[unit].field[i].length;
    return elements;
}

/* An MPI library without Fortran has none of them: the basic type will do. */
static MPI_Datatype type_by_precision(enum basic basic)
{
    MPI_Datatype type;
    int error = MPI_ERR_OTHER;
    if (basics[basic].family == INTEGERS)
        error = MPI_Type_create_f90_integer(basics[basic].digits, &type);
    else if (basics[basic].family == REALS)
        error = MPI_Type_create_f90_real(basics[basic].digits, basics[basic].range, &type);
    else if (basics[basic].family == COMPLEXES)
        error = MPI_Type_create_f90_complex(basics[basic].digits, basics[basic].range, &type);
    return error == MPI_SUCCESS ? type : basics[basic].type;
}

void unit_ask_for_precisions(void)
{
    for (size_t i = 0; i < sizeof(basics) / sizeof(basics[0]); i++)
        type_by_precision((enum basic)i);
}

size_t unit_fields(unsigned unit, bool by_precision, struct field field[MOST_FIELDS])
{
    for (size_t i = 0; i < units[unit].fields; i++) {
        enum basic basic = units[unit].field[i].basic;
        field[i] = (struct field){by_precision ? type_by_precision(basic) : basics[basic].type,
                                  basics[basic].size, units[unit].field[i].length};
    }
    return units[unit].fields;
}

MPI_Datatype unit_pair(unsigned unit)
{
    return units[unit].pair;
}

void unit_fill_padding(unsigned unit, char *packed, size_t bytes, char fill)
{
    const size_t used = LDBL_MANT_DIG == 64 ? 10 : sizeof(long double);
    if (units[unit].field[0].basic != LONG_DOUBLE)
        return;
    for (size_t at = 0; at + sizeof(long double) <= bytes; at += unit_bytes(unit))
        memset(packed + at + used, fill, sizeof(long double) - used);
}
