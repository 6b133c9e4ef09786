/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/harness/perftest.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/harness/crew.h"
#include "bench/harness/measure.h"
#include "bench/harness/progress.h"

#define PROGRAM "ucx_perftest"
#define HOST "127.0.0.1"
#define NOT_FOUND 127
#define PATIENCE 60.0       /* seconds for a whole run */
#define CONNECT_PATIENCE 10 /* seconds until the server must listen */
#define MOST_ARGUMENTS 16

struct process {
    pid_t pid;
    int output;
};

static const char *transports;

void perftest_over(const char *those)
{
    transports = those;
}

/* ---- Processes ---------------------------------------------------------------------------- */

static _Noreturn void become(const char *const *arguments, unsigned rank, int output)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    crew_settle(rank);
    setenv("UCX_TLS", transports, 1);
    if (dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0)
        execvp(PROGRAM, (char *const *)arguments);
    _exit(NOT_FOUND);
}

static struct process start(const char *const *arguments, unsigned rank)
{
    int output[2];
    if (pipe2(output, O_CLOEXEC))
        crew_end_with("cannot make a pipe");
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0)
        crew_end_with("cannot start a process");
    if (pid == 0)
        become(arguments, rank, output[1]);
    close(output[1]);
    return (struct process){pid, output[0]};
}

/* Reads what a process writes, up to its end or the time `end`, and keeps the last of it. Returns
 * its exit code, or -1. */
static int finish(struct process process, double end, char *text, size_t size)
{
    struct pollfd poll_for = {.fd = process.output, .events = POLLIN};
    size_t used = 0;
    ssize_t got = 1;
    while (got > 0) {
        double left = end - measure_now();
        int ready = poll(&poll_for, 1, left > 0 ? (int)(left * 1e3) + 1 : 0);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0) {
            kill(process.pid, SIGKILL);
            break;
        }
        if (used == size - 1) { /* only the end matters */
            memmove(text, text + size / 2, used - size / 2);
            used -= size / 2;
        }
        got = read(process.output, text + used, size - 1 - used);
        used += got > 0 ? (size_t)got : 0;
    }
    text[used] = '\0';
    close(process.output);
    int status;
    waitpid(process.pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool perftest_is_here(void)
{
    const char *const arguments[] = {PROGRAM, "-h", NULL};
    char text[256];
    return finish(start(arguments, 0), measure_now() + PATIENCE, text, sizeof(text)) != NOT_FOUND;
}

/* ---- One test ----------------------------------------------------------------------------- */

/* A port that nobody has at the moment. */
static int free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof(address);
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    inet_pton(AF_INET, HOST, &address.sin_addr);
    if (descriptor < 0 || bind(descriptor, (struct sockaddr *)&address, sizeof(address)) ||
        getsockname(descriptor, (struct sockaddr *)&address, &length))
        crew_end_with("cannot find a free port for " PROGRAM);
    close(descriptor);
    return ntohs(address.sin_port);
}

/* The last line of numbers: iterations, a percentile, the average of late, the average of all. */
static double parse(char *text)
{
    double seconds = 0, unused, microseconds;
    char *rest;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (sscanf(line, "%lf,%lf,%lf,%lf", &unused, &unused, &unused, &microseconds) == 4)
            seconds = microseconds * 1e-6;
    return seconds;
}

double perftest_seconds(const char *test, size_t size, size_t count)
{
    char port[16], bytes[32], times[32], warm_up[32], text[4096], log[4096];
    snprintf(port, sizeof(port), "%d", free_port());
    snprintf(bytes, sizeof(bytes), "%zu", size);
    snprintf(times, sizeof(times), "%zu", count);
    snprintf(warm_up, sizeof(warm_up), "%zu", count / 10 + 1);
    /* The server is the client without its first argument. */
    const char *const client[MOST_ARGUMENTS] = {PROGRAM, HOST, "-p",  port, "-t",    test, "-s",
                                                bytes,   "-n", times, "-w", warm_up, "-f", "-v"};
    const char *server[MOST_ARGUMENTS] = {PROGRAM};
    for (size_t i = 2; i < MOST_ARGUMENTS; i++)
        server[i - 1] = client[i];
    double begin = measure_now(), end = begin + PATIENCE;
    struct process listening = start(server, 1);
    int code;
    /* It fails at once while the server does not listen yet. */
    do
        code = finish(start(client, 0), end, text, sizeof(text));
    while (code != 0 && measure_now() < begin + CONNECT_PATIENCE);
    double seconds = code == 0 ? parse(text) : 0;
    if (seconds <= 0)
        kill(listening.pid, SIGKILL);
    finish(listening, end, log, sizeof(log));
    if (seconds <= 0) {
        progress_clear();
        fprintf(stderr, "weft bench: %s %s failed with messages of %zu bytes: %s\n", PROGRAM, test,
                size, text);
    }
    return seconds;
}
