/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sha256.h"

#include <string.h>

#define LENGTH_PLACE (WEFT_SHA256_BLOCK - 8)

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
    0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
    0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
    0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
    0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
    0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2};

static uint32_t rotate(uint32_t x, unsigned by)
{
    return x >> by | x << (32 - by);
}

static uint32_t read_big_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
           bytes[3];
}

static void write_big_endian(unsigned char *bytes, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        bytes[i] = (unsigned char)(value >> 8 * (size - 1 - i));
}

static void expand(uint32_t w[64], const unsigned char *block)
{
    for (unsigned i = 0; i < 16; i++)
        w[i] = read_big_endian(block + 4 * i);
    for (unsigned i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
               (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
}

static void mix(uint32_t state[8], const unsigned char *block)
{
    uint32_t w[64], s[8];
    expand(w, block);
    memcpy(s, state, sizeof s);
    for (unsigned i = 0; i < 64; i++) {
        uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        uint32_t one = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) + choice +
                       constants[i] + w[i];
        uint32_t two = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + majority;
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (unsigned i = 0; i < 8; i++)
        state[i] += s[i];
}

void weft_sha256_begin(struct weft_sha256 *hash)
{
    *hash = (struct weft_sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void weft_sha256_add(struct weft_sha256 *hash, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    while (size) {
        size_t at = hash->length % WEFT_SHA256_BLOCK;
        size_t part = WEFT_SHA256_BLOCK - at < size ? WEFT_SHA256_BLOCK - at : size;
        memcpy(hash->block + at, from, part);
        hash->length += part;
        from += part;
        size -= part;
        if (at + part == WEFT_SHA256_BLOCK)
            mix(hash->state, hash->block);
    }
}

void weft_sha256_end(struct weft_sha256 *hash, unsigned char digest[WEFT_SHA256_SIZE])
{
    static const unsigned char padding[WEFT_SHA256_BLOCK] = {0x80};
    unsigned char length[8];
    write_big_endian(length, hash->length * 8, sizeof length);
    size_t at = hash->length % WEFT_SHA256_BLOCK;
    weft_sha256_add(hash, padding,
                    at < LENGTH_PLACE ? LENGTH_PLACE - at : LENGTH_PLACE + WEFT_SHA256_BLOCK - at);
    weft_sha256_add(hash, length, sizeof length);
    for (unsigned i = 0; i < 8; i++)
        write_big_endian(digest + 4 * i, hash->state[i], 4);
}

void weft_sha256_mac_begin(struct weft_sha256_mac *hmac, const void *key, size_t size)
{
    unsigned char block[WEFT_SHA256_BLOCK] = {0};
    weft_sha256_begin(&hmac->inner);
    if (size > sizeof block) {
        weft_sha256_add(&hmac->inner, key, size);
        weft_sha256_end(&hmac->inner, block);
        weft_sha256_begin(&hmac->inner);
    } else {
        memcpy(block, key, size);
    }
    for (unsigned i = 0; i < sizeof block; i++) {
        hmac->outer_pad[i] = block[i] ^ 0x5c;
        block[i] ^= 0x36;
    }
    weft_sha256_add(&hmac->inner, block, sizeof block);
}

void weft_sha256_mac_add(struct weft_sha256_mac *hmac, const void *bytes, size_t size)
{
    weft_sha256_add(&hmac->inner, bytes, size);
}

void weft_sha256_mac_end(struct weft_sha256_mac *hmac, unsigned char mac[WEFT_SHA256_SIZE])
{
    unsigned char digest[WEFT_SHA256_SIZE];
    weft_sha256_end(&hmac->inner, digest);
    weft_sha256_begin(&hmac->inner);
    weft_sha256_add(&hmac->inner, hmac->outer_pad, sizeof hmac->outer_pad);
    weft_sha256_add(&hmac->inner, digest, sizeof digest);
    weft_sha256_end(&hmac->inner, mac);
}

bool weft_sha256_equal(const void *one, const void *other, size_t size)
{
    const volatile unsigned char *a = one, *b = other;
    unsigned char difference = 0;
    for (size_t i = 0; i < size; i++)
        difference |= a[i] ^ b[i];
    return difference == 0;
}
