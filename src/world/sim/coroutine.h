/* SPDX-License-Identifier: BSD-3-Clause */
/* A function on a stack of its own that can stop in the middle and be resumed there later. */
#ifndef WEFT_WORLD_SIM_COROUTINE_H
#define WEFT_WORLD_SIM_COROUTINE_H

#include <stdbool.h>
#include <stddef.h>

struct weft_sim_coroutine;

/* NULL without memory. It has not begun when this returns. */
struct weft_sim_coroutine *weft_sim_coroutine_create(size_t stack, void (*body)(void *),
                                                     void *argument);

/* An unfinished one is forgotten with all that only its stack knew. */
void weft_sim_coroutine_destroy(struct weft_sim_coroutine *coroutine);

/* Runs until it suspends itself (false) or its body returns (true: not to be resumed again). */
bool weft_sim_coroutine_resume(struct weft_sim_coroutine *coroutine);

/* Called by the body only. */
void weft_sim_coroutine_suspend(struct weft_sim_coroutine *coroutine);

#endif
