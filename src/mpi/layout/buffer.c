/* SPDX-License-Identifier: BSD-3-Clause */
/* Fresh memory costs a page fault for every 4 KiB, so buffers of some sizes wait for their next
 * use. */
#include "mpi/layout/buffer.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "mpi/guard.h"

/* Sizes are powers of two from 2^9; larger than the last are not kept. */
enum { SMALLEST = 9, CLASSES = 16 };
/* Bytes of one class that wait, but at least one buffer does. */
#define KEPT ((size_t)4 << 20)

/* In front of the memory, which keeps the alignment of malloc. */
struct buffer {
    struct buffer *next;
    unsigned class;
    size_t whole; /* bytes, this included */
    _Alignas(64) char memory[];
};

static struct shelf {
    struct buffer *first;
    size_t count;
} shelves[CLASSES];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned class_of(size_t bytes)
{
    unsigned class = 0;
    while (class < CLASSES && bytes > (size_t)1 << (SMALLEST + class))
        class ++;
    return class;
}

static struct buffer *from_shelf(unsigned class)
{
    struct buffer *buffer = NULL;
    if (class == CLASSES)
        return NULL;
    weft_mpi_lock(&lock);
    if (shelves[class].first) {
        buffer = shelves[class].first;
        shelves[class].first = buffer->next;
        shelves[class].count--;
    }
    weft_mpi_unlock(&lock);
    return buffer;
}

/* Room for more than comes is common: what is large is not there before it is written to. */
static struct buffer *allocate(unsigned class, size_t whole)
{
    if (class < CLASSES)
        return aligned_alloc(64, whole);
    void *pages = mmap(NULL, whole, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

static void release(struct buffer *buffer)
{
    if (buffer->class < CLASSES)
        free(buffer);
    else
        munmap(buffer, buffer->whole);
}

static struct buffer *make(unsigned class, size_t bytes)
{
    size_t size = class < CLASSES ? (size_t)1 << (SMALLEST + class) : bytes;
    size_t whole = (sizeof(struct buffer) + size + 63) & ~(size_t)63;
    struct buffer *buffer = whole > size ? allocate(class, whole) : NULL;
    if (buffer) {
        buffer->class = class;
        buffer->whole = whole;
    }
    return buffer;
}

void *weft_mpi_buffer_take(size_t bytes)
{
    unsigned class = class_of(bytes);
    struct buffer *buffer = from_shelf(class);
    if (!buffer)
        buffer = make(class, bytes);
    if (!buffer)
        return NULL;
    /* After a message that did not fit, MPI may leave the buffer as it was: no ticket must be
     * found there that has been taken before. */
    memset(buffer->memory, 0, sizeof weft_mpi.secret);
    return buffer->memory;
}

void weft_mpi_buffer_give(void *memory)
{
    if (!memory)
        return;
    struct buffer *buffer = (struct buffer *)((char *)memory - offsetof(struct buffer, memory));
    unsigned class = buffer->class;
    weft_mpi_lock(&lock);
    bool is_kept = class < CLASSES && (shelves[class].count == 0 ||
                                       shelves[class].count << (SMALLEST + class) < KEPT);
    if (is_kept) {
        buffer->next = shelves[class].first;
        shelves[class].first = buffer;
        shelves[class].count++;
    }
    weft_mpi_unlock(&lock);
    if (!is_kept)
        release(buffer);
}
