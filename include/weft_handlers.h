/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stock of handlers (portals4_spin.h) for what programs often want of a NIC: answer, combine,
 * forward, scatter, protect, find. weft_handlers(7) is the overview.
 *
 * Each is a struct that the caller fills, and a call that makes handlers of it for
 * PtlMEAppendHandlers. The append copies the struct to the memory of the NIC; until then the
 * caller keeps it. PtlHPUFreeMem(&handlers.hpu_memory) gives that memory back when the entry is
 * gone. Calls return PTL_OK, PTL_ARG_INVALID if a number of the struct makes no sense, or what
 * PtlHPUAllocMem returns.
 *
 * Any number of messages may be under way at an entry, on any number of HPUs.
 */
#ifndef WEFT_HANDLERS_H
#define WEFT_HANDLERS_H

#include <portals4_spin.h>
#include <weft.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Answering and forwarding ------------------------------------------------------------- */

/* Of handlers that can send a message on: those of at most so many bytes go on packet by packet,
 * from the NIC, and longer ones from the memory of the entry when they are whole. */
#define WEFT_HANDLER_STREAM PTL_SIZE_MAX
#define WEFT_HANDLER_STORE ((ptl_size_t)0)

/* Sends every message back to where it came from, at the same offset and with the same hdr_data
 * ([sPIN17], section 4.4.1). What is answered packet by packet never meets the memory of the
 * entry. */
struct weft_handler_pong {
    ptl_match_bits_t match_bits; /* of the answers */
    ptl_size_t stream;           /* WEFT_HANDLER_STREAM, WEFT_HANDLER_STORE, or between */
};

WEFT_API int weft_handler_pong(ptl_handle_ni_t ni, const struct weft_handler_pong *pong,
                               ptl_handlers_t *handlers);

/* Who gets a message next, computed by the host: handlers only go through the list. There are at
 * most two for each bit of a rank. */
#define WEFT_HANDLER_PEERS 64u

struct weft_handler_peers {
    uint32_t count;
    ptl_process_t process[WEFT_HANDLER_PEERS];
};

/* Where ranks are: `processes` has an address for each, or is NULL on a logical interface. */
struct weft_handler_job {
    ptl_rank_t rank, size;
    const ptl_process_t *processes;
};

WEFT_API ptl_process_t weft_handler_process(const struct weft_handler_job *job, ptl_rank_t rank);

/* The children of this rank in the binomial tree, those with the most descendants first. */
WEFT_API struct weft_handler_peers weft_handler_children(const struct weft_handler_job *job,
                                                         ptl_rank_t root);

/* The neighbours of this rank in the binomial graph: those a power of two away, both ways round.
 */
WEFT_API struct weft_handler_peers weft_handler_neighbours(const struct weft_handler_job *job);

/*
 * Every message is stored and sent on, to the same offset of the entries of other processes
 * ([sPIN17], section 4.4.3). With the children of a tree that is a broadcast: its root sends to
 * its own children. Who streams gives his children one message for each packet, so they count
 * bytes, not messages.
 */
struct weft_handler_broadcast {
    ptl_match_bits_t match_bits; /* of the entries of the children */
    ptl_size_t stream;           /* WEFT_HANDLER_STREAM, WEFT_HANDLER_STORE, or between */
    struct weft_handler_peers children;
};

WEFT_API int weft_handler_broadcast(ptl_handle_ni_t ni,
                                    const struct weft_handler_broadcast *broadcast,
                                    ptl_handlers_t *handlers);

/*
 * A broadcast that survives dead processes ([sPIN17], section 5.4). Everybody sends every message
 * on to all its neighbours in a binomial graph, so there are many ways to each process, and takes
 * only the first copy: the entry has one PUT event for each message, and copies are dropped in
 * silence. As many may die as leave the graph connected; fewer than log2 of the size always do.
 *
 * A copy is taken when it is there, not when it begins, or the death of its sender in the middle
 * would lose it. So what travels is one packet each time: a longer message is cut at the root into
 * parts of `longest` bytes, whose event at the others is that of the part that came last. The root
 * puts each message to its own entry.
 * What is sent to the dead gives events of failure; they say nothing about the message.
 */

/* That an entry can tell from each other. */
#define WEFT_HANDLER_RELIABLE_MESSAGES 8192u

struct weft_handler_reliable {
    ptl_match_bits_t match_bits; /* of the entries of all */
    struct weft_handler_peers neighbours;
    ptl_size_t longest; /* message of one part; set by weft_handler_reliable */
    uint64_t arrived[WEFT_HANDLER_RELIABLE_MESSAGES / 4]; /* parts; zeroes to begin with, */
    uint64_t seen[WEFT_HANDLER_RELIABLE_MESSAGES / 64];   /* as these */
};

/* Of the hdr_data of an event: in those of parts there is more besides. */
static inline uint64_t weft_handler_reliable_number(ptl_hdr_data_t hdr_data)
{
    return hdr_data & 0xffff;
}

/* The hdr_data of a message is its number, below WEFT_HANDLER_RELIABLE_MESSAGES; one of many parts
 * takes as many numbers, from its own on. Others fail with PTL_NI_HANDLER. */
WEFT_API int weft_handler_reliable(ptl_handle_ni_t ni, struct weft_handler_reliable *reliable,
                                   ptl_handlers_t *handlers);

/* ---- Combining ---------------------------------------------------------------------------- */

/* Locks in the memory of the NIC, for handlers that read host memory, change it and write it back:
 * they keep out other handlers of the same entry, and nobody else. Zeroes: nobody holds any. */
#define WEFT_HANDLER_LOCKS 64u

struct weft_handler_locks {
    uint64_t held[WEFT_HANDLER_LOCKS];
};

/*
 * Combines arrays that arrive with the array in the memory of the entry, packet by packet
 * ([sPIN17], section 4.4.2). Messages from many sources may come at once. Offsets and lengths are
 * multiples of an element, and the memory is not read by others meanwhile; a message that begins
 * elsewhere fails with PTL_NI_HANDLER.
 */
struct weft_handler_accumulate {
    struct weft_handler_locks locks;
};

/* Elements are doubles: memory + data. */
WEFT_API int weft_handler_sum(ptl_handle_ni_t ni, const struct weft_handler_accumulate *accumulate,
                              ptl_handlers_t *handlers);

/* Elements are complex, two doubles each: memory * data. */
WEFT_API int weft_handler_product(ptl_handle_ni_t ni,
                                  const struct weft_handler_accumulate *accumulate,
                                  ptl_handlers_t *handlers);

/*
 * Blocks on data nodes, and their parity on another node ([sPIN17], section 5.3). A write travels
 * so, packet by packet:
 *
 *     client --new data--> data node --old xor new--> parity node
 *            <----n bytes----   relay  <---n bytes---
 *
 * The acknowledgement of Portals says only that the data node has the block. That the parity has
 * it too is told once for each write, and counted, in bytes, by the counter of the client's entry.
 * Several data nodes and clients may write at once. Data and parity have the same offsets.
 */
struct weft_handler_raid_data {
    ptl_process_t parity;
    ptl_match_bits_t parity_bits; /* of its entry */
    struct weft_handler_locks locks;
};

/* Of the bytes of a client that come by a data node. */
struct weft_handler_raid_account {
    uint64_t is_used;
    uint64_t source, client;
    uint64_t announced, applied, acknowledged;
};

/* Pairs of client and data node; beyond that, every packet is acknowledged by itself. */
#define WEFT_HANDLER_RAID_ACCOUNTS 64u

struct weft_handler_raid_parity {
    ptl_match_bits_t relay_bits; /* of the entries of the data nodes for acknowledgements */
    struct weft_handler_locks locks;
    uint64_t accounts_held; /* zeroes to begin with, as all that follows */
    struct weft_handler_raid_account accounts[WEFT_HANDLER_RAID_ACCOUNTS];
};

struct weft_handler_raid_relay {
    ptl_match_bits_t client_bits; /* of the entries of the clients for acknowledgements */
};

WEFT_API int weft_handler_raid_data(ptl_handle_ni_t ni, const struct weft_handler_raid_data *data,
                                    ptl_handlers_t *handlers);
WEFT_API int weft_handler_raid_parity(ptl_handle_ni_t ni,
                                      const struct weft_handler_raid_parity *parity,
                                      ptl_handlers_t *handlers);

/* These two make no events and need no memory in their entries; that of the client has a
 * counter. */
WEFT_API int weft_handler_raid_relay(ptl_handle_ni_t ni,
                                     const struct weft_handler_raid_relay *relay,
                                     ptl_handlers_t *handlers);
WEFT_API void weft_handler_raid_client(ptl_handlers_t *handlers);

/*
 * Reading needs no processor of a node, and no data node: the parity and all other data nodes are
 * as good as the one that is missing. Who reads puts a request to each of them, and they send
 * their blocks to its entry, which combines them in memory that is zero to begin with. A request
 * to one node alone reads what that has. All has come when as many bytes have as were asked for,
 * of all nodes together. Blocks that are written meanwhile may be wrong.
 *
 *     client --request--> each node that is left
 *            <--block----
 */
struct weft_handler_raid_request {
    ptl_size_t offset, length;   /* of the block */
    ptl_size_t at;               /* where it is to go, in the entry of the client, */
    ptl_match_bits_t match_bits; /* which has these */
};

struct weft_handler_raid_rebuild {
    struct weft_handler_locks locks;
};

/* For an entry of a node, whose memory is the data or the parity: it makes no events. A request
 * that leaves the memory fails with PTL_NI_SEGV. */
WEFT_API void weft_handler_raid_read(ptl_handlers_t *handlers);

/* For an entry of the client. */
WEFT_API int weft_handler_raid_rebuild(ptl_handle_ni_t ni,
                                       const struct weft_handler_raid_rebuild *rebuild,
                                       ptl_handlers_t *handlers);

/* ---- Scattering and gathering ------------------------------------------------------------- */

/*
 * Scatters what arrives into blocks at a constant distance, without a copy of the packed data
 * ([sPIN17], section 5.2). The offset of a message is one in the packed data, so a part of it may
 * come alone. What does not fit into the blocks ends the message with PTL_NI_SEGV.
 */
struct weft_handler_strided { /* in bytes */
    ptl_size_t start;         /* of the first block, in the memory of the entry */
    ptl_size_t stride;
    ptl_size_t blocksize; /* not 0 */
    ptl_size_t count;
};

WEFT_API int weft_handler_strided(ptl_handle_ni_t ni, const struct weft_handler_strided *strided,
                                  ptl_handlers_t *handlers);

/*
 * Datatypes on the send side: an outbound handler gathers the data of each packet into the packet
 * itself ([DiG19], section 3.1.2). As every byte range of a type can be packed alone, it keeps
 * no state, and one gather serves any number of messages at a time.
 */
struct weft_handler_gather {
    const weft_type *type; /* committed */
    size_t count;
    const void *base;
};

/* For PtlProcessPut. The gather is the state: it stays with the caller until the message has left.
 * Native handlers are trusted: it reads the memory of the type, whatever the descriptor says. */
WEFT_API ptl_outbound_handlers_t weft_handler_gather(struct weft_handler_gather *gather);

/* ---- Messages that find their receiver ---------------------------------------------------- */

/*
 * Messages that find the memory of the receiver by matching, whatever their length ([sPIN17],
 * section 5.1). At most `eager` bytes are sent at once. What is longer begins with a ticket and
 * its first `eager` bytes; the receiver gets the rest from an entry of the sender, which has the
 * tag of the ticket as its match bits and the whole data as its memory.
 *
 *                posted before it comes               comes before it is posted
 *     short      the NIC puts it in place             weft_handler_rendezvous_late copies it
 *     long       a handler gets the rest              weft_handler_rendezvous_late gets the rest
 *
 * The receiver has all when it has an event PUT or PUT_OVERFLOW and, if rlength > eager, a REPLY.
 * The sender may change its memory when it has the GET.
 */
struct weft_handler_ticket {
    uint64_t total; /* bytes */
    ptl_match_bits_t tag;
};

struct weft_handler_rendezvous {
    ptl_size_t eager; /* the same at both sides */
    ptl_size_t room;  /* the length of the entry; longer messages lose their end */
    void *user_ptr;   /* in the REPLY */
};

/* For entries of receivers, which are to be used once. */
WEFT_API int weft_handler_rendezvous(ptl_handle_ni_t ni,
                                     const struct weft_handler_rendezvous *rendezvous,
                                     ptl_handlers_t *handlers);

/* On the host: writes what a sender has to put to `message`, which has room for a ticket and
 * `eager` bytes; returns the length. Longer data than `eager` must also be in an entry with the
 * tag. */
WEFT_API ptl_size_t weft_handler_rendezvous_begin(ptl_size_t eager, const void *data,
                                                  ptl_size_t length, ptl_match_bits_t tag,
                                                  void *message);

/* On the host, for the event PUT_OVERFLOW of an append: does what the handlers would have done.
 * `md` describes `memory`, the memory of the entry. */
WEFT_API int weft_handler_rendezvous_late(const struct weft_handler_rendezvous *rendezvous,
                                          const ptl_event_t *event, ptl_handle_md_t md,
                                          void *memory);

/* ---- Data structures in host memory ------------------------------------------------------- */

/*
 * A hash table in host memory into which both handlers and the host insert ([sPIN17], section
 * 5.4), and that clients ask. A key that is there keeps its value. Chains may be long, and a
 * header handler must not hold up the network: after `steps` records it leaves the pair to the
 * host, which gets a PUT event for each of these and for nothing else.
 *
 * The table is one piece of memory without pointers; zeroes are an empty one.
 */

/* The most that keys and values take together: a pair is a user header. */
#define WEFT_HANDLER_PAIR_BYTES 240u

/* What a client puts; only the bytes that are used. */
struct weft_handler_pair {
    uint64_t hash;
    uint32_t key_length, value_length;
    unsigned char bytes[WEFT_HANDLER_PAIR_BYTES]; /* the key, then the value */
};

struct weft_handler_keyvalue {
    uint64_t buckets; /* at least 1 */
    uint64_t heap;    /* bytes for records: a pair and 16 bytes each, in multiples of 8 */
    uint64_t queue;   /* pairs that may wait for the host; at least 1 */
    uint64_t steps;   /* of a handler */
};

/* The table is `weft_handler_keyvalue_size` bytes. Pairs that have no place, in the heap or in the
 * queue, fail with PTL_NI_HANDLER. The entry needs no memory. */
WEFT_API int weft_handler_keyvalue(ptl_handle_ni_t ni,
                                   const struct weft_handler_keyvalue *keyvalue, void *table,
                                   ptl_handlers_t *handlers);

/*
 * For other entries on the same table: what they are sent is a pair without a value, whose key is
 * looked for. A get is answered by a put to the process that asked, whose match bits are the
 * hdr_data of the request: the value, and in hdr_data what became of it. A key that is too far
 * along its chain is one for the host, which has to be asked otherwise.
 *
 * A key that is deleted can be inserted again. The memory of its record is not.
 */
#define WEFT_HANDLER_FOUND ((ptl_hdr_data_t)1)
#define WEFT_HANDLER_ABSENT ((ptl_hdr_data_t)2)
#define WEFT_HANDLER_TOO_FAR ((ptl_hdr_data_t)3)

WEFT_API int weft_handler_keyvalue_get(ptl_handle_ni_t ni,
                                       const struct weft_handler_keyvalue *keyvalue, void *table,
                                       ptl_handlers_t *handlers);
WEFT_API int weft_handler_keyvalue_delete(ptl_handle_ni_t ni,
                                          const struct weft_handler_keyvalue *keyvalue,
                                          void *table, ptl_handlers_t *handlers);

/* On the host. */
WEFT_API ptl_size_t weft_handler_keyvalue_size(const struct weft_handler_keyvalue *keyvalue);

/* Returns how many bytes of the pair to put; 0 if it is too long. The upper half of the hash can
 * tell to which process. */
WEFT_API ptl_size_t weft_handler_pair_fill(struct weft_handler_pair *pair, const void *key,
                                           uint32_t key_length, const void *value,
                                           uint32_t value_length);

/* Inserts and deletes what handlers have left, and returns how many pairs that were. */
WEFT_API unsigned weft_handler_keyvalue_work(const struct weft_handler_keyvalue *keyvalue,
                                             void *table);

/* The value, or NULL. */
WEFT_API const void *weft_handler_keyvalue_find(const struct weft_handler_keyvalue *keyvalue,
                                                const void *table, const void *key,
                                                uint32_t key_length, uint32_t *value_length);

/*
 * Reads only those records of a table whose field lies in a range ([sPIN17], section 5.4). The
 * table is the memory of the entry. A request is a put of struct weft_handler_query; the answers
 * are puts to the process that asked: matching records, one after the other from offset 0 on, with
 * hdr_data 0, and at last a message without data whose hdr_data is their number plus 1.
 *
 * The scan is done by a header handler: the longer the range, the longer it holds an HPU. Nobody
 * at the host of the table hears of it.
 */
#define WEFT_HANDLER_RECORD_MAX 512u

struct weft_handler_query {
    uint64_t begin, count;       /* records to look at */
    uint64_t record_size;        /* at most WEFT_HANDLER_RECORD_MAX */
    uint64_t field;              /* offset in a record of the uint64_t to compare */
    uint64_t least, most;        /* records between these match, and those equal to one of them */
    ptl_match_bits_t match_bits; /* of the answers */
};

struct weft_handler_filter {
    ptl_size_t longest; /* answer; set by weft_handler_filter */
};

/* A query that is not well-formed fails with PTL_NI_HANDLER, and one that leaves the table with
 * PTL_NI_SEGV. */
WEFT_API int weft_handler_filter(ptl_handle_ni_t ni, struct weft_handler_filter *filter,
                                 ptl_handlers_t *handlers);

/*
 * Writes down every access to the memory of an entry, which then happens as without handlers
 * ([sPIN17], section 5.4): what transactions need to know when they commit. What cannot be
 * written down must not happen: when the log is full, accesses fail with PTL_NI_HANDLER.
 */
struct weft_handler_access {
    ptl_process_t source;
    uint64_t type; /* ptl_request_type_t */
    ptl_match_bits_t match_bits;
    ptl_size_t offset, length;
};

/* Memory of the program, as long as weft_handler_log_size says: zeroes are an empty log. An access
 * is whole when its event has come. The program may set the count to 0 while no access is under
 * way. */
struct weft_handler_log {
    uint64_t count; /* of accesses, also of those that found no place; they follow */
};

static inline ptl_size_t weft_handler_log_size(uint64_t capacity)
{
    return sizeof(struct weft_handler_log) + capacity * sizeof(struct weft_handler_access);
}

static inline const struct weft_handler_access *
weft_handler_log_accesses(const struct weft_handler_log *log)
{
    return (const struct weft_handler_access *)(log + 1);
}

WEFT_API int weft_handler_access_log(ptl_handle_ni_t ni, struct weft_handler_log *log,
                                     const uint64_t *capacity, ptl_handlers_t *handlers);

/*
 * Updates of vertices that other processes send while they traverse a graph ([sPIN17], section
 * 5.4). The memory of the entry has a value for each vertex, and a message any number of updates.
 * Those that change a vertex are done at once and atomically, and the vertex is added to the
 * frontier, from which the host goes on; all others vanish in the NIC.
 */
#define WEFT_HANDLER_UNVISITED UINT64_MAX

struct weft_handler_update {
    uint64_t vertex; /* in the memory of the entry */
    uint64_t value;  /* not WEFT_HANDLER_UNVISITED */
};

/* Memory of the program, as long as weft_handler_frontier_size says. */
struct weft_handler_frontier {
    uint64_t count; /* of vertices, which follow */
};

static inline ptl_size_t weft_handler_frontier_size(uint64_t capacity)
{
    return sizeof(struct weft_handler_frontier) + capacity * sizeof(uint64_t);
}

static inline const uint64_t *
weft_handler_frontier_vertices(const struct weft_handler_frontier *frontier)
{
    return (const uint64_t *)(frontier + 1);
}

struct weft_handler_graph {
    uint64_t vertices; /* in the memory of the entry; updates of others end in PTL_NI_SEGV */
    uint64_t capacity; /* of the frontier; if it is full, updates end in PTL_NI_HANDLER */
    bool shortest;     /* of two values the less stays; else the first */
};

/* Breadth-first search wants the first value, shortest paths want the least. A vertex whose value
 * has become less twice is twice in the frontier. */
WEFT_API int weft_handler_graph(ptl_handle_ni_t ni, const struct weft_handler_graph *graph,
                                struct weft_handler_frontier *frontier, ptl_handlers_t *handlers);

#ifdef __cplusplus
}
#endif

#endif
