/* SPDX-License-Identifier: BSD-3-Clause */
#include "heap/owners.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Not each byte, or large allocations would take all the time: the ends, and every so many. */
enum { STEP = 509 };

static unsigned char value(const struct owners_one *one, size_t at)
{
    return (unsigned char)(one->mark * 31 + at);
}

static void fill(const struct owners_one *one)
{
    for (size_t at = 0; at < one->bytes; at += STEP)
        one->memory[at] = value(one, at);
    one->memory[one->bytes - 1] = value(one, one->bytes - 1);
}

static bool holds(const struct owners_one *one, size_t bytes)
{
    size_t at = 0;
    while (at < bytes && one->memory[at] == value(one, at))
        at += STEP;
    return at >= bytes;
}

static bool is_intact(const struct owners_one *one)
{
    return !one->memory ||
           (holds(one, one->bytes) && one->memory[one->bytes - 1] == value(one, one->bytes - 1));
}

static bool is_zero_everywhere(const unsigned char *memory, size_t bytes)
{
    size_t at = 0;
    while (at < bytes && memory[at] == 0)
        at++;
    return at == bytes;
}

static bool take(struct owners *owners, struct owners_one *one)
{
    bool is_zero = false;
    size_t bytes = rng_magnitude(&owners->rng, owners->longest);
    unsigned char *memory = owners->ways->take(&owners->rng, bytes, &is_zero);
    if (!memory)
        return true;
    if (is_zero && !is_zero_everywhere(memory, bytes))
        return false;
    *one = (struct owners_one){memory, bytes, (unsigned)rng_below(&owners->rng, 256)};
    fill(one);
    return true;
}

static bool resize(struct owners *owners, struct owners_one *one)
{
    size_t bytes = rng_magnitude(&owners->rng, owners->longest);
    unsigned char *memory = owners->ways->resize(one->memory, bytes);
    if (!memory)
        return is_intact(one);
    one->memory = memory;
    bool is_kept = holds(one, bytes < one->bytes ? bytes : one->bytes);
    one->bytes = bytes;
    fill(one);
    return is_kept;
}

static bool give(struct owners *owners, struct owners_one *one)
{
    bool was_intact = is_intact(one);
    owners->ways->give(one->memory);
    one->memory = NULL;
    return was_intact;
}

bool owners_step(struct owners *owners)
{
    struct owners_one *one = &owners->of[rng_below(&owners->rng, OWNERS_MOST)];
    if (!one->memory)
        return take(owners, one);
    return rng_one_in(&owners->rng, 2) ? give(owners, one) : is_intact(one) && resize(owners, one);
}

bool owners_are_intact(const struct owners *owners)
{
    for (unsigned i = 0; i < OWNERS_MOST; i++)
        if (!is_intact(&owners->of[i]))
            return false;
    return true;
}

bool owners_end(struct owners *owners)
{
    bool are_intact = true;
    for (unsigned i = 0; i < OWNERS_MOST; i++)
        if (owners->of[i].memory)
            are_intact = give(owners, &owners->of[i]) && are_intact;
    return are_intact;
}

static bool go_on(struct owners *owners, unsigned steps)
{
    bool is_fine = owners_are_intact(owners);
    for (unsigned i = 0; i < steps && is_fine; i++)
        is_fine = owners_step(owners);
    return is_fine && owners_are_intact(owners);
}

static bool survive_fork(struct owners *owners, unsigned steps)
{
    pid_t child = fork();
    if (child < 0)
        return false;
    if (child == 0) {
        owners->rng.state ^= 1; /* the two must not do the same */
        _exit(go_on(owners, steps) ? 0 : 1);
    }
    int status = -1;
    bool is_fine = go_on(owners, steps);
    return waitpid(child, &status, 0) == child && status == 0 && is_fine;
}

bool owners_survive_forks(struct owners *owners, unsigned forks, unsigned steps)
{
    bool is_fine = true;
    for (unsigned i = 0; i < forks && is_fine; i++)
        is_fine = survive_fork(owners, steps);
    return owners_end(owners) && is_fine;
}

struct worker {
    pthread_t thread;
    struct owners *owners;
    unsigned steps;
    bool is_fine;
};

static void *work(void *argument)
{
    struct worker *worker = argument;
    unsigned fine = 0;
    while (fine < worker->steps && owners_step(worker->owners))
        fine++;
    worker->is_fine = fine == worker->steps && owners_end(worker->owners);
    return NULL;
}

bool owners_survive_threads(struct owners owners[], unsigned count, unsigned steps)
{
    struct worker workers[OWNERS_MOST_THREADS];
    bool is_fine = true;
    for (unsigned i = 0; i < count; i++) {
        workers[i] = (struct worker){.owners = &owners[i], .steps = steps};
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            abort();
    }
    for (unsigned i = 0; i < count; i++) {
        pthread_join(workers[i].thread, NULL);
        is_fine &= workers[i].is_fine;
    }
    return is_fine;
}
