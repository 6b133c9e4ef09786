/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/message/noise.h"

#include <math.h>

#include "base/hash.h"
#include "base/random.h"
#include "sim/engine.h"

static double fraction(uint64_t *random)
{
    return (double)(weft_random_next(random) >> 11) / (double)(UINT64_C(1) << 53);
}

static uint64_t period_of(const struct weft_sim_noise *noise)
{
    return noise->record[noise->record_count - 1].end;
}

static void play(struct weft_sim_disturbance *disturbance, const struct weft_sim_noise *noise)
{
    const struct weft_sim_detour *detour = &noise->record[disturbance->index];
    disturbance->next = (struct weft_sim_detour){
        .begin = disturbance->origin + detour->begin,
        .end = disturbance->origin + detour->end,
    };
    if (++disturbance->index == noise->record_count) {
        disturbance->index = 0;
        disturbance->origin += period_of(noise);
    }
}

static void advance(struct weft_sim_disturbance *disturbance, const struct weft_sim_noise *noise)
{
    if (noise->kind == WEFT_SIM_NOISE_RECORDED) {
        play(disturbance, noise);
        return;
    }
    double wait = -log(1 - fraction(&disturbance->random)) * (double)noise->interval;
    uint64_t begin = weft_sim_later(disturbance->next.end, (uint64_t)wait + 1);
    disturbance->next =
        (struct weft_sim_detour){.begin = begin, .end = weft_sim_later(begin, noise->duration)};
}

static bool has_detours(const struct weft_sim_noise *noise)
{
    return noise->kind == WEFT_SIM_NOISE_POISSON || noise->kind == WEFT_SIM_NOISE_RECORDED;
}

void weft_sim_disturbance_init(struct weft_sim_disturbance *disturbance,
                               const struct weft_sim_noise *noise, uint32_t cpu)
{
    uint64_t seed = weft_hash_mix(0, noise->seed);
    *disturbance = (struct weft_sim_disturbance){.random = weft_hash_mix(seed, cpu)};
    if (!has_detours(noise))
        return;
    if (noise->kind == WEFT_SIM_NOISE_RECORDED && !noise->is_together)
        disturbance->index =
            (uint32_t)(weft_random_next(&disturbance->random) % noise->record_count);
    /* Who begins in the middle of the record does so at the beginning of time: the origin is
     * before it, modulo 2^64. */
    if (disturbance->index)
        disturbance->origin = UINT64_C(0) - noise->record[disturbance->index - 1].end;
    advance(disturbance, noise);
}

uint64_t weft_sim_disturbance_end(struct weft_sim_disturbance *disturbance,
                                  const struct weft_sim_noise *noise, uint64_t begin,
                                  uint64_t length, bool is_computation)
{
    if (noise->kind == WEFT_SIM_NOISE_UNIFORM && is_computation)
        length += (uint64_t)(fraction(&disturbance->random) * (double)noise->duration);
    uint64_t end = weft_sim_later(begin, length);
    if (!has_detours(noise))
        return end;
    while (disturbance->next.end <= begin && begin < WEFT_SIM_NEVER)
        advance(disturbance, noise);
    while (disturbance->next.begin < end && end < WEFT_SIM_NEVER) {
        uint64_t from = disturbance->next.begin < begin ? begin : disturbance->next.begin;
        end = weft_sim_later(end, disturbance->next.end - from);
        advance(disturbance, noise);
    }
    return end;
}
