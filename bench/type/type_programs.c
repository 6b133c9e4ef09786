/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/type/type_programs.h"

#include <limits.h>

#include "bench/harness/partner.h"

static struct partner programs[TYPE_PROGRAMS] = {
    [TYPE_OPENMPI] = {.name = "weft-bench-type-openmpi", .patience_ms = -1},
    [TYPE_MPICH] = {.name = "weft-bench-type-mpich", .patience_ms = -1},
    [TYPE_NO_MPI] = {.name = "weft-bench-type-none", .patience_ms = -1},
};

const char *const type_program_names[TYPE_PROGRAMS] = {"openmpi", "mpich", "none"};

bool type_program_open(enum type_program which)
{
    char path[PATH_MAX + 64];
    if (!partner_find(programs[which].name, path, sizeof(path)))
        return false;
    partner_start(&programs[which], (char *[]){path, NULL}, NULL, NULL);
    return true;
}

bool type_program_is_open(enum type_program which)
{
    return programs[which].pid > 0;
}

void type_program_ask(enum type_program which, const char *request)
{
    partner_ask(&programs[which], request);
}

void type_program_answer(enum type_program which, char *line, size_t size)
{
    partner_answer(&programs[which], line, size);
}

void type_programs_close(void)
{
    for (size_t i = 0; i < TYPE_PROGRAMS; i++)
        if (programs[i].pid > 0)
            partner_stop(&programs[i]);
}
