/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heap/heap.h"

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW)
/* Newer than the headers of some systems that have kernels which insist on it. */
#define NO_EXECUTION 8u
/* Programs close the low numbers that they have not opened, and expect others to stay free. */
#define LOWEST 200

static int above_those_of_the_program(int fd)
{
    int high = fcntl(fd, F_DUPFD_CLOEXEC, LOWEST);
    if (high < 0)
        return fd;
    close(fd);
    return high;
}

/* Whoever makes a larger file is not told no, but killed. */
static bool may_have(size_t size)
{
    struct rlimit longest;
    return getrlimit(RLIMIT_FSIZE, &longest) != 0 || longest.rlim_cur == RLIM_INFINITY ||
           longest.rlim_cur >= size;
}

int weft_heap_memory_new(size_t size)
{
    if (!may_have(size)) {
        errno = EFBIG;
        return -1;
    }
    int fd = memfd_create("weft", MFD_CLOEXEC | MFD_ALLOW_SEALING | NO_EXECUTION);
    if (fd < 0 && errno == EINVAL)
        fd = memfd_create("weft", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -1;
    /* Sealed, or a truncation would kill every process that maps it. */
    if (ftruncate(fd, (off_t)size) < 0 || fcntl(fd, F_ADD_SEALS, SEALS | F_SEAL_SEAL) < 0) {
        close(fd);
        return -1;
    }
    return above_those_of_the_program(fd);
}

bool weft_heap_memory_is(int fd, const struct weft_heap_id *id)
{
    struct stat status;
    uint64_t key;
    int seals = fcntl(fd, F_GET_SEALS);
    return seals >= 0 && (seals & SEALS) == SEALS && fstat(fd, &status) == 0 &&
           (uint64_t)status.st_size == id->size &&
           pread(fd, &key, sizeof key, 0) == (ssize_t)sizeof key && key == id->key;
}

/* A place for it, which is ours until something is mapped over it. */
static char *find_place(size_t size)
{
    char *all = mmap(NULL, size + WEFT_HEAP_ALIGNMENT, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED)
        return NULL;
    size_t front = -(uintptr_t)all % WEFT_HEAP_ALIGNMENT;
    if (front)
        munmap(all, front);
    munmap(all + front + size, WEFT_HEAP_ALIGNMENT - front);
    return all + front;
}

bool weft_heap_memory_map_at(int fd, uint64_t offset, size_t size, void *at)
{
    return mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd,
                (off_t)offset) != MAP_FAILED;
}

void *weft_heap_memory_map(int fd, size_t size)
{
    char *place = find_place(size);
    if (!place || weft_heap_memory_map_at(fd, 0, size, place))
        return place;
    munmap(place, size);
    return NULL;
}
