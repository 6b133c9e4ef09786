/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the records of host.c with pointers of 32 bits: exits with 0 if it finds the same pieces
 * in every image, 1 if not, 2 if there is no whole record. It stands for the cores of a NIC, so it
 * has no libc: only the traversal, and three calls of Linux on x86.
 */
#include "offload/narrow/record.h"

enum { CALL_EXIT = 1, CALL_READ = 3 };

static int call(int number, uintptr_t first, uintptr_t second, uintptr_t third)
{
    int result;
    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "a"(number), "b"(first), "c"(second), "d"(third)
                     : "memory");
    return result;
}

/* What a compiler may call in any program. */
void *memcpy(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);

void *memcpy(void *to, const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ((volatile char *)to)[i] = ((const char *)from)[i];
    return to;
}

void *memset(void *to, int value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ((volatile char *)to)[i] = (char)value;
    return to;
}

static bool read_all(void *to, uint64_t bytes)
{
    uintptr_t next = (uintptr_t)to;
    while (bytes) {
        int done = call(CALL_READ, 0, next, (uintptr_t)bytes);
        if (done <= 0)
            return false;
        next += (uintptr_t)done;
        bytes -= (uint64_t)done;
    }
    return true;
}

static int check_records(void)
{
    static _Alignas(8) unsigned char memory[RECORD_LARGEST];
    const struct weft_offload_image *image = (const struct weft_offload_image *)memory;
    struct record record;
    int result = 2;
    while (read_all(&record, sizeof record)) {
        if (record.bytes > sizeof memory || !read_all(memory, record.bytes))
            return 2;
        if (image->magic != WEFT_OFFLOAD_IMAGE_MAGIC || image->bytes != record.bytes ||
            record_walk(image, record.offset, record.length) != record.digest)
            return 1;
        result = 0;
    }
    return result;
}

__attribute__((noreturn)) void _start(void);

__attribute__((noreturn, force_align_arg_pointer)) void _start(void)
{
    call(CALL_EXIT, (uintptr_t)check_records(), 0, 0);
    __builtin_unreachable();
}
