/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/tracer.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/own_file.h"
#include "base/setting.h"
#include "trace/timeline.h"

/* ---- Tracing ------------------------------------------------------------------------------- */

/* A process has one NIC at a time. */
static struct {
    struct weft_trace_ring *ring; /* stays */
    bool is_open;
    bool has_warned;
    pid_t owner;
    char name[64];
    char path[PATH_MAX];
    const char *const *calls;
    uint32_t call_count;
} tracer;

static void write_timeline(void)
{
    const char *setting = weft_setting_info(WEFT_SETTING_TRACE)->name;
    int error = weft_trace_timeline_write(
        &(struct weft_trace_timeline){tracer.ring, (uint32_t)tracer.owner, tracer.name,
                                      tracer.calls, tracer.call_count},
        tracer.path);
    if (!error)
        weft_log(WEFT_LOG_INFO, "the timeline is in %.300s", tracer.path);
    else if (!tracer.has_warned)
        weft_log(WEFT_LOG_WARN,
                 "cannot write the timeline to %.300s: %s; name a file in a folder where you may "
                 "write: %s=FILE",
                 tracer.path, strerror(error), setting);
    tracer.has_warned |= error != 0;
}

void weft_trace_name_calls(const char *const *names, uint32_t count)
{
    tracer.calls = names;
    tracer.call_count = count;
}

void weft_trace_call(uint32_t number, uint64_t since)
{
    if (!tracer.is_open)
        return;
    uint64_t now = weft_clock_now();
    const struct weft_trace_line line = {
        .time = since, .a = number, .b = now - since, .what = WEFT_TRACE_CALL};
    weft_trace_ring_add(tracer.ring, &(struct weft_trace_record){.trace = line});
}

void weft_trace_close(void)
{
    tracer.is_open = false;
    write_timeline();
}

/* Programs may end without closing anything; children of ours have seen nothing. */
void weft_trace_end(void)
{
    if (tracer.is_open && getpid() == tracer.owner)
        write_timeline();
}

/* ---- Starting ------------------------------------------------------------------------------ */

static bool name_process(const struct weft_trace_owner *owner)
{
    /* Without a rank, the Portals pid stands for it. */
    const struct weft_own_file process = {.rank = owner->has_rank ? owner->rank : owner->pid,
                                          .pid = (uint32_t)tracer.owner,
                                          .usual = owner->has_rank ? 'r' : 'p'};
    snprintf(tracer.name, sizeof tracer.name, "%s %u, %u:%u", owner->has_rank ? "rank" : "process",
             owner->has_rank ? process.rank : process.pid, owner->nid, owner->pid);
    return weft_own_file_name(weft_setting_text(WEFT_SETTING_TRACE), &process, tracer.path,
                              sizeof tracer.path);
}

/* What the parent has traced is the parent's. */
static void forget_parent(void)
{
    if (tracer.owner == getpid())
        return;
    weft_trace_ring_close(tracer.ring);
    tracer.ring = NULL;
    tracer.is_open = false;
    tracer.owner = getpid();
}

static bool prepare(const struct weft_trace_owner *owner)
{
    if (!name_process(owner)) {
        weft_log(WEFT_LOG_WARN, "%s is too long: no timeline will be written",
                 weft_setting_info(WEFT_SETTING_TRACE)->name);
        return false;
    }
    tracer.ring = weft_trace_ring_open(weft_setting(WEFT_SETTING_TRACE_RECORDS));
    if (!tracer.ring) {
        weft_log(WEFT_LOG_WARN, "no memory for a timeline of %llu records: make %s smaller",
                 (unsigned long long)weft_setting(WEFT_SETTING_TRACE_RECORDS),
                 weft_setting_info(WEFT_SETTING_TRACE_RECORDS)->name);
        return false;
    }
    return true;
}

struct weft_trace_ring *weft_trace_open(const struct weft_trace_owner *owner)
{
    if (!*weft_setting_text(WEFT_SETTING_TRACE))
        return NULL;
    forget_parent();
    if (tracer.is_open || (!tracer.ring && !prepare(owner)))
        return NULL;
    tracer.is_open = true;
    return tracer.ring;
}
