/* SPDX-License-Identifier: BSD-3-Clause */
/* What the sanitizers must be told; nothing where the build has none. */
#ifndef WEFT_WORLD_SIM_SANITIZE_H
#define WEFT_WORLD_SIM_SANITIZE_H

#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEFT_SIM_ADDRESS_SANITIZER
#endif
#if __has_feature(thread_sanitizer)
#define WEFT_SIM_THREAD_SANITIZER
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define WEFT_SIM_ADDRESS_SANITIZER
#endif
#ifdef __SANITIZE_THREAD__
#define WEFT_SIM_THREAD_SANITIZER
#endif

#ifdef WEFT_SIM_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif
#ifdef WEFT_SIM_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

/* Nobody may touch this memory, or everybody again. */
static inline void weft_sim_poison(void *memory, size_t size)
{
#ifdef WEFT_SIM_ADDRESS_SANITIZER
    __asan_poison_memory_region(memory, size);
#endif
    (void)memory;
    (void)size;
}

static inline void weft_sim_unpoison(void *memory, size_t size)
{
#ifdef WEFT_SIM_ADDRESS_SANITIZER
    __asan_unpoison_memory_region(memory, size);
#endif
    (void)memory;
    (void)size;
}

#endif
