/* SPDX-License-Identifier: BSD-3-Clause */
#include "pair.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/setting.h"
#include "bench.h"
#include "command.h"
#include "side.h"

/* Far more than any job takes. */
#define PATIENCE_MS 120000

struct member {
    pid_t pid;
    int jobs;    /* written to */
    int answers; /* read from */
};

static struct member members[2];
static size_t shared_bytes;
static struct side_shared *shared;
static pid_t program; /* the one process that cleans up */

void pair_end_with(const char *what)
{
    weft_progress_clear();
    fprintf(stderr, "weft bench: %s: %s\n", what, strerror(errno));
    exit(WEFT_EXIT_FAILED);
}

/* ---- Cores -------------------------------------------------------------------------------- */

bool pair_cores(int cores[2])
{
    cpu_set_t set;
    int found = 0;
    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        for (int core = 0; core < CPU_SETSIZE && found < 2; core++)
            if (CPU_ISSET(core, &set))
                cores[found++] = core;
    return found == 2;
}

void pair_settle(unsigned rank)
{
    int cores[2];
    cpu_set_t set;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!pair_cores(cores))
        return;
    CPU_ZERO(&set);
    CPU_SET(cores[rank], &set);
    sched_setaffinity(0, sizeof(set), &set);
}

/* ---- The folder of the rendezvous file ---------------------------------------------------- */

static char folder[64];
static char rendezvous[sizeof(folder) + 16];

/* Safe in a signal handler. The processes of the pair are forked and must not do it. */
static void remove_folder(void)
{
    if (!folder[0] || getpid() != program)
        return;
    unlink(rendezvous);
    rmdir(folder);
    folder[0] = '\0';
}

/* The processes go first, or they would look for the folder. */
static void end_by_signal(int number)
{
    for (unsigned rank = 0; rank < 2; rank++)
        if (members[rank].pid > 0)
            kill(members[rank].pid, SIGKILL);
    remove_folder();
    signal(number, SIG_DFL);
    raise(number);
}

static void make_folder(void)
{
    static const int deadly[] = {SIGINT, SIGTERM, SIGHUP};
    program = getpid();
    snprintf(folder, sizeof(folder), "%s/weft-bench-%d-XXXXXX", P_tmpdir, (int)program);
    if (!mkdtemp(folder)) {
        folder[0] = '\0';
        pair_end_with("cannot make a folder in " P_tmpdir);
    }
    snprintf(rendezvous, sizeof(rendezvous), "%s/rendezvous", folder);
    atexit(remove_folder);
    for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
        signal(deadly[i], end_by_signal);
}

/* ---- Settings of the pair ----------------------------------------------------------------- */

static void set(enum weft_setting setting, const char *value)
{
    setenv(weft_setting_info(setting)->name, value, 1);
}

/* The pair is no part of the job that this program may be started in. */
static void set_world(const struct pair_shape *shape)
{
    bool is_ofi = shape->world == PAIR_OFI;
    set(WEFT_SETTING_RENDEZVOUS, rendezvous);
    set(WEFT_SETTING_WORLD, is_ofi ? "ofi" : "shm");
    set(WEFT_SETTING_LAUNCHER, is_ofi ? "file" : "none");
    set(WEFT_SETTING_SIZE, is_ofi ? "2" : "0");
    if (shape->provider)
        set(WEFT_SETTING_OFI_PROVIDER, shape->provider);
}

/* ---- Life --------------------------------------------------------------------------------- */

static void start(unsigned rank, const struct pair_shape *shape)
{
    int jobs[2], answers[2];
    if (pipe2(jobs, O_CLOEXEC) || pipe2(answers, O_CLOEXEC))
        pair_end_with("cannot make a pipe");
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0)
        pair_end_with("cannot start a process");
    if (pid == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
        pair_settle(rank);
        set(WEFT_SETTING_RANK, rank == 0 ? "0" : "1");
        /* A process ends when its pipe does, so the other one must not hold it open. */
        if (rank == 1)
            close(members[0].jobs);
        close(jobs[1]);
        side_main(rank, shape, shared, jobs[0], answers[1]);
    }
    close(jobs[0]);
    close(answers[1]);
    members[rank] = (struct member){pid, jobs[1], answers[0]};
}

static void end_without(unsigned rank, const char *what)
{
    weft_progress_clear();
    fprintf(stderr, "weft bench: process %u of the pair %s\n", rank, what);
    for (unsigned i = 0; i < 2; i++) {
        kill(members[i].pid, SIGKILL);
        waitpid(members[i].pid, NULL, 0);
    }
    exit(WEFT_EXIT_FAILED);
}

/* Waits for both at once: if one has died, the other may wait for it for ever. One of them keeps
 * the time, the other says 0. */
static double take_answers(void)
{
    struct pollfd fds[2] = {{members[0].answers, POLLIN, 0}, {members[1].answers, POLLIN, 0}};
    double sum = 0;
    for (unsigned left = 2; left > 0;) {
        int ready = poll(fds, 2, PATIENCE_MS);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready == 0)
            end_without(fds[0].fd < 0, "did not finish its job in time");
        for (unsigned rank = 0; rank < 2; rank++) {
            double seconds;
            if (fds[rank].fd < 0 || !fds[rank].revents)
                continue;
            if (read(fds[rank].fd, &seconds, sizeof(seconds)) != (ssize_t)sizeof(seconds))
                end_without(rank, "ended before it was done; see above why");
            sum += seconds;
            fds[rank].fd = -1; /* which poll passes over */
            left--;
        }
    }
    return sum;
}

void pair_start(const struct pair_shape *shape)
{
    signal(SIGPIPE, SIG_IGN);
    make_folder();
    set_world(shape);
    shared_bytes = side_shared_bytes(shape);
    shared = mmap(NULL, shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        pair_end_with("cannot make shared memory");
    for (unsigned rank = 0; rank < 2; rank++)
        start(rank, shape);
    take_answers();
}

const struct bare_ofi_card *pair_network(void)
{
    return &shared->cards[0];
}

double pair_run(const struct pair_job *job)
{
    for (unsigned rank = 0; rank < 2; rank++)
        if (write(members[rank].jobs, job, sizeof(*job)) != (ssize_t)sizeof(*job))
            end_without(rank, "ended before it was done; see above why");
    return take_answers();
}

void pair_hold(bool hold)
{
    for (unsigned rank = 0; rank < 2; rank++)
        kill(members[rank].pid, hold ? SIGSTOP : SIGCONT);
}

void pair_stop(void)
{
    for (unsigned rank = 0; rank < 2; rank++)
        close(members[rank].jobs);
    for (unsigned rank = 0; rank < 2; rank++) {
        waitpid(members[rank].pid, NULL, 0);
        close(members[rank].answers);
    }
    munmap(shared, shared_bytes);
    remove_folder();
}
