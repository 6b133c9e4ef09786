/* SPDX-License-Identifier: BSD-3-Clause */
/* The timeline of a broadcast of four processes: its operations, and what waits for what. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weft_collective.h>

#include "collective/stage.h"
#include "support/tap.h"
#include "trace/timeline.h"

#define NODES 4
#define LENGTH (4 * STAGE_EAGER)
#define RECORDS 100000
#define MOST (1 << 22)

struct run {
    struct stage stage;
    int error;
};

static void program(unsigned number, void *argument)
{
    struct run *run = argument;
    struct stage_node node;
    weft_schedule *schedule = NULL;
    static unsigned char memory[NODES][LENGTH];
    struct weft_schedule_memory own = {.base = memory[number], .length = LENGTH};
    stage_enter(&run->stage, &node, number);
    int error = weft_schedule_create(node.engine, 1, &schedule);
    if (!error)
        error = weft_collective_bcast(schedule, WEFT_COLLECTIVE_BINOMIAL, &own, 0, 1);
    if (!error)
        error = weft_schedule_post(schedule);
    if (!error)
        error = weft_schedule_start(schedule);
    if (!error)
        error = weft_schedule_wait(schedule, 1000);
    if (error)
        run->error = error;
    weft_schedule_free(schedule);
    stage_leave(&run->stage, &node);
}

/* The file as a text; empty if it cannot be read. */
static char *read_text(const char *path)
{
    char *text = calloc(1, MOST);
    FILE *file = fopen(path, "r");
    if (text && file)
        text[fread(text, 1, MOST - 1, file)] = 0;
    if (file)
        fclose(file);
    return text;
}

static unsigned count(const char *text, const char *what)
{
    unsigned times = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
        times++;
    return times;
}

/* Of the line that begins so, behind that: the time, in microseconds. */
static double time_of(const char *text, const char *line)
{
    const char *at = strstr(text, line);
    at = at ? strstr(at, "\"ts\":") : NULL;
    return at ? strtod(at + 5, NULL) : -1;
}

int main(void)
{
    char path[] = "/tmp/weft-timeline-XXXXXX";
    struct run run = {.error = WEFT_OK};
    struct weft_sim_config config = stage_config(NODES, 1);
    struct weft_trace_ring *ring = weft_trace_ring_open(RECORDS);
    int descriptor = mkstemp(path);
    config.ring = ring;
    check_int(stage_run(&run.stage, &config, program, &run), 0);
    check_int(run.error, WEFT_OK);
    check_int(weft_trace_timeline_write(&(struct weft_trace_timeline){.ring = ring}, path), 0);
    char *text = read_text(path);
    /* Three messages, of which rank 2 passes one on. */
    check_uint(count(text, "\"name\":\"send\""), 3);
    check_uint(count(text, "\"name\":\"receive\""), 3);
    check_uint(count(text, "\"ph\":\"s\""), 1);
    check_uint(count(text, "\"ph\":\"f\""), 1);
    check_uint(count(text, "\"name\":\"schedule 1, operation 1\""), 2);
    double first = time_of(text, "\"ph\":\"s\",\"pid\":3");
    double then = time_of(text, "\"ph\":\"f\",\"pid\":3");
    check(first > 0 && then > first);
    free(text);
    weft_trace_ring_close(ring);
    close(descriptor);
    unlink(path);
    return tap_done();
}
