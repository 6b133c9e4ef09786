/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <portals4.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "packet/packet.h"

/* Each has a track; the tracks of the HPUs lie between match and dma, in the way of a packet. */
enum stage { STAGE_RX, STAGE_MATCH, STAGE_DMA, STAGE_EVENT, STAGE_TX, STAGE_LINK, STAGE_CALL };

#define HPUS 0x10000u
#define OPERATIONS 0x20000u /* behind the stages: a track for each */

/* A handler that has begun. One HPU has several if a handler that yields makes way for others. */
struct open_handler {
    uint32_t hpu;
    uint32_t kind;
    uint64_t time;
    uint64_t bytes;
};

/* The last execution of an operation of a schedule. */
struct operation {
    uint64_t name;
    uint32_t kind, rank;
    uint64_t bytes;
    uint32_t counter; /* that ends it, at `threshold`; 0: none */
    uint64_t threshold;
    uint64_t since, end;
    bool is_over;
};

struct dependency {
    uint64_t later, earlier; /* names */
};

struct totals {
    uint64_t packets_in, packets_out, bytes_in, bytes_out;
    uint64_t matched, handlers, dma_bytes, events, dropped, resent;
};

struct process {
    uint32_t number; /* 0: nothing is known of it */
    unsigned named;  /* stages whose tracks have names, by bits */
    uint32_t hpus;   /* that have names */
    struct open_handler *open;
    size_t open_count, open_room;
    struct operation *operations;
    size_t operation_count, operation_room;
    struct dependency *dependencies;
    size_t dependency_count, dependency_room;
    uint64_t flows;
    struct totals totals;
};

struct writer {
    const struct weft_trace_timeline *timeline;
    FILE *out;
    bool has_line; /* in the list that is being written */
    struct process *processes;
    uint32_t process_count;
    uint64_t written; /* records */
    uint64_t latest;  /* time */
    int error;
};

/* ---- Names -------------------------------------------------------------------------------- */

static const char *const packet_names[] = {"NONE",
#define NAME(name, part) #name,
                                           WEFT_PACKET_KIND_MAP(NAME)
#undef NAME
};

static const char *const fault_texts[] = {
#define TEXT(name, text) text,
    WEFT_PACKET_FAULT_MAP(TEXT)
#undef TEXT
        "it belongs to nothing that is under way"};

static const char *const fail_names[] = {
#define NAME(name, text) #name,
    PTL_NI_FAIL_MAP(NAME)
#undef NAME
};

static const char *const event_names[] = {
    [PTL_EVENT_GET] = "GET",
    [PTL_EVENT_GET_OVERFLOW] = "GET_OVERFLOW",
    [PTL_EVENT_PUT] = "PUT",
    [PTL_EVENT_PUT_OVERFLOW] = "PUT_OVERFLOW",
    [PTL_EVENT_ATOMIC] = "ATOMIC",
    [PTL_EVENT_ATOMIC_OVERFLOW] = "ATOMIC_OVERFLOW",
    [PTL_EVENT_FETCH_ATOMIC] = "FETCH_ATOMIC",
    [PTL_EVENT_FETCH_ATOMIC_OVERFLOW] = "FETCH_ATOMIC_OVERFLOW",
    [PTL_EVENT_REPLY] = "REPLY",
    [PTL_EVENT_SEND] = "SEND",
    [PTL_EVENT_ACK] = "ACK",
    [PTL_EVENT_PT_DISABLED] = "PT_DISABLED",
    [PTL_EVENT_LINK] = "LINK",
    [PTL_EVENT_AUTO_UNLINK] = "AUTO_UNLINK",
    [PTL_EVENT_AUTO_FREE] = "AUTO_FREE",
    [PTL_EVENT_SEARCH] = "SEARCH",
    [PTL_EVENT_DMA] = "DMA",
};

static const char *const match_names[] = {
    [WEFT_TRACE_MATCH_PRIORITY] = "priority list",
    [WEFT_TRACE_MATCH_OVERFLOW] = "overflow list",
    [WEFT_TRACE_MATCH_NONE] = "no entry",
};

static const char *const handler_names[] = {
    [WEFT_TRACE_HANDLER_HEADER] = "header",         [WEFT_TRACE_HANDLER_PAYLOAD] = "payload",
    [WEFT_TRACE_HANDLER_COMPLETION] = "completion", [WEFT_TRACE_HANDLER_OUTBOUND] = "outbound",
    [WEFT_TRACE_HANDLER_SCATTER] = "scatter",       [WEFT_TRACE_HANDLER_GATHER] = "gather",
};

static const char *const dma_names[] = {
    [WEFT_TRACE_DMA_TO_HOST] = "to host",
    [WEFT_TRACE_DMA_FROM_HOST] = "from host",
    [WEFT_TRACE_DMA_ATOMIC] = "atomic",
};

#define NAME_OF(names, number) name_of(names, sizeof(names) / sizeof(names)[0], number)

static const char *name_of(const char *const *names, size_t count, uint64_t number)
{
    return number < count && names[number] ? names[number] : "unknown";
}

/* ---- Lines -------------------------------------------------------------------------------- */

static void put(struct writer *writer, const char *bytes, size_t size)
{
    if (!writer->error && fwrite(bytes, 1, size, writer->out) != size)
        writer->error = errno ? errno : EIO;
}

__attribute__((format(printf, 2, 3))) static void print(struct writer *writer, const char *format,
                                                        ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length > 0)
        put(writer, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

static void begin_line(struct writer *writer)
{
    print(writer, "%s{", writer->has_line ? ",\n" : "");
    writer->has_line = true;
}

/* Up to the time and the arguments. */
static void begin_event(struct writer *writer, char phase, const struct process *process,
                        uint32_t track, const char *name)
{
    begin_line(writer);
    print(writer, "\"ph\":\"%c\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"name\":\"%s\"", phase,
          process->number, track, name);
}

/* In microseconds, as Chrome counts. */
static void put_time(struct writer *writer, const char *key, uint64_t nanoseconds)
{
    print(writer, ",\"%s\":%" PRIu64 ".%03u", key, nanoseconds / 1000,
          (unsigned)(nanoseconds % 1000));
}

/* ---- Processes and tracks ----------------------------------------------------------------- */

static void put_process_name(struct writer *writer, const struct process *process)
{
    if (writer->timeline->process)
        print(writer, "%s", writer->timeline->name);
    else /* as the simulator counts them */
        print(writer, "node %" PRIu32, process->number - 1);
}

static void introduce(struct writer *writer, const struct process *process)
{
    begin_event(writer, 'M', process, 0, "process_name");
    print(writer, ",\"args\":{\"name\":\"");
    put_process_name(writer, process);
    print(writer, "\"}}");
}

static bool make_room(struct writer *writer, uint32_t count)
{
    if (count <= writer->process_count)
        return true;
    struct process *processes = realloc(writer->processes, count * sizeof *processes);
    if (!processes) {
        writer->error = ENOMEM;
        return false;
    }
    for (uint32_t i = writer->process_count; i < count; i++)
        processes[i] = (struct process){0};
    writer->processes = processes;
    writer->process_count = count;
    return true;
}

/* NULL without memory. */
static struct process *process_of(struct writer *writer, const struct weft_trace_record *record)
{
    uint32_t number = writer->timeline->process ? writer->timeline->process : record->nid;
    /* Nodes are numbered from 1 without gaps. */
    uint32_t place = writer->timeline->process ? 0 : number - 1;
    if (!make_room(writer, place + 1))
        return NULL;
    struct process *process = &writer->processes[place];
    if (process->number == 0) {
        process->number = number;
        introduce(writer, process);
    }
    return process;
}

static void name_track(struct writer *writer, const struct process *process, uint32_t track,
                       const char *name)
{
    begin_event(writer, 'M', process, track, "thread_name");
    print(writer, ",\"args\":{\"name\":\"%s\"}}", name);
    begin_event(writer, 'M', process, track, "thread_sort_index");
    print(writer, ",\"args\":{\"sort_index\":%" PRIu32 "}}", track);
}

/* Threads in Chrome's terms; the sort index is the same. */
static uint32_t track_of_stage(enum stage stage)
{
    return 1 + stage + (stage < STAGE_DMA ? 0 : HPUS);
}

static uint32_t track_of_hpu(uint32_t hpu)
{
    return 1 + STAGE_DMA + hpu;
}

static uint32_t hpu_of(const struct weft_trace_line *trace)
{
    return (uint32_t)(trace->a >> 8) % HPUS;
}

static void need_stage(struct writer *writer, struct process *process, enum stage stage)
{
    static const char *const names[] = {"rx", "match", "dma", "event", "tx", "link", "calls"};
    if (process->named & 1u << stage)
        return;
    process->named |= 1u << stage;
    name_track(writer, process, track_of_stage(stage), names[stage]);
}

static void need_hpu(struct writer *writer, struct process *process, uint32_t hpu)
{
    char name[16];
    for (; process->hpus <= hpu; process->hpus++) {
        snprintf(name, sizeof name, "HPU %" PRIu32, process->hpus);
        name_track(writer, process, track_of_hpu(process->hpus), name);
    }
}

/* ---- Moments ------------------------------------------------------------------------------ */

static void begin_moment(struct writer *writer, struct process *process, enum stage stage,
                         const char *name, const struct weft_trace_line *trace)
{
    need_stage(writer, process, stage);
    begin_event(writer, 'i', process, track_of_stage(stage), name);
    put_time(writer, "ts", trace->time);
    print(writer, ",\"s\":\"t\",\"args\":{");
}

static void put_peer(struct writer *writer, const char *key, const struct weft_trace_line *trace)
{
    print(writer, "\"%s\":\"%" PRIu32 ":%" PRIu32 "\"", key, trace->peer_nid, trace->peer_pid);
}

static void put_number(struct writer *writer, const char *key, uint64_t number)
{
    print(writer, ",\"%s\":%" PRIu64, key, number);
}

static void put_packet(struct writer *writer, struct process *process,
                       const struct weft_trace_line *trace)
{
    bool is_in = trace->what == WEFT_TRACE_RECEIVE;
    begin_moment(writer, process, is_in ? STAGE_RX : STAGE_TX,
                 NAME_OF(packet_names, trace->a & 255), trace);
    put_peer(writer, is_in ? "from" : "to", trace);
    put_number(writer, "bytes", trace->b);
    print(writer, "}}");
    *(is_in ? &process->totals.packets_in : &process->totals.packets_out) += 1;
    *(is_in ? &process->totals.bytes_in : &process->totals.bytes_out) += trace->b;
}

static void put_match(struct writer *writer, struct process *process,
                      const struct weft_trace_line *trace)
{
    begin_moment(writer, process, STAGE_MATCH, NAME_OF(match_names, trace->a & 255), trace);
    put_peer(writer, "from", trace);
    put_number(writer, "bytes", trace->b);
    print(writer, ",\"fail\":\"%s\"}}", NAME_OF(fail_names, trace->a >> 8));
    process->totals.matched += (trace->a & 255) != WEFT_TRACE_MATCH_NONE;
}

static void put_event(struct writer *writer, struct process *process,
                      const struct weft_trace_line *trace)
{
    begin_moment(writer, process, STAGE_EVENT, NAME_OF(event_names, trace->a & 255), trace);
    print(writer, "\"fail\":\"%s\"", NAME_OF(fail_names, trace->a >> 8));
    put_number(writer, "bytes", trace->b);
    print(writer, "}}");
    process->totals.events++;
}

/* ---- Operations of schedules -------------------------------------------------------------- */

static struct operation *find_operation(const struct process *process, uint64_t name)
{
    for (size_t i = 0; i < process->operation_count; i++)
        if (process->operations[i].name == name)
            return &process->operations[i];
    return NULL;
}

static uint32_t track_of_operation(const struct process *process,
                                   const struct operation *operation)
{
    return OPERATIONS + (uint32_t)(operation - process->operations);
}

static struct operation *make_operation(struct writer *writer, struct process *process,
                                        uint64_t name)
{
    char text[64];
    if (!weft_array_reserve(&process->operations, process->operation_count,
                            &process->operation_room, sizeof *process->operations)) {
        writer->error = ENOMEM;
        return NULL;
    }
    struct operation *operation = &process->operations[process->operation_count++];
    snprintf(text, sizeof text, "schedule %u, operation %u", (unsigned)(name >> 40),
             (unsigned)(name >> 8));
    name_track(writer, process, track_of_operation(process, operation), text);
    return operation;
}

static void forget_dependencies(struct process *process, uint64_t later)
{
    size_t kept = 0;
    for (size_t i = 0; i < process->dependency_count; i++)
        if (process->dependencies[i].later != later)
            process->dependencies[kept++] = process->dependencies[i];
    process->dependency_count = kept;
}

static void post_operation(struct writer *writer, struct process *process,
                           const struct weft_trace_line *trace)
{
    uint64_t name = trace->a & ~UINT64_C(255);
    struct operation *operation = find_operation(process, name);
    if (!operation)
        operation = make_operation(writer, process, name);
    if (!operation)
        return;
    *operation = (struct operation){.name = name,
                                    .kind = (uint32_t)trace->a & 255,
                                    .rank = trace->peer_pid,
                                    .bytes = trace->b,
                                    .since = trace->time};
    forget_dependencies(process, name);
}

static void add_dependency(struct writer *writer, struct process *process,
                           const struct weft_trace_line *trace)
{
    if (!weft_array_reserve(&process->dependencies, process->dependency_count,
                            &process->dependency_room, sizeof *process->dependencies)) {
        writer->error = ENOMEM;
        return;
    }
    process->dependencies[process->dependency_count++] =
        (struct dependency){.later = trace->a, .earlier = trace->b};
}

static void put_flow(struct writer *writer, struct process *process, char phase,
                     const struct operation *operation, uint64_t time)
{
    begin_event(writer, phase, process, track_of_operation(process, operation), "after");
    put_time(writer, "ts", time);
    print(writer, ",\"cat\":\"schedule\",\"id\":\"%" PRIu32 ".%" PRIu64 "\"%s}", process->number,
          process->flows, phase == 'f' ? ",\"bp\":\"e\"" : "");
}

/* It begins when the last of those was over that it has waited for. */
static void follow_dependencies(const struct process *process, struct operation *operation)
{
    for (size_t i = 0; i < process->dependency_count; i++) {
        const struct operation *earlier =
            process->dependencies[i].later == operation->name
                ? find_operation(process, process->dependencies[i].earlier)
                : NULL;
        if (earlier && earlier->is_over && earlier->end > operation->since)
            operation->since = earlier->end;
    }
}

static void put_flows(struct writer *writer, struct process *process,
                      const struct operation *operation)
{
    for (size_t i = 0; i < process->dependency_count; i++) {
        const struct operation *earlier =
            process->dependencies[i].later == operation->name
                ? find_operation(process, process->dependencies[i].earlier)
                : NULL;
        if (!earlier || !earlier->is_over)
            continue;
        process->flows++;
        put_flow(writer, process, 's', earlier, earlier->since);
        put_flow(writer, process, 'f', operation, operation->since);
    }
}

static void end_operation(struct writer *writer, struct process *process,
                          struct operation *operation, uint64_t time)
{
    static const char *const names[] = {[WEFT_TRACE_OPERATION_SEND] = "send",
                                        [WEFT_TRACE_OPERATION_RECEIVE] = "receive",
                                        [WEFT_TRACE_OPERATION_COMPUTE] = "compute",
                                        [WEFT_TRACE_OPERATION_COPY] = "copy",
                                        [WEFT_TRACE_OPERATION_NOP] = "nop"};
    follow_dependencies(process, operation);
    operation->is_over = true;
    operation->end = time;
    begin_event(writer, 'X', process, track_of_operation(process, operation),
                NAME_OF(names, operation->kind));
    put_time(writer, "ts", operation->since);
    put_time(writer, "dur", time > operation->since ? time - operation->since : 0);
    print(writer, ",\"args\":{\"bytes\":%" PRIu64, operation->bytes);
    if (operation->kind <= WEFT_TRACE_OPERATION_RECEIVE)
        print(writer, ",\"rank\":%" PRIu32, operation->rank);
    print(writer, "}}");
    put_flows(writer, process, operation);
}

/* Several operations may end with one counter. */
static void end_counted(struct writer *writer, struct process *process,
                        const struct weft_trace_line *trace)
{
    uint64_t count = trace->a + (uint32_t)trace->b;
    for (size_t i = 0; i < process->operation_count; i++) {
        struct operation *operation = &process->operations[i];
        if (!operation->is_over && operation->counter == trace->b >> 32 &&
            count >= operation->threshold)
            end_operation(writer, process, operation, trace->time);
    }
}

static void mark_operation(struct writer *writer, struct process *process,
                           const struct weft_trace_line *trace)
{
    struct operation *operation = find_operation(process, trace->a);
    if (!operation || operation->is_over)
        return;
    if (trace->what == WEFT_TRACE_OPERATION_BEGUN)
        operation->since = trace->time;
    if (trace->what == WEFT_TRACE_OPERATION_OVER)
        end_operation(writer, process, operation, trace->time);
    if (trace->what == WEFT_TRACE_OPERATION_ENDS) {
        operation->counter = trace->peer_pid;
        operation->threshold = trace->b;
    }
}

/* ---- Counters ----------------------------------------------------------------------------- */

static void put_count(struct writer *writer, struct process *process,
                      const struct weft_trace_line *trace)
{
    begin_moment(writer, process, STAGE_EVENT, "count", trace);
    print(writer, "\"success\":%" PRIu64 ",\"failure\":%" PRIu32 ",\"counter\":%" PRIu32 "}}",
          trace->a, (uint32_t)trace->b, (uint32_t)(trace->b >> 32));
    end_counted(writer, process, trace);
}

static void put_dma(struct writer *writer, struct process *process,
                    const struct weft_trace_line *trace)
{
    begin_moment(writer, process, STAGE_DMA, NAME_OF(dma_names, trace->a & 255), trace);
    print(writer, "\"hpu\":%" PRIu32, hpu_of(trace));
    put_number(writer, "bytes", trace->b);
    print(writer, "}}");
    process->totals.dma_bytes += trace->b;
}

static void put_link(struct writer *writer, struct process *process,
                     const struct weft_trace_line *trace)
{
    static const char *const names[] = {[WEFT_TRACE_DROP] = "drop",
                                        [WEFT_TRACE_RESEND] = "resend",
                                        [WEFT_TRACE_TAKE] = "take",
                                        [WEFT_TRACE_FAILED] = "failed"};
    begin_moment(writer, process, STAGE_LINK, NAME_OF(names, trace->what), trace);
    put_peer(writer, "peer", trace);
    if (trace->what == WEFT_TRACE_DROP)
        print(writer, ",\"why\":\"%s\"", NAME_OF(fault_texts, trace->a));
    if (trace->what == WEFT_TRACE_RESEND)
        put_number(writer, "sequence", trace->a);
    if (trace->what == WEFT_TRACE_TAKE)
        put_number(writer, "sequence", trace->a >> 8);
    print(writer, "}}");
    process->totals.dropped += trace->what == WEFT_TRACE_DROP;
    process->totals.resent += trace->what == WEFT_TRACE_RESEND;
}

/* ---- Calls of the program ----------------------------------------------------------------- */

static void put_call(struct writer *writer, struct process *process,
                     const struct weft_trace_line *trace)
{
    const struct weft_trace_timeline *timeline = writer->timeline;
    need_stage(writer, process, STAGE_CALL);
    begin_event(writer, 'X', process, track_of_stage(STAGE_CALL),
                name_of(timeline->calls, timeline->call_count, trace->a));
    put_time(writer, "ts", trace->time);
    put_time(writer, "dur", trace->b);
    print(writer, "}");
}

/* ---- Handlers ----------------------------------------------------------------------------- */

static void open_handler(struct writer *writer, struct process *process,
                         const struct weft_trace_line *trace)
{
    if (!weft_array_reserve(&process->open, process->open_count, &process->open_room,
                            sizeof *process->open)) {
        writer->error = ENOMEM;
        return;
    }
    process->open[process->open_count++] = (struct open_handler){.hpu = hpu_of(trace),
                                                                 .kind = (uint32_t)trace->a & 255,
                                                                 .time = trace->time,
                                                                 .bytes = trace->b};
}

static void put_handler(struct writer *writer, struct process *process,
                        const struct open_handler *handler, uint64_t end)
{
    need_hpu(writer, process, handler->hpu);
    begin_event(writer, 'X', process, track_of_hpu(handler->hpu),
                NAME_OF(handler_names, handler->kind));
    put_time(writer, "ts", handler->time);
    put_time(writer, "dur", end > handler->time ? end - handler->time : 0);
    print(writer, ",\"args\":{\"bytes\":%" PRIu64, handler->bytes);
    process->totals.handlers++;
}

/* The end of a handler whose begin is lost says nothing. */
static void close_handler(struct writer *writer, struct process *process,
                          const struct weft_trace_line *trace)
{
    for (size_t i = process->open_count; i > 0; i--) {
        struct open_handler handler = process->open[i - 1];
        if (handler.hpu != hpu_of(trace) || handler.kind != (trace->a & 255))
            continue;
        for (; i < process->open_count; i++)
            process->open[i - 1] = process->open[i];
        process->open_count--;
        put_handler(writer, process, &handler, trace->time);
        put_number(writer, "returned", trace->b);
        print(writer, "}}");
        return;
    }
}

/* So that every slice ends: as late as anything that is known. */
static void close_all_handlers(struct writer *writer, struct process *process)
{
    for (size_t i = 0; i < process->open_count; i++) {
        put_handler(writer, process, &process->open[i], writer->latest);
        print(writer, ",\"unfinished\":true}}");
    }
}

/* ---- The file ----------------------------------------------------------------------------- */

typedef void put_trace(struct writer *writer, struct process *process,
                       const struct weft_trace_line *trace);

static put_trace *const put_what[WEFT_TRACE_WHATS] = {
    [WEFT_TRACE_RECEIVE] = put_packet,
    [WEFT_TRACE_SEND] = put_packet,
    [WEFT_TRACE_EVENT] = put_event,
    [WEFT_TRACE_COUNT] = put_count,
    [WEFT_TRACE_DROP] = put_link,
    [WEFT_TRACE_RESEND] = put_link,
    [WEFT_TRACE_TAKE] = put_link,
    [WEFT_TRACE_FAILED] = put_link,
    [WEFT_TRACE_MATCH] = put_match,
    [WEFT_TRACE_HANDLER] = open_handler,
    [WEFT_TRACE_HANDLER_END] = close_handler,
    [WEFT_TRACE_DMA] = put_dma,
    [WEFT_TRACE_CALL] = put_call,
    [WEFT_TRACE_OPERATION] = post_operation,
    [WEFT_TRACE_OPERATION_AFTER] = add_dependency,
    [WEFT_TRACE_OPERATION_ENDS] = mark_operation,
    [WEFT_TRACE_OPERATION_BEGUN] = mark_operation,
    [WEFT_TRACE_OPERATION_OVER] = mark_operation,
};

static void put_record(struct writer *writer, const struct weft_trace_record *record)
{
    const struct weft_trace_line *trace = &record->trace;
    struct process *process = process_of(writer, record);
    if (!process)
        return;
    writer->written++;
    if (trace->time > writer->latest)
        writer->latest = trace->time;
    if (trace->what < WEFT_TRACE_WHATS)
        put_what[trace->what](writer, process, trace);
}

static void put_totals(struct writer *writer, const struct process *process, uint64_t lost)
{
    const struct totals *totals = &process->totals;
    begin_line(writer);
    print(writer, "\"process\":\"");
    put_process_name(writer, process);
    print(writer, "\",\"pid\":%" PRIu32, process->number);
    put_number(writer, "packets_in", totals->packets_in);
    put_number(writer, "bytes_in", totals->bytes_in);
    put_number(writer, "packets_out", totals->packets_out);
    put_number(writer, "bytes_out", totals->bytes_out);
    put_number(writer, "matched", totals->matched);
    put_number(writer, "handlers", totals->handlers);
    put_number(writer, "dma_bytes", totals->dma_bytes);
    put_number(writer, "events", totals->events);
    put_number(writer, "dropped", totals->dropped);
    put_number(writer, "resent", totals->resent);
    put_number(writer, "lost_records", lost);
    print(writer, "}");
}

static void put_all(struct writer *writer)
{
    const struct weft_trace_ring *ring = writer->timeline->ring;
    uint64_t total = weft_trace_ring_total(ring);
    struct weft_trace_record record;
    print(writer, WEFT_TRACE_TIMELINE_BEGIN);
    if (writer->timeline->process) /* also if it has done nothing */
        process_of(writer, &(struct weft_trace_record){0});
    for (uint64_t i = weft_trace_ring_first(ring); !writer->error && i < total; i++)
        if (weft_trace_ring_read(ring, i, &record))
            put_record(writer, &record);
    for (uint32_t i = 0; i < writer->process_count; i++)
        close_all_handlers(writer, &writer->processes[i]);
    print(writer, "\n" WEFT_TRACE_TIMELINE_MIDDLE);
    writer->has_line = false;
    for (uint32_t i = 0; i < writer->process_count; i++)
        if (writer->processes[i].number)
            put_totals(writer, &writer->processes[i], total - writer->written);
    print(writer, "\n" WEFT_TRACE_TIMELINE_END);
}

static void free_process(struct process *process)
{
    free(process->open);
    free(process->operations);
    free(process->dependencies);
}

int weft_trace_timeline_write(const struct weft_trace_timeline *timeline, const char *path)
{
    struct writer writer = {.timeline = timeline, .out = fopen(path, "w")};
    if (!writer.out)
        return errno;
    put_all(&writer);
    if (fclose(writer.out) != 0 && !writer.error)
        writer.error = errno;
    for (uint32_t i = 0; i < writer.process_count; i++)
        free_process(&writer.processes[i]);
    free(writer.processes);
    return writer.error;
}
