/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Static variables of a program that has libweft_heap.so loaded into it: they keep what was in
 * them before, others see what is written there, and children have copies of their own.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heap/program.h"
#include "heap/view.h"
#include "support/tap.h"

enum { BYTES = 3 << 20, EARLY = 12345, LATE = 2 << 20 };

static char array[BYTES], other[100000];
static int initialised[30000] = {1, [29999] = 2};

/* Before the constructors of all libraries. */
static void write_early(void)
{
    array[EARLY] = 'e';
}

__attribute__((section(".preinit_array"), used)) static void (*const early)(void) = write_early;

static struct weft_heap *find_heap(void)
{
    struct weft_heap *(*find)(void);
    *(void **)&find = dlsym(RTLD_DEFAULT, WEFT_HEAP_OF_PROGRAM);
    return find ? find() : NULL;
}

static bool has(const struct weft_heap *heap, const void *memory, size_t bytes)
{
    return weft_heap_has_all(heap, (uintptr_t)memory, bytes);
}

static void they_keep_what_was_in_them(const struct weft_heap *heap)
{
    const struct weft_heap_statics *statics = &heap->id.statics;
    size_t wrong = 0;
    check(statics->bytes > BYTES);
    check(has(heap, array, BYTES) && has(heap, other, sizeof other));
    check(has(heap, initialised, sizeof initialised) && !weft_heap_has(heap, array));
    check(!has(heap, (const char *)statics->begin - 1, 2));
    check(!has(heap, (const char *)statics->begin + statics->bytes - 1, 2));
    for (size_t i = 0; i < BYTES; i++)
        wrong += array[i] != (i == EARLY ? 'e' : 0);
    check_uint(wrong, 0);
    check(initialised[0] == 1 && initialised[29999] == 2 && initialised[7] == 0);
}

static bool ended_well(pid_t child)
{
    int status = -1;
    return waitpid(child, &status, 0) == child && status == 0;
}

/* The child has a copy, so what it sees of its parent it sees through the view. */
static int look(const struct weft_heap_id *id, pid_t owner)
{
    struct weft_heap_view view;
    if (!weft_heap_view_open(&view, (uint64_t)owner, id))
        return 1;
    char *seen = weft_heap_view_of(&view, (uintptr_t)&array[LATE], 8);
    bool is_seen = seen && memcmp(seen, "from him", 8) == 0;
    if (seen)
        memcpy(seen, "from her", 8);
    weft_heap_view_close(&view);
    return is_seen && memcmp(&array[LATE], "from him", 8) == 0 ? 0 : 2;
}

static void others_see_what_is_written(const struct weft_heap *heap)
{
    struct weft_heap_id id = heap->id;
    pid_t self = getpid();
    memcpy(&array[LATE], "from him", 8);
    pid_t child = fork();
    if (child == 0)
        _exit(look(&id, self));
    check(ended_well(child));
    check(memcmp(&array[LATE], "from her", 8) == 0);
}

static void children_have_copies(void)
{
    int pipes[2];
    char byte = 0;
    check(pipe(pipes) == 0);
    memset(array, 'p', BYTES);
    pid_t child = fork();
    if (child == 0) { /* after its parent has written */
        bool has_come = read(pipes[0], &byte, 1) == 1;
        bool is_kept = array[0] == 'p' && array[BYTES - 1] == 'p' && array[LATE] == 'p';
        memset(array, 'c', BYTES);
        _exit(has_come && is_kept ? 0 : 1);
    }
    array[LATE] = 'q';
    check(write(pipes[1], &byte, 1) == 1);
    check(ended_well(child));
    check(array[0] == 'p' && array[BYTES - 1] == 'p' && array[LATE] == 'q');
}

int main(void)
{
    const struct weft_heap *heap = find_heap();
    check(heap != NULL);
    if (heap) {
        they_keep_what_was_in_them(heap);
        others_see_what_is_written(heap);
        children_have_copies();
    }
    return tap_done();
}
