/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/survive/endpoint.h"

#include <stdint.h>
#include <string.h>

#include "world/survive/stage.h"

#define PT 4
#define EVENTS 4096

/* What an operation still owes. */
struct slot {
    bool send, ack, reply;
};

static ptl_handle_ni_t ni;
static ptl_handle_eq_t eq, target_eq;
static ptl_handle_ct_t ct;
static ptl_handle_md_t md, reply_md, counting_md;
static ptl_handle_me_t entry;
static unsigned char source[MESSAGE], replies[MESSAGE], target[MESSAGE];
static struct slot slots[SLOTS];
static unsigned failed, counted;
static bool may_drop;

static ptl_process_t process(ptl_pid_t pid)
{
    return (ptl_process_t){.phys = {1, pid}};
}

static bool is_intact(const unsigned char *bytes)
{
    return memcmp(bytes, source, MESSAGE) == 0;
}

/* ---- Opening and closing ------------------------------------------------------------------- */

static ptl_handle_md_t bind(void *start, unsigned options, ptl_handle_eq_t queue)
{
    ptl_handle_md_t handle;
    ptl_md_t wish = {start, MESSAGE, options, queue, ct};
    need(PtlMDBind(ni, &wish, &handle) == PTL_OK);
    return handle;
}

void endpoint_append(void)
{
    ptl_me_t me = {.start = target,
                   .length = MESSAGE,
                   .ct_handle = PTL_CT_NONE,
                   .uid = PTL_UID_ANY,
                   .options = PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_LINK_DISABLE,
                   .match_id = {.phys = {PTL_NID_ANY, PTL_PID_ANY}}};
    memcpy(target, source, MESSAGE);
    need(PtlMEAppend(ni, PT, &me, PTL_PRIORITY_LIST, NULL, &entry) == PTL_OK);
}

void endpoint_unlink(void)
{
    int result;
    wait_until((result = PtlMEUnlink(entry)) != PTL_IN_USE);
    need(result == PTL_OK);
}

void endpoint_open(ptl_pid_t pid)
{
    ptl_pt_index_t index;
    for (ptl_size_t i = 0; i < MESSAGE; i++)
        source[i] = (unsigned char)(i % 251); /* no two packets look the same */
    stage_join(pid);
    need(PtlInit() == PTL_OK);
    need(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, pid, NULL, NULL, &ni) ==
         PTL_OK);
    need(PtlEQAlloc(ni, EVENTS, &eq) == PTL_OK && PtlEQAlloc(ni, EVENTS, &target_eq) == PTL_OK);
    need(PtlCTAlloc(ni, &ct) == PTL_OK);
    need(PtlPTAlloc(ni, 0, target_eq, PT, &index) == PTL_OK);
    md = bind(source, 0, eq);
    reply_md = bind(replies, 0, eq);
    counting_md = bind(source, PTL_MD_EVENT_CT_ACK, PTL_EQ_NONE);
    endpoint_append();
}

/* Nothing may be under way: what is still pending would be refused here. */
void endpoint_close(void)
{
    endpoint_unlink();
    need(PtlPTFree(ni, PT) == PTL_OK);
    need(PtlMDRelease(md) == PTL_OK && PtlMDRelease(reply_md) == PTL_OK);
    need(PtlMDRelease(counting_md) == PTL_OK);
    endpoint_leave();
}

void endpoint_leave(void)
{
    need(PtlNIFini(ni) == PTL_OK);
    PtlFini();
}

/* ---- Messages of others -------------------------------------------------------------------- */

static void count_message(struct endpoint_served *served, const ptl_event_t *event)
{
    bool is_fine = event->ni_fail_type == PTL_NI_OK;
    need(is_fine || event->ni_fail_type == PTL_NI_UNDELIVERABLE);
    need(event->rlength == MESSAGE);
    if (event->type == PTL_EVENT_PUT) {
        need(!is_fine || (event->mlength == MESSAGE && is_intact(target)));
        served->puts += is_fine;
        served->failed_puts += !is_fine;
    } else if (event->type == PTL_EVENT_GET) {
        served->gets += is_fine;
        served->failed_gets += !is_fine;
    } else {
        served->other++;
    }
}

struct endpoint_served endpoint_served(void)
{
    struct endpoint_served served = {0};
    ptl_event_t event;
    int result;
    while ((result = PtlEQGet(target_eq, &event)) == PTL_OK)
        count_message(&served, &event);
    need(result == PTL_EQ_EMPTY);
    return served;
}

/* ---- Operations ---------------------------------------------------------------------------- */

static struct slot *free_slot(void)
{
    struct slot *slot = slots;
    while (slot < slots + SLOTS && (slot->send || slot->ack || slot->reply))
        slot++;
    need(slot < slots + SLOTS);
    return slot;
}

void endpoint_allow_drops(bool allowed)
{
    may_drop = allowed;
}

void endpoint_put(ptl_pid_t to, unsigned count)
{
    for (; count; count--) {
        struct slot *slot = free_slot();
        *slot = (struct slot){.send = true, .ack = true};
        need(PtlPut(md, 0, MESSAGE, PTL_ACK_REQ, process(to), PT, 0, 0, slot, 0) == PTL_OK);
    }
}

void endpoint_get(ptl_pid_t from, unsigned count)
{
    for (; count; count--) {
        struct slot *slot = free_slot();
        *slot = (struct slot){.reply = true};
        need(PtlGet(reply_md, 0, MESSAGE, process(from), PT, 0, 0, slot) == PTL_OK);
    }
}

void endpoint_put_counted(ptl_pid_t to)
{
    counted++;
    need(PtlPut(counting_md, 0, MESSAGE, PTL_CT_ACK_REQ, process(to), PT, 0, 0, NULL, 0) ==
         PTL_OK);
}

ptl_ct_event_t endpoint_counted(unsigned *made)
{
    ptl_ct_event_t value;
    need(PtlCTGet(ct, &value) == PTL_OK);
    need(value.success + value.failure <= counted);
    *made = counted;
    return value;
}

/* A success after the failure of the same operation would be one, too, that nobody owes. */
static void strike_off(const ptl_event_t *event)
{
    struct slot *slot = event->user_ptr;
    bool is_fine = event->ni_fail_type == PTL_NI_OK;
    bool *owed = event->type == PTL_EVENT_SEND    ? &slot->send
                 : event->type == PTL_EVENT_ACK   ? &slot->ack
                 : event->type == PTL_EVENT_REPLY ? &slot->reply
                                                  : NULL;
    need(is_fine || event->ni_fail_type == PTL_NI_UNDELIVERABLE ||
         (may_drop && event->ni_fail_type == PTL_NI_DROPPED));
    need(owed && *owed);
    need(event->type != PTL_EVENT_ACK || !slot->send);
    need(!is_fine || event->type == PTL_EVENT_SEND || event->mlength == MESSAGE);
    need(!is_fine || event->type != PTL_EVENT_REPLY || is_intact(replies));
    *owed = false;
    failed += !is_fine && !slot->send && !slot->ack && !slot->reply;
}

void endpoint_step(void)
{
    ptl_event_t event;
    unsigned which;
    stage_tick();
    int result = PtlEQPoll(&eq, 1, 1, &event, &which);
    need(result == PTL_OK || result == PTL_EQ_EMPTY);
    if (result == PTL_OK)
        strike_off(&event);
}

void endpoint_look(void)
{
    ptl_event_t event;
    int result = PtlEQGet(eq, &event);
    need(result == PTL_OK || result == PTL_EQ_EMPTY);
    if (result == PTL_OK)
        strike_off(&event);
}

unsigned endpoint_pending(void)
{
    unsigned made, pending = 0;
    ptl_ct_event_t value = endpoint_counted(&made);
    for (unsigned i = 0; i < SLOTS; i++)
        pending += slots[i].send || slots[i].ack || slots[i].reply;
    return pending + made - (unsigned)(value.success + value.failure);
}

unsigned endpoint_failed(void)
{
    return failed;
}

void endpoint_talk(ptl_pid_t to)
{
    unsigned before = failed;
    memset(replies, 0, MESSAGE);
    endpoint_put(to, 1);
    wait_until((endpoint_step(), endpoint_pending() == 0));
    endpoint_get(to, 1);
    wait_until((endpoint_step(), endpoint_pending() == 0));
    need(failed == before);
    need(is_intact(replies));
}

void endpoint_fails_at_once(ptl_pid_t to)
{
    ptl_event_t event;
    unsigned before = failed;
    endpoint_put(to, 1);
    endpoint_get(to, 1);
    while (PtlEQGet(eq, &event) == PTL_OK)
        strike_off(&event);
    need(endpoint_pending() == 0 && failed == before + 2);
}
