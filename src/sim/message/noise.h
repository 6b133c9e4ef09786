/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What keeps CPUs from their work: detours of the operating system, or computations that take
 * longer on some ranks than on others. NICs have none. Times are in picoseconds.
 */
#ifndef WEFT_SIM_MESSAGE_NOISE_H
#define WEFT_SIM_MESSAGE_NOISE_H

#include <stdbool.h>
#include <stdint.h>

enum weft_sim_noise_kind {
    WEFT_SIM_QUIET,
    WEFT_SIM_NOISE_UNIFORM,  /* each computation takes longer, by up to `duration` */
    WEFT_SIM_NOISE_POISSON,  /* detours of `duration`, at random, on average `interval` apart */
    WEFT_SIM_NOISE_RECORDED, /* detours of a record, which begins anew; each CPU begins elsewhere
                              */
};

struct weft_sim_detour {
    uint64_t begin, end;
};

struct weft_sim_noise {
    enum weft_sim_noise_kind kind;
    uint64_t duration, interval;
    const struct weft_sim_detour *record; /* in order, not overlapping, its user's */
    uint32_t record_count;
    bool is_together; /* all CPUs begin the record at once */
    uint64_t seed;
};

/* Of one CPU. */
struct weft_sim_disturbance {
    uint64_t random;
    struct weft_sim_detour next;
    uint64_t origin; /* of the record, in its current turn */
    uint32_t index;
};

void weft_sim_disturbance_init(struct weft_sim_disturbance *disturbance,
                               const struct weft_sim_noise *noise, uint32_t cpu);

/* When work of that length is done that a CPU begins then; never before what it did last. */
uint64_t weft_sim_disturbance_end(struct weft_sim_disturbance *disturbance,
                                  const struct weft_sim_noise *noise, uint64_t begin,
                                  uint64_t length, bool is_computation);

#endif
