/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All calls that give memory, in a program that has libweft_heap.so loaded into it: at random, of
 * sizes on both sides of the border, by threads, and with forks in between. What is large must be
 * in the region, what is small must not.
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heap/owners.h"
#include "heap/program.h"
#include "support/tap.h"

enum { THREADS = 4, STEPS = 3000, FORKS = 12 };
#define LONGEST ((size_t)3 << 20)
#define BORDER ((size_t)65536)

static struct weft_heap *heap;
static uint64_t seed;

static void must(bool is_right, const char *what, size_t bytes)
{
    if (is_right)
        return;
    tap_note("%s of %zu bytes", what, bytes);
    fflush(stdout);
    abort();
}

static void *placed(void *memory, size_t bytes, size_t alignment, const char *what)
{
    must(memory != NULL, what, bytes);
    must((uintptr_t)memory % alignment == 0, what, bytes);
    must(malloc_usable_size(memory) >= bytes, what, bytes);
    must(weft_heap_has(heap, memory) == (bytes >= BORDER), what, bytes);
    return memory;
}

static void *take_aligned(struct rng *rng, size_t bytes)
{
    size_t alignment = (size_t)8 << rng_below(rng, 16);
    void *memory = NULL;
    switch (rng_below(rng, 5)) {
    case 0:
        must(posix_memalign(&memory, alignment, bytes) == 0, "posix_memalign", bytes);
        return placed(memory, bytes, alignment, "posix_memalign");
    case 1:
        return placed(aligned_alloc(alignment, bytes), bytes, alignment, "aligned_alloc");
    case 2:
        return placed(memalign(alignment, bytes), bytes, alignment, "memalign");
    case 3:
        return placed(valloc(bytes), bytes, 4096, "valloc");
    default:
        memory = pvalloc(bytes); /* rounds up to pages, so its border is another */
        must(memory && (uintptr_t)memory % 4096 == 0, "pvalloc", bytes);
        return memory;
    }
}

static void *take(struct rng *rng, size_t bytes, bool *is_zero)
{
    switch (rng_below(rng, 6)) {
    case 0:
        *is_zero = true;
        return placed(calloc(bytes, 1), bytes, 16, "calloc");
    case 1:
        return placed(realloc(NULL, bytes), bytes, 16, "realloc");
    case 2:
        return placed(reallocarray(NULL, bytes, 1), bytes, 16, "reallocarray");
    case 3:
        return take_aligned(rng, bytes);
    default:
        return placed(malloc(bytes), bytes, 16, "malloc");
    }
}

static void *resize(void *memory, size_t bytes)
{
    return placed(realloc(memory, bytes), bytes, 16, "realloc");
}

static const struct owners_ways ways = {take, resize, free};

static struct owners owners_of(uint64_t stream)
{
    return (struct owners){.ways = &ways, .rng = rng_stream(seed, stream), .longest = LONGEST};
}

static blkcnt_t blocks(void)
{
    struct stat status;
    return fstat((int)heap->id.fd, &status) == 0 ? status.st_blocks : -1;
}

static void calls_do_not_disturb_each_other(void)
{
    struct owners owners[THREADS];
    blkcnt_t before = blocks();
    for (unsigned i = 0; i < THREADS; i++)
        owners[i] = owners_of(i);
    check(owners_survive_threads(owners, THREADS, STEPS));
    check(blocks() <= before + 8);
}

static void children_have_copies(void)
{
    struct owners owners = owners_of(10);
    check(owners_survive_forks(&owners, FORKS, 40));
}

/* Compilers know what fails, and leave out a call whose memory is not used. */
static size_t hidden(size_t number)
{
    volatile size_t copy = number;
    return copy;
}

static bool is_null(void *memory)
{
    void *volatile copy = memory;
    return copy == NULL;
}

static void corners_are_those_of_libc(void)
{
    void *memory = (void *)1;
    check_int(posix_memalign(&memory, 24, BORDER), EINVAL);
    check(memory == (void *)1);
    check(is_null(calloc(hidden(SIZE_MAX / 2), 3)));
    errno = 0;
    check(is_null(malloc(hidden(SIZE_MAX / 2))) && errno == ENOMEM);
    char *volatile large = malloc(BORDER); /* that realloc fails the compiler does not see */
    check(large && weft_heap_has(heap, large));
    check(is_null(realloc(large, hidden(SIZE_MAX / 2))));
    large[0] = 7;
    errno = 4711;
    free(large);
    check_int(errno, 4711);
    large = malloc(BORDER);
    check(is_null(realloc(large, hidden(0))));
    free(NULL);
    check_uint(malloc_usable_size(NULL), 0);
}

/* Of libc's own, which allocate and let us free. */
static void libc_uses_them_too(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    for (unsigned i = 0; i < 100000; i++)
        fputs("abc", stream);
    fclose(stream);
    check_uint(size, 300000);
    check(weft_heap_has(heap, text));
    char *copy = strdup(text);
    check(weft_heap_has(heap, copy) && strcmp(copy, text) == 0);
    free(text);
    free(copy);
}

int main(int argc, char **argv)
{
    struct weft_heap *(*of_program)(void);
    *(void **)&of_program = dlsym(RTLD_DEFAULT, WEFT_HEAP_OF_PROGRAM);
    heap = of_program ? of_program() : NULL;
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    if (!heap)
        tap_skip_all("libweft_heap.so is not loaded, or no memory can be shared here");
    tap_note("replay: LD_PRELOAD=libweft_heap.so calls_test %llu", (unsigned long long)seed);
    calls_do_not_disturb_each_other();
    children_have_copies();
    corners_are_those_of_libc();
    libc_uses_them_too();
    return tap_done();
}
