/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What travels on a line:
 *
 *     the one that called                      the one that was called
 *     HELLO: who, for whom, nonce, MAC  ---->
 *                                       <----  WELCOME (nonce) or REFUSE (reason), MAC
 *     CONFIRM, sealed                   ---->
 *                                       <----  READY, sealed
 *     ALIVE, sealed                     ---->
 *     DATA, ALIVE, BYE, sealed          <--->  DATA, ALIVE, BYE, sealed
 *
 * The MACs are made with the key of the job; that of the answer is also over the HELLO. The keys
 * of the seals follow from the key of the job and both messages, so from both nonces: who replays
 * what was recorded has the wrong keys and never gets further than WELCOME. Who has called sends
 * DATA only after READY: until then the other may hang up, because the two have called each other.
 * Who was called sends DATA only after the first frame behind CONFIRM: until then READY may be
 * lost. So neither has sent anything that matters on a line that the other takes for lost.
 * Before CONFIRM nothing is read but messages of a fixed size, and nothing is kept but them.
 * All numbers are little-endian.
 */
#ifndef WEFT_WORLD_TCP_WIRE_H
#define WEFT_WORLD_TCP_WIRE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sha256.h"
#include "nic/world_ops.h"
#include "world/tcp/seal.h"

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "what travels is little-endian");

#define WEFT_TCP_WIRE_VERSION 2u
#define WEFT_TCP_WIRE_MAGIC UINT64_C(0x3170637474666577)
#define WEFT_TCP_WIRE_NONCE 32u

/* ---- The handshake ------------------------------------------------------------------------- */

enum weft_tcp_wire_message {
    WEFT_TCP_WIRE_HELLO = 1,
    WEFT_TCP_WIRE_WELCOME,
    WEFT_TCP_WIRE_REFUSE
};

struct weft_tcp_hello {
    uint64_t magic;
    uint8_t version;
    uint8_t message;
    uint8_t is_plain; /* both must want the same */
    uint8_t reserved;
    uint32_t packet_size; /* of the largest; both must have the same */
    uint64_t source_instance;
    uint64_t target_instance; /* whom it is meant for: not a later process at the same place */
    uint32_t source_nid;
    uint32_t source_pid;
    uint32_t target_nid;
    uint32_t target_pid;
    unsigned char nonce[WEFT_TCP_WIRE_NONCE];
    unsigned char mac[WEFT_SHA256_SIZE]; /* over all that is before it */
};

struct weft_tcp_answer {
    uint64_t magic;
    uint8_t version;
    uint8_t message;
    uint16_t reason; /* of REFUSE */
    uint32_t reserved;
    unsigned char nonce[WEFT_TCP_WIRE_NONCE];
    unsigned char mac[WEFT_SHA256_SIZE]; /* over the HELLO and all that is before it */
};

static_assert(sizeof(struct weft_tcp_hello) == 112, "layout");
static_assert(sizeof(struct weft_tcp_answer) == 80, "layout");

void weft_tcp_wire_sign_hello(struct weft_tcp_hello *hello, const unsigned char *key);
bool weft_tcp_wire_is_hello(const struct weft_tcp_hello *hello, const unsigned char *key);

void weft_tcp_wire_sign_answer(struct weft_tcp_answer *answer, const struct weft_tcp_hello *hello,
                               const unsigned char *key);
bool weft_tcp_wire_is_answer(const struct weft_tcp_answer *answer,
                             const struct weft_tcp_hello *hello, const unsigned char *key);

struct weft_nic_address weft_tcp_wire_source(const struct weft_tcp_hello *hello);
struct weft_nic_address weft_tcp_wire_target(const struct weft_tcp_hello *hello);

/* What the two seals of a line are made of. */
struct weft_tcp_wire_secrets {
    unsigned char of_caller[WEFT_TCP_SEAL_SECRET]; /* for what the one that called sends */
    unsigned char of_called[WEFT_TCP_SEAL_SECRET];
};

void weft_tcp_wire_secrets(struct weft_tcp_wire_secrets *secrets, const unsigned char *key,
                           const struct weft_tcp_hello *hello,
                           const struct weft_tcp_answer *answer);

/* ---- Frames -------------------------------------------------------------------------------- */

/* BYE is the last, and so sent last. */
enum weft_tcp_frame_kind {
    WEFT_TCP_FRAME_CONFIRM = 1,
    WEFT_TCP_FRAME_READY,
    WEFT_TCP_FRAME_DATA,
    WEFT_TCP_FRAME_ALIVE,
    WEFT_TCP_FRAME_BYE,
    WEFT_TCP_FRAME_KINDS
};

/* Flags of a BYE: for ever, otherwise the line was only idle; the sender has more to say, so that
 * the next line is due now. */
#define WEFT_TCP_BYE_LEAVE 1u
#define WEFT_TCP_BYE_RETURN 2u

struct weft_tcp_head {
    uint32_t size; /* of what follows, the packet of DATA; 0 for all others */
    uint8_t kind;
    uint8_t flags;
    uint16_t reserved;
    unsigned char tag[WEFT_TCP_SEAL_TAG]; /* over all that is before it and what follows */
};

#define WEFT_TCP_FRAME_HEAD sizeof(struct weft_tcp_head)
static_assert(WEFT_TCP_FRAME_HEAD == 24, "layout");

/* Closes or opens a frame: the head, and what follows it. */
bool weft_tcp_frame_seal(struct weft_tcp_seal *seal, struct weft_tcp_head *head,
                         unsigned char *bytes);
/* Closes one whose last bytes are elsewhere (seal.h). */
bool weft_tcp_frame_seal_from(struct weft_tcp_seal *seal, struct weft_tcp_head *head,
                              unsigned char *bytes, const void *from, size_t from_size);
/* The first of the steps of seal.h. */
bool weft_tcp_frame_seal_head(struct weft_tcp_seal *seal, const struct weft_tcp_head *head);

#endif
