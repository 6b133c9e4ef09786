/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/harness/crew.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/harness/progress.h"
#include "bench/pair/bare_ring.h"
#include "weft/command.h"

/* Far more than any job takes. */
#define PATIENCE_MS 120000
#define MOST_SHARES 4

struct member {
    pid_t pid;
    int jobs;    /* written to */
    int answers; /* read from */
};

static struct crew_plan plan;
static struct member members[CREW_MOST];
static pid_t program; /* the one process that cleans up */

void crew_end_with(const char *what)
{
    progress_clear();
    fprintf(stderr, "weft bench: %s: %s\n", what, strerror(errno));
    exit(WEFT_EXIT_FAILED);
}

/* ---- Cores -------------------------------------------------------------------------------- */

bool crew_cores(int cores[2])
{
    cpu_set_t set;
    int found = 0;
    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        for (int core = 0; core < CPU_SETSIZE && found < 2; core++)
            if (CPU_ISSET(core, &set))
                cores[found++] = core;
    return found == 2;
}

void crew_settle(unsigned rank)
{
    int cores[2];
    cpu_set_t set;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!crew_cores(cores))
        return;
    CPU_ZERO(&set);
    CPU_SET(cores[rank % 2], &set);
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
    for (unsigned rank = 0; rank < plan.size; rank++)
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
        crew_end_with("cannot make a folder in " P_tmpdir);
    }
    snprintf(rendezvous, sizeof(rendezvous), "%s/rendezvous", folder);
    atexit(remove_folder);
    for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
        signal(deadly[i], end_by_signal);
}

/* ---- Settings of the crew ----------------------------------------------------------------- */

static void set(enum weft_setting setting, const char *value)
{
    setenv(weft_setting_info(setting)->name, value, 1);
}

void crew_set(enum weft_setting setting, size_t value)
{
    char text[24];
    snprintf(text, sizeof(text), "%zu", value);
    set(setting, text);
}

const char *const crew_net_names[CREW_NETS] = {"shm", "ofi", "tcp"};

const char *crew_world_name(const struct crew_world *world)
{
    return world->net == CREW_OFI ? world->provider : crew_net_names[world->net];
}

/* The crew is no part of the job that this program may be started in. */
static void set_world(void)
{
    set(WEFT_SETTING_RENDEZVOUS, rendezvous);
    set(WEFT_SETTING_WORLD, crew_net_names[plan.world.net]);
    set(WEFT_SETTING_LAUNCHER, plan.is_job ? "file" : "none");
    crew_set(WEFT_SETTING_SIZE, plan.is_job ? plan.size : 0);
    if (plan.world.net == CREW_OFI && plan.world.provider)
        set(WEFT_SETTING_OFI_PROVIDER, plan.world.provider);
}

/* ---- In the processes --------------------------------------------------------------------- */

static void answer(int answers, double seconds)
{
    if (write(answers, &seconds, sizeof(seconds)) != (ssize_t)sizeof(seconds))
        _exit(WEFT_EXIT_FAILED); /* nobody is there to be told */
}

static bool read_job(int jobs)
{
    for (size_t have = 0; have < plan.member.job_bytes;) {
        ssize_t got = read(jobs, (char *)plan.member.job + have, plan.member.job_bytes - have);
        if (got <= 0)
            return false;
        have += (size_t)got;
    }
    return true;
}

static _Noreturn void be_member(unsigned rank, int jobs, int answers)
{
    plan.member.open(rank);
    answer(answers, 0);
    while (read_job(jobs))
        answer(answers, plan.member.work());
    plan.member.close();
    _exit(WEFT_EXIT_OK);
}

/* In memory that all share. */
struct meeting {
    atomic_uint arrived;
    atomic_uint turn;
};

static struct meeting *meeting;

void crew_meet(unsigned count)
{
    unsigned turn = atomic_load(&meeting->turn);
    if (atomic_fetch_add(&meeting->arrived, 1) + 1 == count) {
        atomic_store(&meeting->arrived, 0);
        atomic_fetch_add(&meeting->turn, 1);
        return;
    }
    for (unsigned round = 0; atomic_load(&meeting->turn) == turn; round++)
        bare_ring_relax(round);
}

static struct share {
    void *memory;
    size_t bytes;
} shares[MOST_SHARES];
static size_t share_count;

void *crew_share(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || share_count == MOST_SHARES)
        crew_end_with("cannot make shared memory");
    shares[share_count++] = (struct share){memory, bytes};
    return memory;
}

/* ---- Life --------------------------------------------------------------------------------- */

static void start(unsigned rank)
{
    int jobs[2], answers[2];
    if (pipe2(jobs, O_CLOEXEC) || pipe2(answers, O_CLOEXEC))
        crew_end_with("cannot make a pipe");
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0)
        crew_end_with("cannot start a process");
    if (pid == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
        crew_settle(rank);
        crew_set(WEFT_SETTING_RANK, rank);
        /* A process ends when its pipe does, so the others must not hold it open. */
        for (unsigned i = 0; i < rank; i++)
            close(members[i].jobs);
        close(jobs[1]);
        be_member(rank, jobs[0], answers[1]);
    }
    close(jobs[0]);
    close(answers[1]);
    members[rank] = (struct member){pid, jobs[1], answers[0]};
}

static void end_without(unsigned rank, const char *what)
{
    progress_clear();
    fprintf(stderr, "weft bench: process %u of the crew %s\n", rank, what);
    for (unsigned i = 0; i < plan.size; i++) {
        kill(members[i].pid, SIGKILL);
        waitpid(members[i].pid, NULL, 0);
    }
    exit(WEFT_EXIT_FAILED);
}

/* Waits for all at once: if one has died, the others may wait for it for ever. One of them keeps
 * the time, the others say 0. */
static double take_answers(unsigned count)
{
    struct pollfd fds[CREW_MOST];
    for (unsigned rank = 0; rank < count; rank++)
        fds[rank] = (struct pollfd){members[rank].answers, POLLIN, 0};
    double sum = 0;
    for (unsigned left = count; left > 0;) {
        int ready = poll(fds, count, PATIENCE_MS);
        if (ready < 0 && errno == EINTR)
            continue;
        for (unsigned rank = 0; rank < count; rank++) {
            double seconds;
            if (ready == 0 && fds[rank].fd >= 0)
                end_without(rank, "did not finish its job in time");
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

void crew_start(const struct crew_plan *wanted)
{
    plan = *wanted;
    signal(SIGPIPE, SIG_IGN);
    make_folder();
    meeting = crew_share(sizeof(*meeting));
    set_world();
    for (unsigned rank = 0; rank < plan.size; rank++)
        start(rank);
    take_answers(plan.size);
}

double crew_run(const void *job, unsigned count)
{
    for (unsigned rank = 0; rank < count; rank++)
        if (write(members[rank].jobs, job, plan.member.job_bytes) !=
            (ssize_t)plan.member.job_bytes)
            end_without(rank, "ended before it was done; see above why");
    return take_answers(count);
}

void crew_hold(bool hold)
{
    for (unsigned rank = 0; rank < plan.size; rank++)
        kill(members[rank].pid, hold ? SIGSTOP : SIGCONT);
}

void crew_stop(size_t group)
{
    (void)group;
    for (unsigned rank = 0; rank < plan.size; rank++)
        close(members[rank].jobs);
    for (unsigned rank = 0; rank < plan.size; rank++) {
        waitpid(members[rank].pid, NULL, 0);
        close(members[rank].answers);
    }
    while (share_count > 0) {
        share_count--;
        munmap(shares[share_count].memory, shares[share_count].bytes);
    }
    remove_folder();
}
