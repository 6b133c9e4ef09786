/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding regularity in lists of displacements. All are linear in the number of entries. */
#ifndef WEFT_TYPE_AFFINE_H
#define WEFT_TYPE_AFFINE_H

#include "type/form.h"

/* Every entry has as many copies. */
bool weft_type_affine_even(const struct weft_type_entry *entries, uint64_t count);

/* Displacements grow by a constant *step (0 if there is but one entry). */
bool weft_type_affine_step(const struct weft_type_entry *entries, uint64_t count, int64_t *step);

/* The shortest pattern that repeats over the whole list, *step apart; *period is `count` if none
 * does. May fail with WEFT_ERR_MEMORY. */
int weft_type_affine_period(const struct weft_type_entry *entries, uint64_t count,
                            uint64_t *period, int64_t *step);

/* Cuts the list where long stretches of even entries with constant step begin and end, and
 * returns the number of segments. If `starts` is not NULL it receives the first entry of each. */
uint64_t weft_type_affine_segments(const struct weft_type_entry *entries, uint64_t count,
                                   uint64_t *starts);

#endif
