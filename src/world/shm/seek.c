/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "base/log.h"
#include "base/setting.h"
#include "world/shm/peer.h"

/* The longer one has looked for it, the less it matters whether it is found at once; and there may
 * be hundreds who look. */
#define SHORTEST_RETRY WEFT_CLOCK_MILLISECOND
#define LONGEST_RETRY (32 * WEFT_CLOCK_MILLISECOND)

static uint64_t next_retry(const struct weft_shm *shm, const struct weft_shm_peer *peer,
                           uint64_t now)
{
    uint64_t begin = peer->deadline - shm->world.timeout;
    uint64_t pause = SHORTEST_RETRY + (now - begin) / 8;
    return now + (pause < LONGEST_RETRY ? pause : LONGEST_RETRY);
}

/* The record of the process that now has the address, unless it is the one that was retired. */
static enum weft_shm_segment_answer find(struct weft_shm *shm, struct weft_shm_peer *peer,
                                         struct weft_shm_rendezvous_record *record)
{
    switch (weft_shm_rendezvous_find(&shm->rendezvous, peer->route.address, record)) {
    case WEFT_SHM_RENDEZVOUS_FINE:
        return record->id.key == peer->retired_key ? WEFT_SHM_SEGMENT_ABSENT
                                                   : WEFT_SHM_SEGMENT_FINE;
    case WEFT_SHM_RENDEZVOUS_FAILED:
        return WEFT_SHM_SEGMENT_REFUSED;
    default:
        return WEFT_SHM_SEGMENT_ABSENT;
    }
}

static enum weft_shm_segment_answer connect_to(struct weft_shm *shm, struct weft_shm_peer *peer)
{
    struct weft_shm_rendezvous_record record;
    enum weft_shm_segment_answer answer = find(shm, peer, &record);
    if (answer != WEFT_SHM_SEGMENT_FINE)
        return answer;
    /* The one that has claimed a ring of ours had the address before; so it is dead. */
    if (peer->id.key && peer->id.key != record.id.key)
        return WEFT_SHM_SEGMENT_REFUSED;
    answer = weft_shm_peer_watch(shm, peer, &record.id);
    if (answer != WEFT_SHM_SEGMENT_FINE)
        return answer;
    answer = weft_shm_claim_make(&peer->claim, &record.id, shm->world.packet_size, shm->world.self,
                                 &shm->segment.id);
    if (answer != WEFT_SHM_SEGMENT_FINE && !peer->inlet)
        weft_shm_peer_unwatch(shm, peer);
    return answer;
}

static void give_up(struct weft_shm *shm, struct weft_shm_peer *peer)
{
    const char *peers = weft_setting_info(WEFT_SETTING_SHM_PEERS)->name;
    if (peer->obstacle == WEFT_SHM_SEGMENT_FULL)
        weft_log(WEFT_LOG_ERROR,
                 "process %u:%u cannot take one more sender: start it with a larger %s",
                 peer->route.address.nid, peer->route.address.pid, peers);
    else if (peer->obstacle == WEFT_SHM_SEGMENT_SHORT)
        weft_log(WEFT_LOG_ERROR,
                 "no descriptor or memory is left to connect to process %u:%u: raise the limit of "
                 "open files",
                 peer->route.address.nid, peer->route.address.pid);
    else
        weft_log(WEFT_LOG_WARN,
                 "process %u:%u did not appear within %llu ms: is it running, with the "
                 "rendezvous file %s?",
                 peer->route.address.nid, peer->route.address.pid,
                 (unsigned long long)(shm->world.timeout / WEFT_CLOCK_MILLISECOND),
                 shm->rendezvous.path);
    peer->gone = true;
}

void weft_shm_seek(struct weft_shm *shm, struct weft_shm_peer *peer, uint64_t now)
{
    if (now < peer->retry)
        return;
    peer->retry = next_retry(shm, peer, now);
    enum weft_shm_segment_answer answer = connect_to(shm, peer);
    peer->obstacle = answer;
    if (answer == WEFT_SHM_SEGMENT_FINE) {
        peer->out = weft_shm_ring_out(&peer->claim);
        peer->seeking = false;
    } else if (answer == WEFT_SHM_SEGMENT_REFUSED) {
        peer->gone = true;
    } else if (now >= peer->deadline) {
        give_up(shm, peer);
    }
}

void weft_shm_seek_begin(struct weft_shm *shm, struct weft_shm_peer *peer)
{
    uint64_t now = weft_clock_now();
    peer->routed = true;
    peer->seeking = true;
    peer->route.failed = false;
    peer->retry = now;
    peer->deadline = now + shm->world.timeout;
    weft_shm_seek(shm, peer, now);
}

bool weft_shm_seek_has_successor(struct weft_shm *shm, struct weft_shm_peer *peer)
{
    struct weft_shm_rendezvous_record record;
    /* A process that was killed before we connected to it leaves its record behind. */
    return find(shm, peer, &record) == WEFT_SHM_SEGMENT_FINE && weft_shm_segment_is(&record.id);
}
