/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/pair/bare_ofi.h"

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/pair/bare_ring.h"
#include "bench/pair/side.h"
#include "weft/command.h"
#include "world/ofi/provider.h"
#include "world/rails.h"

#define LIBFABRIC FI_VERSION(1, 17)
#define BATCH 16
#define BUFFERS 8
#define BUFFER_BYTES ((size_t)1 << 20)
#define BUFFER_PACKETS 16

enum { KEY_SOURCE, KEY_TARGET, KEY_BUFFERS, KEYS };

struct buffer {
    struct fi_context2 context; /* must be first: completions name it */
    unsigned char *bytes;
};

/* The queues are two, so that whoever waits for one kind of completion need not keep the other. */
struct bare_ofi {
    struct bare_ofi_config config;
    struct fi_info *info;
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_av *av;
    struct fid_cq *sent, *received;
    struct fid_ep *ep;
    struct fid_mr *mrs[KEYS];
    void *descriptors[KEYS];
    fi_addr_t other;
    uint64_t other_source, other_key;

    struct fi_context2 *contexts; /* one for each send or read that libfabric may have */
    struct fi_context2 **idle;    /* those that it does not have */
    size_t idle_count;

    unsigned char *memory; /* of the buffers */
    size_t buffer_bytes;
    struct buffer buffers[BUFFERS];
    struct fi_cq_data_entry batch[BATCH];
    size_t batch_count, batch_next;
};

static void must(int64_t result, const char *what)
{
    if (result >= 0)
        return;
    fprintf(stderr, "weft bench: libfabric cannot %s: %s\n", what, fi_strerror((int)-result));
    _exit(WEFT_EXIT_FAILED);
}

bool bare_ofi_is_here(void)
{
    return true;
}

/* ---- The provider ------------------------------------------------------------------------- */

static struct fi_info *wishes(const struct fi_info *model, uint64_t extra)
{
    struct fi_info *hints = fi_allocinfo();
    if (!hints)
        side_fail("out of memory");
    hints->ep_attr->type = FI_EP_RDM;
    hints->caps = FI_MSG | FI_MULTI_RECV | extra;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->addr_format = model->addr_format;
    hints->tx_attr->msg_order = hints->rx_attr->msg_order = FI_ORDER_SAS;
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
    hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
    hints->domain_attr->control_progress = FI_PROGRESS_MANUAL;
    hints->domain_attr->mr_mode =
        FI_MR_LOCAL | FI_MR_ENDPOINT | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_VIRT_ADDR;
    hints->domain_attr->name = strdup(model->domain_attr->name);
    hints->fabric_attr->prov_name = strdup(model->fabric_attr->prov_name);
    return hints;
}

static struct fi_info *like(const struct fi_info *model, uint64_t extra)
{
    struct fi_info *hints = wishes(model, extra), *found = NULL;
    int result = fi_getinfo(LIBFABRIC, NULL, NULL, 0, hints, &found);
    fi_freeinfo(hints);
    return result == 0 ? found : NULL;
}

/* What Weft would take, with reads if it has them; of several interfaces the first. */
static void choose(struct bare_ofi *bare)
{
    const struct bare_ofi_config *config = &bare->config;
    char first[WEFT_WORLD_INTERFACE_MAX];
    bool has_name = weft_world_rails_interface(config->interface, 0, first);
    struct fi_info *list = weft_ofi_provider_list(config->packet);
    struct fi_info *model =
        list ? weft_ofi_provider_choose(list, config->provider, has_name ? first : "") : NULL;
    if (!model)
        _exit(WEFT_EXIT_FAILED); /* the log has said why */
    bare->info = like(model, FI_RMA);
    if (!bare->info)
        bare->info = like(model, 0);
    if (!bare->info)
        side_fail("libfabric does not offer a second time what it has offered once");
    bare->config.packet = weft_ofi_provider_frame_size(bare->info, config->packet);
    fi_freeinfo(list);
}

bool bare_ofi_reads(const struct bare_ofi *bare)
{
    return bare->info->caps & FI_RMA;
}

/* ---- Opening ------------------------------------------------------------------------------ */

static struct fid_cq *open_queue(struct bare_ofi *bare, enum fi_cq_format format, uint64_t flags)
{
    struct fi_cq_attr wish = {.size = 2048, .format = format, .wait_obj = FI_WAIT_NONE};
    struct fid_cq *queue;
    must(fi_cq_open(bare->domain, &wish, &queue, NULL), "make a completion queue");
    must(fi_ep_bind(bare->ep, &queue->fid, flags), "use a completion queue");
    return queue;
}

static void open_objects(struct bare_ofi *bare)
{
    struct fi_av_attr av = {.type = FI_AV_TABLE};
    size_t packet = bare->config.packet;
    must(fi_fabric(bare->info->fabric_attr, &bare->fabric, NULL), "open a fabric");
    must(fi_domain(bare->fabric, bare->info, &bare->domain, NULL), "open a domain");
    must(fi_av_open(bare->domain, &av, &bare->av, NULL), "make a table of addresses");
    must(fi_endpoint(bare->domain, bare->info, &bare->ep, NULL), "make an endpoint");
    must(fi_ep_bind(bare->ep, &bare->av->fid, 0), "use a table of addresses");
    bare->sent = open_queue(bare, FI_CQ_FORMAT_CONTEXT, FI_TRANSMIT);
    bare->received = open_queue(bare, FI_CQ_FORMAT_DATA, FI_RECV);
    must(fi_enable(bare->ep), "enable an endpoint");
    must(
        fi_setopt(&bare->ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &packet, sizeof(packet)),
        "receive several messages in one buffer");
}

static void register_memory(struct bare_ofi *bare, int which, void *memory, size_t bytes,
                            uint64_t access)
{
    int mode = bare->info->domain_attr->mr_mode;
    /* What others read always has a key. */
    if (!(mode & FI_MR_LOCAL) && !(access & FI_REMOTE_READ))
        return;
    must(fi_mr_reg(bare->domain, memory, bytes, access, 0, (uint64_t)which + 1, 0,
                   &bare->mrs[which], NULL),
         "register memory");
    if (mode & FI_MR_ENDPOINT) {
        must(fi_mr_bind(bare->mrs[which], &bare->ep->fid, 0), "register memory");
        must(fi_mr_enable(bare->mrs[which]), "register memory");
    }
    bare->descriptors[which] = fi_mr_desc(bare->mrs[which]);
}

static void register_all(struct bare_ofi *bare)
{
    const struct bare_ofi_config *config = &bare->config;
    bool reads = bare_ofi_reads(bare);
    register_memory(bare, KEY_SOURCE, config->source, config->bytes,
                    FI_SEND | (reads ? FI_REMOTE_READ : 0));
    register_memory(bare, KEY_TARGET, config->target, config->bytes,
                    FI_RECV | (reads ? FI_READ : 0));
    register_memory(bare, KEY_BUFFERS, bare->memory, BUFFERS * bare->buffer_bytes, FI_RECV);
}

static void post(struct bare_ofi *bare, struct buffer *buffer)
{
    struct iovec place = {buffer->bytes, bare->buffer_bytes};
    struct fi_msg message = {.msg_iov = &place,
                             .desc = &bare->descriptors[KEY_BUFFERS],
                             .iov_count = 1,
                             .addr = FI_ADDR_UNSPEC,
                             .context = buffer};
    must(fi_recvmsg(bare->ep, &message, FI_MULTI_RECV), "take a receive buffer");
}

static void describe(struct bare_ofi *bare, struct bare_ofi_card *own)
{
    struct fi_domain_attr *domain = bare->info->domain_attr;
    snprintf(own->provider, sizeof(own->provider), "%s", bare->info->fabric_attr->prov_name);
    snprintf(own->interface, sizeof(own->interface), "%s", domain->name);
    own->packet = bare->config.packet;
    own->name_size = sizeof(own->name);
    must(fi_getname(&bare->ep->fid, own->name, &own->name_size), "tell an address");
    own->source = domain->mr_mode & FI_MR_VIRT_ADDR ? (uintptr_t)bare->config.source : 0;
    own->source_key = bare->mrs[KEY_SOURCE] ? fi_mr_key(bare->mrs[KEY_SOURCE]) : 0;
}

struct bare_ofi *bare_ofi_open(const struct bare_ofi_config *config, struct bare_ofi_card *own)
{
    struct bare_ofi *bare = side_allocate(sizeof(*bare));
    bare->config = *config;
    choose(bare);
    bare->buffer_bytes = BUFFER_PACKETS * bare->config.packet;
    if (bare->buffer_bytes < BUFFER_BYTES)
        bare->buffer_bytes = BUFFER_BYTES;
    bare->memory = side_allocate(BUFFERS * bare->buffer_bytes);
    bare->contexts = side_allocate(config->window * sizeof(*bare->contexts));
    bare->idle = side_allocate(config->window * sizeof(*bare->idle));
    while (bare->idle_count < config->window) {
        bare->idle[bare->idle_count] = &bare->contexts[bare->idle_count];
        bare->idle_count++;
    }
    open_objects(bare);
    register_all(bare);
    for (size_t i = 0; i < BUFFERS; i++) {
        bare->buffers[i].bytes = bare->memory + i * bare->buffer_bytes;
        post(bare, &bare->buffers[i]);
    }
    describe(bare, own);
    return bare;
}

void bare_ofi_connect(struct bare_ofi *bare, const struct bare_ofi_card *other)
{
    if (fi_av_insert(bare->av, other->name, 1, &bare->other, 0, NULL) != 1)
        side_fail("libfabric does not take the address of the other process");
    bare->other_source = other->source;
    bare->other_key = other->source_key;
}

static void close_object(struct fid *fid)
{
    if (fid)
        fi_close(fid);
}

void bare_ofi_close(struct bare_ofi *bare)
{
    close_object(&bare->ep->fid);
    for (int i = 0; i < KEYS; i++)
        close_object(bare->mrs[i] ? &bare->mrs[i]->fid : NULL);
    close_object(&bare->sent->fid);
    close_object(&bare->received->fid);
    close_object(&bare->av->fid);
    close_object(&bare->domain->fid);
    close_object(&bare->fabric->fid);
    fi_freeinfo(bare->info);
}

/* ---- Completions -------------------------------------------------------------------------- */

static void fail_with_entry(struct fid_cq *queue)
{
    struct fi_cq_err_entry error = {0};
    must(fi_cq_readerr(queue, &error, 0), "say what has failed");
    must(-error.err, "move a message");
}

/* How many, or 0 if there are none. */
static size_t read_queue(struct fid_cq *queue, void *entries)
{
    ssize_t count = fi_cq_read(queue, entries, BATCH);
    if (count > 0)
        return (size_t)count;
    if (count == -FI_EAVAIL)
        fail_with_entry(queue);
    if (count != -FI_EAGAIN)
        must(count, "read a completion queue");
    return 0;
}

static void reap(struct bare_ofi *bare)
{
    struct fi_cq_entry entries[BATCH];
    size_t count = read_queue(bare->sent, entries);
    for (size_t i = 0; i < count; i++)
        bare->idle[bare->idle_count++] = entries[i].op_context;
}

static void wait_until_idle(struct bare_ofi *bare, size_t least)
{
    for (unsigned round = 0; bare->idle_count < least; round++) {
        reap(bare);
        bare_ring_relax(round);
    }
}

static struct fi_context2 *take_context(struct bare_ofi *bare)
{
    wait_until_idle(bare, 1);
    return bare->idle[--bare->idle_count];
}

/* ---- Messages ----------------------------------------------------------------------------- */

/* Whether libfabric has taken it; if it has no room, makes some. */
static bool is_taken(struct bare_ofi *bare, ssize_t result, const char *what, unsigned round)
{
    if (result == 0)
        return true;
    if (result != -FI_EAGAIN)
        must(result, what);
    reap(bare);
    bare_ring_relax(round);
    return false;
}

static void send_packet(struct bare_ofi *bare, unsigned char *from, size_t size)
{
    bool injects = size <= bare->info->tx_attr->inject_size;
    struct fi_context2 *context = injects ? NULL : take_context(bare);
    unsigned round = 0;
    ssize_t result;
    do {
        result = injects ? fi_inject(bare->ep, from, size, bare->other)
                         : fi_send(bare->ep, from, size, bare->descriptors[KEY_SOURCE],
                                   bare->other, context);
    } while (!is_taken(bare, result, "send a message", round++));
}

/* A message of no bytes is a packet, too. */
static void for_each_packet(struct bare_ofi *bare, unsigned char *at, size_t size,
                            void (*move)(struct bare_ofi *bare, unsigned char *at, size_t size))
{
    do {
        size_t part = size < bare->config.packet ? size : bare->config.packet;
        move(bare, at, part);
        at += part;
        size -= part;
    } while (size > 0);
}

void bare_ofi_send(struct bare_ofi *bare, size_t size)
{
    for_each_packet(bare, bare->config.source, size, send_packet);
}

static const struct fi_cq_data_entry *next_entry(struct bare_ofi *bare)
{
    for (unsigned round = 0; bare->batch_next == bare->batch_count; round++) {
        bare->batch_count = read_queue(bare->received, bare->batch);
        bare->batch_next = 0;
        bare_ring_relax(round);
    }
    return &bare->batch[bare->batch_next++];
}

/* Takes a packet to its place. That a buffer is used up comes with its last packet or alone. */
static void take_packet(struct bare_ofi *bare, unsigned char *to, size_t size)
{
    bool has_packet = false;
    while (!has_packet) {
        const struct fi_cq_data_entry *entry = next_entry(bare);
        has_packet = entry->flags & FI_RECV;
        if (has_packet && entry->len != size)
            side_fail("a message arrived with another length than it was sent with");
        if (has_packet)
            memcpy(to, entry->buf, size);
        if (entry->flags & FI_MULTI_RECV)
            post(bare, entry->op_context);
    }
}

void bare_ofi_receive(struct bare_ofi *bare, size_t size)
{
    for_each_packet(bare, bare->config.target, size, take_packet);
}

/* ---- Reads -------------------------------------------------------------------------------- */

static void read_part(struct bare_ofi *bare, size_t offset, size_t size)
{
    struct fi_context2 *context = take_context(bare);
    unsigned round = 0;
    ssize_t result;
    do {
        result =
            fi_read(bare->ep, bare->config.target + offset, size, bare->descriptors[KEY_TARGET],
                    bare->other, bare->other_source + offset, bare->other_key, context);
    } while (!is_taken(bare, result, "read", round++));
}

void bare_ofi_read(struct bare_ofi *bare, size_t size)
{
    size_t most = bare->info->ep_attr->max_msg_size;
    for (size_t at = 0; at < size; at += most)
        read_part(bare, at, size - at < most ? size - at : most);
    wait_until_idle(bare, bare->config.window);
}
