/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/children.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/tap.h"

struct stage *stage;

void *share_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        tap_skip_all("no memory to share");
    return memory;
}

void prepare_children(void)
{
    stage = share_memory(sizeof *stage);
}

void set(const char *name, const char *value)
{
    setenv(name, value, 1);
}

void need_at(bool holds, const char *file, int line, const char *what)
{
    if (!holds) {
        fprintf(stderr, "# in process %d, %s:%d: %s (%s)\n", (int)getpid(), file, line, what,
                strerror(errno));
        _exit(1);
    }
}

pid_t start(void (*role)(uint32_t pid), uint32_t pid)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* some roles have no end of their own */
        role(pid);
        exit(0);
    }
    return child;
}

bool ended_well(pid_t child)
{
    int status;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool run_alone(void (*role)(uint32_t pid))
{
    return ended_well(start(role, 1));
}

bool run_both(void (*first)(uint32_t pid), void (*second)(uint32_t pid))
{
    pid_t child = start(first, 1);
    bool is_well = ended_well(start(second, 2));
    return ended_well(child) && is_well;
}

void kill_and_reap(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}
