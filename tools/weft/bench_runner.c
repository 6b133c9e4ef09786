/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts the programs that measure and talks with them, a line at a time. */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "command.h"

struct runner {
    pid_t pid;
    FILE *to, *from;
};

static struct runner runners[WEFT_RUNNERS];

static const char *const names[WEFT_RUNNERS] = {
    [WEFT_RUNNER_OPENMPI] = "openmpi",
    [WEFT_RUNNER_MPICH] = "mpich",
    [WEFT_RUNNER_NONE] = "none",
};

const char *weft_runner_name(enum weft_runner_kind kind)
{
    return names[kind];
}

/* In the tree that this program was built in, or where it was installed. */
static bool find_program(enum weft_runner_kind kind, char *path, size_t size)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (length > 0) {
        self[length] = '\0';
        *strrchr(self, '/') = '\0';
        snprintf(path, size, "%s/../../bench/weft-bench-type-%s", self, names[kind]);
        if (access(path, X_OK) == 0)
            return true;
    }
    snprintf(path, size, "%s/weft-bench-type-%s", WEFT_LIBEXEC, names[kind]);
    return access(path, X_OK) == 0;
}

static void run_program(const char *path, int in, int out)
{
    if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
        _exit(127);
    execl(path, path, (char *)NULL);
    _exit(127);
}

static void end_with(const char *what)
{
    weft_progress_clear();
    perror(what);
    exit(WEFT_EXIT_FAILED);
}

bool weft_runner_open(enum weft_runner_kind kind)
{
    char path[PATH_MAX + 64];
    int to[2], from[2];
    if (!find_program(kind, path, sizeof(path)))
        return false;
    signal(SIGPIPE, SIG_IGN);
    /* A runner ends when its pipe does, so no other runner may inherit it. */
    if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
        end_with("weft bench: cannot make a pipe");
    fflush(NULL);
    struct runner *runner = &runners[kind];
    runner->pid = fork();
    if (runner->pid < 0)
        end_with("weft bench: cannot start a process");
    if (runner->pid == 0)
        run_program(path, to[0], from[1]);
    close(to[0]);
    close(from[1]);
    runner->to = fdopen(to[1], "w");
    runner->from = fdopen(from[0], "r");
    if (!runner->to || !runner->from)
        end_with("weft bench: cannot open a pipe");
    return true;
}

bool weft_runner_is_open(enum weft_runner_kind kind)
{
    return runners[kind].pid > 0;
}

void weft_runner_ask(enum weft_runner_kind kind, const char *request)
{
    fprintf(runners[kind].to, "%s\n", request);
    fflush(runners[kind].to);
}

void weft_runner_answer(enum weft_runner_kind kind, char *line, size_t size)
{
    if (fgets(line, (int)size, runners[kind].from))
        return;
    weft_progress_clear();
    fprintf(stderr, "weft bench: weft-bench-type-%s ended before it was done; see above why\n",
            names[kind]);
    exit(WEFT_EXIT_FAILED);
}

void weft_runner_close_all(void)
{
    for (size_t i = 0; i < WEFT_RUNNERS; i++) {
        if (runners[i].pid <= 0)
            continue;
        fclose(runners[i].to);
        fclose(runners[i].from);
        waitpid(runners[i].pid, NULL, 0);
        runners[i].pid = 0;
    }
}
