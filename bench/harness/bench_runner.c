/* SPDX-License-Identifier: BSD-3-Clause */
/* The programs that measure datatypes. */
#include <limits.h>

#include "bench/harness/bench.h"
#include "bench/harness/partner.h"

static struct partner runners[WEFT_RUNNERS] = {
    [WEFT_RUNNER_OPENMPI] = {.name = "weft-bench-type-openmpi", .patience_ms = -1},
    [WEFT_RUNNER_MPICH] = {.name = "weft-bench-type-mpich", .patience_ms = -1},
    [WEFT_RUNNER_NONE] = {.name = "weft-bench-type-none", .patience_ms = -1},
};

static const char *const names[WEFT_RUNNERS] = {
    [WEFT_RUNNER_OPENMPI] = "openmpi",
    [WEFT_RUNNER_MPICH] = "mpich",
    [WEFT_RUNNER_NONE] = "none",
};

const char *weft_runner_name(enum weft_runner_kind kind)
{
    return names[kind];
}

bool weft_runner_open(enum weft_runner_kind kind)
{
    char path[PATH_MAX + 64];
    if (!partner_find(runners[kind].name, path, sizeof(path)))
        return false;
    partner_start(&runners[kind], (char *[]){path, NULL}, NULL, NULL);
    return true;
}

bool weft_runner_is_open(enum weft_runner_kind kind)
{
    return runners[kind].pid > 0;
}

void weft_runner_ask(enum weft_runner_kind kind, const char *request)
{
    partner_ask(&runners[kind], request);
}

void weft_runner_answer(enum weft_runner_kind kind, char *line, size_t size)
{
    partner_answer(&runners[kind], line, size);
}

void weft_runner_close_all(void)
{
    for (size_t i = 0; i < WEFT_RUNNERS; i++)
        if (runners[i].pid > 0)
            partner_stop(&runners[i]);
}
