/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One direction of a line after the handshake: every frame is sealed by AES-128-GCM, under a key
 * that only the two processes have and a number that counts the frames. So a frame that was
 * changed, left out, repeated, moved, sent back to its sender or taken from another line does not
 * open. There is one cipher, so that nobody can talk two processes into a weaker one. The key of
 * the job has 128 bits, so a longer one here would cost time and protect nothing. A seal that is
 * `plain` proves the same but hides nothing: all bytes are authenticated (GMAC).
 *
 * After some frames the key is followed by another, from which the old one cannot be computed.
 */
#ifndef WEFT_WORLD_TCP_SEAL_H
#define WEFT_WORLD_TCP_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sha256.h"
#include "world/tcp/cipher.h"

#define WEFT_TCP_SEAL_TAG WEFT_TCP_CIPHER_TAG
#define WEFT_TCP_SEAL_NUMBER WEFT_TCP_CIPHER_NUMBER
#define WEFT_TCP_SEAL_SECRET WEFT_SHA256_SIZE

/* Frames under one key: less than 2^36 blocks of 16 bytes, as NIST SP 800-38D and TLS 1.3 allow
 * with much to spare. */
#define WEFT_TCP_SEAL_RENEWAL (UINT64_C(1) << 20)

struct weft_tcp_seal {
    const struct weft_tcp_cipher *cipher;
    void *state; /* of the cipher; NULL: not begun */
    bool is_plain;
    uint64_t count; /* of frames */
    unsigned char secret[WEFT_TCP_SEAL_SECRET];
    unsigned char start[WEFT_TCP_SEAL_NUMBER];
};

/* One that opens, or one that closes. False without memory. */
bool weft_tcp_seal_begin(struct weft_tcp_seal *seal, const struct weft_tcp_cipher *cipher,
                         bool opens, bool is_plain,
                         const unsigned char secret[WEFT_TCP_SEAL_SECRET]);
void weft_tcp_seal_end(struct weft_tcp_seal *seal);

/* A frame in steps: the head, which stays as it is; then its bytes, in as many parts as one likes,
 * of which each comes to its place as it is sealed or opened, or is there already; then the tag,
 * WEFT_TCP_SEAL_TAG bytes, written by the one that closes and compared by the one that opens. Who
 * writes to a part that is elsewhere while it is sealed changes what is sent, but not whether it
 * opens. Nothing of a frame may be believed before its tag was right. False if it does not open;
 * then nothing that comes later does, either. */
bool weft_tcp_seal_head(struct weft_tcp_seal *seal, const void *head, size_t size);
bool weft_tcp_seal_part(struct weft_tcp_seal *seal, unsigned char *to, const unsigned char *from,
                        size_t size);
bool weft_tcp_seal_tag(struct weft_tcp_seal *seal, unsigned char *tag);

#endif
