/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/tcp/seal.h"

#include <string.h>

#include "world/secret.h"

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
    unsigned char key[WEFT_SHA256_SIZE], start[WEFT_SHA256_SIZE];
    derive(seal->secret, "weft tcp key", key);
    derive(seal->secret, "weft tcp start", start);
    memcpy(seal->start, start, sizeof seal->start);
    bool is_set = seal->cipher->set_key(seal->state, key);
    weft_world_wipe(key, sizeof key);
    weft_world_wipe(start, sizeof start);
    return is_set;
}

bool weft_tcp_seal_begin(struct weft_tcp_seal *seal, const struct weft_tcp_cipher *cipher,
                         bool opens, bool is_plain,
                         const unsigned char secret[WEFT_TCP_SEAL_SECRET])
{
    *seal = (struct weft_tcp_seal){.cipher = cipher, .is_plain = is_plain};
    memcpy(seal->secret, secret, sizeof seal->secret);
    seal->state = cipher->begin(opens, is_plain);
    return seal->state && set_key(seal);
}

void weft_tcp_seal_end(struct weft_tcp_seal *seal)
{
    if (seal->state)
        seal->cipher->end(seal->state);
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

bool weft_tcp_seal_head(struct weft_tcp_seal *seal, const void *head, size_t size)
{
    unsigned char start[WEFT_TCP_SEAL_NUMBER];
    if (seal->count && seal->count % WEFT_TCP_SEAL_RENEWAL == 0 && !renew(seal))
        return false;
    number(seal, start);
    seal->count++;
    return seal->cipher->head(seal->state, start, head, size);
}

bool weft_tcp_seal_part(struct weft_tcp_seal *seal, unsigned char *to, const unsigned char *from,
                        size_t size)
{
    if (size == 0)
        return true;
    if (!seal->is_plain)
        return seal->cipher->part(seal->state, to, from, size);
    /* What nobody else writes to is authenticated. */
    if (to != from)
        memcpy(to, from, size);
    return seal->cipher->part(seal->state, NULL, to, size);
}

bool weft_tcp_seal_tag(struct weft_tcp_seal *seal, unsigned char *tag)
{
    return seal->cipher->tag(seal->state, tag);
}
