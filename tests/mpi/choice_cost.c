/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What it costs a message that its way is chosen: real time, trials included. It is no part of the
 * tests, because other programs on the machine are measured with it.
 */
#include "mpi/message/choice.h"
#include "mpi/message/under_way.h"

#include <stdlib.h>

#include "base/clock.h"
#include "mpi/state.h"
#include "support/tap.h"

struct weft_mpi_state weft_mpi;

enum { MESSAGES = 1000000, ROUNDS = 15, BAR_NS = 20 };

/* Nanoseconds per message; all take the same time, so no way is hopeless and every turn of a
 * trial is taken. */
static double choose_often(struct weft_mpi_choices *choices)
{
    const struct weft_mpi_pattern sending = {.is_send = true, .is_near = true};
    uint64_t since = weft_clock_now();
    for (unsigned i = 0; i < MESSAGES; i++) {
        weft_mpi_count_wait();
        weft_mpi_choose(choices, 4096, 64, sending, NULL);
    }
    return (double)(weft_clock_now() - since) / MESSAGES;
}

static int by_value(const void *one, const void *two)
{
    double difference = *(const double *)one - *(const double *)two;
    return (difference > 0) - (difference < 0);
}

int main(void)
{
    static struct weft_mpi_choices choices;
    double took[ROUNDS];
    for (unsigned i = 0; i < ROUNDS; i++)
        took[i] = choose_often(&choices);
    qsort(took, ROUNDS, sizeof took[0], by_value);
    tap_note("a choice takes %.1f ns (median of %d times %d; fastest %.1f, slowest %.1f)",
             took[ROUNDS / 2], ROUNDS, MESSAGES, took[0], took[ROUNDS - 1]);
    check(took[ROUNDS / 2] <= BAR_NS);
    return tap_done();
}
