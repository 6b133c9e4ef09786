/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/ofi/send.h"

#include <rdma/fi_errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "world/ofi/handshake.h"
#include "world/ofi/peer.h"

/* Buffers that libfabric may have for one process, so that a slow one leaves some to others. */
#define HELD_MAX 32u

/* After a HELLO that libfabric could not deliver. */
#define HELLO_PAUSE (10 * WEFT_CLOCK_MILLISECOND)

/* ---- libfabric ----------------------------------------------------------------------------- */

static void took(struct weft_ofi *ofi, struct weft_ofi_peer *peer, struct weft_ofi_tx *tx,
                 uint64_t serial)
{
    tx->peer = peer;
    tx->serial = serial;
    tx->flies = true;
    peer->held++;
    ofi->flying++;
}

static int send_buffer(struct weft_ofi *ofi, fi_addr_t to, struct weft_ofi_tx *tx)
{
    return (int)fi_send(ofi->endpoint.ep, tx->buffer.bytes, tx->size, tx->buffer.descriptor, to,
                        tx);
}

/* A HELLO is repeated soon; what else does not arrive, the other side misses. */
static void fail_session(struct weft_ofi *ofi, struct weft_ofi_session *session, int error)
{
    if (weft_ofi_session_is_up(session))
        session->broken = fi_strerror(error);
    else if (session->state == WEFT_OFI_SESSION_GREETING)
        session->retry_at = ofi->time.now + HELLO_PAUSE;
}

void weft_ofi_send_done(struct weft_ofi *ofi, struct weft_ofi_tx *tx, int error)
{
    struct weft_ofi_peer *peer = tx->peer;
    struct weft_ofi_session *session = peer->session;
    tx->flies = false;
    if (tx->lost) {
        tx->lost = false;
        tx->pool->limit--;
    } else {
        peer->held--;
        ofi->flying--;
        if (error && session && session->serial == tx->serial)
            fail_session(ofi, session, error);
    }
    weft_ofi_tx_give(tx);
}

/* ---- DATA ---------------------------------------------------------------------------------- */

static bool is_idle(const struct weft_ofi_session *session)
{
    return weft_list_is_empty(&session->queue);
}

static void wait_for_libfabric(struct weft_ofi *ofi, struct weft_ofi_session *session)
{
    if (weft_list_is_empty(&session->stalled))
        weft_list_append(&ofi->stalled, &session->stalled);
}

static bool has_spare(struct weft_ofi *ofi)
{
    if (!ofi->spare)
        ofi->spare = weft_ofi_tx_take(&ofi->packets);
    return ofi->spare;
}

unsigned char *weft_ofi_send_reserve(struct weft_ofi *ofi, struct weft_ofi_session *session)
{
    if (session->state == WEFT_OFI_SESSION_OPEN && session->credits && is_idle(session) &&
        session->peer->held < HELD_MAX && !session->broken && has_spare(ofi))
        return ofi->spare->buffer.bytes + WEFT_OFI_FRAME_HEAD;
    session->hungry = true;
    return NULL;
}

static struct weft_ofi_frame_head head_of(const struct weft_ofi *ofi,
                                          const struct weft_ofi_session *session,
                                          enum weft_ofi_frame_kind kind)
{
    return (struct weft_ofi_frame_head){
        .version = WEFT_OFI_FRAME_VERSION,
        .kind = (uint8_t)kind,
        .credits = (uint16_t)weft_ofi_session_owes(ofi, session),
        .sequence = session->sent,
        .token = session->token_out,
        .source_nid = ofi->world.self.nid,
        .source_pid = ofi->world.self.pid,
    };
}

static void count_frame(struct weft_ofi *ofi, struct weft_ofi_session *session,
                        const struct weft_ofi_frame_head *head)
{
    session->sent++;
    weft_ofi_session_grant(ofi, session, head->credits);
}

void weft_ofi_send_commit(struct weft_ofi *ofi, struct weft_ofi_session *session, size_t size)
{
    struct weft_ofi_tx *tx = ofi->spare;
    struct weft_ofi_frame_head head = head_of(ofi, session, WEFT_OFI_FRAME_DATA);
    memcpy(tx->buffer.bytes, &head, sizeof head);
    tx->size = sizeof head + size;
    count_frame(ofi, session, &head);
    session->credits--;
    session->hungry = false;
    session->used = ofi->looks;
    bool injects = tx->size <= ofi->endpoint.inject;
    int result = injects
                     ? (int)fi_inject(ofi->endpoint.ep, tx->buffer.bytes, tx->size, session->to)
                     : send_buffer(ofi, session->to, tx);
    if (result == 0 && injects)
        return; /* and the buffer is still there for the next one */
    ofi->spare = NULL;
    if (result == 0) {
        took(ofi, session->peer, tx, session->serial);
        return;
    }
    if (result != -FI_EAGAIN)
        session->broken = fi_strerror(-result);
    weft_list_append(&session->queue, &tx->link);
    wait_for_libfabric(ofi, session);
}

unsigned char *weft_ofi_send_reserve_self(struct weft_ofi *ofi)
{
    return has_spare(ofi) ? ofi->spare->buffer.bytes + WEFT_OFI_FRAME_HEAD : NULL;
}

void weft_ofi_send_commit_self(struct weft_ofi *ofi, size_t size)
{
    ofi->spare->size = size;
    weft_list_append(&ofi->loop, &ofi->spare->link);
    ofi->spare = NULL;
}

/* False if libfabric does not take all. */
static bool flush_queue(struct weft_ofi *ofi, struct weft_ofi_session *session)
{
    while (!is_idle(session)) {
        struct weft_ofi_tx *tx = weft_list_object(session->queue.next, struct weft_ofi_tx, link);
        int result = send_buffer(ofi, session->to, tx);
        if (result) {
            if (result != -FI_EAGAIN)
                session->broken = fi_strerror(-result);
            return false;
        }
        weft_list_remove(&tx->link);
        took(ofi, session->peer, tx, session->serial);
    }
    return true;
}

/* ---- All other frames ---------------------------------------------------------------------- */

static int send_control(struct weft_ofi *ofi, struct weft_ofi_peer *peer, fi_addr_t to,
                        uint64_t serial, const struct weft_ofi_frame *frame)
{
    size_t size = weft_ofi_frame_size((enum weft_ofi_frame_kind)frame->head.kind);
    /* The end of a BYE must be known: the world is not closed before. */
    if (size <= ofi->endpoint.inject && frame->head.kind != WEFT_OFI_FRAME_BYE)
        return (int)fi_inject(ofi->endpoint.ep, frame, size, to);
    struct weft_ofi_tx *tx = weft_ofi_tx_take(&ofi->controls);
    if (!tx)
        return -FI_EAGAIN;
    memcpy(tx->buffer.bytes, frame, size);
    tx->size = size;
    int result = send_buffer(ofi, to, tx);
    if (result == 0)
        took(ofi, peer, tx, serial);
    else
        weft_ofi_tx_give(tx);
    return result;
}

static bool make(struct weft_ofi *ofi, struct weft_ofi_session *session,
                 enum weft_ofi_frame_kind kind, struct weft_ofi_frame *frame)
{
    *frame = (struct weft_ofi_frame){.head = head_of(ofi, session, kind)};
    switch (kind) {
    case WEFT_OFI_FRAME_HELLO:
        return weft_ofi_handshake_hello(ofi, session, frame);
    case WEFT_OFI_FRAME_WELCOME:
        return weft_ofi_handshake_welcome(ofi, session, frame);
    case WEFT_OFI_FRAME_CREDIT:
        return frame->head.credits > 0;
    case WEFT_OFI_FRAME_BYE:
        frame->bye.flags = session->bye_out | (session->hungry ? WEFT_OFI_FRAME_BYE_RETURN : 0);
        return true;
    default:
        return true;
    }
}

/* False if libfabric does not take it. */
static bool flush_kind(struct weft_ofi *ofi, struct weft_ofi_session *session,
                       enum weft_ofi_frame_kind kind)
{
    struct weft_ofi_frame frame;
    if (make(ofi, session, kind, &frame)) {
        int result = send_control(ofi, session->peer, session->to, session->serial, &frame);
        if (result && result != -FI_EAGAIN && weft_ofi_session_is_up(session))
            session->broken = fi_strerror(-result);
        if (result)
            return false;
        if (weft_ofi_session_is_up(session))
            count_frame(ofi, session, &frame.head);
    }
    session->wants &= ~(1u << kind);
    return true;
}

static bool flush(struct weft_ofi *ofi, struct weft_ofi_session *session)
{
    if (!flush_queue(ofi, session))
        return false;
    /* BYE is the last kind, and so the last frame. */
    for (unsigned kind = 0; kind < WEFT_OFI_FRAME_KINDS; kind++)
        if (session->wants & 1u << kind &&
            !flush_kind(ofi, session, (enum weft_ofi_frame_kind)kind))
            return false;
    return true;
}

/* Says whether there is nothing left to send. */
static bool try_to_flush(struct weft_ofi *ofi, struct weft_ofi_session *session)
{
    if (session->broken)
        return false;
    bool all = flush(ofi, session);
    session->tried = ofi->looks;
    if (all)
        session->stalled_at = 0;
    else if (!session->stalled_at)
        session->stalled_at = ofi->time.now;
    return all;
}

void weft_ofi_send_want_later(struct weft_ofi *ofi, struct weft_ofi_session *session,
                              enum weft_ofi_frame_kind kind)
{
    session->wants |= 1u << kind;
    wait_for_libfabric(ofi, session);
}

void weft_ofi_send_want(struct weft_ofi *ofi, struct weft_ofi_session *session,
                        enum weft_ofi_frame_kind kind)
{
    weft_ofi_send_want_later(ofi, session, kind);
    /* A session that ends does so in weft_ofi_send_flush_all, when nobody else looks at it. */
    if (session->state != WEFT_OFI_SESSION_PARTING && try_to_flush(ofi, session))
        weft_list_remove(&session->stalled);
}

/* To a process that is not connected, each attempt may cost a provider a connection of its own:
 * not more than one between two looks. */
static bool is_time_to_try(const struct weft_ofi *ofi, const struct weft_ofi_session *session)
{
    return weft_ofi_session_is_up(session) || session->tried != ofi->looks;
}

void weft_ofi_send_flush_all(struct weft_ofi *ofi)
{
    struct weft_list *link = ofi->stalled.next;
    while (link != &ofi->stalled) {
        struct weft_ofi_session *session =
            weft_list_object(link, struct weft_ofi_session, stalled);
        link = link->next;
        if (!is_time_to_try(ofi, session) || !try_to_flush(ofi, session))
            continue;
        weft_list_remove(&session->stalled);
        if (session->state == WEFT_OFI_SESSION_PARTING)
            weft_ofi_session_finish(ofi, session);
    }
}

void weft_ofi_send_refuse(struct weft_ofi *ofi, struct weft_ofi_peer *peer, fi_addr_t to,
                          uint64_t token, enum weft_world_reason reason)
{
    struct weft_ofi_frame frame = {.head = {.version = WEFT_OFI_FRAME_VERSION,
                                            .kind = WEFT_OFI_FRAME_REFUSE,
                                            .token = token,
                                            .source_nid = ofi->world.self.nid,
                                            .source_pid = ofi->world.self.pid},
                                   .refuse = {.reason = reason}};
    if (to != FI_ADDR_NOTAVAIL)
        send_control(ofi, peer, to, 0, &frame);
}
