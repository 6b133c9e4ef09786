/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * overlap_test [--ranks N] [--hpus N] [--rounds N]: rank 0 posts receives of 16 MiB, one from each
 * other rank, and computes without a call of the library, while one HPU thread receives.
 *
 * What is checked is how much is in its place when a program has computed that sees its data only
 * by looking at its memory: that does not depend on how fast the machine is. The times are for
 * people. A program that computes on a core takes it from the transfer if there are few, so there
 * is a second one, which only waits, as for a device that computes.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <weft_net.h>

#include "support/tap.h"
#include "transfer/family.h"

#define SIZE ((size_t)16 << 20)
#define SECONDS 100
#define TAG 1
#define MOST_RANKS 8
#define MOST_ROUNDS 64
#define UNTOUCHED 0xEE
/* Milliseconds that a program computes until its data is there: at most, and if none will come. */
#define ENOUGH 10000
#define IN_VAIN 50
/* Bytes between two looks whether data is there. */
#define GRAIN 4096u
#define TRIES 5

/* Milliseconds: the least of some, for whatever else runs only adds to them. */
struct times {
    double transfer, compute, both;
};

struct stage {
    unsigned ranks, rounds;
    bool has_hpu;
    atomic_uint round;             /* that the senders may send in */
    atomic_bool is_over;           /* they may leave */
    struct times on_core, waiting; /* of a program that computes, and of one that waits */
    double in_place;               /* when it has computed, in parts of all bytes */
    double until_in_place;         /* milliseconds */
    double begin, end;             /* of the last computation, in microseconds */
};

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

/* ---- Data --------------------------------------------------------------------------------- */

static unsigned char byte_at(size_t i, int from)
{
    return (unsigned char)((i * 7 + (i >> 12) + (size_t)from) % 200);
}

/* Blocks with gaps as long as they are. */
static weft_type *blocks_of(size_t block)
{
    weft_type *type = NULL;
    if (weft_type_vector(SIZE / block, block, (ptrdiff_t)(2 * block), weft_basic(WEFT_BYTE),
                         &type) ||
        weft_type_commit(type))
        abort();
    return type;
}

static size_t place(size_t i, size_t block)
{
    return i / block * 2 * block + i % block;
}

#define SENT 64u
#define RECEIVED 256u

static size_t count_in_place(const unsigned char *memory, int from, size_t grain)
{
    size_t count = 0;
    for (size_t i = grain - 1; i < SIZE; i += grain)
        count += memory[place(i, RECEIVED)] == byte_at(i, from);
    return count * grain;
}

/* ---- Senders ------------------------------------------------------------------------------ */

static int be_sender(weft_net *net, int rank, struct stage *stage)
{
    weft_type *type = blocks_of(SENT);
    unsigned char *memory = malloc(2 * SIZE);
    unsigned done = 0;
    if (!memory)
        return 1;
    for (size_t i = 0; i < SIZE; i++)
        memory[place(i, SENT)] = byte_at(i, rank);
    while (!atomic_load(&stage->is_over)) {
        if (atomic_load(&stage->round) == done) {
            nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
            continue;
        }
        done++;
        if (weft_send(net, type, 1, memory, 0, TAG))
            return 2;
    }
    free(memory);
    weft_type_free(type);
    return 0;
}

/* ---- The receiver ------------------------------------------------------------------------- */

struct receiver {
    weft_net *net;
    struct stage *stage;
    weft_type *type;
    unsigned char *memory[MOST_RANKS];
};

/* What the program does meanwhile: turns of arithmetic, or nothing for a while, or arithmetic
 * until its data is there. Times are in milliseconds. */
struct work {
    uint64_t turns;
    double wait;
    double most;
};

static void turn(uint64_t turns)
{
    static volatile uint64_t result;
    uint64_t value = result | 1;
    for (uint64_t i = 0; i < turns; i++)
        value = value * UINT64_C(6364136223846793005) + (value >> 33);
    result = value;
}

static void compute(struct work work)
{
    turn(work.turns);
    if (work.wait > 0)
        nanosleep(&(struct timespec){.tv_sec = (time_t)(work.wait / 1e3),
                                     .tv_nsec = (long)(work.wait * 1e6) % 1000000000},
                  NULL);
}

/* How much of all is in its place; a look at few bytes takes no time in which more could come. */
static double look(struct receiver *self, size_t grain)
{
    size_t count = 0;
    for (unsigned from = 1; from < self->stage->ranks; from++)
        count += count_in_place(self->memory[from], (int)from, grain);
    return (double)count / (double)(SIZE * (self->stage->ranks - 1));
}

static void compute_until_all_is_there(struct receiver *self, double most)
{
    double end = now_us() + most * 1e3;
    while (now_us() < end && look(self, GRAIN) < 1)
        turn(100000);
}

/* One exchange; how long it took from the moment in which the senders may send, in ms. */
static double exchange(struct receiver *self, struct work work, double *in_place)
{
    struct stage *stage = self->stage;
    weft_request *requests[MOST_RANKS] = {NULL};
    for (unsigned from = 1; from < stage->ranks; from++) {
        memset(self->memory[from], UNTOUCHED, 2 * SIZE);
        if (weft_irecv(self->net, self->type, 1, self->memory[from], (int)from, TAG,
                       &requests[from]))
            exit(3);
    }
    stage->begin = now_us();
    atomic_fetch_add(&stage->round, 1);
    compute(work);
    if (work.most > 0)
        compute_until_all_is_there(self, work.most);
    stage->end = now_us();
    if (in_place)
        *in_place = look(self, GRAIN);
    for (unsigned from = 1; from < stage->ranks; from++)
        if (weft_wait(&requests[from], SECONDS * 1000, NULL))
            exit(4);
    double took = (now_us() - stage->begin) / 1e3;
    if (look(self, 1) < 1)
        exit(5);
    return took;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double least(double *values, unsigned count)
{
    qsort(values, count, sizeof *values, compare);
    return values[0];
}

static double time_of(struct work work)
{
    double begin = now_us();
    compute(work);
    return (now_us() - begin) / 1e3;
}

static const struct work nothing;

/* Interleaved, as the machine may be busy with others at times. */
static struct times measure(struct receiver *self, struct work work)
{
    unsigned rounds = self->stage->rounds;
    double transfer[MOST_ROUNDS], alone[MOST_ROUNDS], both[MOST_ROUNDS];
    for (unsigned i = 0; i < rounds; i++) {
        transfer[i] = exchange(self, nothing, NULL);
        alone[i] = time_of(work);
        both[i] = exchange(self, work, NULL);
    }
    return (struct times){least(transfer, rounds), least(alone, rounds), least(both, rounds)};
}

static void measure_bytes(struct receiver *self)
{
    struct stage *stage = self->stage;
    const struct work work = {.most = stage->has_hpu ? ENOUGH : IN_VAIN};
    double in_place[MOST_ROUNDS], took[MOST_ROUNDS];
    for (unsigned i = 0; i < stage->rounds; i++) {
        exchange(self, work, &in_place[i]);
        took[i] = (stage->end - stage->begin) / 1e3;
    }
    stage->in_place = least(in_place, stage->rounds);
    stage->until_in_place = least(took, stage->rounds);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* Turns in a millisecond, if nobody else wants the core. */
static double find_speed(void)
{
    const struct work some = {.turns = 2000000};
    double best = 0;
    for (unsigned i = 0; i < TRIES; i++)
        best = larger(best, (double)some.turns / time_of(some));
    return best;
}

static int be_receiver(weft_net *net, struct stage *stage)
{
    struct receiver self = {.net = net, .stage = stage, .type = blocks_of(RECEIVED)};
    for (unsigned from = 1; from < stage->ranks; from++)
        if (!(self.memory[from] = malloc(2 * SIZE)))
            return 1;
    double turns_in_ms = find_speed(), usual = exchange(&self, nothing, NULL);
    for (unsigned i = 0; i < TRIES; i++)
        usual = smaller(usual, exchange(&self, nothing, NULL));
    stage->on_core = measure(&self, (struct work){.turns = (uint64_t)(turns_in_ms * usual)});
    stage->waiting = measure(&self, (struct work){.wait = usual});
    measure_bytes(&self);
    atomic_store(&stage->is_over, true);
    for (unsigned from = 1; from < stage->ranks; from++)
        free(self.memory[from]);
    weft_type_free(self.type);
    return 0;
}

static int live(int rank, void *argument)
{
    weft_net *net;
    if (rank)
        setenv("WEFT_HPUS", "0", 1); /* the senders wait in their calls */
    if (weft_open(&net))
        return 6;
    int result = rank ? be_sender(net, rank, argument) : be_receiver(net, argument);
    weft_close(net);
    return result;
}

static void report(const char *what, const struct times *times)
{
    double less = times->transfer < times->compute ? times->transfer : times->compute;
    tap_note("%s: transfer %.2f ms, program %.2f ms, both %.2f ms: %.2f overlapped", what,
             times->transfer, times->compute, times->both,
             (times->transfer + times->compute - times->both) / less);
}

static unsigned option(int count, char **arguments, const char *name, unsigned fallback)
{
    for (int i = 1; i + 1 < count; i++)
        if (strcmp(arguments[i], name) == 0)
            return (unsigned)strtoul(arguments[i + 1], NULL, 10);
    return fallback;
}

int main(int count, char **arguments)
{
    struct stage *stage = family_memory(sizeof *stage);
    stage->has_hpu = option(count, arguments, "--hpus", 1) != 0;
    stage->ranks = option(count, arguments, "--ranks", 2);
    stage->rounds = option(count, arguments, "--rounds", 5);
    if (stage->ranks < 2 || stage->ranks > MOST_RANKS || stage->rounds > MOST_ROUNDS)
        return 2;
    setenv("WEFT_HPUS", stage->has_hpu ? "1" : "0", 1);
    family_run(stage->ranks, SECONDS, live, stage);
    report("it computes on a core", &stage->on_core);
    report("it waits for a device", &stage->waiting);
    tap_note("of the bytes, %.3f were in their place when it had computed for %.2f ms",
             stage->in_place, stage->until_in_place);
    tap_note("it computed from %.3f to %.3f us", stage->begin, stage->end);
    if (stage->has_hpu)
        check(stage->in_place >= 0.9);
    return tap_done();
}
