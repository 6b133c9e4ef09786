/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What Weft does to move ranges, written down once and then done again: the same kernels on the
 * same runs, without finding the places. What Weft takes longer is the cost of finding them.
 */
#ifndef WEFT_BENCH_TYPE_REPLAY_H
#define WEFT_BENCH_TYPE_REPLAY_H

#include "bench/type/mover.h"

struct replay;

struct replay *replay_record(const struct job *job, made_type type);
void replay_run(const struct replay *replay);
void replay_free(struct replay *replay); /* NULL is allowed */

#endif
