/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/harness/partner.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/harness/crew.h"
#include "bench/harness/progress.h"
#include "weft/command.h"

#define NAP_MS 10
#define STOP_PATIENCE_MS 3000

bool partner_find(const char *name, char *path, size_t size)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (length > 0) {
        self[length] = '\0';
        *strrchr(self, '/') = '\0';
        snprintf(path, size, "%s/../../bench/%s", self, name);
        if (access(path, X_OK) == 0)
            return true;
    }
    snprintf(path, size, "%s/%s", WEFT_LIBEXEC, name);
    return access(path, X_OK) == 0;
}

/* What starts other processes must be able to end them, so it is asked to end rather than
 * killed. */
static _Noreturn void become(char *const *arguments, int in, int out,
                             void (*prepare)(void *context), void *context)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (prepare)
        prepare(context);
    if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0)
        execvp(arguments[0], arguments);
    perror(arguments[0]);
    _exit(127);
}

void partner_start(struct partner *partner, char *const *arguments, void (*prepare)(void *context),
                   void *context)
{
    int to[2], from[2];
    signal(SIGPIPE, SIG_IGN);
    /* A partner ends when its pipe does, so no other partner may inherit it. */
    if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
        crew_end_with("cannot make a pipe");
    fflush(NULL);
    partner->pid = fork();
    if (partner->pid < 0)
        crew_end_with("cannot start a process");
    if (partner->pid == 0)
        become(arguments, to[0], from[1], prepare, context);
    close(to[0]);
    close(from[1]);
    partner->to = fdopen(to[1], "w");
    partner->from = fdopen(from[0], "r");
    if (!partner->to || !partner->from)
        crew_end_with("cannot open a pipe");
    /* What is kept in a buffer would not be seen by poll. */
    setvbuf(partner->from, NULL, _IONBF, 0);
}

void partner_ask(const struct partner *partner, const char *request)
{
    fprintf(partner->to, "%s\n", request);
    fflush(partner->to);
}

static _Noreturn void give_up(const struct partner *partner, const char *what)
{
    progress_clear();
    fprintf(stderr, "weft bench: %s %s\n", partner->name, what);
    kill(partner->pid, SIGTERM);
    exit(WEFT_EXIT_FAILED);
}

void partner_answer(const struct partner *partner, char *line, size_t size)
{
    struct pollfd answer = {.fd = fileno(partner->from), .events = POLLIN};
    if (poll(&answer, 1, partner->patience_ms) == 0)
        give_up(partner, "does not answer: does it hang?");
    if (!fgets(line, (int)size, partner->from))
        give_up(partner, "ended before it was done; see above why");
}

/* Some MPIs hang when they end. */
void partner_stop(struct partner *partner)
{
    const struct timespec nap = {.tv_nsec = NAP_MS * 1000000L};
    fclose(partner->to);
    for (int waited = 0; waitpid(partner->pid, NULL, WNOHANG) == 0; waited += NAP_MS) {
        if (waited == STOP_PATIENCE_MS)
            kill(partner->pid, SIGTERM);
        if (waited == 2 * STOP_PATIENCE_MS)
            kill(partner->pid, SIGKILL);
        nanosleep(&nap, NULL);
    }
    fclose(partner->from);
    partner->pid = 0;
}
