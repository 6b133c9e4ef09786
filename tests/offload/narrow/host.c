/* SPDX-License-Identifier: BSD-3-Clause */
/* narrow_host COUNT: images of so many random types, for core.c to read. */
#include <stdio.h>
#include <stdlib.h>

#include "offload/narrow/record.h"
#include "offload/offload.h"
#include "type/random/trial.h"

#define SEED 1
#define RANGES 8

static void write_records(const struct weft_offload *offload, struct rng *rng)
{
    const struct weft_offload_facts *facts = weft_offload_facts(offload);
    void *image = malloc(facts->image_bytes);
    if (!image || facts->image_bytes > RECORD_LARGEST)
        abort();
    weft_offload_write_image(offload, image);
    for (int i = 0; i < RANGES; i++) {
        struct record record = {.bytes = facts->image_bytes,
                                .offset = rng_below(rng, facts->size)};
        record.length = rng_magnitude(rng, facts->size - record.offset);
        record.digest = record_walk(image, record.offset, record.length);
        fwrite(&record, sizeof record, 1, stdout);
        fwrite(image, 1, record.bytes, stdout);
    }
    free(image);
}

static void write_side(const struct side *side, struct rng *rng)
{
    struct weft_offload_options options = {.type = side->type,
                                           .count = side->count,
                                           .attributes = {.strategy = WEFT_OFFLOAD_SEEK},
                                           .nic = weft_offload_nic_of_paper(2048)};
    struct weft_offload *offload;
    if (side->total == 0)
        return;
    if (weft_offload_prepare(&options, &offload) != WEFT_OK)
        abort();
    write_records(offload, rng);
    weft_offload_close(offload);
}

int main(int argc, char **argv)
{
    struct window window;
    if (argc != 2 || !window_open(&window, SIDE_WINDOW))
        return EXIT_FAILURE;
    uint64_t count = strtoull(argv[1], NULL, 10);
    for (uint64_t i = 0; i < count; i++) {
        struct trial trial = trial_generate(SEED, i);
        struct rng rng = {trial.seed};
        struct side side;
        if (side_open(&side, trial.model, trial.count, &window, false) == WEFT_OK)
            write_side(&side, &rng);
        side_close(&side);
        trial_free(&trial);
    }
    window_close(&window);
    return ferror(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
