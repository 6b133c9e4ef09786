/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a process of the job puts into tickets, and behind them: numbers of offers that there are
 * or are not, lengths, layouts to be read in its memory, news of messages. All of the preload
 * library from the bytes that MPI has received is what programs run, and so is the net below it,
 * on simulated nodes; of MPI itself there is the one call that says how many bytes have come.
 *
 *   input: changes of what is shown at the door, then deeds: of the taker, or of the peer
 *
 * A ticket is one if its size and its secret are right, and at no other time. Whatever it says,
 * nothing is written but what the receive names, and nothing at all of what is offered; each take
 * ends with its data or an error, for which it may only have to wait if data was announced that
 * does not follow: then it can be cancelled, or ends with the peer. Where the peer is honest, its
 * data comes.
 */
#include "fuzz/ticket.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fuzz/input.h"
#include "fuzz/use.h"
#include "mpi/layout/buffer.h"
#include "mpi/message/cargo.h"
#include "portals/simulate.h"
#include "transfer/net.h"

#define ARENA 32768u
#define MARGIN 512u
#define GUARD 0xA5
#define READ_ONLY 4096u
#define DEEDS_MOST 24u
#define OFFERS_MOST 4u
#define WAITING_MOST 4u
#define PATIENCE 4000 /* milliseconds, virtual */
#define SECOND UINT64_C(1000000000)

/* ---- The stand-in for MPI ------------------------------------------------------------------ */

static int tell_elements(const MPI_Status *status, MPI_Datatype type, MPI_Count *count)
{
    (void)type;
    *count = status->MPI_internal[0];
    return MPI_SUCCESS;
}

/* ---- A receive ----------------------------------------------------------------------------- */

struct receive {
    unsigned char *arena, *mask; /* of which the marked bytes may change */
    struct weft_mpi_type type;
    struct weft_mpi_cargo cargo;
    struct weft_mpi_ticket ticket;
    bool is_honest;
    weft_request *transfer;
};

static struct {
    ptl_handle_ct_t ct;
    weft_request *offers[OFFERS_MOST];
    unsigned offer_count;
    struct receive *waiting[WAITING_MOST];
    unsigned waiting_count;
} taker;

static unsigned char *read_only;

static weft_type *next_type(void)
{
    static const unsigned blocks[] = {1, 8, 64, 700};
    unsigned code = next_byte(), block = blocks[code & 3], gap = code >> 2 & 15;
    weft_type *type;
    require(weft_type_vector(1 + (code >> 6), block, block + gap, weft_basic(WEFT_BYTE), &type) ==
                WEFT_OK &&
            weft_type_commit(type) == WEFT_OK);
    return type;
}

/* Unpacks through the layout of the program. */
static void place(const struct receive *receive, unsigned char *arena, const void *bytes,
                  size_t size)
{
    const struct weft_mpi_data *data = &receive->cargo.data;
    require(weft_unpack(receive->type.type, data->count, arena + MARGIN, 0, bytes, size) ==
            WEFT_OK);
}

static void mark(struct receive *receive)
{
    size_t size = receive->cargo.data.bytes;
    unsigned char *ones = malloc(size);
    require(ones != NULL);
    memset(ones, 1, size);
    place(receive, receive->mask, ones, size);
    free(ones);
}

/* As weft_mpi_cargo_open has it: bytes that lie together, in place, or staged. */
static struct receive *open_receive(void)
{
    enum { TOGETHER, IN_PLACE, STAGED, WAYS };
    unsigned way = next_byte() % WAYS;
    struct receive *receive = calloc(1, sizeof *receive);
    require(receive && (receive->arena = malloc(ARENA)) && (receive->mask = calloc(1, ARENA)));
    memset(receive->arena, GUARD, ARENA);
    weft_type *type = next_type();
    size_t size = weft_type_size(type), count = 1 + next_byte() * (size_t)8;
    size_t most = (ARENA - 2 * MARGIN) / (size_t)weft_type_extent(type);
    count = count < most ? count : most;
    receive->type = (struct weft_mpi_type){
        .type = type, .size = size, .is_receivable = true, .holds_ticket = true, .users = 2};
    struct weft_mpi_cargo *cargo = &receive->cargo;
    cargo->data = (struct weft_mpi_data){.buffer = receive->arena + MARGIN,
                                         .count = count,
                                         .bytes = count * size,
                                         .type = &receive->type};
    mark(receive);
    if (way == TOGETHER) {
        memset(receive->mask, 0, ARENA);
        memset(receive->mask + MARGIN, 1, cargo->data.bytes);
        cargo->data.type = NULL;
    } else if (way == STAGED) {
        cargo->room = cargo->data.bytes;
        require((cargo->buffer = weft_mpi_buffer_take(cargo->room)) != NULL);
    }
    return receive;
}

static void close_receive(struct receive *receive)
{
    for (size_t i = 0; i < ARENA; i++)
        require(receive->mask[i] || receive->arena[i] == GUARD);
    weft_mpi_cargo_close(&receive->cargo);
    weft_type_free(receive->type.type);
    free(receive->arena);
    free(receive->mask);
    free(receive);
}

static void check_data(struct receive *receive)
{
    size_t size = weft_mpi_cargo_bytes(&receive->cargo, &receive->ticket);
    unsigned char *got = malloc(size ? size : 1);
    require(got != NULL);
    if (receive->cargo.data.type)
        weft_pack(receive->type.type, receive->cargo.data.count, receive->arena + MARGIN, 0, got,
                  size);
    else
        memcpy(got, receive->arena + MARGIN, size);
    for (size_t i = 0; i < size; i++)
        require(got[i] == peer_byte(i));
    free(got);
}

/* ---- What comes ---------------------------------------------------------------------------- */

/* Right, until the input changes it. False if it must not be taken for a ticket. */
static bool write_envelope(union weft_mpi_envelope *envelope, size_t *size)
{
    memset(envelope, 0, sizeof *envelope);
    struct weft_mpi_ticket *ticket = &envelope->ticket;
    memcpy(ticket->secret, weft_mpi.secret, sizeof ticket->secret);
    ticket->number = peer_next_number();
    size_t high = next_byte();
    ticket->bytes = high << 8 | next_byte();
    ticket->sender = PEER;
    change(ticket, sizeof *ticket);
    *size = weft_mpi.ticket_size;
    unsigned cut = next_byte();
    if (cut & 1)
        *size = cut * sizeof *envelope / UINT8_MAX;
    return *size == weft_mpi.ticket_size &&
           memcmp(ticket->secret, weft_mpi.secret, sizeof ticket->secret) == 0;
}

/* MPI cuts a message to the room for it. */
static size_t arrive(const struct receive *receive, const void *bytes, size_t size)
{
    const struct weft_mpi_cargo *cargo = &receive->cargo;
    size = size < cargo->data.bytes ? size : cargo->data.bytes;
    if (cargo->buffer)
        memcpy(cargo->buffer, bytes, size);
    else if (cargo->data.type)
        place(receive, receive->arena, bytes, size);
    else
        memcpy(cargo->data.buffer, bytes, size);
    return size;
}

/* ---- The taker ----------------------------------------------------------------------------- */

static void pass(void)
{
    ptl_size_t never = 1;
    ptl_ct_event_t count;
    unsigned which;
    require(PtlCTPoll(&taker.ct, &never, 1, 1, &count, &which) == PTL_CT_NONE_REACHED);
}

static void end_receive(struct receive *receive, int error)
{
    weft_mpi_thread_count(-1);
    bool has_room = receive->ticket.bytes <= receive->cargo.data.bytes;
    int class =
        weft_mpi_cargo_taken(&receive->cargo, &receive->ticket, weft_mpi_class_of(error), 0);
    require(!receive->is_honest || class == (has_room ? MPI_SUCCESS : MPI_ERR_TRUNCATE));
    if (receive->is_honest)
        check_data(receive);
    close_receive(receive);
}

static bool may_wait(const struct receive *receive)
{
    return receive->ticket.number & WEFT_NET_FOLLOWS;
}

static void take(struct receive *receive)
{
    int class = weft_mpi_cargo_take(&receive->cargo, &receive->ticket, &receive->transfer);
    if (class != MPI_SUCCESS) {
        require(!receive->is_honest);
        close_receive(receive);
        return;
    }
    int error = weft_wait(&receive->transfer, PATIENCE, NULL);
    if (error != WEFT_ERR_TIMEOUT) {
        end_receive(receive, error);
        return;
    }
    require(may_wait(receive));
    if (weft_cancel(receive->transfer) == WEFT_OK) {
        require(weft_wait(&receive->transfer, 0, NULL) == WEFT_ERR_CANCELLED);
        end_receive(receive, WEFT_ERR_CANCELLED);
        return;
    }
    require(peer_has_followed(receive->ticket.number) && taker.waiting_count < WAITING_MOST);
    taker.waiting[taker.waiting_count++] = receive;
}

static void receive_message(void)
{
    union weft_mpi_envelope envelope;
    size_t size;
    struct receive *receive = open_receive();
    bool is_right = write_envelope(&envelope, &size);
    is_right &= receive->cargo.data.bytes >= weft_mpi.ticket_size;
    MPI_Status status = {.MPI_internal = {(int)arrive(receive, &envelope, size)}};
    bool is_ticket = weft_mpi_cargo_ticket(&receive->cargo, &status, &receive->ticket);
    require(is_ticket == is_right);
    if (!is_ticket) {
        require(weft_mpi_cargo_settle(&receive->cargo, &status) == MPI_SUCCESS);
        close_receive(receive);
        return;
    }
    const struct weft_mpi_ticket *ticket = &receive->ticket;
    receive->is_honest = ticket->sender == PEER && ticket->bytes > 0 &&
                         !(ticket->number & WEFT_NET_FOLLOWS) &&
                         peer_has_offered(ticket->number, ticket->bytes);
    take(receive);
}

/* The peer may say of it what it likes. */
static void offer_memory(void)
{
    uint64_t number;
    if (taker.offer_count == OFFERS_MOST)
        return;
    weft_type *type = next_type();
    size_t count = READ_ONLY / (size_t)weft_type_extent(type);
    int error = weft_offer(weft_mpi.net, type, count, read_only, PEER, &number,
                           &taker.offers[taker.offer_count]);
    weft_type_free(type);
    require(error == WEFT_OK || error == WEFT_ERR_PEER);
    if (error)
        return;
    taker.offer_count++;
    peer_hear_of(number);
}

static void end_offers(void)
{
    for (unsigned i = 0; i < taker.offer_count; i++) {
        weft_cancel(taker.offers[i]);
        require(weft_wait(&taker.offers[i], PATIENCE, NULL) != WEFT_ERR_TIMEOUT);
    }
}

static void end_waiting(void)
{
    for (unsigned i = 0; i < taker.waiting_count; i++) {
        int error = weft_wait(&taker.waiting[i]->transfer, PATIENCE, NULL);
        require(error != WEFT_ERR_TIMEOUT);
        end_receive(taker.waiting[i], error);
    }
}

static void act(void)
{
    unsigned what = next_byte();
    if (what & 1)
        peer_let_act(pass);
    else if (what & 2 || taker.waiting_count == WAITING_MOST)
        offer_memory();
    else
        receive_message();
}

static void live(void)
{
    ptl_handle_ni_t ni;
    ptl_process_t map[NODES] = {{.phys = {1, 1}}, {.phys = {2, 1}}};
    require(PtlInit() == PTL_OK &&
            PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, 1, NULL, NULL, &ni) ==
                PTL_OK &&
            PtlSetMap(ni, NODES, map) == PTL_OK && PtlCTAlloc(ni, &taker.ct) == PTL_OK &&
            weft_net_attach_alone(ni, TAKER, NODES, 0, &weft_mpi.net) == WEFT_OK);
    pass();
    for (unsigned i = 0; i < DEEDS_MOST && has_input(); i++)
        act();
    end_offers();
    peer_let_leave(pass);
    end_waiting();
    weft_close(weft_mpi.net);
    weft_mpi.net = NULL;
    PtlNIFini(ni);
    PtlFini();
}

static void program(unsigned node, void *argument)
{
    (void)argument;
    if (node == TAKER)
        live();
    else
        peer_live();
}

/* ---- The run ------------------------------------------------------------------------------- */

/* Everything takes the long way, and may be read in its place. */
static void begin(void)
{
    static const char *const settings[][2] = {
        {"WEFT_LOG", "off"},   {"WEFT_DIRECT", "8"},     {"WEFT_DIRECT_MOST", "1G"},
        {"WEFT_CHUNK", "512"}, {"WEFT_REQUESTS", "64"},  {"WEFT_UNEXPECTED", "64K"},
        {"WEFT_EAGER", "2K"},  {"WEFT_TIMEOUT", "1000"},
    };
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++)
        setenv(settings[i][0], settings[i][1], 1);
    mpi.Get_elements_x = tell_elements;
    memcpy(weft_mpi.secret, "sixteen bytes..", sizeof weft_mpi.secret);
    weft_mpi_set_ticket(weft_mpi_least_ticket());
    read_only = mmap(NULL, READ_ONLY, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(read_only != MAP_FAILED);
    peer_begin();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct weft_sim_config config = {.nodes = NODES,
                                     .seed = 1,
                                     .latency = 1000,
                                     .packet_size = 1024,
                                     .timeout = SECOND,
                                     .nic.hpus.contexts = 64,
                                     .limit = 10000 * SECOND};
    if (!read_only)
        begin();
    begin_input(data, size);
    memset(&taker, 0, sizeof taker);
    peer_reset();
    require(weft_portals_simulate(&config, program, NULL) == 0);
    return 0;
}
