/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/tcp/seal.h"

#include <string.h>

#include "world/secret.h"
#include "world/tcp/library.h"

static void derive(const unsigned char secret[WEFT_TCP_SEAL_SECRET], const char *label,
                   unsigned char out[WEFT_SHA256_SIZE])
{
    struct weft_sha256_mac mac;
    weft_sha256_mac_begin(&mac, secret, WEFT_TCP_SEAL_SECRET);
    weft_sha256_mac_add(&mac, label, strlen(label));
    weft_sha256_mac_end(&mac, out);
    weft_world_wipe(&mac, sizeof mac);
}

/* Takes the key of the secret into use: as much of what was derived as the cipher wants. */
static bool set_key(struct weft_tcp_seal *seal)
{
    const struct weft_tcp_library *crypto = weft_tcp_library();
    unsigned char key[WEFT_SHA256_SIZE], start[WEFT_SHA256_SIZE];
    derive(seal->secret, "weft tcp key", key);
    derive(seal->secret, "weft tcp start", start);
    memcpy(seal->start, start, sizeof seal->start);
    bool is_set = crypto->EVP_CipherInit_ex(seal->context, crypto->cipher, NULL, key, seal->start,
                                            !seal->opens) > 0;
    weft_world_wipe(key, sizeof key);
    return is_set;
}

bool weft_tcp_seal_begin(struct weft_tcp_seal *seal, bool opens, bool is_plain,
                         const unsigned char secret[WEFT_TCP_SEAL_SECRET])
{
    *seal = (struct weft_tcp_seal){.opens = opens, .is_plain = is_plain};
    memcpy(seal->secret, secret, sizeof seal->secret);
    const struct weft_tcp_library *crypto = weft_tcp_library();
    seal->context = crypto ? crypto->EVP_CIPHER_CTX_new() : NULL;
    return seal->context && set_key(seal);
}

void weft_tcp_seal_end(struct weft_tcp_seal *seal)
{
    if (seal->context)
        weft_tcp_library()->EVP_CIPHER_CTX_free(seal->context);
    weft_world_wipe(seal, sizeof *seal);
}

static bool renew(struct weft_tcp_seal *seal)
{
    unsigned char next[WEFT_SHA256_SIZE];
    derive(seal->secret, "weft tcp next", next);
    memcpy(seal->secret, next, sizeof seal->secret);
    weft_world_wipe(next, sizeof next);
    return set_key(seal);
}

/* No number comes twice under one key. */
static void number(const struct weft_tcp_seal *seal, unsigned char out[WEFT_TCP_SEAL_NUMBER])
{
    memcpy(out, seal->start, WEFT_TCP_SEAL_NUMBER);
    for (unsigned i = 0; i < sizeof seal->count; i++)
        out[WEFT_TCP_SEAL_NUMBER - 1 - i] ^= (unsigned char)(seal->count >> 8 * i);
}

/* To NULL: only authenticated. */
static bool pass(struct weft_tcp_seal *seal, unsigned char *to, const void *from, size_t size)
{
    int done;
    return size == 0 ||
           weft_tcp_library()->EVP_CipherUpdate(seal->context, to, &done, from, (int)size) > 0;
}

bool weft_tcp_seal_head(struct weft_tcp_seal *seal, const void *head, size_t size)
{
    unsigned char start[WEFT_TCP_SEAL_NUMBER];
    if (seal->count && seal->count % WEFT_TCP_SEAL_RENEWAL == 0 && !renew(seal))
        return false;
    number(seal, start);
    seal->count++;
    return weft_tcp_library()->EVP_CipherInit_ex(seal->context, NULL, NULL, NULL, start, -1) > 0 &&
           pass(seal, NULL, head, size);
}

bool weft_tcp_seal_part(struct weft_tcp_seal *seal, unsigned char *to, const unsigned char *from,
                        size_t size)
{
    if (!seal->is_plain)
        return pass(seal, to, from, size);
    /* What nobody else writes to is authenticated. */
    if (to != from)
        memcpy(to, from, size);
    return pass(seal, NULL, to, size);
}

bool weft_tcp_seal_tag(struct weft_tcp_seal *seal, unsigned char *tag)
{
    const struct weft_tcp_library *crypto = weft_tcp_library();
    unsigned char rest[WEFT_TCP_SEAL_TAG];
    int done;
    if (seal->opens && crypto->EVP_CIPHER_CTX_ctrl(seal->context, EVP_CTRL_AEAD_SET_TAG,
                                                   WEFT_TCP_SEAL_TAG, tag) <= 0)
        return false;
    if (crypto->EVP_CipherFinal_ex(seal->context, rest, &done) <= 0)
        return false;
    return seal->opens || crypto->EVP_CIPHER_CTX_ctrl(seal->context, EVP_CTRL_AEAD_GET_TAG,
                                                      WEFT_TCP_SEAL_TAG, tag) > 0;
}
