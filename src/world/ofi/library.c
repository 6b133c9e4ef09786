/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of libfabric that are functions, found when the first one is made: loading it takes
 * 200 ms on some systems (libraries of psm wait for cards that are not there), and a job on one
 * host never needs it. All other calls of libfabric go through pointers in its objects.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <rdma/fabric.h>
#include <rdma/fi_errno.h>
#include <stdbool.h>

#include "base/log.h"

#define LIBRARY "libfabric.so.1"

/* The versions say how large a struct fi_info is, which must be what our headers say. */
#define CALLS(X)                                                                                  \
    X(fi_getinfo, "FABRIC_1.3")                                                                   \
    X(fi_freeinfo, "FABRIC_1.3")                                                                  \
    X(fi_dupinfo, "FABRIC_1.3")                                                                   \
    X(fi_fabric, "FABRIC_1.1")                                                                    \
    X(fi_strerror, "FABRIC_1.0")

static struct {
    pthread_once_t once;
    bool is_there;
#define MEMBER(name, version) __typeof__(name) *name;
    CALLS(MEMBER)
#undef MEMBER
} libfabric = {.once = PTHREAD_ONCE_INIT};

/* It has threads and keeps what it has learnt, so it stays. */
static void load(void)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
        weft_log(WEFT_LOG_ERROR, "cannot load libfabric, so no other host can be reached: %s",
                 dlerror());
        return;
    }
#define FIND(name, version)                                                                       \
    *(void **)&libfabric.name = dlvsym(library, #name, version);                                  \
    if (!libfabric.name) {                                                                        \
        weft_log(WEFT_LOG_ERROR, "%s lacks %s of version %s", LIBRARY, #name, version);           \
        return;                                                                                   \
    }
    CALLS(FIND)
#undef FIND
    libfabric.is_there = true;
}

static bool is_there(void)
{
    pthread_once(&libfabric.once, load);
    return libfabric.is_there;
}

int fi_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
               const struct fi_info *hints, struct fi_info **info)
{
    return is_there() ? libfabric.fi_getinfo(version, node, service, flags, hints, info)
                      : -FI_ENOSYS;
}

void fi_freeinfo(struct fi_info *info)
{
    if (is_there())
        libfabric.fi_freeinfo(info);
}

struct fi_info *fi_dupinfo(const struct fi_info *info)
{
    return is_there() ? libfabric.fi_dupinfo(info) : NULL;
}

int fi_fabric(struct fi_fabric_attr *attr, struct fid_fabric **fabric, void *context)
{
    return is_there() ? libfabric.fi_fabric(attr, fabric, context) : -FI_ENOSYS;
}

const char *fi_strerror(int errnum)
{
    return is_there() ? libfabric.fi_strerror(errnum) : "libfabric is not there";
}
