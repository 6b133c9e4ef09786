/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A world of sockets, and somebody who reaches its port and plays out the input: says any bytes,
 * greets, answers and sends frames that are right but for what the input changes in them. It has
 * the key, so that what lies behind the seals is reached, too. The NIC must get the packets of
 * frames that were right, in their order and unchanged, and nothing else; and everything ends.
 */
#include "world/tcp/tcp.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "fuzz/input.h"
#include "fuzz/use.h"
#include "packet/packet.h"
#include "world/card.h"
#include "world/tcp/peer.h"

#define PACKET ((uint32_t)WEFT_PACKET_SMALLEST)
#define TIMEOUT (16 * WEFT_CLOCK_MILLISECOND)
#define PATIENCE (20 * WEFT_CLOCK_SECOND)
#define PACKETS_MOST 64u
#define OTHER 2u

/* ---- The NIC ------------------------------------------------------------------------------- */

/*
 * Packets that left in frames that were right. Each begins with its number. What follows on a line
 * after a frame that the input has changed is lost with the line, so the next to come is the next
 * of its line, or one of a later line.
 */
static struct {
    unsigned char bytes[PACKETS_MOST][PACKET];
    size_t sizes[PACKETS_MOST];
    unsigned lines[PACKETS_MOST];
    unsigned line, sent, next;
    bool waits;
} packets;

struct weft_nic_peer {
    struct weft_nic_address address;
};

static struct weft_nic_peer nic_peer;
static char nic_memory;
static struct weft_nic *const nic = (struct weft_nic *)(void *)&nic_memory;

struct weft_nic_peer *weft_nic_peer(struct weft_nic *of, struct weft_nic_address address)
{
    (void)of;
    nic_peer.address = address;
    return &nic_peer;
}

bool weft_nic_peer_waits(struct weft_nic *of, struct weft_nic_peer *peer)
{
    (void)of;
    (void)peer;
    return packets.waits;
}

void weft_nic_receive(struct weft_nic *of, struct weft_nic_peer *peer, const void *packet,
                      size_t size)
{
    (void)of;
    unsigned number = *(const unsigned char *)packet;
    require(peer == &nic_peer && packets.next <= number && number < packets.sent);
    require(size == packets.sizes[number] && memcmp(packet, packets.bytes[number], size) == 0);
    for (; packets.next < number; packets.next++)
        require(packets.lines[packets.next] != packets.lines[number]);
    packets.next++;
}

/* Packets are shorter than what the world asks for. */
unsigned char *weft_nic_landing(struct weft_nic *of, struct weft_nic_peer *peer,
                                const void *headers, size_t size)
{
    (void)of;
    (void)peer;
    (void)headers;
    (void)size;
    abort();
}

void weft_nic_receive_landed(struct weft_nic *of, struct weft_nic_peer *peer, const void *headers,
                             size_t size, const unsigned char *payload)
{
    (void)of;
    (void)peer;
    (void)headers;
    (void)size;
    (void)payload;
    abort();
}

void weft_nic_packets_lost(struct weft_nic *of, struct weft_nic_address address)
{
    (void)of;
    (void)address;
}

void weft_nic_peer_failed(struct weft_nic *of, struct weft_nic_address address)
{
    (void)of;
    (void)address;
}

/* ---- The world ----------------------------------------------------------------------------- */

static struct weft_nic_world *world;
static struct weft_world_card own_card, other_card;
static const unsigned char key[WEFT_WORLD_KEY_SIZE] = "sixteen bytes..";

static int find_card(struct weft_world_directory *directory, struct weft_nic_address address,
                     struct weft_world_card *card)
{
    (void)directory;
    if (address.nid != 1 || address.pid != OTHER)
        return -ENOENT;
    *card = other_card;
    return 0;
}

static struct weft_world_directory directory = {find_card};

static void open_world(bool is_plain)
{
    struct weft_world_config config = {.provider = "",
                                       .interface = "lo",
                                       .payload = PACKET - WEFT_PACKET_HEADERS,
                                       .timeout = TIMEOUT,
                                       .self = {1, 1},
                                       .directory = &directory,
                                       .is_plain = is_plain,
                                       .instance = 5};
    memcpy(config.key, key, sizeof key);
    world = weft_tcp_open(&config, &own_card);
    require(world != NULL);
}

static void step(void)
{
    world->ops->poll(world, nic);
    world->ops->check(world, nic);
}

static bool is_quiet(void)
{
    const struct weft_tcp *tcp = (struct weft_tcp *)world;
    return !tcp->knocking.count && !tcp->welcomed.count && weft_list_is_empty(&tcp->lines);
}

/* ---- The other ----------------------------------------------------------------------------- */

static struct {
    int listener;
    int fd; /* or -1 */
    bool is_sealed;
    struct weft_tcp_hello hello;
    struct weft_tcp_answer answer;
    struct weft_tcp_seal in, out;
} other;

static int new_socket(void)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    require(fd >= 0);
    return fd;
}

static void listen_as_other(void)
{
    struct weft_tcp_place place = {.four = {.sin_family = AF_INET},
                                   .size = sizeof(struct sockaddr_in)};
    place.four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    other.listener = new_socket();
    require(bind(other.listener, &place.any, place.size) == 0 && listen(other.listener, 4) == 0 &&
            getsockname(other.listener, &place.any, &place.size) == 0);
    weft_world_card_begin(&other_card, 7);
    weft_tcp_place_write(&place, &other_card);
}

static void hang_up(void)
{
    packets.line++;
    if (other.fd >= 0)
        close(other.fd);
    if (other.is_sealed) {
        weft_tcp_seal_end(&other.in);
        weft_tcp_seal_end(&other.out);
    }
    other.fd = -1;
    other.is_sealed = false;
}

static void say(const void *bytes, size_t size)
{
    if (other.fd >= 0 && size && send(other.fd, bytes, size, MSG_NOSIGNAL) < 0 && errno != EAGAIN)
        hang_up();
}

/* False if it does not come. */
static bool hear(void *bytes, size_t size)
{
    size_t heard = 0;
    uint64_t deadline = weft_clock_now() + TIMEOUT / 4;
    while (other.fd >= 0 && heard < size && weft_clock_now() < deadline) {
        step();
        ssize_t count = recv(other.fd, (unsigned char *)bytes + heard, size - heard, 0);
        if (count == 0 || (count < 0 && errno != EAGAIN))
            return false;
        heard += count > 0 ? (size_t)count : 0;
    }
    return heard == size;
}

static void seal(bool has_called)
{
    struct weft_tcp_wire_secrets secrets;
    bool is_plain = ((struct weft_tcp *)world)->is_plain;
    weft_tcp_wire_secrets(&secrets, key, &other.hello, &other.answer);
    other.is_sealed = true;
    require(weft_tcp_seal_begin(&other.out, weft_tcp_libcrypto(), false, is_plain,
                                has_called ? secrets.of_caller : secrets.of_called) &&
            weft_tcp_seal_begin(&other.in, weft_tcp_libcrypto(), true, is_plain,
                                has_called ? secrets.of_called : secrets.of_caller));
}

/* ---- What it does -------------------------------------------------------------------------- */

static void call(void)
{
    struct weft_tcp_place place;
    hang_up();
    other.fd = new_socket();
    require(weft_tcp_place_read(&own_card, &place));
    if (connect(other.fd, &place.any, place.size) < 0 && errno != EINPROGRESS)
        hang_up();
}

static void greet(void)
{
    if (other.fd < 0 || other.is_sealed)
        call();
    other.hello = (struct weft_tcp_hello){
        .magic = WEFT_TCP_WIRE_MAGIC,
        .version = WEFT_TCP_WIRE_VERSION,
        .message = WEFT_TCP_WIRE_HELLO,
        .is_plain = ((struct weft_tcp *)world)->is_plain,
        .packet_size = PACKET,
        .source_instance = 7,
        .target_instance = 5,
        .source_nid = 1,
        .source_pid = OTHER,
        .target_nid = 1,
        .target_pid = 1,
    };
    change(&other.hello, offsetof(struct weft_tcp_hello, mac));
    weft_tcp_wire_sign_hello(&other.hello, key);
    change(&other.hello, sizeof other.hello);
    say(&other.hello, sizeof other.hello);
    if (!hear(&other.answer, sizeof other.answer)) {
        hang_up();
        return;
    }
    require(weft_tcp_wire_is_answer(&other.answer, &other.hello, key));
    if (other.answer.message == WEFT_TCP_WIRE_WELCOME)
        seal(true);
}

/* The world wants to say something, and so calls. */
static void be_called(void)
{
    struct weft_nic_route *route = world->ops->route(world, (struct weft_nic_address){1, OTHER});
    if (!route || route->failed)
        return;
    hang_up();
    for (unsigned i = 0; i < 64 && other.fd < 0; i++) {
        step();
        other.fd = accept4(other.listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    }
    if (!hear(&other.hello, sizeof other.hello)) {
        hang_up();
        return;
    }
    require(weft_tcp_wire_is_hello(&other.hello, key));
    other.answer = (struct weft_tcp_answer){.magic = WEFT_TCP_WIRE_MAGIC,
                                            .version = WEFT_TCP_WIRE_VERSION,
                                            .message = WEFT_TCP_WIRE_WELCOME};
    change(&other.answer, offsetof(struct weft_tcp_answer, mac));
    weft_tcp_wire_sign_answer(&other.answer, &other.hello, key);
    change(&other.answer, sizeof other.answer);
    say(&other.answer, sizeof other.answer);
    seal(false);
}

static void expect(const struct weft_tcp_head *head, unsigned char *bytes)
{
    bytes[0] = (unsigned char)packets.sent;
    packets.sizes[packets.sent] = head->size;
    packets.lines[packets.sent] = packets.line;
    memcpy(packets.bytes[packets.sent], bytes, head->size);
    packets.sent++;
}

/* Right, whatever it says, until the input changes what goes out. */
static void send_frame(void)
{
    static unsigned char frame[sizeof(struct weft_tcp_head) + 4 * UINT8_MAX];
    struct weft_tcp_head head = {.kind = (uint8_t)next_byte(), .flags = (uint8_t)next_byte()};
    size_t wanted = 4 * next_byte();
    unsigned char *bytes = frame + sizeof head;
    head.size = (uint32_t)next_bytes(bytes, wanted);
    if (!other.is_sealed || packets.sent == PACKETS_MOST)
        return;
    if (head.kind == WEFT_TCP_FRAME_DATA && head.size && head.size <= PACKET)
        expect(&head, bytes);
    require(weft_tcp_frame_seal(&other.out, &head, bytes));
    memcpy(frame, &head, sizeof head);
    change(frame, sizeof head + head.size);
    say(frame, sizeof head + head.size);
}

static void send_anything(void)
{
    unsigned char bytes[256];
    size_t wanted = next_byte();
    say(bytes, next_bytes(bytes, wanted));
}

static void let_send(void)
{
    struct weft_nic_route *route = world->ops->route(world, (struct weft_nic_address){1, OTHER});
    size_t size = 1 + next_byte();
    unsigned char *bytes = route ? world->ops->reserve(route, size) : NULL;
    if (!bytes)
        return;
    memset(bytes, 0, size);
    world->ops->commit(route, size);
}

static void listen_to_world(void)
{
    unsigned char bytes[512];
    step();
    if (other.fd >= 0 && recv(other.fd, bytes, sizeof bytes, 0) == 0)
        hang_up();
}

static void let_wait(void)
{
    packets.waits = !packets.waits;
}

static void act(void)
{
    static void (*const deeds[])(void) = {call,          greet,    be_called,
                                          send_frame,    let_send, listen_to_world,
                                          send_anything, hang_up,  let_wait};
    deeds[next_byte() % (sizeof deeds / sizeof *deeds)]();
}

/* Everybody has gone: what was begun with them ends. */
static void end(void)
{
    uint64_t deadline = weft_clock_now() + PATIENCE;
    packets.waits = false;
    hang_up();
    close(other.listener);
    /* Who was not let run for so long has one more step. */
    bool is_late = false;
    for (step(); !is_quiet(); step()) {
        require(!is_late);
        is_late = weft_clock_now() >= deadline;
    }
    require(weft_tcp_counts(world).sessions == 0);
    world->ops->close(world);
}

/* A card is what somebody has put into the directory. */
static void read_cards(void)
{
    struct weft_world_card card = {0}, part;
    struct weft_tcp_place place;
    card.size = (uint32_t)next_bytes(card.bytes, next_byte() % (WEFT_WORLD_CARD_MAX + 1));
    for (unsigned count = 1; count < 4; count++)
        for (unsigned i = 0; i < count; i++)
            if (weft_world_card_part(&card, count, i, &part))
                require(part.size <= WEFT_WORLD_CARD_MAX && part.size > WEFT_WORLD_CARD_HEAD);
    if (weft_tcp_place_read(&card, &place))
        require(place.any.sa_family == AF_INET || place.any.sa_family == AF_INET6);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    begin_input(data, size);
    setenv("WEFT_LOG", "off", 1);
    memset(&packets, 0, sizeof packets);
    memset(&other, 0, sizeof other);
    other.fd = -1;
    unsigned how = next_byte();
    if (how == 255) {
        read_cards();
        return 0;
    }
    listen_as_other();
    open_world(how & 1);
    for (unsigned i = 0; i < 64 && has_input(); i++)
        act();
    end();
    return 0;
}
