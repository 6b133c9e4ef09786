/* SPDX-License-Identifier: BSD-3-Clause */
/* A stretch of address space between two pages that may not be touched. */
#ifndef WEFT_TESTS_WINDOW_H
#define WEFT_TESTS_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct window {
    char *memory;
    size_t size;
};

/* Memory is taken only for the pages that are touched. False if the system refuses. */
bool window_open(struct window *window, size_t size);
void window_close(struct window *window);

/* The address of displacement 0 such that [low, high) ends, or begins, where the window does. */
char *window_place(const struct window *window, int64_t low, int64_t high, bool at_end);

/* Gives back the pages between two addresses: all their bytes are 0 again. */
void window_clear(struct window *window, const void *from, const void *to);

#endif
