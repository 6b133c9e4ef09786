/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_WORLD_SECRET_H
#define WEFT_WORLD_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/random.h>
#include <sys/types.h>

/* Numbers that nobody can guess; false if the system has none. */
static inline bool weft_world_random(void *bytes, size_t size)
{
    return getrandom(bytes, size, 0) == (ssize_t)size;
}

/* Also where the compiler sees that nobody reads them any more. */
static inline void weft_world_wipe(void *bytes, size_t size)
{
    explicit_bzero(bytes, size);
}

#endif
