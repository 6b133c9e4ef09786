/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/ofi/peer.h"

#include <errno.h>

#include "base/log.h"
#include "world/ofi/keep.h"
#include "world/rails.h"

/* ---- The table ----------------------------------------------------------------------------- */

struct weft_ofi_peer *weft_ofi_peer_find(const struct weft_ofi *ofi,
                                         struct weft_nic_address address)
{
    return (struct weft_ofi_peer *)weft_world_peer_find(&ofi->peers, address);
}

struct weft_ofi_peer *weft_ofi_peer(struct weft_ofi *ofi, struct weft_nic_address address)
{
    struct weft_ofi_peer *peer = weft_ofi_peer_find(ofi, address);
    if (peer)
        return peer;
    peer = (struct weft_ofi_peer *)weft_world_peer_new(&ofi->peers, sizeof *peer, &ofi->world,
                                                       address);
    if (peer)
        peer->to = peer->retired_to = FI_ADDR_NOTAVAIL;
    return peer;
}

/* ---- Cards --------------------------------------------------------------------------------- */

fi_addr_t weft_ofi_peer_place(struct weft_ofi *ofi, struct weft_ofi_peer *peer,
                              const struct weft_world_card *card)
{
    if (peer->instance == weft_world_card_instance(card))
        return peer->to;
    /* An address of ours has the same form: libfabric does not say how long one must be. */
    if (card->size != ofi->card.size && ofi->endpoint.info->addr_format != FI_ADDR_STR)
        return FI_ADDR_NOTAVAIL;
    /* A name is text to libfabric, and must have an end. */
    if (card->bytes[card->size - 1] && ofi->endpoint.info->addr_format == FI_ADDR_STR)
        return FI_ADDR_NOTAVAIL;
    return weft_ofi_endpoint_insert(&ofi->endpoint, card->bytes + WEFT_WORLD_CARD_HEAD);
}

/* ---- Seeking ------------------------------------------------------------------------------- */

void weft_ofi_peer_seek(struct weft_ofi *ofi, struct weft_ofi_session *session)
{
    struct weft_ofi_peer *peer = session->peer;
    struct weft_world_card card = {0};
    /* It has greeted us first. */
    if (peer->pending)
        return;
    session->retry_at = ofi->time.now + WEFT_WORLD_SEEK_PAUSE;
    int result = weft_world_peer_look_up(&peer->known, ofi->directory, &card);
    if (result == -EAGAIN)
        return;
    if (result) {
        session->broken = "the directory does not have it";
        return;
    }
    session->to = weft_ofi_peer_place(ofi, peer, &card);
    session->instance = weft_world_card_instance(&card);
    if (session->to == FI_ADDR_NOTAVAIL) {
        session->broken = "its card is of another provider, or of another number of interfaces: "
                          "use the same everywhere";
        return;
    }
    peer->to = session->to;
    peer->instance = session->instance;
    weft_ofi_session_greet(ofi, session);
}

bool weft_ofi_peer_is_replaced(struct weft_ofi *ofi, const struct weft_ofi_session *session)
{
    struct weft_world_card card = {0};
    return weft_world_peer_look_up(&session->peer->known, ofi->directory, &card) == 0 &&
           weft_world_card_instance(&card) != session->instance;
}

bool weft_ofi_peer_begin(struct weft_ofi *ofi, struct weft_ofi_peer *peer)
{
    peer->session = weft_ofi_session_new(ofi, peer, WEFT_OFI_SESSION_SEEKING);
    if (!peer->session)
        return false;
    weft_ofi_peer_seek(ofi, peer->session);
    return true;
}

/* ---- The end ------------------------------------------------------------------------------- */

/* A dead process may keep its buffers in libfabric for ever. */
static void write_off(struct weft_ofi *ofi, struct weft_ofi_peer *peer)
{
    uint32_t lost = weft_ofi_tx_pool_write_off(&ofi->packets, peer) +
                    weft_ofi_tx_pool_write_off(&ofi->controls, peer);
    ofi->flying -= lost;
    peer->held -= lost;
}

static void retire(struct weft_ofi *ofi, struct weft_ofi_session *session)
{
    struct weft_ofi_peer *peer = session->peer;
    if (session->instance) {
        peer->known.retired_instance = session->instance;
        peer->retired_in = session->token_in;
        peer->retired_out = session->token_out;
        peer->retired_to = session->to;
    }
    peer->instance = 0;
    peer->to = FI_ADDR_NOTAVAIL;
    weft_ofi_keep_end(ofi, session);
    weft_ofi_session_free(ofi, session);
    write_off(ofi, peer);
    /* A rail that was lost stays so, even if the NIC finds the way to the process only later. */
    peer->known.route.failed = peer->known.routed || ofi->rail;
    ofi->counts.failed++;
}

void weft_ofi_peer_retire(struct weft_ofi *ofi, struct weft_ofi_session *session)
{
    struct weft_nic_address address = session->peer->known.route.address;
    uint64_t instance = session->instance;
    bool has_left = session->bye_in & WEFT_OFI_FRAME_BYE_LEAVE;
    retire(ofi, session);
    if (!ofi->nic)
        return;
    if (ofi->rail)
        weft_world_rail_ended(ofi->rail, ofi->nic, address, instance, has_left);
    else
        weft_nic_peer_failed(ofi->nic, address);
}

void weft_ofi_peer_disown(struct weft_ofi *ofi, struct weft_nic_address address, uint64_t instance)
{
    struct weft_ofi_peer *peer = weft_ofi_peer(ofi, address);
    if (!peer)
        return; /* without memory it is not let in, either */
    if (peer->pending && peer->pending->instance == instance)
        peer->pending->broken = "it was given up";
    if (peer->session && peer->session->instance == instance) {
        retire(ofi, peer->session);
        return;
    }
    if (peer->known.retired_instance != instance) {
        peer->known.retired_instance = instance;
        peer->retired_in = peer->retired_out = 0;
        peer->retired_to = FI_ADDR_NOTAVAIL;
    }
    peer->known.route.failed = !peer->session;
}

bool weft_ofi_peer_ask(struct weft_ofi *ofi, struct weft_nic_address address)
{
    struct weft_ofi_peer *peer = weft_ofi_peer(ofi, address);
    return peer && (peer->session || weft_ofi_peer_begin(ofi, peer));
}

bool weft_ofi_peer_has_successor(struct weft_ofi *ofi, struct weft_ofi_peer *peer)
{
    return peer->session || peer->pending ||
           weft_world_peer_has_successor(&peer->known, ofi->directory);
}
