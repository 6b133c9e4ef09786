/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A session: two processes that have proved to each other that they belong to the job, and what
 * is under way between them. Frames are numbered in each direction, so that a provider that loses
 * or repeats one is found out. DATA frames need credits, which their receiver gives: `granted` is
 * what the other side has left. All that a receiver has granted is bounded, because what providers
 * can keep for it is, too.
 */
#ifndef WEFT_WORLD_OFI_SESSION_H
#define WEFT_WORLD_OFI_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "world/ofi/endpoint.h"
#include "world/ofi/frame.h"

struct weft_ofi;
struct weft_ofi_peer;
struct weft_nic_peer;

enum weft_ofi_session_state {
    WEFT_OFI_SESSION_SEEKING,  /* the card of the process is not there yet */
    WEFT_OFI_SESSION_GREETING, /* our HELLO is out */
    WEFT_OFI_SESSION_WELCOMED, /* our WELCOME is out; nobody has used its token yet */
    WEFT_OFI_SESSION_OPEN,
    WEFT_OFI_SESSION_CLOSING, /* our BYE is out or about to be; theirs has yet to come */
    WEFT_OFI_SESSION_PARTING  /* theirs has come, ours goes next */
};

struct weft_ofi_session {
    enum weft_ofi_session_state state;
    struct weft_ofi_peer *peer;
    struct weft_nic_peer *nic_peer; /* once it is open */
    uint64_t serial;                /* different for every session of this process */
    uint64_t instance;              /* of the other process */
    fi_addr_t to;
    unsigned char nonce[WEFT_OFI_FRAME_NONCE]; /* of the HELLO */
    uint64_t token_in;                         /* in the frames to us */
    uint64_t token_out;
    uint32_t sent;      /* frames; the number of the next */
    uint32_t expected;  /* number of the next frame to us */
    uint32_t credits;   /* DATA frames that we may send */
    uint32_t granted;   /* DATA frames that the other side may send */
    uint32_t wants;     /* a bit for each kind of frame that has to go */
    uint32_t bye_in;    /* flags of the BYE that came */
    uint32_t bye_out;   /* of the one that goes */
    bool heard;         /* something came since the last look */
    bool hungry;        /* the NIC wanted to send and could not */
    const char *broken; /* why it is to be given up; or NULL */
    uint64_t tried;     /* when libfabric last did not take all, in looks */
    uint64_t used;      /* when the NIC last sent or received, in looks */
    /* Times of weft_ofi.time. */
    uint64_t deadline; /* until it is open */
    uint64_t retry_at; /* of seeking or greeting; or when to PROBE next */
    uint64_t heard_at;
    uint64_t steady_at;       /* since when it was heard again and again */
    uint64_t stalled_at;      /* since when libfabric has not taken anything; 0: it does */
    struct weft_list link;    /* of all sessions */
    struct weft_list stalled; /* of those with something to send */
    struct weft_list due;     /* of those that owe credits */
    struct weft_list queue;   /* DATA that libfabric did not take, in order */
    struct weft_list keeping; /* of those with packets that wait for the NIC, */
    struct weft_list kept;    /* which are these, in order */
    uint32_t kept_count;
};

/* NULL without memory. */
struct weft_ofi_session *weft_ofi_session_new(struct weft_ofi *ofi, struct weft_ofi_peer *peer,
                                              enum weft_ofi_session_state state);

/* Forgets it, whatever its state; the peer does not have it any more. */
void weft_ofi_session_free(struct weft_ofi *ofi, struct weft_ofi_session *session);

static inline bool weft_ofi_session_is_up(const struct weft_ofi_session *session)
{
    return session->state >= WEFT_OFI_SESSION_OPEN;
}

/* From SEEKING: the process is there, and gets a HELLO. And back, if its own is to be preferred.
 */
void weft_ofi_session_greet(struct weft_ofi *ofi, struct weft_ofi_session *session);
void weft_ofi_session_ungreet(struct weft_ofi *ofi, struct weft_ofi_session *session);

/* The handshake is done; `credits` is what the other side has granted. */
void weft_ofi_session_open(struct weft_ofi *ofi, struct weft_ofi_session *session,
                           uint32_t credits);

/* Says BYE. */
void weft_ofi_session_close(struct weft_ofi *ofi, struct weft_ofi_session *session,
                            uint32_t flags);

/* Both have said BYE: parks the peer, or retires it if it has left. */
void weft_ofi_session_finish(struct weft_ofi *ofi, struct weft_ofi_session *session);

/* A frame with the right token has come. */
void weft_ofi_session_receive(struct weft_ofi *ofi, struct weft_ofi_session *session,
                              const struct weft_ofi_frame *frame, const void *bytes, size_t size);

/* The NIC gets a packet of it, and its credit is free again. */
void weft_ofi_session_give(struct weft_ofi *ofi, struct weft_ofi_session *session,
                           const void *packet, size_t size);

/* ---- Credits ------------------------------------------------------------------------------- */

/* How many more can be granted now. */
uint32_t weft_ofi_session_owes(const struct weft_ofi *ofi, const struct weft_ofi_session *session);
/* The others have so much of the budget that it gets less than half of its share. */
bool weft_ofi_session_is_starved(const struct weft_ofi *ofi,
                                 const struct weft_ofi_session *session);

void weft_ofi_session_grant(struct weft_ofi *ofi, struct weft_ofi_session *session,
                            uint32_t count);

/* Sends the credits that no other frame has taken along. */
void weft_ofi_session_pay_all(struct weft_ofi *ofi);

#endif
