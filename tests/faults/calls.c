/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls that can be made to fail. FAULTS_PRELOAD: under their own names, else with a prefix.
 */
#undef _FILE_OFFSET_BITS /* it would give two of them one name */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "faults/inject.h"

#ifdef FAULTS_PRELOAD
#include <dlfcn.h>

#include "faults/preload.h"

#define EXPORTED __attribute__((visibility("default")))
#define NAME(name) name
/* Asked for once: dlerror allocates, and dlsym in the middle of it would end it. */
#define REAL(name)                                                                                \
    __extension__({                                                                               \
        static _Atomic uintptr_t real;                                                            \
        if (!real)                                                                                \
            real = (uintptr_t)dlsym(RTLD_NEXT, #name);                                            \
        (__typeof__(&name))real;                                                                  \
    })
#define FAILS(kind) (preload_counts(__builtin_return_address(0)) && fault_strikes(FAULT_##kind))
#else
#define EXPORTED
#define NAME(name) faulty_##name
#define REAL(name) name
#define FAILS(kind) fault_strikes(FAULT_##kind)
#endif

/* CALL(result, name, parameters, arguments, kind, what a failure returns, its errno) */
#define CALL(result, name, parameters, arguments, kind, failure, error)                           \
    EXPORTED result NAME(name) parameters;                                                        \
    result NAME(name) parameters                                                                  \
    {                                                                                             \
        if (!FAILS(kind))                                                                         \
            return REAL(name) arguments;                                                          \
        errno = error;                                                                            \
        return failure;                                                                           \
    }

/* ---- Memory ------------------------------------------------------------------------------- */

CALL(void *, malloc, (size_t size), (size), MEMORY, NULL, ENOMEM)
CALL(void *, calloc, (size_t count, size_t size), (count, size), MEMORY, NULL, ENOMEM)
CALL(void *, realloc, (void *old, size_t size), (old, size), MEMORY, NULL, ENOMEM)
CALL(void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size), MEMORY, NULL,
     ENOMEM)
CALL(int, posix_memalign, (void **out, size_t alignment, size_t size), (out, alignment, size),
     MEMORY, ENOMEM, errno)
CALL(char *, strdup, (const char *text), (text), MEMORY, NULL, ENOMEM)
CALL(char *, strndup, (const char *text, size_t most), (text, most), MEMORY, NULL, ENOMEM)

/* ---- Descriptors -------------------------------------------------------------------------- */

/* The mode is passed on whether it was given or not: it is only looked at if it was. */
#define MODE(last)                                                                                \
    va_list list;                                                                                 \
    va_start(list, last);                                                                         \
    mode_t mode = va_arg(list, mode_t);                                                           \
    va_end(list)

#define OPEN(name)                                                                                \
    EXPORTED int NAME(name)(const char *path, int flags, ...);                                    \
    int NAME(name)(const char *path, int flags, ...)                                              \
    {                                                                                             \
        MODE(flags);                                                                              \
        if (!FAILS(OPEN))                                                                         \
            return REAL(name)(path, flags, mode);                                                 \
        errno = EMFILE;                                                                           \
        return -1;                                                                                \
    }

#define OPENAT(name)                                                                              \
    EXPORTED int NAME(name)(int folder, const char *path, int flags, ...);                        \
    int NAME(name)(int folder, const char *path, int flags, ...)                                  \
    {                                                                                             \
        MODE(flags);                                                                              \
        if (!FAILS(OPEN))                                                                         \
            return REAL(name)(folder, path, flags, mode);                                         \
        errno = EMFILE;                                                                           \
        return -1;                                                                                \
    }

/* Programs call either of two names, as they were compiled. */
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
CALL(FILE *, fopen, (const char *path, const char *mode), (path, mode), OPEN, NULL, EMFILE)
CALL(FILE *, fopen64, (const char *path, const char *mode), (path, mode), OPEN, NULL, EMFILE)
CALL(DIR *, opendir, (const char *path), (path), OPEN, NULL, EMFILE)
CALL(int, epoll_create1, (int flags), (flags), OPEN, -1, EMFILE)
CALL(int, eventfd, (unsigned value, int flags), (value, flags), OPEN, -1, EMFILE)
CALL(int, memfd_create, (const char *name, unsigned flags), (name, flags), MEMFD, -1, EMFILE)
CALL(int, socket, (int domain, int type, int protocol), (domain, type, protocol), SOCKET, -1,
     EMFILE)

/* No other caller passes more than six. */
EXPORTED long NAME(syscall)(long number, ...);
long NAME(syscall)(long number, ...)
{
    long of[6];
    va_list list;
    va_start(list, number);
    for (unsigned i = 0; i < 6; i++)
        of[i] = va_arg(list, long);
    va_end(list);
    if (number != SYS_pidfd_open || !FAILS(PIDFD))
        return REAL(syscall)(number, of[0], of[1], of[2], of[3], of[4], of[5]);
    errno = EMFILE;
    return -1;
}

/* ---- The rest ----------------------------------------------------------------------------- */

CALL(void *, mmap, (void *at, size_t size, int protection, int flags, int file, off_t offset),
     (at, size, protection, flags, file, offset), MMAP, MAP_FAILED, ENOMEM)
CALL(void *, mmap64, (void *at, size_t size, int protection, int flags, int file, off64_t offset),
     (at, size, protection, flags, file, offset), MMAP, MAP_FAILED, ENOMEM)
CALL(int, connect, (int file, __CONST_SOCKADDR_ARG to, socklen_t size), (file, to, size), CONNECT,
     -1, ECONNREFUSED)
CALL(ssize_t, send, (int file, const void *from, size_t size, int flags),
     (file, from, size, flags), SEND, -1, ECONNRESET)
CALL(ssize_t, sendto,
     (int file, const void *from, size_t size, int flags, __CONST_SOCKADDR_ARG to,
      socklen_t length),
     (file, from, size, flags, to, length), SEND, -1, ECONNRESET)
CALL(ssize_t, sendmsg, (int file, const struct msghdr *message, int flags), (file, message, flags),
     SEND, -1, ECONNRESET)
CALL(int, pthread_create,
     (pthread_t * thread, const pthread_attr_t *attributes, void *(*start)(void *),
      void *argument),
     (thread, attributes, start, argument), THREAD, EAGAIN, errno)

static bool is_socket(int file)
{
    struct stat status;
    return fstat(file, &status) == 0 && S_ISSOCK(status.st_mode);
}

EXPORTED ssize_t NAME(write)(int file, const void *from, size_t size);
ssize_t NAME(write)(int file, const void *from, size_t size)
{
    if (!is_socket(file) || !FAILS(SEND))
        return REAL(write)(file, from, size);
    errno = ECONNRESET;
    return -1;
}
