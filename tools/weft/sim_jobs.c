/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_jobs.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/harness/progress.h"

static bool start(const struct sim_jobs *jobs, size_t number)
{
    fflush(NULL);
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        /* Nobody would look at what comes out. */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        jobs->run(jobs->argument, number);
        _exit(0);
    }
    return child > 0;
}

static void show(const struct sim_jobs *jobs, size_t done)
{
    char name[SIM_JOB_NAME];
    if (done == jobs->count)
        return;
    jobs->name(jobs->argument, done, name);
    progress_show(done, jobs->count, name);
}

/* Waits for as many as it takes until fewer than `most` are running. */
static bool settle(size_t *running, size_t most, size_t *done)
{
    while (*running >= most && *running > 0) {
        int status;
        if (wait(&status) < 0 && errno == EINTR)
            continue;
        (*running)--;
        (*done)++;
        if (!WIFEXITED(status))
            return false;
    }
    return true;
}

bool sim_jobs_run(const struct sim_jobs *jobs)
{
    size_t running = 0, done = 0;
    bool is_good = true;
    for (size_t next = 0; is_good && next < jobs->count; next++) {
        if (jobs->is_copy && jobs->is_copy(jobs->argument, next)) {
            done++;
            continue;
        }
        show(jobs, done);
        is_good = settle(&running, jobs->at_once, &done) && start(jobs, next);
        running += is_good;
    }
    while (is_good && running > 0) {
        show(jobs, done);
        is_good = settle(&running, running, &done);
    }
    progress_clear();
    return is_good;
}

void *sim_jobs_memory(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void sim_jobs_forget(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}
