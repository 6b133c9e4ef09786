/* SPDX-License-Identifier: BSD-3-Clause */
/* Completions that a provider should not report: of buffers that it does not have, and of bytes
 * that are not in the buffer which they name. */
#include <rdma/fi_errno.h>
#include <string.h>
#include <sys/mman.h>

#include "support/tap.h"
#include "world/far/fabric.h"
#include "world/ofi/peer.h"
#include "world/ofi/receive.h"
#include "world/ofi/tests.h"

/* ---- A queue of completions that has one report ------------------------------------------- */

static struct fi_cq_data_entry report;
static struct fi_cq_err_entry failure;

static ssize_t read_report(struct fid_cq *cq, void *entries, size_t count)
{
    (void)cq, (void)count;
    if (failure.err)
        return -FI_EAVAIL;
    memcpy(entries, &report, sizeof report);
    return 1;
}

static ssize_t read_failure(struct fid_cq *cq, struct fi_cq_err_entry *entry, uint64_t flags)
{
    (void)cq, (void)flags;
    *entry = failure;
    return 1;
}

/* What the world has counted of it. */
static struct weft_world_counts take(struct weft_ofi *ofi, struct fi_cq_data_entry what)
{
    struct weft_world_counts before = ofi->counts, after;
    report = what;
    weft_ofi_receive(ofi);
    after = ofi->counts;
    return (struct weft_world_counts){.strangers = after.strangers - before.strangers,
                                      .forgeries = after.forgeries - before.forgeries};
}

static bool is_refused(struct weft_ofi *ofi, struct fi_cq_data_entry what)
{
    struct weft_world_counts new = take(ofi, what);
    return new.strangers == 1 && new.forgeries == 0;
}

/* ---- Reports ------------------------------------------------------------------------------- */

/* Whoever reads it says so: it is well formed, and its MAC is wrong. */
static struct weft_ofi_frame forgery(void)
{
    return (struct weft_ofi_frame){.head = {.version = WEFT_OFI_FRAME_VERSION,
                                            .kind = WEFT_OFI_FRAME_HELLO,
                                            .token = WEFT_OFI_FRAME_MAGIC,
                                            .source_nid = 1,
                                            .source_pid = 2},
                                   .hello = {.window = 1, .card_size = WEFT_WORLD_CARD_MAX}};
}

static struct fi_cq_data_entry frame_at(struct weft_ofi_buffer *context, void *bytes)
{
    const struct weft_ofi_frame frame = forgery();
    memcpy(bytes, &frame, sizeof frame);
    return (struct fi_cq_data_entry){.op_context = context,
                                     .flags = FI_MSG | FI_RECV,
                                     .len = weft_ofi_frame_size(WEFT_OFI_FRAME_HELLO),
                                     .buf = bytes};
}

static void try_frames(struct weft_ofi *ofi)
{
    static unsigned char elsewhere[sizeof(struct weft_ofi_frame)];
    struct weft_ofi_buffer *buffer = ofi->rx.buffers;
    size_t end = ofi->rx.size, length = weft_ofi_frame_size(WEFT_OFI_FRAME_HELLO);
    need(take(ofi, frame_at(buffer, buffer->bytes)).forgeries == 1);
    need(take(ofi, frame_at(buffer, buffer->bytes + end - length)).forgeries == 1);
    need(is_refused(ofi, frame_at(buffer, buffer->bytes + end - length + 1)));
    need(is_refused(ofi, frame_at(buffer, buffer[1].bytes)));
    need(is_refused(ofi, frame_at(buffer + 1, buffer->bytes)));
    need(is_refused(ofi, frame_at(buffer, elsewhere)));
    struct fi_cq_data_entry endless = frame_at(buffer, buffer->bytes);
    endless.len = SIZE_MAX;
    need(is_refused(ofi, endless));
}

static bool is_no_context(struct weft_ofi *ofi, void *context)
{
    struct fi_cq_data_entry sent = {.op_context = context, .flags = FI_MSG | FI_SEND};
    struct fi_cq_data_entry received = frame_at(context, ofi->rx.bytes);
    failure = (struct fi_cq_err_entry){.op_context = context, .flags = FI_MSG, .err = FI_EIO};
    struct weft_world_counts failed = take(ofi, received);
    failure.err = 0;
    return !failed.strangers && is_refused(ofi, sent) && is_refused(ofi, received);
}

static void try_contexts(struct weft_ofi *ofi)
{
    void *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    need(page != MAP_FAILED);
    struct weft_ofi_tx *tx = weft_ofi_tx_take(&ofi->packets);
    need(tx);
    void *const wrong[] = {NULL,
                           page,
                           (char *)ofi->rx.buffers - sizeof *ofi->rx.buffers,
                           (char *)ofi->rx.buffers + 1,
                           ofi->rx.buffers + WEFT_OFI_RX_COUNT,
                           tx,
                           (char *)tx + 8};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        need(is_no_context(ofi, wrong[i]));
    weft_ofi_tx_give(tx);
    need(munmap(page, 4096) == 0);
}

static void hear_lies(uint32_t pid)
{
    open_as(pid);
    struct weft_ofi *ofi = (struct weft_ofi *)world;
    struct fid_cq *real = ofi->endpoint.cq;
    struct fi_ops_cq liar = *real->ops;
    liar.read = read_report;
    liar.readerr = read_failure;
    struct fid_cq lying = {.fid = real->fid, .ops = &liar};
    ofi->endpoint.cq = &lying;
    try_frames(ofi);
    try_contexts(ofi);
    ofi->endpoint.cq = real;
    close_world();
}

void test_lying_provider(void)
{
    begin("a provider reports what is not so");
    set("WEFT_LOG", "off");
    check(ended_well(start(hear_lies, 1)));
}
