/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/ofi/buffers.h"

#include <rdma/fi_errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/log.h"

/* ---- Sending ------------------------------------------------------------------------------- */

#define CHUNK 16u
/* Buffers begin on lines of their own. */
#define LINE 64u

struct chunk {
    struct weft_list link;
    struct fid_mr *mr;
    unsigned char *bytes;
    struct weft_ofi_tx txs[CHUNK];
};

static size_t round_up(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

void weft_ofi_tx_pool_init(struct weft_ofi_tx_pool *pool, struct weft_ofi_endpoint *endpoint,
                           size_t room, uint32_t limit)
{
    *pool = (struct weft_ofi_tx_pool){
        .endpoint = endpoint, .room = round_up(room, LINE), .limit = limit};
    weft_list_init(&pool->free);
    weft_list_init(&pool->chunks);
}

static void free_chunk(struct chunk *chunk)
{
    if (chunk->mr)
        fi_close(&chunk->mr->fid);
    free(chunk->bytes);
    free(chunk);
}

void weft_ofi_tx_pool_fini(struct weft_ofi_tx_pool *pool)
{
    while (!weft_list_is_empty(&pool->chunks)) {
        struct chunk *chunk = weft_list_object(pool->chunks.next, struct chunk, link);
        weft_list_remove(&chunk->link);
        free_chunk(chunk);
    }
}

static void grow(struct weft_ofi_tx_pool *pool)
{
    struct chunk *chunk = calloc(1, sizeof *chunk);
    if (!chunk)
        return;
    void *descriptor;
    size_t size = CHUNK * pool->room;
    chunk->bytes = aligned_alloc(LINE, size);
    if (!chunk->bytes || !weft_ofi_endpoint_register(pool->endpoint, chunk->bytes, size, FI_SEND,
                                                     &chunk->mr, &descriptor)) {
        free_chunk(chunk);
        return;
    }
    for (unsigned i = 0; i < CHUNK; i++) {
        struct weft_ofi_tx *tx = &chunk->txs[i];
        tx->buffer.descriptor = descriptor;
        tx->buffer.bytes = chunk->bytes + i * pool->room;
        tx->pool = pool;
        weft_list_append(&pool->free, &tx->link);
    }
    weft_list_append(&pool->chunks, &chunk->link);
    pool->made += CHUNK;
}

struct weft_ofi_tx *weft_ofi_tx_take(struct weft_ofi_tx_pool *pool)
{
    if (weft_list_is_empty(&pool->free) && pool->made < pool->limit)
        grow(pool);
    if (weft_list_is_empty(&pool->free))
        return NULL;
    struct weft_ofi_tx *tx = weft_list_object(pool->free.next, struct weft_ofi_tx, link);
    weft_list_remove(&tx->link);
    return tx;
}

void weft_ofi_tx_give(struct weft_ofi_tx *tx)
{
    /* First: what was used last is still in the cache. */
    weft_list_insert(tx->pool->free.next, &tx->link);
}

/* The place in an array whose element begins there; `count` if none does. */
static size_t place_in(const void *array, size_t element, size_t count, const void *address)
{
    uintptr_t offset = (uintptr_t)address - (uintptr_t)array;
    return offset < element * count && offset % element == 0 ? offset / element : count;
}

/* There are at most some twenty chunks, and mostly one or two. */
struct weft_ofi_tx *weft_ofi_tx_pool_find(const struct weft_ofi_tx_pool *pool, const void *context)
{
    for (struct weft_list *link = pool->chunks.next; link != &pool->chunks; link = link->next) {
        struct chunk *chunk = weft_list_object(link, struct chunk, link);
        size_t i = place_in(chunk->txs, sizeof *chunk->txs, CHUNK, context);
        if (i < CHUNK)
            return chunk->txs[i].flies ? &chunk->txs[i] : NULL;
    }
    return NULL;
}

static uint32_t write_off(struct chunk *chunk, const struct weft_ofi_peer *peer)
{
    uint32_t count = 0;
    for (unsigned i = 0; i < CHUNK; i++) {
        struct weft_ofi_tx *tx = &chunk->txs[i];
        if (tx->flies && !tx->lost && tx->peer == peer) {
            tx->lost = true;
            count++;
        }
    }
    return count;
}

uint32_t weft_ofi_tx_pool_write_off(struct weft_ofi_tx_pool *pool,
                                    const struct weft_ofi_peer *peer)
{
    uint32_t count = 0;
    for (struct weft_list *link = pool->chunks.next; link != &pool->chunks; link = link->next)
        count += write_off(weft_list_object(link, struct chunk, link), peer);
    pool->limit += count;
    return count;
}

/* ---- Receiving ----------------------------------------------------------------------------- */

#define RX_SIZE (1u << 20)
#define RX_FRAMES 16u

bool weft_ofi_rx_open(struct weft_ofi_rx *rx, struct weft_ofi_endpoint *endpoint)
{
    void *descriptor;
    size_t frame_size = endpoint->frame_size;
    *rx = (struct weft_ofi_rx){.endpoint = endpoint, .size = RX_SIZE};
    if (rx->size < RX_FRAMES * frame_size)
        rx->size = RX_FRAMES * round_up(frame_size, LINE);
    rx->bytes = mmap(NULL, WEFT_OFI_RX_COUNT * rx->size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (rx->bytes == MAP_FAILED) {
        rx->bytes = NULL;
        weft_log(WEFT_LOG_ERROR, "there is not enough memory for %u receive buffers of %zu bytes",
                 WEFT_OFI_RX_COUNT, rx->size);
        return false;
    }
    if (!weft_ofi_endpoint_register(endpoint, rx->bytes, WEFT_OFI_RX_COUNT * rx->size, FI_RECV,
                                    &rx->mr, &descriptor))
        return false;
    for (unsigned i = 0; i < WEFT_OFI_RX_COUNT; i++) {
        rx->buffers[i].descriptor = descriptor;
        rx->buffers[i].bytes = rx->bytes + i * rx->size;
        rx->idle |= 1u << i;
    }
    weft_ofi_rx_post(rx);
    return !rx->has_complained;
}

void weft_ofi_rx_close(struct weft_ofi_rx *rx)
{
    if (rx->mr)
        fi_close(&rx->mr->fid);
    if (rx->bytes)
        munmap(rx->bytes, WEFT_OFI_RX_COUNT * rx->size);
}

struct weft_ofi_buffer *weft_ofi_rx_find(struct weft_ofi_rx *rx, const void *context)
{
    size_t i = place_in(rx->buffers, sizeof *rx->buffers, WEFT_OFI_RX_COUNT, context);
    return i < WEFT_OFI_RX_COUNT ? &rx->buffers[i] : NULL;
}

bool weft_ofi_rx_holds(const struct weft_ofi_rx *rx, const struct weft_ofi_buffer *buffer,
                       const void *bytes, size_t size)
{
    uintptr_t offset = (uintptr_t)bytes - (uintptr_t)buffer->bytes;
    return offset <= rx->size && size <= rx->size - offset;
}

void weft_ofi_rx_release(struct weft_ofi_rx *rx, struct weft_ofi_buffer *buffer)
{
    rx->idle |= 1u << (buffer - rx->buffers);
}

static int post(struct weft_ofi_rx *rx, struct weft_ofi_buffer *buffer)
{
    struct iovec place = {buffer->bytes, rx->size};
    struct fi_msg message = {.msg_iov = &place,
                             .desc = &buffer->descriptor,
                             .iov_count = 1,
                             .addr = FI_ADDR_UNSPEC,
                             .context = buffer};
    return (int)fi_recvmsg(rx->endpoint->ep, &message, FI_MULTI_RECV);
}

void weft_ofi_rx_post(struct weft_ofi_rx *rx)
{
    for (unsigned i = 0; i < WEFT_OFI_RX_COUNT; i++) {
        if (!(rx->idle & 1u << i))
            continue;
        int result = post(rx, &rx->buffers[i]);
        if (result == 0) {
            rx->idle &= ~(1u << i);
            continue;
        }
        if (result != -FI_EAGAIN && !rx->has_complained) {
            weft_log(WEFT_LOG_ERROR, "libfabric does not take a receive buffer: %s",
                     fi_strerror(-result));
            rx->has_complained = true;
        }
        return;
    }
}
