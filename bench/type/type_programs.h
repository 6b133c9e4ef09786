/* SPDX-License-Identifier: BSD-3-Clause */
/* The programs that measure datatypes, one for each MPI. */
#ifndef WEFT_BENCH_TYPE_TYPE_PROGRAMS_H
#define WEFT_BENCH_TYPE_TYPE_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>

enum type_program { TYPE_OPENMPI, TYPE_MPICH, TYPE_NO_MPI, TYPE_PROGRAMS };

extern const char *const type_program_names[TYPE_PROGRAMS];

/* False if the program is not there. Other failures end this program, here and below. */
bool type_program_open(enum type_program which);
bool type_program_is_open(enum type_program which);
void type_program_ask(enum type_program which, const char *request);
void type_program_answer(enum type_program which, char *line, size_t size);
void type_programs_close(void);

#endif
