/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/ofi/session.h"

#include <stdlib.h>

#include "base/log.h"
#include "world/ofi/handshake.h"
#include "world/ofi/keep.h"
#include "world/ofi/peer.h"
#include "world/ofi/send.h"
#include "world/rails.h"
#include "world/secret.h"

/* DATA frames that all others together may have under way to us, besides one for each that would
 * otherwise have none. The receive pool of the shm provider has 1024 places and does not recover
 * when it overflows. */
#define BUDGET 448u

/* No process ever has a reason to grant more to another. */
#define CREDITS_MAX 65535u

/* ---- Credits ------------------------------------------------------------------------------- */

static void divide_budget(struct weft_ofi *ofi)
{
    uint32_t share = ofi->session_count ? BUDGET / ofi->session_count : BUDGET;
    if (share > ofi->window)
        share = ofi->window;
    ofi->share = share ? share : 1;
}

bool weft_ofi_session_is_starved(const struct weft_ofi *ofi,
                                 const struct weft_ofi_session *session)
{
    /* It has sent more than what opens a session. */
    return session->state == WEFT_OFI_SESSION_OPEN && session->expected > 1 &&
           session->granted < ofi->share / 2 &&
           weft_ofi_session_owes(ofi, session) < ofi->share / 2;
}

uint32_t weft_ofi_session_owes(const struct weft_ofi *ofi, const struct weft_ofi_session *session)
{
    uint32_t room = ofi->granted < BUDGET ? BUDGET - ofi->granted : 0;
    if (session->granted >= ofi->share)
        return 0;
    uint32_t count = ofi->share - session->granted;
    if (count > room)
        count = room;
    /* Nobody may starve, however many there are. */
    return count || session->granted ? count : 1;
}

void weft_ofi_session_grant(struct weft_ofi *ofi, struct weft_ofi_session *session, uint32_t count)
{
    session->granted += count;
    ofi->granted += count;
}

static bool owes_much(const struct weft_ofi *ofi, const struct weft_ofi_session *session)
{
    uint32_t owed = weft_ofi_session_owes(ofi, session);
    return owed && 2 * owed >= ofi->share;
}

void weft_ofi_session_pay_all(struct weft_ofi *ofi)
{
    while (!weft_list_is_empty(&ofi->due)) {
        struct weft_ofi_session *session =
            weft_list_object(ofi->due.next, struct weft_ofi_session, due);
        weft_list_remove(&session->due);
        if (owes_much(ofi, session) && session->state == WEFT_OFI_SESSION_OPEN)
            weft_ofi_send_want(ofi, session, WEFT_OFI_FRAME_CREDIT);
    }
}

/* ---- Life ---------------------------------------------------------------------------------- */

static void grant_first(struct weft_ofi *ofi, struct weft_ofi_session *session)
{
    weft_ofi_session_grant(ofi, session, weft_ofi_session_owes(ofi, session));
}

static void take_grants_back(struct weft_ofi *ofi, struct weft_ofi_session *session)
{
    ofi->granted -= session->granted;
    session->granted = 0;
}

struct weft_ofi_session *weft_ofi_session_new(struct weft_ofi *ofi, struct weft_ofi_peer *peer,
                                              enum weft_ofi_session_state state)
{
    struct weft_ofi_session *session = calloc(1, sizeof *session);
    if (!session)
        return NULL;
    session->state = state;
    session->peer = peer;
    session->serial = ++ofi->serial;
    session->to = FI_ADDR_NOTAVAIL;
    session->deadline = ofi->time.now + ofi->world.timeout;
    session->used = ofi->looks;
    weft_list_init(&session->stalled);
    weft_list_init(&session->due);
    weft_list_init(&session->queue);
    weft_list_init(&session->keeping);
    weft_list_init(&session->kept);
    weft_list_append(&ofi->sessions, &session->link);
    ofi->session_count++;
    divide_budget(ofi);
    if (state != WEFT_OFI_SESSION_SEEKING)
        grant_first(ofi, session);
    return session;
}

static void drop_queue(struct weft_ofi_session *session)
{
    while (!weft_list_is_empty(&session->queue)) {
        struct weft_ofi_tx *tx = weft_list_object(session->queue.next, struct weft_ofi_tx, link);
        weft_list_remove(&tx->link);
        weft_ofi_tx_give(tx);
    }
}

void weft_ofi_session_free(struct weft_ofi *ofi, struct weft_ofi_session *session)
{
    struct weft_ofi_peer *peer = session->peer;
    ofi->open_count -= weft_ofi_session_is_up(session);
    ofi->session_count--;
    take_grants_back(ofi, session);
    divide_budget(ofi);
    drop_queue(session);
    weft_ofi_keep_drop(session);
    weft_list_remove(&session->link);
    weft_list_remove(&session->stalled);
    weft_list_remove(&session->due);
    if (peer->session == session)
        peer->session = NULL;
    if (peer->pending == session)
        peer->pending = NULL;
    free(session);
}

void weft_ofi_session_greet(struct weft_ofi *ofi, struct weft_ofi_session *session)
{
    if (!weft_world_random(session->nonce, sizeof session->nonce) ||
        !weft_world_random(&session->token_in, sizeof session->token_in)) {
        session->broken = "there are no random numbers for a handshake";
        return;
    }
    session->state = WEFT_OFI_SESSION_GREETING;
    session->retry_at = ofi->time.now + ofi->world.timeout / 8;
    grant_first(ofi, session);
    weft_ofi_send_want(ofi, session, WEFT_OFI_FRAME_HELLO);
}

void weft_ofi_session_ungreet(struct weft_ofi *ofi, struct weft_ofi_session *session)
{
    session->state = WEFT_OFI_SESSION_SEEKING;
    session->token_in = 0;
    session->wants = 0;
    take_grants_back(ofi, session);
}

void weft_ofi_session_open(struct weft_ofi *ofi, struct weft_ofi_session *session,
                           uint32_t credits)
{
    struct weft_nic_route *route = &session->peer->known.route;
    bool is_known = !ofi->rail ||
                    weft_world_rail_opened(ofi->rail, ofi->nic, route->address, session->instance);
    /* Nobody asks for the way again while other rails lead there. */
    if (ofi->rail && is_known)
        route->failed = false;
    session->nic_peer = weft_nic_peer(ofi->nic, route->address);
    if (!session->nic_peer || !is_known)
        session->broken = "there is not enough memory";
    session->state = WEFT_OFI_SESSION_OPEN;
    session->credits += credits;
    session->heard_at = session->steady_at = ofi->time.now;
    session->retry_at = ofi->time.now + ofi->probe_pause;
    session->used = ofi->looks;
    session->wants = 0;
    ofi->open_count++;
    ofi->counts.opened++;
}

void weft_ofi_session_close(struct weft_ofi *ofi, struct weft_ofi_session *session, uint32_t flags)
{
    session->state = WEFT_OFI_SESSION_CLOSING;
    session->bye_out = flags;
    weft_ofi_send_want(ofi, session, WEFT_OFI_FRAME_BYE);
}

void weft_ofi_session_finish(struct weft_ofi *ofi, struct weft_ofi_session *session)
{
    struct weft_ofi_peer *peer = session->peer;
    bool comes_back = session->bye_in & WEFT_OFI_FRAME_BYE_RETURN;
    if (session->bye_in & WEFT_OFI_FRAME_BYE_LEAVE) {
        weft_log(WEFT_LOG_INFO, "process %u:%u has left", peer->known.route.address.nid,
                 peer->known.route.address.pid);
        weft_ofi_peer_retire(ofi, session);
        return;
    }
    weft_ofi_session_free(ofi, session);
    if (!ofi->nic)
        return;
    ofi->counts.parked++;
    /* It has something for us, and if it dies before it says that, somebody must notice. */
    if (comes_back && !weft_ofi_peer_begin(ofi, peer))
        weft_log(WEFT_LOG_ERROR, "there is not enough memory");
}

/* ---- Frames -------------------------------------------------------------------------------- */

void weft_ofi_session_give(struct weft_ofi *ofi, struct weft_ofi_session *session,
                           const void *packet, size_t size)
{
    session->granted--;
    ofi->granted--;
    session->used = ofi->looks;
    /* Paid at the next poll: what the NIC sends before that may carry the credits. */
    if (owes_much(ofi, session) && weft_list_is_empty(&session->due))
        weft_list_append(&ofi->due, &session->due);
    if (ofi->nic)
        weft_nic_receive(ofi->nic, session->nic_peer, packet, size);
}

static void take_data(struct weft_ofi *ofi, struct weft_ofi_session *session,
                      const unsigned char *packet, size_t size)
{
    if (session->granted == session->kept_count || size > ofi->world.packet_size)
        session->broken = "it sends more than it may";
    else if (!ofi->nic || !weft_ofi_keep(ofi, session, packet, size))
        weft_ofi_session_give(ofi, session, packet, size);
}

static void take_bye(struct weft_ofi *ofi, struct weft_ofi_session *session, uint32_t flags)
{
    weft_ofi_keep_end(ofi, session);
    session->bye_in = flags;
    if (session->state == WEFT_OFI_SESSION_CLOSING &&
        !(session->wants & 1u << WEFT_OFI_FRAME_BYE)) {
        weft_ofi_session_finish(ofi, session);
        return;
    }
    session->state = WEFT_OFI_SESSION_PARTING;
    /* Not at once: the NIC may have to answer something that came just before. It cannot any
     * more, but then we know that it wants to. */
    weft_ofi_send_want_later(ofi, session, WEFT_OFI_FRAME_BYE);
}

static bool take_head(struct weft_ofi_session *session, const struct weft_ofi_frame_head *head)
{
    if (head->sequence != session->expected) {
        session->broken = "the fabric lost or repeated something on the way";
        return false;
    }
    session->expected++;
    session->heard = true;
    session->credits += head->credits;
    if (session->credits > CREDITS_MAX)
        session->broken = "it grants more than it can take";
    return !session->broken;
}

void weft_ofi_session_receive(struct weft_ofi *ofi, struct weft_ofi_session *session,
                              const struct weft_ofi_frame *frame, const void *bytes, size_t size)
{
    if (session->broken || !take_head(session, &frame->head))
        return;
    switch ((enum weft_ofi_frame_kind)frame->head.kind) {
    case WEFT_OFI_FRAME_DATA:
        take_data(ofi, session, (const unsigned char *)bytes + WEFT_OFI_FRAME_HEAD,
                  size - WEFT_OFI_FRAME_HEAD);
        break;
    case WEFT_OFI_FRAME_PROBE:
        weft_ofi_send_want(ofi, session, WEFT_OFI_FRAME_ALIVE);
        break;
    case WEFT_OFI_FRAME_BYE:
        take_bye(ofi, session, frame->bye.flags);
        break;
    default:
        break;
    }
}
