/* SPDX-License-Identifier: BSD-3-Clause */
/* A region that is shared: allocations do not meet, what was freed is gone, threads and children
 * do not disturb each other, and another process sees what the owner has written. */
#include "heap/heap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heap/owners.h"
#include "heap/view.h"
#include "support/tap.h"

enum { THREADS = 4, STEPS = 1500, FORKS = 12 };
#define LONGEST ((size_t)3 << 20)
#define REGION ((size_t)64 << 20)

static struct weft_heap heap;
static uint64_t seed;

static void *take(struct rng *rng, size_t bytes, bool *is_zero)
{
    size_t alignment = (size_t)1 << rng_below(rng, 22);
    *is_zero = true;
    void *memory = weft_heap_take(&heap, bytes, alignment);
    if (memory && ((uintptr_t)memory % alignment || weft_heap_room(&heap, memory) < bytes ||
                   !weft_heap_has(&heap, memory)))
        abort();
    return memory;
}

static void *resize(void *memory, size_t bytes)
{
    return weft_heap_resize(&heap, memory, bytes);
}

static void give(void *memory)
{
    weft_heap_give(&heap, memory);
}

static const struct owners_ways ways = {take, resize, give};

static struct owners owners_of(uint64_t stream)
{
    return (struct owners){.ways = &ways, .rng = rng_stream(seed, stream), .longest = LONGEST};
}

static blkcnt_t blocks(void)
{
    struct stat status;
    return fstat((int)heap.id.fd, &status) == 0 ? status.st_blocks : -1;
}

static void allocations_do_not_meet(void)
{
    struct owners owners = owners_of(0);
    unsigned fine = 0;
    while (fine < STEPS && owners_step(&owners))
        fine++;
    check_uint(fine, STEPS);
    check(owners_end(&owners));
    /* All pages are given back but the one with the key. */
    check(blocks() <= 8);
}

static void threads_do_not_meet(void)
{
    struct owners owners[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        owners[i] = owners_of(i + 1);
    check(owners_survive_threads(owners, THREADS, STEPS));
    check(blocks() <= 8);
}

static void children_have_copies(void)
{
    struct owners owners = owners_of(10);
    check(owners_survive_forks(&owners, FORKS, 40));
    check(blocks() <= 8);
}

/* Also if the program has closed all that it does not know. */
static void children_need_no_descriptor(void)
{
    struct owners owners = owners_of(11);
    for (unsigned i = 0; i < 100; i++)
        check(owners_step(&owners));
    pid_t child = fork();
    if (child == 0) {
        close((int)heap.id.fd);
        _exit(owners_survive_forks(&owners, 1, 40) ? 0 : 1);
    }
    int status = -1;
    check(waitpid(child, &status, 0) == child && status == 0);
    check(owners_end(&owners));
}

static void what_is_too_large_is_refused(void)
{
    void *most = weft_heap_take(&heap, REGION, 1);
    check(most != NULL);
    check(weft_heap_take(&heap, REGION, 1) == NULL);
    check(weft_heap_take(&heap, SIZE_MAX, 1) == NULL);
    check(weft_heap_resize(&heap, most, SIZE_MAX) == NULL);
    weft_heap_give(&heap, most);
    check(weft_heap_take(&heap, 1, 2 * WEFT_HEAP_ALIGNMENT) == NULL);
}

static int look(const struct weft_heap_id *id, pid_t owner, const char *memory)
{
    struct weft_heap_view view;
    if (!weft_heap_view_open(&view, (uint64_t)owner, id))
        return 1;
    char *seen = weft_heap_view_of(&view, (uintptr_t)memory, 8);
    bool is_seen = seen && memcmp(seen, "from him", 8) == 0;
    if (seen)
        memcpy(seen, "from her", 8);
    bool has_bounds = !weft_heap_view_of(&view, id->base - 1, 1) &&
                      !weft_heap_view_of(&view, id->base + id->size - 1, 2) &&
                      !weft_heap_view_of(&view, id->base, id->size + 1) &&
                      weft_heap_view_of(&view, id->base + id->size - 1, 1);
    weft_heap_view_close(&view);
    return is_seen && has_bounds ? 0 : 2;
}

/* The child has a copy of its own, so what it sees of its parent it sees through the view. */
/* Whoever makes a file that is too long for its limit is killed. */
static void a_limit_of_files_is_kept(void)
{
    struct rlimit before;
    struct weft_heap second;
    check(getrlimit(RLIMIT_FSIZE, &before) == 0);
    struct rlimit low = {REGION / 2, before.rlim_max};
    check(setrlimit(RLIMIT_FSIZE, &low) == 0);
    check(!weft_heap_open(&second, REGION));
    check(setrlimit(RLIMIT_FSIZE, &before) == 0);
}

static void others_see_what_is_written(void)
{
    char *memory = weft_heap_take(&heap, 100000, 1);
    struct weft_heap_id id = heap.id, wrong = heap.id;
    pid_t self = getpid();
    wrong.key += 2;
    struct weft_heap_view view;
    check(!weft_heap_view_open(&view, (uint64_t)self, &wrong));
    wrong = id;
    wrong.fd = 0;
    check(!weft_heap_view_open(&view, (uint64_t)self, &wrong));
    memcpy(memory, "from him", 8);
    pid_t child = fork();
    if (child == 0)
        _exit(look(&id, self, memory));
    int status = -1;
    check(waitpid(child, &status, 0) == child);
    check_int(status, 0);
    check(memcmp(memory, "from her", 8) == 0);
    weft_heap_give(&heap, memory);
}

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    tap_note("replay: heap_test %llu", (unsigned long long)seed);
    if (!weft_heap_open(&heap, REGION))
        tap_skip_all("no memory can be shared here");
    allocations_do_not_meet();
    threads_do_not_meet();
    children_have_copies();
    children_need_no_descriptor();
    what_is_too_large_is_refused();
    a_limit_of_files_is_kept();
    others_see_what_is_written();
    weft_heap_close(&heap);
    return tap_done();
}
