/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz/ticket.h"

#include <portals4.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "fuzz/input.h"
#include "job/machine.h"
#include "transfer/locator.h"
#include "transfer/net.h"

#define DATA 8192u
#define INDICES 8u /* of numbers, and so of locators */
#define TEXT 1024u
#define SEQUENCE (UINT64_C(1) << 32)
#define MILLISECOND 1
#define TABLES (WEFT_NET_CONTROL - WEFT_NET_MESSAGES + 1)

/* What others may read, where it lies in the child, too. */
static struct peer_memory {
    struct weft_net_locator locators[INDICES];
    unsigned char texts[INDICES][TEXT];
    unsigned char data[DATA];
} * memory;

static pid_t child;
static const uint64_t word[2] = {UINT64_C(0x0123456789abcdef), 4711};

static struct {
    bool acts, leaves, has_gone;
    bool is_honest;
    bool has_offer[INDICES], has_followed[INDICES];
    size_t offers[INDICES];
    uint64_t heard_of;
    ptl_handle_ni_t ni;
    ptl_handle_md_t md;
    ptl_handle_ct_t ct;
    struct weft_net_locator_root root;
} peer;

/* ---- The child ----------------------------------------------------------------------------- */

static void end_child(void)
{
    kill(child, SIGKILL);
}

static void be_read(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (getppid() == parent)
        pause();
    _exit(0);
}

void peer_begin(void)
{
    memory = mmap(NULL, sizeof *memory, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    require(memory != MAP_FAILED);
    for (size_t i = 0; i < DATA; i++)
        memory->data[i] = peer_byte(i);
    pid_t parent = getpid();
    child = fork();
    require(child >= 0);
    if (child == 0)
        be_read(parent);
    atexit(end_child);
}

unsigned char peer_byte(size_t i)
{
    return (unsigned char)(1 + i % 251);
}

/* ---- Numbers ------------------------------------------------------------------------------- */

uint64_t peer_next_number(void)
{
    static const uint64_t marks[] = {0, WEFT_NET_FOLLOWS, WEFT_NET_LOCATOR_OF_MESSAGE,
                                     WEFT_NET_LOCATOR_OF_MESSAGE | WEFT_NET_LOCATOR_SHARED};
    unsigned code = next_byte();
    uint64_t number = SEQUENCE | code % INDICES | marks[code >> 3 & 3];
    return code & 0x20 ? peer.heard_of : number;
}

void peer_hear_of(uint64_t number)
{
    peer.heard_of = number;
}

bool peer_has_offered(uint64_t number, size_t bytes)
{
    return peer.is_honest && number >> 32 == 1 && !(number & WEFT_NET_LOCATOR_SHARED) &&
           peer.has_offer[number % INDICES] && peer.offers[number % INDICES] == bytes;
}

bool peer_has_followed(uint64_t number)
{
    return peer.has_followed[number % INDICES];
}

/* ---- The interface ------------------------------------------------------------------------- */

static void expose(ptl_pt_index_t table, ptl_match_bits_t bits, void *start, size_t length,
                   unsigned options)
{
    ptl_handle_me_t handle;
    ptl_me_t me = {.start = start,
                   .length = length,
                   .ct_handle = PTL_CT_NONE,
                   .uid = PTL_UID_ANY,
                   .options = options | PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_LINK_DISABLE,
                   .match_id = weft_net_process(PTL_RANK_ANY),
                   .match_bits = bits};
    require(PtlMEAppend(peer.ni, table, &me, PTL_PRIORITY_LIST, NULL, &handle) == PTL_OK);
}

static void open_door(void)
{
    struct weft_job_machine host;
    peer.root = (struct weft_net_locator_root){
        .host = weft_job_machine_learn(&host) ? weft_job_machine_of_processes(&host) : 0,
        .word = {word[0], word[1]},
        .locators = (uintptr_t)memory->locators,
        .messages = INDICES};
    peer.is_honest = !change(&peer.root, sizeof peer.root);
    /* Which process is read must not depend on the machine. */
    peer.root.pid = (uint64_t)child;
    expose(WEFT_NET_CONTROL, WEFT_NET_DOOR, &peer.root, sizeof peer.root, PTL_ME_OP_GET);
    expose(WEFT_NET_CONTROL, WEFT_NET_PING, NULL, 0, PTL_ME_OP_PUT);
}

static void open_interface(void)
{
    ptl_process_t map[NODES] = {{.phys = {1, 1}}, {.phys = {2, 1}}};
    ptl_md_t md = {
        .start = memory->data, .length = DATA, .ct_handle = PTL_CT_NONE, .eq_handle = PTL_EQ_NONE};
    require(PtlInit() == PTL_OK &&
            PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, 1, NULL, NULL,
                      &peer.ni) == PTL_OK &&
            PtlSetMap(peer.ni, NODES, map) == PTL_OK && PtlCTAlloc(peer.ni, &peer.ct) == PTL_OK &&
            PtlMDBind(peer.ni, &md, &peer.md) == PTL_OK);
    for (unsigned i = 0; i < TABLES; i++) {
        ptl_pt_index_t table;
        require(PtlPTAlloc(peer.ni, 0, PTL_EQ_NONE, WEFT_NET_MESSAGES + i, &table) == PTL_OK);
    }
}

/* ---- What it does -------------------------------------------------------------------------- */

static size_t next_length(void)
{
    size_t high = next_byte();
    return (high << 8 | next_byte()) % DATA;
}

static void offer(void)
{
    uint64_t number = peer_next_number();
    size_t length = next_length();
    bool is_new = !peer.has_offer[number % INDICES];
    expose(WEFT_NET_PULLS, number, memory->data, length, PTL_ME_OP_GET);
    peer.is_honest &= is_new && number >> 32 == 1;
    peer.has_offer[number % INDICES] = true;
    peer.offers[number % INDICES] = length;
}

static void send(ptl_pt_index_t table, ptl_match_bits_t bits, size_t length, size_t whole,
                 uint64_t number)
{
    require(PtlPut(peer.md, 0, length, PTL_NO_ACK_REQ, weft_net_process(TAKER), table, bits, whole,
                   NULL, number) == PTL_OK);
}

/* The data of an announced message; there may be more of it than says so, or less. */
static void follow(void)
{
    uint64_t number = peer_next_number() | WEFT_NET_FOLLOWS;
    size_t length = next_length(), whole = length;
    change(&whole, sizeof whole);
    peer.has_followed[number % INDICES] = true;
    send(WEFT_NET_MESSAGES, number, length, whole, number);
}

/* News of messages, whether there are such or not; of its own all of them are lies. */
static void tell(void)
{
    unsigned what = next_byte() % (2 * WEFT_NET_HELD);
    uint64_t number = peer_next_number();
    peer.is_honest = false;
    change(&number, sizeof number);
    send(WEFT_NET_CONTROL, what, 0, 0, number);
}

static size_t write_text(unsigned index)
{
    weft_type *type;
    unsigned count = 1 + next_byte() % 16, block = 1 + next_byte(), gap = next_byte();
    require(weft_type_vector(count, block, block + gap, weft_basic(WEFT_BYTE), &type) == WEFT_OK);
    ptrdiff_t length = weft_type_serialize(type, memory->texts[index], TEXT);
    require(length > 0 && length <= (ptrdiff_t)TEXT);
    weft_type_free(type);
    change(memory->texts[index], (size_t)length);
    return (size_t)length;
}

/* Data in one piece, or of a type. */
static void show(void)
{
    uint64_t number = peer_next_number();
    unsigned index = number % INDICES, key = next_byte();
    struct weft_net_locator locator = {.word = {word[0], word[1]},
                                       .number = number,
                                       .base = (uintptr_t)memory->data,
                                       .count = peer.offers[index],
                                       .key = key,
                                       .text = (uintptr_t)memory->texts[index]};
    if (key) {
        locator.count = 1;
        locator.text_length = write_text(index);
    }
    peer.is_honest &= !change(&locator, sizeof locator) && key == 0;
    memcpy(&memory->locators[index], &locator, sizeof locator);
}

static void act(void)
{
    static void (*const deeds[])(void) = {offer, follow, tell, show};
    deeds[next_byte() % (sizeof deeds / sizeof *deeds)]();
}

/* ---- Its life ------------------------------------------------------------------------------ */

void peer_reset(void)
{
    memset(&peer, 0, sizeof peer);
    memset(memory->locators, 0, sizeof memory->locators);
}

void peer_live(void)
{
    ptl_size_t never = 1;
    ptl_ct_event_t count;
    unsigned which;
    open_interface();
    open_door();
    while (!peer.leaves) {
        if (peer.acts)
            act();
        peer.acts = false;
        require(PtlCTPoll(&peer.ct, &never, 1, MILLISECOND, &count, &which) ==
                PTL_CT_NONE_REACHED);
    }
    PtlNIFini(peer.ni);
    PtlFini();
    peer.has_gone = true;
}

void peer_let_act(void (*pass)(void))
{
    peer.acts = true;
    while (peer.acts)
        pass();
    pass();
}

void peer_let_leave(void (*pass)(void))
{
    peer.leaves = true;
    while (!peer.has_gone)
        pass();
}
