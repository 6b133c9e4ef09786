/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz/scene.h"

#include <string.h>

#define GUARD 64u
#define GUARD_BYTE 0xA5
#define EVENTS 64
#define FEW_EVENTS 3
#define PIECES 4u

/* ---- What is appended ---------------------------------------------------------------------- */

struct plan {
    unsigned pt;
    ptl_list_t list;
    unsigned options;
    ptl_size_t length;
    ptl_match_bits_t bits, ignore;
    ptl_size_t min_free;
    bool of_one; /* source, and user */
};

#define PUT PTL_ME_OP_PUT
#define GET PTL_ME_OP_GET
#define ONCE PTL_ME_USE_ONCE

/* On interfaces without matching, the first of each list takes all. */
static const struct plan plans[] = {
    {0, PTL_PRIORITY_LIST, PUT | GET | PTL_ME_EVENT_CT_COMM, 200, .bits = 0},
    {0, PTL_PRIORITY_LIST, PUT | GET | ONCE, 100, .bits = 1},
    {0, PTL_PRIORITY_LIST, PUT | PTL_ME_MANAGE_LOCAL, 300, .bits = 2, .min_free = 32},
    {0, PTL_PRIORITY_LIST, PUT | GET | PTL_ME_NO_TRUNCATE, 64, .bits = 3},
    {0, PTL_PRIORITY_LIST, PUT | GET | PTL_IOVEC, 0, .bits = 4},
    {0, PTL_PRIORITY_LIST,
     PUT | PTL_ME_ACK_DISABLE | PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_CT_COMM |
         PTL_ME_EVENT_CT_BYTES,
     50, .bits = 5},
    {0, PTL_PRIORITY_LIST, GET, 1500, .bits = 6},
    {0, PTL_PRIORITY_LIST, PUT | GET, 10, .bits = 7, .of_one = true},
    {0, PTL_PRIORITY_LIST, PUT | GET | ONCE, 0, .bits = 8},
    {0, PTL_PRIORITY_LIST, PUT | GET | PTL_ME_MANAGE_LOCAL, 700, .bits = 16, .ignore = 15},
    {1, PTL_PRIORITY_LIST, PUT | GET | ONCE, 33, .ignore = ~0ull},
    {1, PTL_PRIORITY_LIST, PUT | GET | ONCE, 33, .ignore = ~0ull},
    {1, PTL_PRIORITY_LIST, PUT | GET, 1300, .bits = 1},
    {2, PTL_OVERFLOW_LIST, PUT | GET | PTL_ME_MANAGE_LOCAL, 900, .ignore = 7, .min_free = 100},
    {2, PTL_OVERFLOW_LIST, PUT | GET | ONCE | PTL_IOVEC, 0, .bits = 8, .ignore = 7},
    {2, PTL_OVERFLOW_LIST, PUT | PTL_ME_UNEXPECTED_HDR_DISABLE, 40, .bits = 16},
    {3, PTL_PRIORITY_LIST, PUT | GET | PTL_IOVEC, 0, .ignore = ~0ull},
    {4, PTL_PRIORITY_LIST, PUT | GET, 20, .ignore = ~0ull},
};
static_assert(sizeof plans / sizeof *plans == SCENE_ENTRIES, "all of them");

static const unsigned pt_options[SCENE_PTS] = {
    [1] = PTL_PT_FLOWCTRL, [4] = PTL_PT_ALLOC_DISABLED, [6] = PTL_PT_FLOWCTRL};

/* ---- Memory -------------------------------------------------------------------------------- */

struct scene scene;

static void guard(struct scene_interface *interface)
{
    unsigned char *start = interface->arena + interface->used;
    memset(start, GUARD_BYTE, GUARD);
    stub_forbid(start, GUARD);
    interface->guards[interface->guard_count++] = start;
    stub_require(interface->guard_count < SCENE_GUARDS);
    interface->used += GUARD;
}

/* Between two guards; the second is the first of the next. Sizes are rounded up for the guards of
 * a sanitizer, but the rest of the last eight bytes is guarded by it, too. */
void *scene_memory(struct scene_interface *interface, size_t size)
{
    size_t room = (size + 7) & ~(size_t)7;
    unsigned char *start = interface->arena + interface->used;
    interface->used += room;
    stub_require(interface->used + 2 * GUARD <= SCENE_ARENA);
    stub_forbid(start + size, room - size);
    guard(interface);
    return start;
}

static void check_guards(struct scene_interface *interface)
{
    stub_allow(interface->arena, SCENE_ARENA);
    for (unsigned i = 0; i < interface->guard_count; i++)
        for (unsigned k = 0; k < GUARD; k++)
            stub_require(interface->guards[i][k] == GUARD_BYTE);
}

static ptl_iovec_t *vector_of(struct scene_interface *interface)
{
    static const size_t sizes[PIECES] = {5, 0, 700, 17};
    ptl_iovec_t *vector = scene_memory(interface, PIECES * sizeof *vector);
    for (unsigned i = 0; i < PIECES; i++)
        vector[i] = (ptl_iovec_t){scene_memory(interface, sizes[i]), sizes[i]};
    return vector;
}

/* ---- Opening ------------------------------------------------------------------------------- */

static void must(int result)
{
    stub_require(result == PTL_OK);
}

ptl_process_t scene_process(unsigned ni, unsigned peer)
{
    struct weft_nic_address address = stub_peer(peer);
    ptl_process_t process = {.phys = {address.nid, address.pid}};
    if (!(ni & 2))
        process.rank = peer;
    return process;
}

void scene_append(unsigned ni, unsigned number)
{
    struct scene_interface *interface = &scene.interfaces[ni];
    const struct plan *plan = &plans[number];
    ptl_me_t me = {.start = interface->memory[number],
                   .length = plan->options & PTL_IOVEC ? PIECES : plan->length,
                   .ct_handle = interface->ct,
                   .uid = plan->of_one ? 1001 : PTL_UID_ANY,
                   .options = plan->options,
                   .match_id = {.phys = {PTL_NID_ANY, PTL_PID_ANY}},
                   .match_bits = plan->bits,
                   .ignore_bits = plan->ignore,
                   .min_free = plan->min_free};
    ptl_le_t le = {.start = me.start,
                   .length = me.length,
                   .ct_handle = me.ct_handle,
                   .uid = me.uid,
                   .options = me.options & ~(PTL_ME_MANAGE_LOCAL | PTL_ME_NO_TRUNCATE)};
    if (plan->of_one)
        me.match_id = scene_process(ni, 0);
    else if (!(ni & 2))
        me.match_id.rank = PTL_RANK_ANY;
    int result = ni & 1 ? PtlLEAppend(interface->ni, plan->pt, &le, plan->list, NULL,
                                      &interface->entries[number])
                        : PtlMEAppend(interface->ni, plan->pt, &me, plan->list, NULL,
                                      &interface->entries[number]);
    must(result);
}

static ptl_handle_md_t bind(struct scene_interface *interface, void *start, ptl_size_t length,
                            unsigned options)
{
    ptl_handle_md_t handle;
    ptl_md_t md = {start, length,
                   options | PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_REPLY | PTL_MD_VOLATILE,
                   interface->eq, interface->ct};
    must(PtlMDBind(interface->ni, &md, &handle));
    return handle;
}

static void fill_interface(unsigned ni)
{
    struct scene_interface *interface = &scene.interfaces[ni];
    ptl_pt_index_t index;
    must(PtlEQAlloc(interface->ni, EVENTS, &interface->eq));
    must(PtlEQAlloc(interface->ni, FEW_EVENTS, &interface->few));
    must(PtlCTAlloc(interface->ni, &interface->ct));
    for (unsigned i = 0; i < SCENE_PTS; i++)
        must(PtlPTAlloc(interface->ni, pt_options[i],
                        i == 3             ? PTL_EQ_NONE
                        : i == 1 || i == 6 ? interface->few
                                           : interface->eq,
                        i, &index));
    guard(interface);
    for (unsigned i = 0; i < SCENE_ENTRIES; i++) {
        interface->memory[i] = plans[i].options & PTL_IOVEC
                                   ? (void *)vector_of(interface)
                                   : scene_memory(interface, plans[i].length);
        scene_append(ni, i);
    }
    if (!(ni & 1))
        scene_fill_handlers(ni);
    interface->md = bind(interface, scene_memory(interface, 1400), 1400, 0);
    interface->vector_md = bind(interface, vector_of(interface), PIECES, PTL_IOVEC);
}

static void open_interface(unsigned ni)
{
    struct scene_interface *interface = &scene.interfaces[ni];
    ptl_ni_limits_t limits = {
        .max_pt_index = 63, .max_unexpected_headers = 8, .max_list_size = 64, .max_entries = 64};
    unsigned options = (ni & 1 ? PTL_NI_NO_MATCHING : PTL_NI_MATCHING) |
                       (ni & 2 ? PTL_NI_PHYSICAL : PTL_NI_LOGICAL);
    ptl_process_t map[STUB_PEERS];
    for (unsigned i = 0; i < STUB_PEERS; i++)
        map[i] = scene_process(2, i);
    must(PtlNIInit(PTL_IFACE_DEFAULT, options, PTL_PID_ANY, &limits, NULL, &interface->ni));
    if (!(ni & 2))
        must(PtlSetMap(interface->ni, STUB_PEERS, map));
    interface->is_open = true;
    fill_interface(ni);
}

static struct weft_nic_config config_of(enum scene_hpus hpus)
{
    static const struct weft_nic_stages stages = {
        .match = 10, .look_up = 3, .copy = 5, .copy_rate = 50000, .tlp_payload = 128};
    struct weft_nic_config config = {0};
    if (hpus != SCENE_NO_HPUS)
        config.hpus = (struct weft_nic_hpus){.count = hpus == SCENE_ONE_HPU ? 1 : 3,
                                             .contexts = 4,
                                             .start = 20,
                                             .turns = hpus == SCENE_HPUS ? 2 : 0,
                                             .dma = 300,
                                             .dma_rate = 32000};
    if (hpus == SCENE_HPUS_AND_STAGES)
        config.stages = &stages;
    return config;
}

void scene_open(bool reliable, unsigned interfaces, enum scene_hpus hpus)
{
    memset(&scene.interfaces, 0, sizeof scene.interfaces);
    stub_open(&scene.stub, reliable);
    weft_portals_process_init(&scene.process);
    scene.process.world = &scene.stub.world;
    scene.process.world_is_given = true;
    scene.process.nic_config = config_of(hpus);
    weft_portals_process_become(&scene.process);
    must(PtlInit());
    for (unsigned ni = 0; ni < WEFT_NIC_NIS; ni++)
        if (interfaces >> ni & 1)
            open_interface(ni);
}

/* ---- Events -------------------------------------------------------------------------------- */

static void check_place(const struct scene_interface *interface, const void *place,
                        ptl_size_t length)
{
    const unsigned char *start = place, *end = interface->arena + SCENE_ARENA;
    stub_require(start >= interface->arena && start <= end && length <= (size_t)(end - start));
}

static void check_event(const struct scene_interface *interface, const ptl_event_t *event)
{
    stub_require(event->type <= PTL_EVENT_DMA && event->ni_fail_type < PTL_NI_FAIL_LAST);
    if (event->type == PTL_EVENT_DMA) {
        check_place(interface, event->start, event->mlength);
        return;
    }
    stub_require(event->mlength <= event->rlength);
    if (event->type > PTL_EVENT_FETCH_ATOMIC_OVERFLOW)
        return;
    /* The last check before memory must not be the one that stops a packet; handlers may ask for
     * what it stops. */
    stub_require(event->ni_fail_type != PTL_NI_SEGV || event->pt_index >= SCENE_HANDLERS);
    if (event->start)
        check_place(interface, event->start, 0);
}

static void drain(const struct scene_interface *interface, ptl_handle_eq_t eq)
{
    ptl_event_t event;
    int result;
    while ((result = PtlEQGet(eq, &event)) == PTL_OK || result == PTL_EQ_DROPPED)
        check_event(interface, &event);
    stub_require(result == PTL_EQ_EMPTY);
}

void scene_drain(void)
{
    for (unsigned ni = 0; ni < WEFT_NIC_NIS; ni++) {
        const struct scene_interface *interface = &scene.interfaces[ni];
        if (interface->is_open) {
            drain(interface, interface->eq);
            drain(interface, interface->few);
        }
    }
}

void scene_close(bool in_order)
{
    scene_drain();
    for (unsigned ni = 0; in_order && ni < WEFT_NIC_NIS; ni++)
        if (scene.interfaces[ni].is_open)
            must(PtlNIFini(scene.interfaces[ni].ni));
    PtlFini();
    stub_require(!scene.process.nic);
    weft_portals_process_become(NULL);
    stub_close(&scene.stub);
    for (unsigned ni = 0; ni < WEFT_NIC_NIS; ni++)
        check_guards(&scene.interfaces[ni]);
}

void scene_receive(unsigned peer, const void *bytes, size_t size)
{
    struct weft_nic *nic = scene.process.nic;
    weft_nic_receive(nic, weft_nic_peer(nic, stub_peer(peer)), bytes, size);
    weft_portals_process_step(&scene.process);
}
