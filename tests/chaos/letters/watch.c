/* SPDX-License-Identifier: BSD-3-Clause */
/* What the traces of the NICs must say: an HPU runs one handler at a time, and nobody who lives
 * counts as dead. */
#include <inttypes.h>

#include "chaos/letters/coverage.h"
#include "chaos/letters/office.h"

static void begin(struct office *office, unsigned node, const struct weft_trace_line *record)
{
    struct watch *watch = &office->watches[node];
    uint64_t hpu = record->a >> 8;
    if (hpu >= office->design.world.nic.hpus.count) {
        run_fail(&office->run, node, "a handler runs on HPU %" PRIu64, hpu);
        return;
    }
    if (watch->is_busy[hpu] || record->time < watch->free_since[hpu])
        run_fail(&office->run, node, "two handlers run on HPU %" PRIu64, hpu);
    watch->is_busy[hpu] = true;
    if (++watch->running > 1)
        coverage_of(COVERAGE_PARALLEL);
}

static void end(struct office *office, unsigned node, const struct weft_trace_line *record)
{
    struct watch *watch = &office->watches[node];
    uint64_t hpu = record->a >> 8;
    if (hpu >= office->design.world.nic.hpus.count || !watch->is_busy[hpu]) {
        run_fail(&office->run, node, "a handler ends on HPU %" PRIu64 " that did not begin", hpu);
        return;
    }
    watch->is_busy[hpu] = false;
    watch->free_since[hpu] = record->time;
    watch->running--;
}

static void fail(struct office *office, unsigned node, const struct weft_trace_line *record)
{
    unsigned peer = record->peer_nid - 1;
    /* A node that has closed its interface answers no more than a dead one. */
    if (!run_is_dead(&office->run, peer) && !office->desks[peer].is_closed)
        run_fail(&office->run, node, "takes node %u for dead", peer);
}

void watch_trace(void *argument, unsigned node, const struct weft_trace_line *record)
{
    struct office *office = argument;
    bool is_inline = office->design.world.nic.hpus.count == 0;
    run_record(&office->run, node, record);
    if (office->run.has_failed || office->desks[node].is_closed)
        return;
    if (is_inline && record->what == WEFT_TRACE_HANDLER)
        coverage_of(COVERAGE_INLINE);
    else if (record->what == WEFT_TRACE_HANDLER)
        begin(office, node, record);
    else if (!is_inline && record->what == WEFT_TRACE_HANDLER_END)
        end(office, node, record);
    else if (record->what == WEFT_TRACE_FAILED)
        fail(office, node, record);
    else if (record->what == WEFT_TRACE_DROP)
        run_fail(&office->run, node, "refuses a packet of node %u, fault %" PRIu64,
                 record->peer_nid - 1, record->a);
}
