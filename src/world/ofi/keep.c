/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/ofi/keep.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "world/ofi/peer.h"

struct weft_ofi_kept {
    struct weft_list link;
    size_t size;
    alignas(16) unsigned char packet[];
};

bool weft_ofi_keep(struct weft_ofi *ofi, struct weft_ofi_session *session, const void *packet,
                   size_t size)
{
    if (weft_list_is_empty(&session->kept) && !weft_nic_peer_waits(ofi->nic, session->nic_peer))
        return false;
    struct weft_ofi_kept *kept = malloc(sizeof *kept + size);
    if (!kept) {
        weft_ofi_keep_end(ofi, session); /* they come first */
        return false;
    }
    kept->size = size;
    memcpy(kept->packet, packet, size);
    weft_list_append(&session->kept, &kept->link);
    session->kept_count++;
    if (weft_list_is_empty(&session->keeping))
        weft_list_append(&ofi->keeping, &session->keeping);
    return true;
}

static struct weft_ofi_kept *take_first(struct weft_ofi_session *session)
{
    struct weft_ofi_kept *kept = weft_list_object(session->kept.next, struct weft_ofi_kept, link);
    weft_list_remove(&kept->link);
    session->kept_count--;
    if (weft_list_is_empty(&session->kept))
        weft_list_remove(&session->keeping);
    return kept;
}

static void give_first(struct weft_ofi *ofi, struct weft_ofi_session *session)
{
    struct weft_ofi_kept *kept = take_first(session);
    weft_ofi_session_give(ofi, session, kept->packet, kept->size);
    free(kept);
}

unsigned weft_ofi_keep_poll(struct weft_ofi *ofi)
{
    unsigned count = 0;
    struct weft_list *link = ofi->keeping.next;
    while (link != &ofi->keeping) {
        struct weft_ofi_session *session =
            weft_list_object(link, struct weft_ofi_session, keeping);
        link = link->next;
        while (!weft_list_is_empty(&session->kept) &&
               !weft_nic_peer_waits(ofi->nic, session->nic_peer)) {
            give_first(ofi, session);
            count++;
        }
    }
    return count;
}

void weft_ofi_keep_end(struct weft_ofi *ofi, struct weft_ofi_session *session)
{
    while (ofi->nic && !weft_list_is_empty(&session->kept))
        give_first(ofi, session);
}

void weft_ofi_keep_drop(struct weft_ofi_session *session)
{
    while (!weft_list_is_empty(&session->kept))
        free(take_first(session));
}
