/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/tcp/wire.h"

#include <string.h>

#include "world/fabric.h"
#include "world/secret.h"

/* ---- MACs ---------------------------------------------------------------------------------- */

/* No two uses of the key give the same, whatever they are given. */
static void begin(struct weft_sha256_mac *mac, const unsigned char *key, const char label[8])
{
    weft_sha256_mac_begin(mac, key, WEFT_WORLD_KEY_SIZE);
    weft_sha256_mac_add(mac, label, 8);
}

static void end(struct weft_sha256_mac *mac, unsigned char out[WEFT_SHA256_SIZE])
{
    weft_sha256_mac_end(mac, out);
    weft_world_wipe(mac, sizeof *mac);
}

static void mac_of_hello(const struct weft_tcp_hello *hello, const unsigned char *key,
                         unsigned char out[WEFT_SHA256_SIZE])
{
    struct weft_sha256_mac mac;
    begin(&mac, key, "tcphello");
    weft_sha256_mac_add(&mac, hello, offsetof(struct weft_tcp_hello, mac));
    end(&mac, out);
}

void weft_tcp_wire_sign_hello(struct weft_tcp_hello *hello, const unsigned char *key)
{
    mac_of_hello(hello, key, hello->mac);
}

bool weft_tcp_wire_is_hello(const struct weft_tcp_hello *hello, const unsigned char *key)
{
    unsigned char mac[WEFT_SHA256_SIZE];
    mac_of_hello(hello, key, mac);
    return weft_sha256_equal(mac, hello->mac, sizeof mac);
}

static void mac_of_answer(const struct weft_tcp_answer *answer, const struct weft_tcp_hello *hello,
                          const unsigned char *key, unsigned char out[WEFT_SHA256_SIZE])
{
    struct weft_sha256_mac mac;
    begin(&mac, key, "tcpanswr");
    weft_sha256_mac_add(&mac, hello, sizeof *hello);
    weft_sha256_mac_add(&mac, answer, offsetof(struct weft_tcp_answer, mac));
    end(&mac, out);
}

void weft_tcp_wire_sign_answer(struct weft_tcp_answer *answer, const struct weft_tcp_hello *hello,
                               const unsigned char *key)
{
    mac_of_answer(answer, hello, key, answer->mac);
}

bool weft_tcp_wire_is_answer(const struct weft_tcp_answer *answer,
                             const struct weft_tcp_hello *hello, const unsigned char *key)
{
    unsigned char mac[WEFT_SHA256_SIZE];
    mac_of_answer(answer, hello, key, mac);
    return weft_sha256_equal(mac, answer->mac, sizeof mac);
}

struct weft_nic_address weft_tcp_wire_source(const struct weft_tcp_hello *hello)
{
    return (struct weft_nic_address){hello->source_nid, hello->source_pid};
}

struct weft_nic_address weft_tcp_wire_target(const struct weft_tcp_hello *hello)
{
    return (struct weft_nic_address){hello->target_nid, hello->target_pid};
}

/* ---- Secrets ------------------------------------------------------------------------------- */

static void derive(const unsigned char *key, const char label[8],
                   const struct weft_tcp_hello *hello, const struct weft_tcp_answer *answer,
                   unsigned char out[WEFT_TCP_SEAL_SECRET])
{
    struct weft_sha256_mac mac;
    begin(&mac, key, label);
    weft_sha256_mac_add(&mac, hello, sizeof *hello);
    weft_sha256_mac_add(&mac, answer, sizeof *answer);
    end(&mac, out);
}

void weft_tcp_wire_secrets(struct weft_tcp_wire_secrets *secrets, const unsigned char *key,
                           const struct weft_tcp_hello *hello,
                           const struct weft_tcp_answer *answer)
{
    derive(key, "tcpcallr", hello, answer, secrets->of_caller);
    derive(key, "tcpcalld", hello, answer, secrets->of_called);
}

/* ---- Frames -------------------------------------------------------------------------------- */

bool weft_tcp_frame_seal(struct weft_tcp_seal *seal, struct weft_tcp_head *head,
                         unsigned char *bytes)
{
    return weft_tcp_frame_seal_from(seal, head, bytes, NULL, 0);
}

bool weft_tcp_frame_seal_head(struct weft_tcp_seal *seal, const struct weft_tcp_head *head)
{
    return weft_tcp_seal_head(seal, head, offsetof(struct weft_tcp_head, tag));
}

bool weft_tcp_frame_seal_from(struct weft_tcp_seal *seal, struct weft_tcp_head *head,
                              unsigned char *bytes, const void *from, size_t from_size)
{
    size_t here = head->size - from_size;
    return weft_tcp_frame_seal_head(seal, head) && weft_tcp_seal_part(seal, bytes, bytes, here) &&
           (!from_size || weft_tcp_seal_part(seal, bytes + here, from, from_size)) &&
           weft_tcp_seal_tag(seal, head->tag);
}
