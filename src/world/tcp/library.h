/* SPDX-License-Identifier: BSD-3-Clause */
/* What we use of OpenSSL's libcrypto. It is loaded by the first world that is opened: a job on one
 * host never needs it. */
#ifndef WEFT_WORLD_TCP_LIBRARY_H
#define WEFT_WORLD_TCP_LIBRARY_H

#include <openssl/crypto.h>
#include <openssl/evp.h>

#define WEFT_TCP_LIBRARY_CALLS(X)                                                                 \
    X(OSSL_LIB_CTX_new)                                                                           \
    X(EVP_CIPHER_fetch)                                                                           \
    X(EVP_CIPHER_CTX_new)                                                                         \
    X(EVP_CIPHER_CTX_free)                                                                        \
    X(EVP_CIPHER_CTX_ctrl)                                                                        \
    X(EVP_CipherInit_ex)                                                                          \
    X(EVP_CipherUpdate)                                                                           \
    X(EVP_CipherFinal_ex)

struct weft_tcp_library {
#define WEFT_TCP_LIBRARY_MEMBER(name) __typeof__(name) *name;
    WEFT_TCP_LIBRARY_CALLS(WEFT_TCP_LIBRARY_MEMBER)
#undef WEFT_TCP_LIBRARY_MEMBER
    EVP_CIPHER *cipher; /* AES-128-GCM */
};

/* NULL if it is not there, and the log says why. */
const struct weft_tcp_library *weft_tcp_library(void);

#endif
