/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What travels: a 32-byte head, a second part that depends on the kind, then the payload. All
 * numbers are little-endian there, and of the host's order in the structures here. A packet is
 * decoded into a copy of its headers before anything is believed: the sender may share the memory
 * and change it while we look.
 */
#ifndef WEFT_PACKET_PACKET_H
#define WEFT_PACKET_PACKET_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEFT_PACKET_VERSION 1

/* X(name, second part): requests open a message, DATA and REPLY_DATA continue one. LOST stands for
 * answers that there was no memory for: that of its operation and of all older ones that have not
 * come; of operation 0, of all. */
#define WEFT_PACKET_KIND_MAP(X)                                                                   \
    X(PUT, REQUEST)                                                                               \
    X(GET, REQUEST)                                                                               \
    X(ATOMIC, REQUEST)                                                                            \
    X(FETCH_ATOMIC, REQUEST)                                                                      \
    X(SWAP, REQUEST)                                                                              \
    X(DATA, PLACE)                                                                                \
    X(ACK, RESULT)                                                                                \
    X(REPLY, RESULT)                                                                              \
    X(REPLY_DATA, PLACE)                                                                          \
    X(LINK, RECEIPT)                                                                              \
    X(LOST, NOTHING)

enum weft_packet_kind {
    WEFT_PACKET_NONE,
#define WEFT_PACKET_KIND_ENUM(name, part) WEFT_PACKET_##name,
    WEFT_PACKET_KIND_MAP(WEFT_PACKET_KIND_ENUM)
#undef WEFT_PACKET_KIND_ENUM
        WEFT_PACKET_KINDS
};

/* The interface of the process, one of four, is in the low bits of the flags. */
#define WEFT_PACKET_NI_MASK 3u
#define WEFT_PACKET_QUIET 4u     /* of an ACK: release the operation, but report nothing */
#define WEFT_PACKET_PROBE 8u     /* of a LINK: answer, so that I know that you are there */
#define WEFT_PACKET_OVERFLOW 16u /* of an ACK: the message matched in the overflow list */
#define WEFT_PACKET_FLAGS 31u

struct weft_packet_head {
    uint8_t version;
    uint8_t kind;
    uint8_t flags;
    uint8_t fail;    /* ptl_ni_fail_t of ACK and REPLY; zero in all others */
    uint32_t length; /* bytes of payload in this packet */
    uint32_t source_nid;
    uint32_t source_pid;
    uint32_t sequence;     /* counts the packets of this sender to this receiver; 0 in LINK */
    uint32_t acknowledged; /* the next sequence number that is expected the other way */
    uint32_t operation;    /* the initiator's record of the operation; 0: it keeps none */
    uint32_t opener;       /* of payload: sequence number of the packet that it continues */
};

struct weft_packet_request {
    uint32_t pt_index;
    uint32_t uid;
    uint32_t rank; /* of the initiator, on a logical interface */
    uint8_t ack;   /* ptl_ack_req_t */
    uint8_t atomic_operation;
    uint8_t atomic_type;
    uint8_t operand; /* bytes of the payload that are a swap's operand; they come first */
    uint64_t match_bits;
    uint64_t hdr_data;
    uint64_t remote_offset;
    uint64_t length; /* of the whole message, without the operand */
};

struct weft_packet_place {
    uint64_t offset; /* of this payload in the message */
};

struct weft_packet_result {
    uint64_t length; /* bytes moved at the target */
    uint64_t offset; /* where in its entry */
};

/* Of the packets the other way, which have come ahead of those that have not. */
struct weft_packet_receipt {
    uint64_t arrived; /* bit i: the acknowledged number + i */
};

static_assert(sizeof(struct weft_packet_head) == 32, "layout");
static_assert(sizeof(struct weft_packet_request) == 48, "layout");
static_assert(sizeof(struct weft_packet_place) == 8, "layout");
static_assert(sizeof(struct weft_packet_result) == 16, "layout");
static_assert(sizeof(struct weft_packet_receipt) == 8, "layout");

/* Messages are cut at multiples of a cache line: a block of a layout that is one in the program's
 * memory is one in the packet, too. What handlers are promised is less, for a user header may come
 * off the front: they find every element of the types of Portals whole, up to complex numbers of
 * two doubles. In the packet, payloads begin at multiples of 8. */
#define WEFT_PACKET_CUT 64u
#define WEFT_PACKET_FRAGMENT 16u
#define WEFT_PACKET_ALIGNMENT 8u

/* The longest headers, and the most that a swap's operand takes. */
#define WEFT_PACKET_HEADERS (sizeof(struct weft_packet_head) + sizeof(struct weft_packet_request))
#define WEFT_PACKET_OPERAND 32u
/* The headers of a packet that continues what another has opened. */
#define WEFT_PACKET_LANDING (sizeof(struct weft_packet_head) + sizeof(struct weft_packet_place))
/* No packet is smaller than what an atomic operation needs in one piece. */
#define WEFT_PACKET_ATOMIC_MAX 512u
#define WEFT_PACKET_SMALLEST (WEFT_PACKET_HEADERS + WEFT_PACKET_OPERAND + WEFT_PACKET_ATOMIC_MAX)

/* A decoded packet. */
struct weft_packet {
    struct weft_packet_head head;
    union {
        struct weft_packet_request request;
        struct weft_packet_place place;
        struct weft_packet_result result;
        struct weft_packet_receipt receipt;
    };
    const unsigned char *payload; /* head.length bytes, in the memory of the packet */
};

/* Whether a packet of a kind continues what another has opened. */
static inline bool weft_packet_is_payload(unsigned kind)
{
    return kind == WEFT_PACKET_DATA || kind == WEFT_PACKET_REPLY_DATA;
}

/* Bytes of both headers of a kind, without the payload. */
size_t weft_packet_headers(enum weft_packet_kind kind);

/* The payload that a packet of a kind holds at most, if the whole has this size. */
static inline uint32_t weft_packet_room(uint32_t packet_size, enum weft_packet_kind kind)
{
    uint32_t room = packet_size - (uint32_t)weft_packet_headers(kind);
    return room / WEFT_PACKET_CUT * WEFT_PACKET_CUT;
}

/* Why a packet was refused. X(name, text) */
#define WEFT_PACKET_FAULT_MAP(X)                                                                  \
    X(NONE, "fine")                                                                               \
    X(SHORT, "cut off")                                                                           \
    X(VERSION, "of another version")                                                              \
    X(KIND, "of an unknown kind")                                                                 \
    X(LENGTH, "its length is not that of its payload")                                            \
    X(FIELD, "a field is out of range")                                                           \
    X(MEMORY, "there is no memory to take it")

enum weft_packet_fault {
#define WEFT_PACKET_FAULT_ENUM(name, text) WEFT_PACKET_FAULT_##name,
    WEFT_PACKET_FAULT_MAP(WEFT_PACKET_FAULT_ENUM)
#undef WEFT_PACKET_FAULT_ENUM
        WEFT_PACKET_FAULT_COUNT
};

/* Copies and checks the headers of `size` bytes; `packet` is whole only if the result is
 * WEFT_PACKET_FAULT_NONE. */
enum weft_packet_fault weft_packet_decode(const void *bytes, size_t size,
                                          struct weft_packet *packet);

/* Writes the headers; the payload goes to where the result points. */
unsigned char *weft_packet_encode(void *bytes, const struct weft_packet *packet);

#endif
