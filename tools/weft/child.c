/* SPDX-License-Identifier: BSD-3-Clause */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"

static volatile sig_atomic_t child;

static void pass_on(int number)
{
    if (child > 0)
        kill((pid_t)child, number);
}

static int fail(const char *who, const char *what, const char *name)
{
    fprintf(stderr, "weft %s: %s %s: %s\n", who, what, name, strerror(errno));
    return WEFT_EXIT_FAILED;
}

static _Noreturn void become(const char *who, char *const command[], bool has_output)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    int nothing = has_output ? -1 : open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing >= 0) {
        dup2(nothing, STDIN_FILENO);
        dup2(nothing, STDOUT_FILENO);
    }
    execvp(command[0], command);
    fail(who, "cannot start", command[0]);
    _exit(WEFT_EXIT_NOT_STARTED);
}

int child_run(const char *who, char *const command[], bool has_output)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0)
        return fail(who, "cannot start", command[0]);
    if (pid == 0)
        become(who, command, has_output);
    child = (sig_atomic_t)pid;
    signal(SIGTERM, pass_on);
    signal(SIGHUP, pass_on);
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return fail(who, "cannot wait for", command[0]);
    child = 0;
    return WIFSIGNALED(status) ? WEFT_EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

double child_processor_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}
