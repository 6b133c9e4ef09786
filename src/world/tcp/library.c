/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/tcp/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

#include "base/log.h"

#define LIBRARY "libcrypto.so.3"
#define VERSION "OPENSSL_3.0.0"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct weft_tcp_library calls;
static bool is_there;

/* The program may use it, too: it stays. */
static void load(void)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
        weft_log(WEFT_LOG_ERROR, "cannot load libcrypto, which the world tcp needs: %s",
                 dlerror());
        return;
    }
#define FIND(name)                                                                                \
    *(void **)&calls.name = dlvsym(library, #name, VERSION);                                      \
    if (!calls.name) {                                                                            \
        weft_log(WEFT_LOG_ERROR, "%s lacks %s of version %s", LIBRARY, #name, VERSION);           \
        return;                                                                                   \
    }
    WEFT_TCP_LIBRARY_CALLS(FIND)
#undef FIND
    is_there = true;
}

const struct weft_tcp_library *weft_tcp_library(void)
{
    pthread_once(&once, load);
    return is_there ? &calls : NULL;
}
