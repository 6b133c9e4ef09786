/* SPDX-License-Identifier: BSD-3-Clause */
/* Whoever does not speak as we do. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "packet/packet.h"
#include "support/tap.h"
#include "world/far/fabric.h"
#include "world/far/tests.h"
#include "world/ofi/peer.h"
#include "world/ofi/provider.h"
#include "world/ofi/tests.h"

/* ---- Frames that no world sends ------------------------------------------------------------ */

/* An endpoint without a world. */
static struct weft_ofi_endpoint raw;
static struct weft_ofi_rx raw_rx;
static fi_addr_t target;

static void open_raw(void)
{
    size_t frame_size = WEFT_OFI_FRAME_HEAD + PAYLOAD;
    need(weft_ofi_endpoint_open(&raw, frame_size, config.provider, config.interface));
    need(weft_ofi_rx_open(&raw_rx, &raw));
    wait_until(cards[1].is_there);
    target = weft_ofi_endpoint_insert(&raw, cards[1].card.bytes + sizeof(uint64_t));
    need(target != FI_ADDR_NOTAVAIL);
}

/* The first frame that comes, or NULL after a while. */
static const struct weft_ofi_frame *raw_receive(unsigned milliseconds)
{
    uint64_t end = weft_clock_now() + milliseconds * WEFT_CLOCK_MILLISECOND;
    struct fi_cq_data_entry entry;
    while (weft_clock_now() < end)
        if (fi_cq_read(raw.cq, &entry, 1) == 1 && entry.flags & FI_RECV)
            return entry.buf;
    return NULL;
}

static void raw_send(const void *bytes, size_t size)
{
    static struct fi_context2 contexts[16];
    static unsigned next;
    struct fi_cq_data_entry entry;
    wait_until((fi_cq_read(raw.cq, &entry, 1),
                fi_send(raw.ep, bytes, size, NULL, target, &contexts[next % 16]) == 0));
    next++;
}

static void send_garbage(uint32_t pid)
{
    static union {
        unsigned char bytes[3 * PAYLOAD];
        struct weft_ofi_frame frame;
    } garbage;
    uint64_t random = 1;
    open_raw();
    for (unsigned i = 0; i < 200; i++) {
        for (size_t k = 0; k < sizeof garbage.bytes; k++)
            garbage.bytes[k] = (unsigned char)weft_random_next(&random);
        /* Half of them look like frames of a process that is connected. */
        if (i % 2) {
            garbage.frame.head.version = WEFT_OFI_FRAME_VERSION;
            garbage.frame.head.kind = (uint8_t)(i / 2 % WEFT_OFI_FRAME_KINDS);
            garbage.frame.head.source_nid = 1;
            garbage.frame.head.source_pid = 2;
        }
        bool is_control = i % 2 && garbage.frame.head.kind != WEFT_OFI_FRAME_DATA &&
                          garbage.frame.head.kind != WEFT_OFI_FRAME_NONE;
        raw_send(&garbage,
                 is_control
                     ? weft_ofi_frame_size((enum weft_ofi_frame_kind)garbage.frame.head.kind)
                     : 1 + weft_random_next(&random) % (PAYLOAD + WEFT_OFI_FRAME_HEAD));
    }
    (void)pid;
    stage->refusals = 200;
    stage->step = 1;
    wait_until((raw_receive(1), stage->step == 2));
}

/* Larger than any frame, and larger than what is left of a receive buffer. Providers may cut the
 * connection of whoever does that. */
static void send_too_much(uint32_t pid)
{
    static unsigned char garbage[100000];
    open_raw();
    for (unsigned i = 0; i < 50; i++)
        raw_send(garbage, sizeof garbage);
    (void)pid;
    stage->refusals = 1;
    stage->step = 1;
    wait_until((raw_receive(1), stage->step == 2));
}

/* ofi_rxm writes behind a receive buffer after a message that is longer than what was left of it,
 * from libfabric 2.0 on always, before it now and then: nobody can withstand that. */
static void fail_if_overrun(uint32_t pid)
{
    (void)pid;
    need(weft_ofi_endpoint_open(&raw, WEFT_OFI_FRAME_HEAD + PAYLOAD, config.provider,
                                config.interface));
    if (strstr(raw.info->fabric_attr->prov_name, "ofi_rxm"))
        exit(1);
}

static struct weft_ofi_frame hello_of(uint32_t pid, uint8_t version)
{
    struct weft_ofi_frame frame = {
        .head = {.version = version,
                 .kind = WEFT_OFI_FRAME_HELLO,
                 .token = WEFT_OFI_FRAME_MAGIC,
                 .source_nid = 1,
                 .source_pid = pid},
        .hello = {.token = 42,
                  .target_instance = weft_world_card_instance(&cards[1].card),
                  .target_nid = 1,
                  .target_pid = 1,
                  .packet_size = PAYLOAD + WEFT_PACKET_HEADERS,
                  .window = 1}};
    frame.hello.card[0] = 7; /* the instance */
    frame.hello.card_size =
        (uint16_t)(sizeof(uint64_t) +
                   weft_ofi_endpoint_name(&raw, frame.hello.card + sizeof(uint64_t),
                                          WEFT_WORLD_CARD_MAX - sizeof(uint64_t)));
    weft_ofi_frame_sign(&frame, &(struct weft_ofi_frame_secret){.key = config.key});
    return frame;
}

static void be_of_another_version(uint32_t pid)
{
    open_raw();
    struct weft_ofi_frame hello = hello_of(pid, WEFT_OFI_FRAME_VERSION + 1);
    raw_send(&hello, weft_ofi_frame_size(WEFT_OFI_FRAME_HELLO));
    const struct weft_ofi_frame *answer = raw_receive(10000);
    need(answer && answer->head.kind == WEFT_OFI_FRAME_REFUSE && answer->head.token == 42);
    need(answer->refuse.reason == WEFT_WORLD_REASON_VERSION);
    /* The MAC is of another frame: no answer at all. */
    hello.head.version = WEFT_OFI_FRAME_VERSION;
    raw_send(&hello, weft_ofi_frame_size(WEFT_OFI_FRAME_HELLO));
    need(!raw_receive(100));
    stage->step = 1;
}

static void withstand_hellos(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), stage->step == 1));
    need(weft_ofi_counts(world).forgeries == 1 && weft_ofi_counts(world).opened == 0);
    close_world();
}

void test_garbage(void)
{
    static void (*const attacks[])(uint32_t pid) = {send_garbage, send_too_much};
    for (unsigned i = 0; i < 2; i++) {
        begin(i ? "a stranger sends too much at once" : "a stranger sends garbage");
        set("WEFT_LOG", "off");
        if (attacks[i] == send_too_much && !run_alone(fail_if_overrun)) {
            tap_note("skipped: the provider would write behind a buffer");
            continue;
        }
        pid_t receiver = start(withstand, 1), sender = start(send_many, 2);
        pid_t stranger = start(attacks[i], 3);
        check(ended_well(sender));
        check(ended_well(receiver));
        stage->step = 2;
        check(ended_well(stranger));
    }
    begin("a process of another version is told so");
    set("WEFT_LOG", "off");
    pid_t receiver = start(withstand_hellos, 1);
    check(ended_well(start(be_of_another_version, 3)));
    check(ended_well(receiver));
}
