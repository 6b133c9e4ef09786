/* SPDX-License-Identifier: BSD-3-Clause */
/* SHA-256 (FIPS 180-4) and HMAC with it (RFC 2104), for handshakes: small rather than fast. */
#ifndef WEFT_BASE_SHA256_H
#define WEFT_BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEFT_SHA256_SIZE 32u
#define WEFT_SHA256_BLOCK 64u

struct weft_sha256 {
    uint32_t state[8];
    uint64_t length; /* of all that was added, in bytes */
    unsigned char block[WEFT_SHA256_BLOCK];
};

void weft_sha256_begin(struct weft_sha256 *hash);
void weft_sha256_add(struct weft_sha256 *hash, const void *bytes, size_t size);
void weft_sha256_end(struct weft_sha256 *hash, unsigned char digest[WEFT_SHA256_SIZE]);

struct weft_sha256_mac {
    struct weft_sha256 inner;
    unsigned char outer_pad[WEFT_SHA256_BLOCK];
};

void weft_sha256_mac_begin(struct weft_sha256_mac *hmac, const void *key, size_t size);
void weft_sha256_mac_add(struct weft_sha256_mac *hmac, const void *bytes, size_t size);
void weft_sha256_mac_end(struct weft_sha256_mac *hmac, unsigned char mac[WEFT_SHA256_SIZE]);

/* Takes equally long wherever the two differ, so that nobody can find a MAC byte by byte. */
bool weft_sha256_equal(const void *one, const void *other, size_t size);

#endif
