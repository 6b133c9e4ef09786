/* SPDX-License-Identifier: BSD-3-Clause */
#include "handlers/handler.h"

#include <assert.h>
#include <string.h>

#define PAIR_HEAD offsetof(struct weft_handler_pair, bytes)

/* A record of the heap. Offsets are in the table; 0, where its head is, means none. */
struct record {
    uint64_t next;
    uint64_t state; /* LIVE, or DELETED: it stays in its chain */
    struct weft_handler_pair pair;
};
enum { LIVE, DELETED };

/* A place of the queue. */
struct item {
    uint64_t state; /* EMPTY, TAKEN by a handler that fills it, or FULL */
    uint64_t task;  /* INSERT or DELETE */
    struct weft_handler_pair pair;
};
enum { EMPTY, TAKEN, FULL };
enum { INSERT, DELETE };

/* In this order: */
struct head {
    uint64_t heap_used;
    uint64_t queued; /* ever: where to look for a place next */
};

static uint64_t bucket_at(const struct weft_handler_keyvalue *keyvalue, uint64_t hash)
{
    return sizeof(struct head) + hash % keyvalue->buckets * sizeof(uint64_t);
}

static uint64_t queue_at(const struct weft_handler_keyvalue *keyvalue)
{
    return sizeof(struct head) + keyvalue->buckets * sizeof(uint64_t);
}

static uint64_t heap_at(const struct weft_handler_keyvalue *keyvalue)
{
    return queue_at(keyvalue) + keyvalue->queue * sizeof(struct item);
}

ptl_size_t weft_handler_keyvalue_size(const struct weft_handler_keyvalue *keyvalue)
{
    return heap_at(keyvalue) + keyvalue->heap;
}

static ptl_size_t pair_size(const struct weft_handler_pair *pair)
{
    return PAIR_HEAD + pair->key_length + pair->value_length;
}

static bool is_valid(const struct weft_handler_pair *pair, ptl_size_t length)
{
    return pair->key_length <= WEFT_HANDLER_PAIR_BYTES &&
           pair->value_length <= WEFT_HANDLER_PAIR_BYTES - pair->key_length &&
           pair_size(pair) == length;
}

/* ---- One table, two ways to reach it ------------------------------------------------------ */

struct access {
    unsigned char *table; /* of the host; handlers need none */
    bool (*read)(const struct access *access, uint64_t offset, void *local, uint64_t length);
    bool (*write)(const struct access *access, uint64_t offset, const void *local,
                  uint64_t length);
    /* Both atomic; the first tells what was there. */
    bool (*swap)(const struct access *access, uint64_t offset, uint64_t *compare, uint64_t value);
    bool (*add)(const struct access *access, uint64_t offset, uint64_t increment,
                uint64_t *before);
};

static bool nic_read(const struct access *access, uint64_t offset, void *local, uint64_t length)
{
    (void)access;
    return PtlHandlerDMAFromHostB(offset, local, length, PTL_HANDLER_HOST_MEM) == PTL_OK;
}

static bool nic_write(const struct access *access, uint64_t offset, const void *local,
                      uint64_t length)
{
    (void)access;
    return PtlHandlerDMAToHostB(local, offset, length, PTL_HANDLER_HOST_MEM) == PTL_OK;
}

static bool nic_swap(const struct access *access, uint64_t offset, uint64_t *compare,
                     uint64_t value)
{
    (void)access;
    return PtlHandlerDMACASB(offset, compare, value, PTL_HANDLER_HOST_MEM) == PTL_OK;
}

static bool nic_add(const struct access *access, uint64_t offset, uint64_t increment,
                    uint64_t *before)
{
    (void)access;
    return PtlHandlerDMAFetchAddB(offset, increment, before, PTL_UINT64_T, PTL_HANDLER_HOST_MEM) ==
           PTL_OK;
}

static const struct access from_nic = {NULL, nic_read, nic_write, nic_swap, nic_add};

static uint64_t *word(const struct access *access, uint64_t offset)
{
    return (uint64_t *)(void *)(access->table + offset);
}

static bool host_read(const struct access *access, uint64_t offset, void *local, uint64_t length)
{
    memcpy(local, access->table + offset, length);
    return true;
}

static bool host_write(const struct access *access, uint64_t offset, const void *local,
                       uint64_t length)
{
    memcpy(access->table + offset, local, length);
    return true;
}

static bool host_swap(const struct access *access, uint64_t offset, uint64_t *compare,
                      uint64_t value)
{
    __atomic_compare_exchange_n(word(access, offset), compare, value, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
    return true;
}

static bool host_add(const struct access *access, uint64_t offset, uint64_t increment,
                     uint64_t *before)
{
    *before = __atomic_fetch_add(word(access, offset), increment, __ATOMIC_SEQ_CST);
    return true;
}

static struct access from_host(void *table)
{
    return (struct access){table, host_read, host_write, host_swap, host_add};
}

/* ---- Chains ------------------------------------------------------------------------------- */

enum outcome { DONE, ABSENT, TOO_FAR, NO_ROOM };

static bool has_key(const struct access *access, uint64_t place,
                    const struct weft_handler_pair *pair)
{
    struct weft_handler_pair other;
    uint64_t state = LIVE, at = place + offsetof(struct record, pair);
    return access->read(access, at, &other, PAIR_HEAD) && other.hash == pair->hash &&
           other.key_length == pair->key_length &&
           access->read(access, at + PAIR_HEAD, other.bytes, other.key_length) &&
           memcmp(other.bytes, pair->bytes, pair->key_length) == 0 &&
           access->swap(access, place + offsetof(struct record, state), &state, LIVE) &&
           state == LIVE;
}

/* A walk along a chain, of so many steps at most. */
struct walk {
    uint64_t link; /* where the next record is told */
    uint64_t steps;
    uint64_t record; /* that has the key */
};

static struct walk begin_walk(const struct weft_handler_keyvalue *keyvalue,
                              const struct weft_handler_pair *pair, uint64_t steps)
{
    return (struct walk){.link = bucket_at(keyvalue, pair->hash), .steps = steps};
}

/* DONE at the record of the key, ABSENT at the end. A swap of nothing for nothing is how to look.
 */
static enum outcome seek(struct walk *walk, const struct access *access,
                         const struct weft_handler_pair *pair)
{
    for (; walk->steps > 0; walk->steps--) {
        walk->record = 0;
        if (!access->swap(access, walk->link, &walk->record, 0))
            return NO_ROOM;
        if (walk->record == 0)
            return ABSENT;
        if (has_key(access, walk->record, pair))
            return DONE;
        walk->link = walk->record;
    }
    return TOO_FAR;
}

/* Where the new record is; 0 without room. */
static uint64_t make_record(const struct weft_handler_keyvalue *keyvalue,
                            const struct access *access, const struct weft_handler_pair *pair)
{
    static const uint64_t last_and_live[2] = {0, LIVE};
    uint64_t size = (sizeof last_and_live + pair_size(pair) + 7) / 8 * 8, used;
    if (!access->add(access, offsetof(struct head, heap_used), size, &used) ||
        size > keyvalue->heap || used > keyvalue->heap - size)
        return 0;
    uint64_t place = heap_at(keyvalue) + used;
    return access->write(access, place, last_and_live, sizeof last_and_live) &&
                   access->write(access, place + sizeof last_and_live, pair, pair_size(pair))
               ? place
               : 0;
}

/* A record becomes visible by one swap, at the end of its chain: so no key is there twice. */
static enum outcome insert_record(const struct weft_handler_keyvalue *keyvalue,
                                  const struct access *access,
                                  const struct weft_handler_pair *pair, uint64_t steps)
{
    struct walk walk = begin_walk(keyvalue, pair, steps);
    uint64_t record = 0;
    enum outcome outcome;
    while ((outcome = seek(&walk, access, pair)) == ABSENT) {
        uint64_t next = 0;
        record = record ? record : make_record(keyvalue, access, pair);
        if (record == 0 || !access->swap(access, walk.link, &next, record))
            return NO_ROOM;
        if (next == 0)
            return DONE;
    }
    return outcome;
}

/* Records stay where they are, so that nobody who walks along the chain is led astray. */
static enum outcome delete_record(const struct weft_handler_keyvalue *keyvalue,
                                  const struct access *access,
                                  const struct weft_handler_pair *pair, uint64_t steps)
{
    struct walk walk = begin_walk(keyvalue, pair, steps);
    enum outcome outcome;
    while ((outcome = seek(&walk, access, pair)) == DONE) {
        uint64_t state = LIVE;
        if (!access->swap(access, walk.record + offsetof(struct record, state), &state, DELETED))
            return NO_ROOM;
    }
    return outcome == ABSENT ? DONE : outcome;
}

static enum outcome perform(uint64_t task, const struct weft_handler_keyvalue *keyvalue,
                            const struct access *access, const struct weft_handler_pair *pair,
                            uint64_t steps)
{
    return (task == INSERT ? insert_record : delete_record)(keyvalue, access, pair, steps);
}

/* ---- Handlers ----------------------------------------------------------------------------- */

static bool leave_to_host(const struct weft_handler_keyvalue *keyvalue,
                          const struct weft_handler_pair *pair, uint64_t task)
{
    const struct access *access = &from_nic;
    uint64_t number, state = EMPTY;
    if (!access->add(access, offsetof(struct head, queued), 1, &number))
        return false;
    uint64_t item = queue_at(keyvalue) + number % keyvalue->queue * sizeof(struct item);
    if (!access->swap(access, item, &state, TAKEN) || state != EMPTY)
        return false;
    state = TAKEN;
    return access->write(access, item + offsetof(struct item, task), &task, sizeof task) &&
           access->write(access, item + offsetof(struct item, pair), pair, pair_size(pair)) &&
           access->swap(access, item, &state, FULL);
}

static bool read_pair(const ptl_header_t *header, struct weft_handler_pair *pair)
{
    if (header->user_hdr_length < PAIR_HEAD || header->user_hdr_length != header->length)
        return false;
    memcpy(pair, header->user_hdr, header->user_hdr_length);
    return is_valid(pair, header->length);
}

static ptl_handler_result_t change(const ptl_header_t *header,
                                   const struct weft_handler_keyvalue *keyvalue, uint64_t task)
{
    struct weft_handler_pair pair;
    if (!read_pair(header, &pair))
        return PTL_HANDLER_FAIL;
    enum outcome outcome = perform(task, keyvalue, &from_nic, &pair, keyvalue->steps);
    if (outcome == TOO_FAR && leave_to_host(keyvalue, &pair, task))
        return PTL_HANDLER_DROP;
    return outcome == DONE ? PTL_HANDLER_DROP_PENDING : PTL_HANDLER_FAIL;
}

static ptl_handler_result_t insert_pair(const ptl_header_t *header, void *state)
{
    return change(header, state, INSERT);
}

static ptl_handler_result_t delete_key(const ptl_header_t *header, void *state)
{
    return change(header, state, DELETE);
}

/* The value follows the key in the record. */
static int send_value(const ptl_header_t *header, uint64_t record)
{
    struct weft_handler_pair pair;
    uint64_t at = record + offsetof(struct record, pair);
    if (!nic_read(&from_nic, at, &pair, PAIR_HEAD) ||
        !nic_read(&from_nic, at + PAIR_HEAD + pair.key_length, pair.bytes, pair.value_length))
        return PTL_FAIL;
    return weft_handler_send(pair.bytes, pair.value_length, header->source_id, header->hdr_data, 0,
                             WEFT_HANDLER_FOUND);
}

static ptl_handler_result_t answer_get(const ptl_header_t *header, void *state)
{
    const struct weft_handler_keyvalue *keyvalue = state;
    struct weft_handler_pair pair;
    if (!read_pair(header, &pair))
        return PTL_HANDLER_FAIL;
    struct walk walk = begin_walk(keyvalue, &pair, keyvalue->steps);
    enum outcome outcome = seek(&walk, &from_nic, &pair);
    int result = PTL_FAIL;
    if (outcome == DONE)
        result = send_value(header, walk.record);
    else if (outcome != NO_ROOM)
        result = weft_handler_send(NULL, 0, header->source_id, header->hdr_data, 0,
                                   outcome == ABSENT ? WEFT_HANDLER_ABSENT : WEFT_HANDLER_TOO_FAR);
    return result == PTL_OK ? PTL_HANDLER_DROP_PENDING : PTL_HANDLER_FAIL;
}

static int open_table(ptl_handle_ni_t ni, const struct weft_handler_keyvalue *keyvalue,
                      void *table, ptl_header_handler_t handler, ptl_handlers_t *handlers)
{
    static_assert(sizeof(struct weft_handler_pair) <= 256, "a user header");
    if (keyvalue->buckets == 0 || keyvalue->queue == 0 || !table)
        return PTL_ARG_INVALID;
    int result = weft_handler_open(ni, keyvalue, sizeof *keyvalue, handlers);
    handlers->header_handler = handler;
    handlers->handler_host_mem_start = table;
    handlers->handler_host_mem_length = weft_handler_keyvalue_size(keyvalue);
    handlers->user_hdr_size = sizeof(struct weft_handler_pair);
    return result;
}

int weft_handler_keyvalue(ptl_handle_ni_t ni, const struct weft_handler_keyvalue *keyvalue,
                          void *table, ptl_handlers_t *handlers)
{
    return open_table(ni, keyvalue, table, insert_pair, handlers);
}

int weft_handler_keyvalue_get(ptl_handle_ni_t ni, const struct weft_handler_keyvalue *keyvalue,
                              void *table, ptl_handlers_t *handlers)
{
    return open_table(ni, keyvalue, table, answer_get, handlers);
}

int weft_handler_keyvalue_delete(ptl_handle_ni_t ni, const struct weft_handler_keyvalue *keyvalue,
                                 void *table, ptl_handlers_t *handlers)
{
    return open_table(ni, keyvalue, table, delete_key, handlers);
}

/* ---- On the host -------------------------------------------------------------------------- */

/* FNV-1a */
static uint64_t hash_of(const unsigned char *bytes, uint32_t length)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint32_t i = 0; i < length; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

ptl_size_t weft_handler_pair_fill(struct weft_handler_pair *pair, const void *key,
                                  uint32_t key_length, const void *value, uint32_t value_length)
{
    if (key_length > WEFT_HANDLER_PAIR_BYTES ||
        value_length > WEFT_HANDLER_PAIR_BYTES - key_length)
        return 0;
    pair->hash = hash_of(key, key_length);
    pair->key_length = key_length;
    pair->value_length = value_length;
    memcpy(pair->bytes, key, key_length);
    if (value_length)
        memcpy(pair->bytes + key_length, value, value_length);
    return pair_size(pair);
}

unsigned weft_handler_keyvalue_work(const struct weft_handler_keyvalue *keyvalue, void *table)
{
    const struct access access = from_host(table);
    struct item *queue = (struct item *)(void *)(access.table + queue_at(keyvalue));
    unsigned done = 0;
    for (uint64_t i = 0; i < keyvalue->queue; i++) {
        if (__atomic_load_n(&queue[i].state, __ATOMIC_SEQ_CST) != FULL ||
            perform(queue[i].task, keyvalue, &access, &queue[i].pair, UINT64_MAX) != DONE)
            continue;
        __atomic_store_n(&queue[i].state, EMPTY, __ATOMIC_SEQ_CST);
        done++;
    }
    return done;
}

const void *weft_handler_keyvalue_find(const struct weft_handler_keyvalue *keyvalue,
                                       const void *table, const void *key, uint32_t key_length,
                                       uint32_t *value_length)
{
    const struct access access = from_host((void *)table);
    struct weft_handler_pair pair;
    if (weft_handler_pair_fill(&pair, key, key_length, NULL, 0) == 0)
        return NULL;
    uint64_t link = bucket_at(keyvalue, pair.hash);
    while ((link = __atomic_load_n(word(&access, link), __ATOMIC_SEQ_CST)))
        if (has_key(&access, link, &pair)) {
            const struct record *record = (const void *)(access.table + link);
            *value_length = record->pair.value_length;
            return record->pair.bytes + key_length;
        }
    return NULL;
}
