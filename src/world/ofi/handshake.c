/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/ofi/handshake.h"

#include <string.h>

#include "base/log.h"
#include "world/ofi/peer.h"
#include "world/ofi/send.h"
#include "world/secret.h"

/* ---- HELLO --------------------------------------------------------------------------------- */

bool weft_ofi_handshake_hello(struct weft_ofi *ofi, struct weft_ofi_session *session,
                              struct weft_ofi_frame *frame)
{
    struct weft_nic_address target = session->peer->known.route.address;
    frame->head.token = WEFT_OFI_FRAME_MAGIC;
    frame->head.sequence = 0;
    frame->head.credits = 0;
    memcpy(frame->hello.nonce, session->nonce, sizeof session->nonce);
    frame->hello.token = session->token_in;
    frame->hello.target_instance = session->instance;
    frame->hello.target_nid = target.nid;
    frame->hello.target_pid = target.pid;
    frame->hello.packet_size = ofi->world.packet_size;
    frame->hello.window = (uint16_t)session->granted;
    frame->hello.card_size = (uint16_t)ofi->card.size;
    memcpy(frame->hello.card, ofi->card.bytes, ofi->card.size);
    weft_ofi_frame_sign(frame, &(struct weft_ofi_frame_secret){.key = ofi->key});
    return true;
}

static bool is_for_us(const struct weft_ofi *ofi, const struct weft_ofi_frame_hello *hello)
{
    return hello->target_instance == ofi->instance &&
           weft_nic_address_is(ofi->world.self,
                               (struct weft_nic_address){hello->target_nid, hello->target_pid});
}

static enum weft_world_reason objection(const struct weft_ofi *ofi,
                                        const struct weft_ofi_peer *peer,
                                        const struct weft_ofi_frame *frame, uint64_t instance)
{
    if (frame->head.version != WEFT_OFI_FRAME_VERSION)
        return WEFT_WORLD_REASON_VERSION;
    if (!is_for_us(ofi, &frame->hello))
        return WEFT_WORLD_REASON_MISTAKEN;
    if (frame->hello.packet_size != ofi->world.packet_size)
        return WEFT_WORLD_REASON_PACKET_SIZE;
    return instance == peer->known.retired_instance ? WEFT_WORLD_REASON_GONE
                                                    : WEFT_WORLD_REASON_NONE;
}

/* Our WELCOME is on the way, or was lost. */
static bool is_repeated(const struct weft_ofi_peer *peer, const struct weft_ofi_frame_hello *hello)
{
    return peer->pending && memcmp(peer->pending->nonce, hello->nonce, sizeof hello->nonce) == 0;
}

/* There is a session with this very process already, or there will be one without this HELLO. */
static bool is_needless(const struct weft_ofi *ofi, const struct weft_ofi_peer *peer,
                        uint64_t instance)
{
    const struct weft_ofi_session *session = peer->session;
    if (!session || session->instance != instance)
        return false;
    return weft_ofi_session_is_up(session) ||
           (session->state == WEFT_OFI_SESSION_GREETING &&
            weft_world_leads(ofi->world.self, peer->known.route.address));
}

static void welcome(struct weft_ofi *ofi, struct weft_ofi_peer *peer,
                    const struct weft_ofi_frame_hello *hello, uint64_t instance, fi_addr_t to)
{
    if (peer->pending)
        weft_ofi_session_free(ofi, peer->pending);
    struct weft_ofi_session *pending = weft_ofi_session_new(ofi, peer, WEFT_OFI_SESSION_WELCOMED);
    if (!pending)
        return;
    peer->pending = pending;
    pending->instance = instance;
    pending->to = to;
    pending->token_out = hello->token;
    pending->credits = hello->window;
    memcpy(pending->nonce, hello->nonce, sizeof hello->nonce);
    if (!weft_world_random(&pending->token_in, sizeof pending->token_in)) {
        weft_ofi_session_free(ofi, pending);
        return;
    }
    if (peer->session && peer->session->state == WEFT_OFI_SESSION_GREETING)
        weft_ofi_session_ungreet(ofi, peer->session);
    weft_ofi_send_want(ofi, pending, WEFT_OFI_FRAME_WELCOME);
}

void weft_ofi_handshake_take_hello(struct weft_ofi *ofi, const struct weft_ofi_frame *frame)
{
    const struct weft_ofi_frame_hello *hello = &frame->hello;
    if (!weft_ofi_frame_is_signed(frame, &(struct weft_ofi_frame_secret){.key = ofi->key})) {
        ofi->counts.forgeries++;
        return;
    }
    struct weft_world_card card = {.size = hello->card_size};
    memcpy(card.bytes, hello->card, card.size);
    uint64_t instance = weft_world_card_instance(&card);
    struct weft_nic_address source = weft_ofi_frame_source(&frame->head);
    /* When the world is being closed, nobody is let in any more. */
    if (!ofi->nic || weft_nic_address_is(source, ofi->world.self))
        return;
    struct weft_ofi_peer *peer = weft_ofi_peer(ofi, source);
    if (!peer || is_needless(ofi, peer, instance))
        return;
    if (is_repeated(peer, hello)) {
        weft_ofi_send_want(ofi, peer->pending, WEFT_OFI_FRAME_WELCOME);
        return;
    }
    fi_addr_t to = weft_ofi_peer_place(ofi, peer, &card);
    enum weft_world_reason reason = objection(ofi, peer, frame, instance);
    if (to == FI_ADDR_NOTAVAIL)
        return;
    if (reason == WEFT_WORLD_REASON_NONE) {
        welcome(ofi, peer, hello, instance, to);
        return;
    }
    weft_log(WEFT_LOG_INFO, "refused process %u:%u, and told it: %s", source.nid, source.pid,
             weft_world_reason(reason));
    weft_ofi_send_refuse(ofi, peer, to, hello->token, reason);
}

/* ---- WELCOME ------------------------------------------------------------------------------- */

bool weft_ofi_handshake_welcome(struct weft_ofi *ofi, struct weft_ofi_session *session,
                                struct weft_ofi_frame *frame)
{
    frame->head.sequence = 0;
    frame->head.credits = 0;
    frame->welcome.token = session->token_in;
    frame->welcome.window = (uint16_t)session->granted;
    if (!weft_world_random(frame->welcome.nonce, sizeof frame->welcome.nonce))
        return false;
    weft_ofi_frame_sign(frame,
                        &(struct weft_ofi_frame_secret){.key = ofi->key, .nonce = session->nonce});
    return true;
}

static void be_welcome(struct weft_ofi *ofi, struct weft_ofi_session *session,
                       const struct weft_ofi_frame *frame)
{
    struct weft_ofi_frame_secret secret = {.key = ofi->key, .nonce = session->nonce};
    if (!ofi->nic || !weft_ofi_frame_is_signed(frame, &secret)) {
        ofi->counts.forgeries++;
        return;
    }
    session->token_out = frame->welcome.token;
    weft_ofi_session_open(ofi, session, frame->welcome.window);
    weft_ofi_send_want(ofi, session, WEFT_OFI_FRAME_ALIVE);
}

void weft_ofi_handshake_take_welcome(struct weft_ofi *ofi, const struct weft_ofi_frame *frame)
{
    struct weft_ofi_peer *peer = weft_ofi_peer_find(ofi, weft_ofi_frame_source(&frame->head));
    struct weft_ofi_session *session = peer ? peer->session : NULL;
    uint64_t token = frame->head.token;
    if (session && token && token == session->token_in) {
        /* Else it is the answer to a repeated HELLO. */
        if (session->state == WEFT_OFI_SESSION_GREETING)
            be_welcome(ofi, session, frame);
    } else if (peer && peer->retired_in && token == peer->retired_in) {
        weft_ofi_send_refuse(ofi, peer, peer->retired_to, frame->welcome.token,
                             WEFT_WORLD_REASON_GONE);
    } else {
        ofi->counts.strangers++;
    }
}

void weft_ofi_handshake_confirm(struct weft_ofi *ofi, struct weft_ofi_peer *peer)
{
    struct weft_ofi_session *pending = peer->pending;
    /* Another process had the address: it is dead, and what was under way with it has failed. */
    if (peer->session && weft_ofi_session_is_up(peer->session))
        weft_ofi_peer_retire(ofi, peer->session);
    if (peer->session)
        weft_ofi_session_free(ofi, peer->session);
    peer->pending = NULL;
    peer->session = pending;
    peer->instance = pending->instance;
    peer->to = pending->to;
    weft_ofi_session_open(ofi, pending, 0);
}

/* ---- REFUSE -------------------------------------------------------------------------------- */

void weft_ofi_handshake_take_refuse(struct weft_ofi *ofi, const struct weft_ofi_frame *frame)
{
    struct weft_ofi_peer *peer = weft_ofi_peer_find(ofi, weft_ofi_frame_source(&frame->head));
    uint64_t token = frame->head.token;
    if (peer && token && peer->pending && token == peer->pending->token_in) {
        weft_ofi_session_free(ofi, peer->pending);
    } else if (peer && token && peer->session && token == peer->session->token_in) {
        peer->session->broken = weft_world_reason(frame->refuse.reason);
    } else {
        ofi->counts.strangers++;
    }
}
