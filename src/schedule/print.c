/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "schedule/engine.h"
#include "schedule/schedule.h"

struct sheet {
    char *text;
    size_t size;
    size_t length; /* of all that was written, whether it found room or not */
};

__attribute__((format(printf, 2, 3))) static void say(struct sheet *sheet, const char *format, ...)
{
    size_t used = sheet->length < sheet->size ? sheet->length : sheet->size;
    char *rest = sheet->text ? sheet->text + used : NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(rest, sheet->size - used, format, arguments);
    va_end(arguments);
    sheet->length += length > 0 ? (size_t)length : 0;
}

static const char *operation_name(ptl_op_t operation)
{
    static const char *const names[] = {"min", "max",  "sum",  "prod", "lor", "land",
                                        "bor", "band", "lxor", "bxor", "swap"};
    if ((unsigned)operation < sizeof names / sizeof *names)
        return names[operation];
    return operation == PTL_DIFF ? "diff" : "compute";
}

/* ---- For people --------------------------------------------------------------------------- */

static void label(struct sheet *sheet, const struct weft_schedule_operation *operation)
{
    size_t length = weft_schedule_length(operation);
    switch (operation->kind) {
    case WEFT_SCHEDULE_SEND:
        say(sheet, "send %zu B\\nto %" PRIu32, length, operation->peer);
        break;
    case WEFT_SCHEDULE_RECEIVE:
        say(sheet, "receive %zu B\\nfrom %" PRIu32, length, operation->peer);
        break;
    case WEFT_SCHEDULE_COMPUTE:
        say(sheet, "%s\\n%zu B", operation_name(operation->operation), length);
        break;
    case WEFT_SCHEDULE_COPY:
        say(sheet, "copy\\n%zu B", length);
        break;
    case WEFT_SCHEDULE_NOP:
        break;
    }
}

static const char *shape(const struct weft_schedule_operation *operation)
{
    switch (operation->kind) {
    case WEFT_SCHEDULE_SEND:
    case WEFT_SCHEDULE_RECEIVE:
        return "box";
    case WEFT_SCHEDULE_NOP:
        return "point";
    default:
        return "ellipse";
    }
}

static void print_dot(struct sheet *sheet, const struct weft_schedule *schedule)
{
    say(sheet, "digraph schedule_%u_of_rank_%" PRIu32 " {\n", schedule->number,
        schedule->engine->rank);
    for (size_t i = 0; i < schedule->count; i++) {
        const struct weft_schedule_operation *operation = &schedule->operations[i];
        say(sheet, "    o%zu [shape=%s, label=\"", i, shape(operation));
        label(sheet, operation);
        say(sheet, "\"%s%s];\n", operation->may_be_held ? ", peripheries=2" : "",
            operation->is_optional ? ", style=dotted" : "");
        for (size_t j = 0; j < operation->earlier_count; j++)
            say(sheet, "    o%d -> o%zu%s;\n", operation->earlier[j], i,
                operation->is_any && operation->earlier_count > 1 ? " [style=dashed]" : "");
        if (operation->followed)
            say(sheet, "    \"schedule %u\" -> o%zu;\n", operation->followed->number, i);
    }
    say(sheet, "}\n");
}

/* ---- For simulators ----------------------------------------------------------------------- */

/* A schedule does not know how long its computations take: a simulator's model does, by the bytes
 * that the comment has. */
static void goal_operation(struct sheet *sheet, const struct weft_schedule_operation *operation)
{
    size_t length = weft_schedule_length(operation);
    bool is_send = operation->kind == WEFT_SCHEDULE_SEND;
    if (is_send || operation->kind == WEFT_SCHEDULE_RECEIVE)
        say(sheet, "%s %zub %s %" PRIu32 " tag %u\n", is_send ? "send" : "recv", length,
            is_send ? "to" : "from", operation->peer, operation->tag);
    else if (operation->kind == WEFT_SCHEDULE_NOP)
        say(sheet, "calc 0\n");
    else
        say(sheet, "calc 0 /* %s of %zu B */\n",
            operation->kind == WEFT_SCHEDULE_COPY ? "copy" : operation_name(operation->operation),
            length);
}

static void print_goal(struct sheet *sheet, const struct weft_schedule *schedule)
{
    say(sheet, "rank %" PRIu32 " {\n", schedule->engine->rank);
    for (size_t i = 0; i < schedule->count; i++) {
        say(sheet, "l%zu: ", i + 1);
        goal_operation(sheet, &schedule->operations[i]);
    }
    for (size_t i = 0; i < schedule->count; i++) {
        const struct weft_schedule_operation *operation = &schedule->operations[i];
        size_t count =
            operation->is_any && operation->earlier_count ? 1 : operation->earlier_count;
        for (size_t j = 0; j < count; j++)
            say(sheet, "l%zu requires l%d\n", i + 1, operation->earlier[j] + 1);
    }
    say(sheet, "}\n");
}

ptrdiff_t weft_schedule_print(const weft_schedule *schedule, enum weft_schedule_format format,
                              char *text, size_t size)
{
    if (!schedule || (size && !text))
        return WEFT_ERR_ARGUMENT;
    struct sheet sheet = {.text = text, .size = size};
    if (format == WEFT_SCHEDULE_DOT)
        print_dot(&sheet, schedule);
    else
        print_goal(&sheet, schedule);
    return (ptrdiff_t)sheet.length;
}
