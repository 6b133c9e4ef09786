/* SPDX-License-Identifier: BSD-3-Clause */
#include "transfer/direct.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "transfer/together.h"

/* Bytes of one part: other events wait so long. */
#define PART ((uint64_t)1 << 20)
/* Pieces of one part; the proof is one more. */
#define PIECES (IOV_MAX - 1)

static void count_fallback(struct weft_net *net, enum weft_net_fallback reason)
{
    net->counters.fallbacks[reason]++;
}

/* ---- Who may be read ---------------------------------------------------------------------- */

static void ask(struct weft_net *net, uint32_t rank)
{
    struct weft_net_neighbour *neighbour = calloc(1, sizeof *neighbour);
    struct weft_request *request;
    if (!neighbour)
        return;
    if (weft_net_request_new(net, WEFT_NET_REQUEST_DOOR, rank, NULL, 0, NULL, &request) !=
        WEFT_OK) {
        free(neighbour);
        return;
    }
    net->peers[rank].neighbour = neighbour;
    request->is_detached = true;
    if (PtlGet(net->memory, (uintptr_t)&neighbour->root, sizeof neighbour->root,
               weft_net_process(rank), WEFT_NET_CONTROL, WEFT_NET_DOOR, 0, request) == PTL_OK)
        return;
    net->peers[rank].neighbour = NULL;
    weft_net_request_drop(request);
    free(neighbour);
}

static void close_neighbour(struct weft_net_neighbour *neighbour, enum weft_net_fallback reason)
{
    neighbour->state = WEFT_NET_NEIGHBOUR_CLOSED;
    neighbour->reason = reason;
}

void weft_net_direct_introduced(struct weft_request *request, const ptl_event_t *event)
{
    struct weft_net *net = request->net;
    struct weft_net_neighbour *neighbour = net->peers[request->peer].neighbour;
    const struct weft_net_locator_root *own = &net->locators.root;
    /* Simulated nodes are one process: what they read would take none of their time. */
    bool is_near = event->ni_fail_type == PTL_NI_OK && own->host &&
                   neighbour->root.host == own->host &&
                   (neighbour->root.pid == own->pid) == (request->peer == net->rank);
    neighbour->state = WEFT_NET_NEIGHBOUR_READABLE;
    if (!is_near)
        close_neighbour(neighbour, WEFT_NET_FALLBACK_ELSEWHERE);
    weft_net_request_end(request, WEFT_OK);
}

void weft_net_direct_close(struct weft_net *net)
{
    for (uint32_t rank = 0; rank < net->size; rank++) {
        struct weft_net_neighbour *neighbour = net->peers[rank].neighbour;
        if (neighbour)
            weft_heap_view_close(&neighbour->view);
        free(neighbour);
    }
}

struct weft_net_neighbour *weft_net_direct_neighbour(struct weft_net *net, uint32_t rank,
                                                     enum weft_net_fallback *reason)
{
    struct weft_net_neighbour *neighbour = net->peers[rank].neighbour;
    *reason = WEFT_NET_FALLBACK_STRANGER;
    if (!neighbour)
        ask(net, rank);
    else if (neighbour->state == WEFT_NET_NEIGHBOUR_CLOSED)
        *reason = neighbour->reason;
    return neighbour && neighbour->state == WEFT_NET_NEIGHBOUR_READABLE ? neighbour : NULL;
}

/* ---- Reading ------------------------------------------------------------------------------ */

/* Both lists have room for one more. The proof comes with every part, so that neither a process
 * that has the number of a dead one is read, nor memory that its owner was told is free. */
static bool read_part(struct weft_request *request, struct iovec *to, size_t to_count,
                      struct iovec *from, size_t from_count, uint64_t bytes)
{
    struct weft_net *net = request->net;
    struct weft_net_neighbour *neighbour = net->peers[request->pull.from].neighbour;
    const struct weft_net_locator_root *root = &neighbour->root;
    uint64_t proof[3];
    to[to_count] = (struct iovec){proof, sizeof proof};
    from[from_count] = (struct iovec){(void *)request->pull.locator_address, sizeof proof};
    errno = 0;
    ssize_t got = process_vm_readv((pid_t)root->pid, to, to_count + 1, from, from_count + 1, 0);
    bool is_same = got == (ssize_t)(bytes + sizeof proof) && proof[2] == request->pull.bits;
    if (is_same && memcmp(proof, root->word, sizeof root->word) == 0)
        return true;
    if (got >= 0 || errno == EFAULT) {
        count_fallback(net, WEFT_NET_FALLBACK_GONE);
    } else {
        close_neighbour(neighbour, WEFT_NET_FALLBACK_DENIED);
        count_fallback(net, WEFT_NET_FALLBACK_DENIED);
    }
    return false;
}

static bool read_piece(struct weft_request *request, void *piece, uint64_t address, size_t length)
{
    if (request->pull.is_together)
        return weft_net_together_read(request, piece, address, length);
    struct iovec to[2] = {{piece, length}}, from[2] = {{(void *)address, length}};
    return read_part(request, to, 1, from, 1, length);
}

static bool read_locator(struct weft_request *request)
{
    struct weft_net_pull *pull = &request->pull;
    return read_piece(request, &pull->locator, pull->locator_address, sizeof pull->locator);
}

/* ---- Types of peers ----------------------------------------------------------------------- */

weft_type *weft_net_direct_learn(struct weft_net *net, uint32_t rank, uint64_t key,
                                 const unsigned char *text, size_t length)
{
    weft_type *type = NULL;
    if (weft_type_deserialize(text, length, &type) != WEFT_OK ||
        weft_type_commit(type) != WEFT_OK) {
        weft_type_free(type);
        return NULL;
    }
    weft_net_name_learn(&net->names, rank, key, type, length);
    net->counters.layout_bytes += length;
    return type;
}

static weft_type *fetch_type(struct weft_request *request)
{
    struct weft_net *net = request->net;
    const struct weft_net_locator *locator = &request->pull.locator;
    weft_type *type = NULL;
    size_t longest =
        request->pull.is_together ? WEFT_NET_NAME_LONGEST_SHARED : WEFT_NET_NAME_LONGEST;
    unsigned char *text = locator->text_length <= longest ? malloc(locator->text_length) : NULL;
    bool is_read = text && read_piece(request, text, locator->text, locator->text_length);
    if (is_read)
        type = weft_net_direct_learn(net, request->pull.from, locator->key, text,
                                     locator->text_length);
    if (!type && (is_read || !text))
        count_fallback(net, WEFT_NET_FALLBACK_LAYOUT);
    free(text);
    return type;
}

weft_type *weft_net_direct_type(struct weft_request *request)
{
    struct weft_net *net = request->net;
    weft_type *type =
        weft_net_name_recall(&net->names, request->pull.from, request->pull.locator.key);
    if (type) {
        net->counters.layout_hits++;
        return type;
    }
    net->counters.layout_misses++;
    return fetch_type(request);
}

/* ---- Data --------------------------------------------------------------------------------- */

/* As many pieces as fit; the bytes that they hold, 0 if the range is not the layout's. */
static uint64_t list(const struct weft_net_layout *layout, uint64_t offset, uint64_t length,
                     struct iovec *pieces, size_t *count)
{
    size_t bytes = 0;
    if (layout->type) {
        if (weft_iov(layout->type, layout->count, layout->base, offset, length, pieces, PIECES,
                     count, &bytes) != WEFT_OK)
            return 0;
        return bytes;
    }
    if (offset > layout->length || length > layout->length - offset)
        return 0;
    *count = 1;
    pieces[0] = (struct iovec){layout->base + offset, length};
    return length;
}

/* Cuts a list to its first bytes. */
static void shorten(struct iovec *pieces, size_t *count, uint64_t bytes)
{
    size_t i = 0;
    while (bytes > pieces[i].iov_len)
        bytes -= pieces[i++].iov_len;
    pieces[i].iov_len = bytes;
    *count = i + 1;
}

static bool read_data(struct weft_request *request, const struct weft_net_layout *theirs)
{
    struct iovec to[PIECES + 1], from[PIECES + 1];
    size_t to_count, from_count;
    struct weft_net_pull *pull = &request->pull;
    uint64_t most = pull->end - pull->begin < PART ? pull->end - pull->begin : PART;
    uint64_t here = list(&request->layout, pull->begin, most, to, &to_count);
    uint64_t bytes = list(theirs, pull->shift + pull->begin, here, from, &from_count);
    if (here == 0 || bytes == 0) {
        count_fallback(request->net, WEFT_NET_FALLBACK_LAYOUT);
        return false;
    }
    if (bytes < here)
        shorten(to, &to_count, bytes);
    uint64_t since = weft_net_layout_begin();
    if (!read_part(request, to, to_count, from, from_count, bytes))
        return false;
    weft_net_layout_scattered(&request->layout, since);
    request->net->counters.direct_bytes += bytes;
    pull->begin += bytes;
    return true;
}

/* One part, which may have a type of its own if another has pushed it out meanwhile. If it fails,
 * the rest must come in packets. */
static enum weft_net_step step(struct weft_request *request)
{
    struct weft_net_pull *pull = &request->pull;
    const struct weft_net_locator *locator = &pull->locator;
    if (locator->count == 0 && !read_locator(request))
        return WEFT_NET_STEP_FAILED;
    struct weft_net_layout theirs = {.count = locator->count, .base = (char *)locator->base};
    if (locator->key == 0)
        theirs.length = locator->count;
    else if (!(theirs.type = weft_net_direct_type(request)))
        return WEFT_NET_STEP_FAILED;
    if (pull->is_together)
        return weft_net_together_copy(request, &theirs);
    return read_data(request, &theirs) ? WEFT_NET_STEP_DONE : WEFT_NET_STEP_FAILED;
}

static void end(struct weft_request *request, enum weft_net_step last)
{
    struct weft_net *net = request->net;
    struct weft_net_pull *pull = &request->pull;
    weft_list_remove(&request->link);
    if (pull->is_together)
        weft_net_together_leave(request, last == WEFT_NET_STEP_DONE);
    if (last == WEFT_NET_STEP_FAILED) {
        pull->is_direct = pull->is_together = false;
        weft_net_pull_packets(request);
        return;
    }
    *(pull->is_together ? &net->counters.together : &net->counters.direct) += 1;
    pull->rest = pull->end;
    weft_net_pull_ended(request, WEFT_OK);
}

bool weft_net_direct_step(struct weft_net *net)
{
    if (weft_list_is_empty(&net->direct_pulls))
        return false;
    struct weft_request *request =
        weft_list_object(net->direct_pulls.next, struct weft_request, link);
    struct weft_net_pull *pull = &request->pull;
    enum weft_net_step done = step(request);
    if (done == WEFT_NET_STEP_FAILED || pull->begin == pull->end) {
        end(request, done);
    } else if (done == WEFT_NET_STEP_WAITS) {
        weft_list_remove(&request->link);
        weft_list_append(&net->direct_pulls, &request->link);
        return pull->looks < WEFT_NET_LOOKS;
    }
    return true;
}

/* ---- Choosing ----------------------------------------------------------------------------- */

static uint64_t address_of_locator(const struct weft_request *request,
                                   const struct weft_net_locator_root *root)
{
    uint64_t bits = request->pull.bits;
    uint64_t index = weft_net_request_is_message(request) ? weft_net_locator_of_message(bits)
                                                          : weft_net_locator_of_region(root, bits);
    return root->locators + index * sizeof(struct weft_net_locator);
}

static bool wants(const struct weft_request *request)
{
    const struct weft_net *net = request->net;
    const struct weft_net_pull *pull = &request->pull;
    uint64_t length = pull->end - pull->begin;
    return net->direct && net->locators.locators && length >= net->direct &&
           length <= net->direct_most && request->layout.piece >= net->direct;
}

static bool is_not_for_reading(struct weft_request *request)
{
    count_fallback(request->net, WEFT_NET_FALLBACK_PIECES);
    return false;
}

static bool begin(struct weft_request *request)
{
    struct weft_net *net = request->net;
    struct weft_net_pull *pull = &request->pull;
    enum weft_net_fallback reason;
    struct weft_net_neighbour *neighbour = weft_net_direct_neighbour(net, pull->from, &reason);
    if (neighbour && pull->is_together && !weft_net_together_sees(neighbour)) {
        neighbour = NULL;
        reason = WEFT_NET_FALLBACK_DENIED;
    }
    if (!neighbour) {
        count_fallback(net, reason);
        return false;
    }
    pull->locator = (struct weft_net_locator){0};
    pull->locator_address = address_of_locator(request, &neighbour->root);
    if (pull->is_together && step(request) == WEFT_NET_STEP_FAILED) {
        pull->is_together = false;
        return false;
    }
    pull->is_direct = true;
    weft_list_append(&net->direct_pulls, &request->link);
    return true;
}

bool weft_net_direct_begin(struct weft_request *request)
{
    struct weft_net_pull *pull = &request->pull;
    bool is_message = weft_net_request_is_message(request);
    uint64_t mark = is_message ? WEFT_NET_LOCATOR_OF_MESSAGE : WEFT_NET_LOCATOR_OF_REGION;
    if (!(pull->bits & mark))
        return is_not_for_reading(request);
    pull->is_together = is_message && (pull->bits & WEFT_NET_LOCATOR_SHARED);
    if (!pull->is_together && !wants(request))
        return is_not_for_reading(request);
    return begin(request);
}
