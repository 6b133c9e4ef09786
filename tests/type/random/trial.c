/* SPDX-License-Identifier: BSD-3-Clause */
#include "type/random/trial.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/generate.h"

#define MOST_ELEMENTS 4096
#define MOST_FAR 128
#define MOST_COUNT 5
#define MOST_RANGES 12

/* Basic elements have at most 16 bytes. */
#define MOST_PACKED ((size_t)MOST_COUNT * MOST_ELEMENTS * 16)

bool bench_open(struct bench *bench)
{
    *bench = (struct bench){0};
    return window_open(&bench->windows[0], SIDE_WINDOW) &&
           window_open(&bench->windows[1], SIDE_WINDOW) &&
           window_open(&bench->packed, MOST_PACKED);
}

void bench_close(struct bench *bench)
{
    window_close(&bench->windows[0]);
    window_close(&bench->windows[1]);
    window_close(&bench->packed);
}

/* ---- Trials ------------------------------------------------------------------------------- */

static struct model *generate(struct rng *rng, size_t elements)
{
    struct generator generator = {.rng = rng, .far = rng_one_in(rng, 20)};
    generator.elements = 4 * rng_magnitude(rng, (generator.far ? MOST_FAR : elements) / 4);
    return generate_model(&generator, 1 + (unsigned)rng_below(rng, GENERATE_DEPTH));
}

struct trial trial_generate(uint64_t seed, uint64_t index)
{
    struct rng rng = rng_stream(seed, index);
    struct trial trial = {.model = generate(&rng, MOST_ELEMENTS)};
    trial.peer = generate(&rng, 256);
    trial.count = rng_below(&rng, MOST_COUNT + 1);
    trial.seed = rng_next(&rng);
    return trial;
}

void trial_free(struct trial *trial)
{
    model_free(trial->model);
    model_free(trial->peer);
}

bool trial_fail(struct bench *bench, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(bench->what, sizeof(bench->what), format, arguments);
    va_end(arguments);
    return false;
}

/* ---- Ranges ------------------------------------------------------------------------------- */

static int by_value(const void *left, const void *right)
{
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    return (a > b) - (a < b);
}

int trial_ranges(struct bench *bench, size_t total, trial_visit visit)
{
    size_t cuts[MOST_RANGES + 1] = {0}, order[MOST_RANGES] = {0};
    size_t ranges = 1 + rng_below(&bench->rng, MOST_RANGES);
    for (size_t i = 1; i < ranges; i++)
        cuts[i] = rng_below(&bench->rng, total + 1);
    cuts[ranges] = total;
    qsort(cuts, ranges + 1, sizeof(*cuts), by_value);
    for (size_t i = 0; i < ranges; i++) {
        size_t j = rng_below(&bench->rng, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    int rc = WEFT_OK;
    for (size_t i = 0; i < ranges && !rc; i++)
        rc = visit(bench, cuts[order[i]], cuts[order[i] + 1] - cuts[order[i]]);
    return rc;
}

/* ---- Running ------------------------------------------------------------------------------ */

static sigjmp_buf after_fault;

static void on_fault(int signal)
{
    siglongjmp(after_fault, signal);
}

/* A touch of a page around the windows is a failure like any other, and can be shrunk. */
static void catch_faults(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGFPE, &action, NULL);
}

/* The peer must have room for the packed bytes of the type. */
static size_t peer_count(const struct side *side, const struct model *peer)
{
    size_t size = typemap_of(peer)->size;
    return size ? (side->total + size - 1) / size : 0;
}

static bool open_sides(struct bench *bench)
{
    const struct trial *trial = bench->trial;
    bool at_end = rng_one_in(&bench->rng, 2), peer_at_end = rng_one_in(&bench->rng, 2);
    int rc = side_open(&bench->side, trial->model, trial->count, &bench->windows[0], at_end);
    int peer_rc = side_open(&bench->peer, trial->peer, peer_count(&bench->side, trial->peer),
                            &bench->windows[1], peer_at_end);
    bench->expected = model_alloc(bench->side.total, 1);
    if (rc || peer_rc)
        return trial_fail(bench, "cannot build the %s: %s", rc ? "type" : "peer",
                          weft_error_name(rc ? rc : peer_rc));
    side_fill(&bench->side);
    side_expect_packed(&bench->side, bench->expected);
    return true;
}

static bool all_hold(struct bench *bench, const trial_check *checks)
{
    for (; *checks; checks++)
        if (!(*checks)(bench))
            return false;
    return true;
}

bool trial_run(struct bench *bench, const struct trial *trial, const trial_check *checks)
{
    bench->trial = trial;
    bench->rng = (struct rng){trial->seed};
    bench->side = bench->peer = (struct side){0};
    bool holds;
    catch_faults(on_fault);
    int fault = sigsetjmp(after_fault, 1);
    if (fault == 0)
        holds = open_sides(bench) && all_hold(bench, checks);
    else
        holds = trial_fail(bench, fault == SIGFPE
                                      ? "the program divided by zero"
                                      : "the program touched memory outside the type");
    catch_faults(SIG_DFL);
    side_close(&bench->side);
    side_close(&bench->peer);
    free(bench->expected);
    return holds;
}
