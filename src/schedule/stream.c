/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stream is a receive and the sends that wait for it, of the same memory: handlers of its entry
 * do these while the packets come. Packets that nobody expects would be many headers to keep, and
 * their senders have forgotten them. So each process first tells its source that it and all behind
 * it have posted, and the first source sends nothing before it has heard that from all it sends
 * to.
 */
#include "schedule/stream.h"

#include <weft_handlers.h>

#include "schedule/engine.h"

static const struct weft_schedule_memory nothing = {.length = 0};

/* ---- Building ----------------------------------------------------------------------------- */

struct stream {
    weft_schedule *schedule;
    const struct weft_schedule_memory *memory;
    uint16_t tag;
    int error; /* the first one, after which nothing is added */
};

static int add(struct stream *stream, enum weft_schedule_kind kind, uint32_t peer, bool has_data)
{
    if (stream->error)
        return -1;
    int operation = weft_schedule_add_message(
        stream->schedule, kind, has_data ? stream->memory : &nothing, peer, stream->tag);
    if (operation < 0)
        stream->error = operation;
    else if (has_data)
        stream->schedule->operations[operation].stream = stream->schedule->streams;
    return operation;
}

static void wait_for(struct stream *stream, int later, int earlier)
{
    if (!stream->error)
        stream->error = weft_schedule_after(stream->schedule, later, earlier);
}

/* Those that this process sends to say in operations from `first` on that they are ready. Returns
 * the receive. */
static int take_part(struct stream *stream, uint32_t source, int first, size_t count)
{
    int told = add(stream, WEFT_SCHEDULE_SEND, source, false);
    for (size_t i = 0; i < count; i++)
        wait_for(stream, told, first + (int)i);
    if (!stream->error)
        stream->schedule->operations[told].is_early = true;
    return add(stream, WEFT_SCHEDULE_RECEIVE, source, true);
}

int weft_schedule_stream(weft_schedule *schedule, const struct weft_schedule_memory *memory,
                         uint32_t source, uint16_t tag, size_t count,
                         const uint32_t destinations[])
{
    if (!schedule || !memory || memory->length == 0 || schedule->is_prepared ||
        count > WEFT_HANDLER_PEERS || (count && !destinations))
        return WEFT_ERR_ARGUMENT;
    if (schedule->streams == UINT16_MAX)
        return WEFT_ERR_OVERFLOW;
    struct stream stream = {.schedule = schedule, .memory = memory, .tag = tag};
    bool is_source = source == schedule->engine->rank;
    if (is_source && count == 0)
        return WEFT_ERR_ARGUMENT;
    int first = (int)schedule->count;
    schedule->streams++;
    for (size_t i = 0; i < count; i++)
        add(&stream, WEFT_SCHEDULE_RECEIVE, destinations[i], false);
    int come = is_source ? weft_schedule_nop(schedule) : take_part(&stream, source, first, count);
    for (size_t i = 0; i < count; i++) {
        int sent = add(&stream, WEFT_SCHEDULE_SEND, destinations[i], true);
        if (is_source)
            wait_for(&stream, sent, first + (int)i);
        wait_for(&stream, sent, come);
    }
    return stream.error ? stream.error : (int)schedule->count - 1;
}

/* What one of its operations waits for, those of the stream itself aside. */
static int delay(struct weft_schedule *schedule, int told,
                 const struct weft_schedule_operation *operation)
{
    int error = WEFT_OK;
    for (size_t i = 0; !error && i < operation->earlier_count; i++)
        if (operation->earlier[i] < told)
            error = weft_schedule_after(schedule, told, operation->earlier[i]);
    return error;
}

int weft_schedule_streams_delay(struct weft_schedule *schedule)
{
    int error = WEFT_OK, told = -1;
    for (size_t i = 0; schedule->streams && !error && i < schedule->count; i++) {
        const struct weft_schedule_operation *operation = &schedule->operations[i];
        if (operation->stream && operation->kind == WEFT_SCHEDULE_RECEIVE)
            told = (int)i - 1;
        if (operation->stream && weft_schedule_stream_receive(schedule, operation))
            error = delay(schedule, told, operation);
    }
    return error;
}

/* ---- On the NIC --------------------------------------------------------------------------- */

const struct weft_schedule_operation *
weft_schedule_stream_receive(const struct weft_schedule *schedule,
                             const struct weft_schedule_operation *send)
{
    const struct weft_schedule_operation *first = send;
    while (first > schedule->operations && first[-1].stream == send->stream)
        first--;
    return first->kind == WEFT_SCHEDULE_RECEIVE ? first : NULL;
}

static struct weft_handler_broadcast broadcast_of(const struct weft_schedule *schedule,
                                                  const struct weft_schedule_operation *receive)
{
    struct weft_handler_broadcast broadcast = {
        .match_bits = weft_schedule_stream_bits(schedule, receive), .stream = WEFT_HANDLER_STREAM};
    struct weft_handler_peers *children = &broadcast.children;
    const struct weft_schedule_operation *end = schedule->operations + schedule->count;
    for (const struct weft_schedule_operation *send = receive + 1;
         send < end && send->stream == receive->stream; send++)
        children->process[children->count++] = weft_schedule_process(send->peer);
    return broadcast;
}

/* Who passes packets on gives each to the next as a message of its own, so bytes are counted. */
static int append(struct weft_schedule *schedule, struct weft_schedule_operation *receive,
                  const ptl_handlers_t *handlers)
{
    struct weft_schedule_layout_view view;
    weft_schedule_layout_show(&receive->memory, &view);
    const ptl_me_t me = {.start = view.start,
                         .length = view.length,
                         .ct_handle = receive->own,
                         .uid = PTL_UID_ANY,
                         .options = view.options | PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM |
                                    PTL_ME_EVENT_CT_BYTES | PTL_ME_EVENT_COMM_DISABLE |
                                    PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_UNLINK_DISABLE,
                         .match_id = weft_schedule_process(receive->peer),
                         .match_bits = weft_schedule_stream_bits(schedule, receive)};
    if (!handlers)
        return PtlMEAppend(schedule->engine->ni, WEFT_SCHEDULE_STREAMS, &me, PTL_PRIORITY_LIST,
                           receive, &receive->lasting[0]);
    return PtlMEAppendHandlers(schedule->engine->ni, WEFT_SCHEDULE_STREAMS, &me, handlers,
                               PTL_PRIORITY_LIST, receive, &receive->lasting[0]);
}

int weft_schedule_stream_prepare(struct weft_schedule *schedule,
                                 struct weft_schedule_operation *receive)
{
    const struct weft_handler_broadcast broadcast = broadcast_of(schedule, receive);
    ptl_handlers_t handlers;
    int result = PtlCTAlloc(schedule->engine->ni, &receive->own);
    receive->done = (struct weft_schedule_mark){receive->own, weft_schedule_length(receive)};
    if (result == PTL_OK && broadcast.children.count == 0)
        return append(schedule, receive, NULL);
    if (result == PTL_OK)
        result = weft_handler_broadcast(schedule->engine->ni, &broadcast, &handlers);
    if (result != PTL_OK)
        return result;
    receive->hpu = handlers.hpu_memory;
    return append(schedule, receive, &handlers);
}
