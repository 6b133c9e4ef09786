/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 0 sends to two receivers, while a third is stopped by a signal in the middle of a message.
 * The two must not notice. For the third one at most WEFT_CHUNKS chunks wait: those that it has
 * asked for and that are not in its memory. When it goes on, all comes as if nothing had been.
 *
 * The sender counts what it is asked for by the records of its NIC. With --time it must also keep
 * half of its speed to the two, which a loaded machine may not allow.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <weft_net.h>

#include "base/setting.h"
#include "packet/packet.h"
#include "support/tap.h"
#include "transfer/family.h"
#include "world/traced.h"

#define RANKS 4u
#define STOPPED 3
#define SECONDS 100
#define ROUNDS 12u
#define SIZE ((size_t)16 << 20)
#define TAG 1
#define GO 2
#define STOPS_AFTER 3u /* chunks */

struct stage {
    atomic_int pid; /* of the one that stops */
    atomic_uint stops;
    atomic_uint ready;                   /* receives that the others have posted */
    double free[ROUNDS], beside[ROUNDS]; /* milliseconds of the others */
    uint64_t waiting[ROUNDS];            /* chunks */
    unsigned char *memory;               /* of the one that stops, for all to see */
};

/* ---- The records of the sender's NIC ------------------------------------------------------ */

static struct weft_nic_world_ops traced;
static atomic_uint_fast64_t asked; /* chunks, by the one that stops */

static void count(struct weft_nic_world *world, const struct weft_trace_line *record)
{
    (void)world;
    bool is_get = record->what == WEFT_TRACE_RECEIVE && (record->a & 255) == WEFT_PACKET_GET;
    if (is_get && record->peer_pid == STOPPED + 1)
        atomic_fetch_add(&asked, 1);
}

/* In the place of the library's, which writes timelines. */
void weft_world_trace(struct weft_nic_world *world, const struct weft_job *job)
{
    (void)job;
    traced = *world->ops;
    traced.trace = count;
    world->ops = &traced;
}

/* ---- Data --------------------------------------------------------------------------------- */

static unsigned char byte_at(size_t i, unsigned round)
{
    return (unsigned char)(1 + (i + (i >> 12) + round) % 200);
}

static bool is_right(const unsigned char *memory, unsigned round)
{
    for (size_t i = 0; i < SIZE; i++)
        if (memory[i] != byte_at(i, round))
            return false;
    return true;
}

/* The sender's bytes, in blocks with gaps as long as they are. */
#define BLOCK 512u

static weft_type *blocks(void)
{
    weft_type *type = NULL;
    if (weft_type_vector(SIZE / BLOCK, BLOCK, 2 * BLOCK, weft_basic(WEFT_BYTE), &type) ||
        weft_type_commit(type))
        abort();
    return type;
}

/* Chunks that have come: the last byte is written last. */
static uint64_t landed(const unsigned char *memory)
{
    size_t chunk = weft_setting(WEFT_SETTING_CHUNK), eager = weft_setting(WEFT_SETTING_EAGER);
    uint64_t chunks = 0;
    for (size_t end = eager; end < SIZE;) {
        end = SIZE - end < chunk ? SIZE : end + chunk;
        chunks += ((const volatile unsigned char *)memory)[end - 1] != 0;
    }
    return chunks;
}

/* ---- Receivers ---------------------------------------------------------------------------- */

static void must(bool held, int code)
{
    if (!held)
        exit(code);
}

static int be_fast(weft_net *net, struct stage *stage)
{
    unsigned char *memory = malloc(SIZE);
    weft_request *request;
    must(memory != NULL, 1);
    for (unsigned i = 0; i < 2 * ROUNDS; i++) {
        memset(memory, 0, SIZE);
        must(!weft_irecv(net, weft_basic(WEFT_BYTE), SIZE, memory, 0, TAG, &request), 2);
        atomic_fetch_add(&stage->ready, 1);
        must(!weft_wait(&request, SECONDS * 1000, NULL), 2);
        must(is_right(memory, i / 2), 3);
    }
    free(memory);
    return 0;
}

static int be_stopped(weft_net *net, struct stage *stage)
{
    weft_request *request;
    atomic_store(&stage->pid, getpid());
    for (unsigned round = 0; round < ROUNDS; round++) {
        memset(stage->memory, 0, SIZE);
        must(!weft_recv(net, weft_basic(WEFT_BYTE), 0, NULL, 0, GO, NULL), 4);
        must(!weft_irecv(net, weft_basic(WEFT_BYTE), SIZE, stage->memory, 0, TAG, &request), 5);
        while (landed(stage->memory) < STOPS_AFTER)
            must(weft_test(&request, NULL) == WEFT_ERR_TIMEOUT, 6);
        atomic_fetch_add(&stage->stops, 1);
        raise(SIGSTOP);
        must(!weft_wait(&request, SECONDS * 1000, NULL), 7);
        must(is_right(stage->memory, round), 8);
    }
    return 0;
}

/* ---- The sender --------------------------------------------------------------------------- */

static pid_t asleep; /* who must go on if this process ends */

struct sender {
    weft_net *net;
    weft_type *type;
    unsigned char *memory;
    struct stage *stage;
};

static void fill(struct sender *self, unsigned round)
{
    for (size_t i = 0; i < SIZE; i++)
        self->memory[i / BLOCK * 2 * BLOCK + i % BLOCK] = byte_at(i, round);
}

static weft_request *send_to(struct sender *self, int to)
{
    weft_request *request;
    must(!weft_isend(self->net, self->type, 1, self->memory, to, TAG, &request), 9);
    return request;
}

static void wake(void)
{
    if (asleep)
        kill(asleep, SIGCONT);
}

static bool has_state(pid_t pid, char state)
{
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    const char *end = strrchr(text, ')');
    return end && end[1] == ' ' && end[2] == state;
}

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* How long one message to each of the two takes. */
static double send_to_others(struct sender *self)
{
    weft_request *requests[STOPPED] = {NULL};
    while (atomic_load(&self->stage->ready) < STOPPED - 1)
        usleep(1000);
    atomic_fetch_sub(&self->stage->ready, STOPPED - 1);
    double begin = now_ms();
    for (int to = 1; to < STOPPED; to++)
        requests[to] = send_to(self, to);
    for (int to = 1; to < STOPPED; to++)
        must(!weft_wait(&requests[to], SECONDS * 1000, NULL), 10);
    return now_ms() - begin;
}

/* The message to the third, until that is stopped in the middle of it. */
static weft_request *send_to_stopped(struct sender *self, unsigned round)
{
    atomic_store(&asked, 0);
    must(!weft_send(self->net, weft_basic(WEFT_BYTE), 0, NULL, STOPPED, GO), 11);
    weft_request *request = send_to(self, STOPPED);
    while (atomic_load(&self->stage->stops) == round || !has_state(asleep, 'T'))
        must(weft_test(&request, NULL) == WEFT_ERR_TIMEOUT, 13);
    return request;
}

static int be_sender(weft_net *net, struct stage *stage)
{
    struct sender self = {net, blocks(), malloc(2 * SIZE), stage};
    must(self.memory != NULL, 1);
    while (!(asleep = atomic_load(&stage->pid)))
        usleep(1000);
    atexit(wake);
    for (unsigned round = 0; round < ROUNDS; round++) {
        fill(&self, round);
        stage->free[round] = send_to_others(&self);
        weft_request *request = send_to_stopped(&self, round);
        stage->beside[round] = send_to_others(&self);
        stage->waiting[round] = atomic_load(&asked) - landed(stage->memory);
        must(has_state(asleep, 'T'), 15);
        kill(asleep, SIGCONT);
        must(!weft_wait(&request, SECONDS * 1000, NULL), 16);
    }
    asleep = 0;
    free(self.memory);
    weft_type_free(self.type);
    return 0;
}

static int live(int rank, void *argument)
{
    weft_net *net;
    if (rank == STOPPED)
        setenv("WEFT_PROGRESS", "0", 1); /* or all might come before it stops */
    if (weft_open(&net))
        return 20;
    int result = rank == 0         ? be_sender(net, argument)
                 : rank == STOPPED ? be_stopped(net, argument)
                                   : be_fast(net, argument);
    weft_close(net);
    return result;
}

static double least(const double *values)
{
    double found = values[0];
    for (unsigned i = 1; i < ROUNDS; i++)
        if (values[i] < found)
            found = values[i];
    return found;
}

int main(int argc, char **argv)
{
    struct stage *stage = family_memory(sizeof *stage);
    uint64_t most = weft_setting(WEFT_SETTING_CHUNKS);
    stage->memory = family_memory(SIZE);
    setenv("WEFT_TIMEOUT", "60000", 1); /* who is stopped is silent, not dead */
    family_run(RANKS, SECONDS, live, stage);
    for (unsigned round = 0; round < ROUNDS; round++) {
        tap_note("16 MiB to each of two: %.2f ms, and %.2f ms while %u chunks wait for a third",
                 stage->free[round], stage->beside[round], (unsigned)stage->waiting[round]);
        check(stage->waiting[round] >= 1 && stage->waiting[round] <= most);
    }
    double kept = least(stage->free) / least(stage->beside);
    tap_note("%.2f of the speed is kept", kept);
    if (argc > 1 && !strcmp(argv[1], "--time"))
        check(kept >= 0.5);
    return tap_done();
}
