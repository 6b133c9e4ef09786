/* SPDX-License-Identifier: BSD-3-Clause */
/* Random types without memory: a call fails and says so, or it does what the type map says. A
 * variant is a type of the first seed. */
#include <string.h>

#include "faults/points.h"
#include "type/random/checks.h"

#define SEED 1

static const trial_check all_checks[] = {
    check_query,         check_commit_again, check_rebuild,    check_parse_model,
    check_parse_printed, check_serialise,    check_pack_whole, check_pack_ranges,
    check_pack_beyond,   check_pieces,       check_locate,     check_unpack_whole,
    check_unpack_ranges, check_copy_ranges};

static bool was_out_of_memory(const struct bench *bench)
{
    return strstr(bench->what, weft_error_name(WEFT_ERR_MEMORY)) ||
           strstr(bench->what, weft_error_text(WEFT_ERR_MEMORY));
}

/* Each check by itself, for the next must hold although there was no memory for the last. */
static bool run(unsigned variant, struct fault *fault)
{
    struct bench bench;
    struct trial trial = trial_generate(SEED, variant);
    bool is_right = bench_open(&bench);
    fault_arm(fault);
    for (unsigned i = 0; is_right && i < sizeof all_checks / sizeof *all_checks; i++) {
        const trial_check checks[] = {all_checks[i], NULL};
        is_right = trial_run(&bench, &trial, checks) || was_out_of_memory(&bench);
        if (!is_right)
            tap_note("type %u: %s", variant, bench.what);
    }
    fault_arm(NULL);
    bench_close(&bench);
    trial_free(&trial);
    return is_right;
}

int main(int argc, char **argv)
{
    const struct scene scene = {
        .variants = 200, .kinds = 1u << FAULT_MEMORY, .seconds = 20, .run = run};
    return points_main(argc, argv, &scene);
}
