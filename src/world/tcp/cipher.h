/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * AES-128-GCM, by one of two libraries that put the same bytes on the wire. They are loaded by the
 * first world that is opened: a job on one host never needs them.
 */
#ifndef WEFT_WORLD_TCP_CIPHER_H
#define WEFT_WORLD_TCP_CIPHER_H

#include <stdbool.h>
#include <stddef.h>

#define WEFT_TCP_CIPHER_KEY 16u
#define WEFT_TCP_CIPHER_NUMBER 12u
#define WEFT_TCP_CIPHER_TAG 16u

/* All that return bool are false if the library refuses. */
struct weft_tcp_cipher {
    const char *library;
    /* The state of one direction, which one thread uses at a time; NULL without memory. One that
     * is plain only authenticates. */
    void *(*begin)(bool opens, bool is_plain);
    void (*end)(void *state);
    bool (*set_key)(void *state, const unsigned char key[WEFT_TCP_CIPHER_KEY]);
    /* A frame: what is only authenticated in any case, then parts of any size, then the tag, which
     * is compared by one that opens. A part of a plain one has no `to`. */
    bool (*head)(void *state, const unsigned char number[WEFT_TCP_CIPHER_NUMBER], const void *head,
                 size_t size);
    bool (*part)(void *state, unsigned char *to, const unsigned char *from, size_t size);
    bool (*tag)(void *state, unsigned char tag[WEFT_TCP_CIPHER_TAG]);
};

/* The fastest that is there; NULL if there is none, and the log says why. */
const struct weft_tcp_cipher *weft_tcp_cipher(void);

/* Of OpenSSL; NULL if it is not there, and the log says why. */
const struct weft_tcp_cipher *weft_tcp_libcrypto(void);

/* Of Intel's library for processors that encrypt four blocks in one instruction; NULL if either is
 * not there. */
const struct weft_tcp_cipher *weft_tcp_ipsec_mb(void);

#endif
