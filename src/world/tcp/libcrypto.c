/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenSSL's libcrypto. */
#include <dlfcn.h>
#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <pthread.h>

#include "base/log.h"
#include "world/tcp/cipher.h"

#define LIBRARY "libcrypto.so.3"
#define VERSION "OPENSSL_3.0.0"

#define CALLS(X)                                                                                  \
    X(OSSL_LIB_CTX_new)                                                                           \
    X(EVP_CIPHER_fetch)                                                                           \
    X(EVP_CIPHER_CTX_new)                                                                         \
    X(EVP_CIPHER_CTX_free)                                                                        \
    X(EVP_CIPHER_CTX_ctrl)                                                                        \
    X(EVP_CIPHER_CTX_is_encrypting)                                                               \
    X(EVP_CipherInit_ex)                                                                          \
    X(EVP_CipherUpdate)                                                                           \
    X(EVP_CipherFinal_ex)

static struct {
#define MEMBER(name) __typeof__(name) *name;
    CALLS(MEMBER)
#undef MEMBER
} calls;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static EVP_CIPHER *gcm;

/* ---- The cipher ---------------------------------------------------------------------------- */

static void *begin(bool opens, bool is_plain)
{
    (void)is_plain;
    EVP_CIPHER_CTX *state = calls.EVP_CIPHER_CTX_new();
    if (state && calls.EVP_CipherInit_ex(state, gcm, NULL, NULL, NULL, !opens) > 0)
        return state;
    calls.EVP_CIPHER_CTX_free(state);
    return NULL;
}

static void end(void *state)
{
    calls.EVP_CIPHER_CTX_free(state);
}

static bool set_key(void *state, const unsigned char key[WEFT_TCP_CIPHER_KEY])
{
    return calls.EVP_CipherInit_ex(state, NULL, NULL, key, NULL, -1) > 0;
}

static bool pass(void *state, unsigned char *to, const unsigned char *from, size_t size)
{
    int done;
    return size <= INT_MAX && calls.EVP_CipherUpdate(state, to, &done, from, (int)size) > 0;
}

static bool begin_frame(void *state, const unsigned char number[WEFT_TCP_CIPHER_NUMBER],
                        const void *head, size_t size)
{
    return calls.EVP_CipherInit_ex(state, NULL, NULL, NULL, number, -1) > 0 &&
           pass(state, NULL, head, size);
}

static bool end_frame(void *state, unsigned char tag[WEFT_TCP_CIPHER_TAG])
{
    unsigned char rest[WEFT_TCP_CIPHER_TAG];
    bool opens = !calls.EVP_CIPHER_CTX_is_encrypting(state);
    int done;
    if (opens &&
        calls.EVP_CIPHER_CTX_ctrl(state, EVP_CTRL_AEAD_SET_TAG, WEFT_TCP_CIPHER_TAG, tag) <= 0)
        return false;
    if (calls.EVP_CipherFinal_ex(state, rest, &done) <= 0)
        return false;
    return opens ||
           calls.EVP_CIPHER_CTX_ctrl(state, EVP_CTRL_AEAD_GET_TAG, WEFT_TCP_CIPHER_TAG, tag) > 0;
}

/* ---- The library --------------------------------------------------------------------------- */

/* Of a context of our own, which is never freed: at exit libcrypto frees what belongs to that of
 * the program, while threads of ours still open frames, and exit handlers may yet send. */
static void find_gcm(void)
{
    OSSL_LIB_CTX *context = calls.OSSL_LIB_CTX_new();
    gcm = context ? calls.EVP_CIPHER_fetch(context, "AES-128-GCM", NULL) : NULL;
    if (!gcm)
        weft_log(WEFT_LOG_ERROR, "%s has no AES-128-GCM", LIBRARY);
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
    CALLS(FIND)
#undef FIND
    find_gcm();
}

const struct weft_tcp_cipher *weft_tcp_libcrypto(void)
{
    static const struct weft_tcp_cipher cipher = {.library = LIBRARY,
                                                  .begin = begin,
                                                  .end = end,
                                                  .set_key = set_key,
                                                  .head = begin_frame,
                                                  .part = pass,
                                                  .tag = end_frame};
    pthread_once(&once, load);
    return gcm ? &cipher : NULL;
}
