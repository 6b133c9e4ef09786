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

/* Of a context of our own, which is never freed: at exit libcrypto frees what belongs to that of
 * the program, while threads of ours still open frames, and exit handlers may yet send. */
static bool find_cipher(void)
{
    OSSL_LIB_CTX *context = calls.OSSL_LIB_CTX_new();
    calls.cipher = context ? calls.EVP_CIPHER_fetch(context, "AES-128-GCM", NULL) : NULL;
    if (!calls.cipher)
        weft_log(WEFT_LOG_ERROR, "%s has no AES-128-GCM", LIBRARY);
    return calls.cipher;
}

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
    is_there = find_cipher();
}

const struct weft_tcp_library *weft_tcp_library(void)
{
    pthread_once(&once, load);
    return is_there ? &calls : NULL;
}
