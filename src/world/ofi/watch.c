/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/ofi/watch.h"

#include "base/clock.h"
#include "base/log.h"
#include "world/ofi/peer.h"
#include "world/ofi/send.h"
#include "world/rails.h"

/* Part of the timeout: how often a HELLO is repeated. */
#define HELLO_PART 8

/* A session that was used within so many looks is not idle: if there are too many of them, or if
 * only its credits are wanted. */
#define IDLE_LOOKS 4
#define IDLE_LOOKS_FOR_CREDITS 64

/* ---- One session --------------------------------------------------------------------------- */

static void give_up(struct weft_ofi *ofi, struct weft_ofi_session *session, const char *why)
{
    struct weft_nic_address address = session->peer->known.route.address;
    if (session == session->peer->pending) {
        weft_ofi_session_free(ofi, session);
        return;
    }
    if (!ofi->rail || !weft_world_rail_lose(ofi->rail, address, why))
        weft_log(WEFT_LOG_WARN, "process %u:%u counts as dead: %s", address.nid, address.pid, why);
    weft_ofi_peer_retire(ofi, session);
}

static void greet_again(struct weft_ofi *ofi, struct weft_ofi_session *session)
{
    session->retry_at = ofi->time.now + ofi->world.timeout / HELLO_PART;
    if (weft_ofi_peer_is_replaced(ofi, session)) {
        weft_ofi_session_ungreet(ofi, session);
        weft_ofi_peer_seek(ofi, session);
    } else {
        /* Also while libfabric has the last one: where both connect to each other at once, what
         * was sent by the connection that is given up may never be heard of again. */
        weft_ofi_send_want(ofi, session, WEFT_OFI_FRAME_HELLO);
    }
}

static void look_at_greeting(struct weft_ofi *ofi, struct weft_ofi_session *session)
{
    bool is_seeking = session->state == WEFT_OFI_SESSION_SEEKING;
    if (ofi->time.now >= session->deadline) {
        give_up(ofi, session,
                is_seeking ? "it did not appear in time: is it running?"
                           : "it does not answer: is it running, with the same key?");
        return;
    }
    if (ofi->time.now < session->retry_at)
        return;
    if (is_seeking)
        weft_ofi_peer_seek(ofi, session);
    else if (session->state == WEFT_OFI_SESSION_GREETING)
        greet_again(ofi, session);
}

/* After two questions in vain nobody knows for how long it had not been there. */
static void note_that_it_was_heard(const struct weft_ofi *ofi, struct weft_ofi_session *session)
{
    if (ofi->time.now - session->heard_at > 2 * ofi->probe_pause)
        session->steady_at = ofi->time.now;
    session->heard = false;
    session->heard_at = ofi->time.now;
    session->retry_at = ofi->time.now + ofi->probe_pause;
}

static void look_at_open(struct weft_ofi *ofi, struct weft_ofi_session *session)
{
    uint64_t timeout = ofi->world.timeout;
    struct weft_nic_address address = session->peer->known.route.address;
    if (session->heard)
        note_that_it_was_heard(ofi, session);
    /* A NIC that still wants to send says so again and again. */
    if (session->state == WEFT_OFI_SESSION_OPEN && session->used != ofi->looks)
        session->hungry = false;
    if (ofi->time.now - session->heard_at >= timeout) {
        give_up(ofi, session, "it does not answer");
    } else if (session->stalled_at && ofi->time.now - session->stalled_at >= timeout) {
        give_up(ofi, session, "the fabric takes nothing for it");
    } else if (ofi->rail &&
               weft_world_rail_is_cut(ofi->rail, address, ofi->time.now - session->heard_at)) {
        give_up(ofi, session, "nothing comes this way any more");
    } else if (session->state == WEFT_OFI_SESSION_OPEN && ofi->time.now >= session->retry_at) {
        session->retry_at = ofi->time.now + ofi->probe_pause;
        weft_ofi_send_want(ofi, session, WEFT_OFI_FRAME_PROBE);
    }
}

static void look_at(struct weft_ofi *ofi, struct weft_ofi_session *session)
{
    if (session->broken)
        give_up(ofi, session, session->broken);
    else if (weft_ofi_session_is_up(session))
        look_at_open(ofi, session);
    else
        look_at_greeting(ofi, session);
}

/* ---- Idle sessions ------------------------------------------------------------------------- */

static bool is_idle(const struct weft_ofi *ofi, const struct weft_ofi_session *session,
                    uint64_t looks)
{
    return session->state == WEFT_OFI_SESSION_OPEN && !session->wants && !session->hungry &&
           !session->broken && weft_list_is_empty(&session->queue) && session->peer->held == 0 &&
           ofi->looks - session->used >= looks;
}

/* One at a look: their answers come later, and until then they still count. */
static void park_one(struct weft_ofi *ofi, uint64_t looks)
{
    struct weft_ofi_session *oldest = NULL;
    for (struct weft_list *link = ofi->sessions.next; link != &ofi->sessions; link = link->next) {
        struct weft_ofi_session *session = weft_list_object(link, struct weft_ofi_session, link);
        if (is_idle(ofi, session, looks) && (!oldest || session->used < oldest->used))
            oldest = session;
    }
    if (oldest)
        weft_ofi_session_close(ofi, oldest, 0);
}

/* ---- All ----------------------------------------------------------------------------------- */

/* For how many looks a session must have been idle to be parked; 0 if there is no need to. */
static uint64_t look_at_all(struct weft_ofi *ofi)
{
    uint32_t ending = 0;
    bool any_starved = false;
    struct weft_list *link = ofi->sessions.next;
    while (link != &ofi->sessions) {
        struct weft_ofi_session *session = weft_list_object(link, struct weft_ofi_session, link);
        link = link->next;
        ending += session->state > WEFT_OFI_SESSION_OPEN;
        any_starved |= session->used == ofi->looks && weft_ofi_session_is_starved(ofi, session);
        look_at(ofi, session);
    }
    if (ofi->session_limit && ofi->open_count > ofi->session_limit + ending)
        return IDLE_LOOKS;
    return any_starved ? IDLE_LOOKS_FOR_CREDITS : 0;
}

void weft_ofi_watch(struct weft_ofi *ofi)
{
    uint64_t now = weft_clock_now();
    if (!weft_world_own_time_is_due(&ofi->time, now, ofi->world.timeout))
        return;
    uint64_t looks = look_at_all(ofi);
    if (looks)
        park_one(ofi, looks);
    ofi->looks++;
    weft_world_complain(&ofi->complaint, &ofi->counts, now);
}
