/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What travels on libfabric: a 24-byte head, then a packet of the NIC (DATA) or what the kind
 * needs. All numbers are little-endian.
 *
 *   A                                B
 *   HELLO   nonce a, token for A ->
 *                                 <- WELCOME  nonce b, token for B
 *   ALIVE   (with the token for B)->          now B knows that A is there now: the session is open
 *   DATA                         <->
 *   CREDIT                       <->          only if nothing else carries the credits
 *   PROBE                         ->
 *                                 <- ALIVE
 *   BYE                           ->
 *                                 <- BYE      the session is closed
 *
 * HELLO and WELCOME carry a MAC under the key of the job; WELCOME's is over both nonces. Every
 * later frame carries the token that its receiver has chosen for the session: who has not seen the
 * handshake cannot send one. REFUSE carries it, too. The head, HELLO and REFUSE keep their layout
 * in all versions, so that a process of another version can be told so.
 */
#ifndef WEFT_WORLD_OFI_FRAME_H
#define WEFT_WORLD_OFI_FRAME_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sha256.h"
#include "nic/world_ops.h"
#include "world/ofi/ofi.h"
#include "world/reason.h"

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "frames are little-endian");

#define WEFT_OFI_FRAME_VERSION 1
#define WEFT_OFI_FRAME_NONCE 16u

/* X(name, body) */
#define WEFT_OFI_FRAME_KIND_MAP(X)                                                                \
    X(HELLO, sizeof(struct weft_ofi_frame_hello))                                                 \
    X(WELCOME, sizeof(struct weft_ofi_frame_welcome))                                             \
    X(REFUSE, sizeof(struct weft_ofi_frame_refuse))                                               \
    X(DATA, 0)                                                                                    \
    X(CREDIT, 0)                                                                                  \
    X(PROBE, 0)                                                                                   \
    X(ALIVE, 0)                                                                                   \
    X(BYE, sizeof(struct weft_ofi_frame_bye))

enum weft_ofi_frame_kind {
    WEFT_OFI_FRAME_NONE,
#define WEFT_OFI_FRAME_KIND_ENUM(name, body) WEFT_OFI_FRAME_##name,
    WEFT_OFI_FRAME_KIND_MAP(WEFT_OFI_FRAME_KIND_ENUM)
#undef WEFT_OFI_FRAME_KIND_ENUM
        WEFT_OFI_FRAME_KINDS
};

/* In place of the token of a HELLO, whose receiver has given none yet. */
#define WEFT_OFI_FRAME_MAGIC UINT64_C(0x6f6c6c6568746677)

struct weft_ofi_frame_head {
    uint8_t version;
    uint8_t kind;
    uint16_t credits;  /* so many more DATA frames may come the other way */
    uint32_t sequence; /* counts the frames of one direction of a session; 0 in the handshake */
    uint64_t token;    /* of the receiver */
    uint32_t source_nid;
    uint32_t source_pid;
};

struct weft_ofi_frame_hello {
    unsigned char nonce[WEFT_OFI_FRAME_NONCE];
    uint64_t token;           /* for the frames to the sender of this one */
    uint64_t target_instance; /* whom it is meant for: not a later process at the same place */
    uint32_t target_nid;
    uint32_t target_pid;
    uint32_t packet_size; /* of the largest; both sides must have the same */
    uint16_t window;      /* DATA frames that may come the other way at first */
    uint16_t card_size;
    unsigned char card[WEFT_WORLD_CARD_MAX]; /* of the sender */
    unsigned char mac[WEFT_SHA256_SIZE];     /* over all that is before it, the head included */
};

struct weft_ofi_frame_welcome {
    unsigned char nonce[WEFT_OFI_FRAME_NONCE];
    uint64_t token;
    uint16_t window;
    uint16_t reserved[3];
    unsigned char mac[WEFT_SHA256_SIZE]; /* over all that is before it and the HELLO's nonce */
};

struct weft_ofi_frame_refuse {
    uint32_t reason;
    uint32_t reserved;
};

#define WEFT_OFI_FRAME_BYE_LEAVE 1u /* for ever; otherwise the connection was only idle */
#define WEFT_OFI_FRAME_BYE_RETURN                                                                 \
    2u /* the sender has more to say: the next session is due now                                 \
        */

struct weft_ofi_frame_bye {
    uint32_t flags;
    uint32_t reserved;
};

static_assert(sizeof(struct weft_ofi_frame_head) == 24, "layout");
static_assert(sizeof(struct weft_ofi_frame_hello) == 280, "layout");
static_assert(sizeof(struct weft_ofi_frame_welcome) == 64, "layout");
static_assert(sizeof(struct weft_ofi_frame_refuse) == 8, "layout");
static_assert(sizeof(struct weft_ofi_frame_bye) == 8, "layout");

#define WEFT_OFI_FRAME_HEAD sizeof(struct weft_ofi_frame_head)
/* No frame but DATA is larger. */
#define WEFT_OFI_FRAME_CONTROL_MAX (WEFT_OFI_FRAME_HEAD + sizeof(struct weft_ofi_frame_hello))

/* A frame that is not DATA, decoded or to be encoded. */
struct weft_ofi_frame {
    struct weft_ofi_frame_head head;
    union {
        struct weft_ofi_frame_hello hello;
        struct weft_ofi_frame_welcome welcome;
        struct weft_ofi_frame_refuse refuse;
        struct weft_ofi_frame_bye bye;
    };
};

static_assert(sizeof(struct weft_ofi_frame) == WEFT_OFI_FRAME_CONTROL_MAX, "no padding");

/* Bytes of a frame that is not DATA. */
size_t weft_ofi_frame_size(enum weft_ofi_frame_kind kind);

/* False if `size` bytes cannot be a frame that makes sense; of a DATA frame only the head is
 * copied. Says nothing of who has sent it. */
bool weft_ofi_frame_decode(struct weft_ofi_frame *frame, const void *bytes, size_t size);

struct weft_nic_address weft_ofi_frame_source(const struct weft_ofi_frame_head *head);

/* ---- MACs ---------------------------------------------------------------------------------- */

struct weft_ofi_frame_secret {
    const unsigned char *key;   /* WEFT_WORLD_KEY_SIZE bytes */
    const unsigned char *nonce; /* of the HELLO, for a WELCOME; or NULL */
};

/* Puts the MAC into a HELLO or WELCOME whose other fields are complete. */
void weft_ofi_frame_sign(struct weft_ofi_frame *frame, const struct weft_ofi_frame_secret *secret);
bool weft_ofi_frame_is_signed(const struct weft_ofi_frame *frame,
                              const struct weft_ofi_frame_secret *secret);

#endif
