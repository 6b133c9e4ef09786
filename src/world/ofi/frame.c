/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/ofi/frame.h"

#include <string.h>

size_t weft_ofi_frame_size(enum weft_ofi_frame_kind kind)
{
    static const size_t bodies[WEFT_OFI_FRAME_KINDS] = {
#define BODY(name, body) [WEFT_OFI_FRAME_##name] = body,
        WEFT_OFI_FRAME_KIND_MAP(BODY)
#undef BODY
    };
    return WEFT_OFI_FRAME_HEAD + bodies[kind];
}

static bool hello_makes_sense(const struct weft_ofi_frame *frame)
{
    return frame->head.token == WEFT_OFI_FRAME_MAGIC &&
           frame->hello.card_size > sizeof(uint64_t) &&
           frame->hello.card_size <= WEFT_WORLD_CARD_MAX;
}

/* A process of another version still gets to say HELLO, and may REFUSE. */
static bool body_makes_sense(const struct weft_ofi_frame *frame)
{
    switch ((enum weft_ofi_frame_kind)frame->head.kind) {
    case WEFT_OFI_FRAME_HELLO:
        return hello_makes_sense(frame);
    case WEFT_OFI_FRAME_REFUSE:
        return true;
    case WEFT_OFI_FRAME_BYE:
        return frame->head.version == WEFT_OFI_FRAME_VERSION &&
               frame->bye.flags <= (WEFT_OFI_FRAME_BYE_LEAVE | WEFT_OFI_FRAME_BYE_RETURN);
    default:
        return frame->head.version == WEFT_OFI_FRAME_VERSION;
    }
}

bool weft_ofi_frame_decode(struct weft_ofi_frame *frame, const void *bytes, size_t size)
{
    if (size < WEFT_OFI_FRAME_HEAD)
        return false;
    memcpy(&frame->head, bytes, WEFT_OFI_FRAME_HEAD);
    if (frame->head.kind == WEFT_OFI_FRAME_DATA)
        return frame->head.version == WEFT_OFI_FRAME_VERSION && size > WEFT_OFI_FRAME_HEAD;
    if (frame->head.kind == WEFT_OFI_FRAME_NONE || frame->head.kind >= WEFT_OFI_FRAME_KINDS ||
        size != weft_ofi_frame_size((enum weft_ofi_frame_kind)frame->head.kind))
        return false;
    memcpy(frame, bytes, size);
    return body_makes_sense(frame);
}

struct weft_nic_address weft_ofi_frame_source(const struct weft_ofi_frame_head *head)
{
    return (struct weft_nic_address){head->source_nid, head->source_pid};
}

/* ---- MACs ---------------------------------------------------------------------------------- */

static void mac_of(const struct weft_ofi_frame *frame, const struct weft_ofi_frame_secret *secret,
                   unsigned char mac[WEFT_SHA256_SIZE])
{
    struct weft_sha256_mac hmac;
    weft_sha256_mac_begin(&hmac, secret->key, WEFT_WORLD_KEY_SIZE);
    weft_sha256_mac_add(&hmac, frame,
                        weft_ofi_frame_size((enum weft_ofi_frame_kind)frame->head.kind) -
                            WEFT_SHA256_SIZE);
    if (secret->nonce)
        weft_sha256_mac_add(&hmac, secret->nonce, WEFT_OFI_FRAME_NONCE);
    weft_sha256_mac_end(&hmac, mac);
}

static unsigned char *mac_place(struct weft_ofi_frame *frame)
{
    return frame->head.kind == WEFT_OFI_FRAME_HELLO ? frame->hello.mac : frame->welcome.mac;
}

void weft_ofi_frame_sign(struct weft_ofi_frame *frame, const struct weft_ofi_frame_secret *secret)
{
    unsigned char mac[WEFT_SHA256_SIZE];
    mac_of(frame, secret, mac);
    memcpy(mac_place(frame), mac, sizeof mac);
}

bool weft_ofi_frame_is_signed(const struct weft_ofi_frame *frame,
                              const struct weft_ofi_frame_secret *secret)
{
    unsigned char mac[WEFT_SHA256_SIZE];
    mac_of(frame, secret, mac);
    return weft_sha256_equal(mac, mac_place((struct weft_ofi_frame *)frame), sizeof mac);
}
