/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * behaviours sim|shm|ofi|PATH[:HPUS] [text]: tries every behaviour (whose name has the text) in
 * one world, on every interface that it fits, and prints a TAP line for each. PATH is a name space
 * of the network: every second rank runs there as on another host, and WEFT_WORLD=auto finds its
 * way. HPUS is how many HPUs run handlers. sim-slow has cores that charge for each call, sim-paths
 * a network on which packets overtake each other, sim-stages NICs whose stages take time.
 * The behaviours run in child processes: one for all simulated nodes, or one for each rank; one
 * that dies or hangs fails its behaviour and the next begins with new processes.
 */
#include "portals/run.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/tap.h"

#define HUNG_SECONDS 75 /* longer than two waits in vain */

static struct behaviour *first, **last = &first;

void job_register(struct behaviour *behaviour)
{
    *last = behaviour;
    last = &behaviour->next;
}

static const struct flavour flavours[] = {
    {.name = "physical, matching", .matching = true},
    {.name = "physical, not matching"},
    {.name = "logical, matching", .logical = true, .matching = true},
    {.name = "logical, not matching", .logical = true},
    {.name = "with itself", .logical = true, .matching = true, .self = true},
    {.name = "lossy network", .matching = true, .lossy = true},
};

/* ---- Inside the children ------------------------------------------------------------------ */

unsigned run_ranks(const struct run *run, const struct behaviour *behaviour)
{
    if (run->flavour->self)
        return 1;
    if (run->world == JOB_SIM && behaviour->sim_ranks)
        return behaviour->sim_ranks;
    return behaviour->ranks ? behaviour->ranks : 2;
}

static bool takes_several_interfaces(const struct run *run)
{
    const char *interfaces = getenv("WEFT_OFI_INTERFACE");
    return run->world == JOB_OFI && interfaces && strchr(interfaces, ',');
}

void run_rank(struct run *run, unsigned position, unsigned rank, struct job *job)
{
    const struct behaviour *behaviour = run->plan[position];
    *job = (struct job){
        .behaviour = behaviour,
        .rank = rank,
        .size = run_ranks(run, behaviour),
        .target = rank == 0,
        .initiator = rank > 0 || run_ranks(run, behaviour) == 1,
        .world = run->world,
        .hosts = run->other_host ? 2 : 1,
        .hpus = run->hpus,
        .logical = run->flavour->logical,
        .matching = run->flavour->matching,
        .reorders = run->has_paths || run->flavour->lossy || takes_several_interfaces(run),
        .verdict = &run->verdicts[position],
    };
    if (!behaviour->bare)
        job_open(job);
    behaviour->run(job);
    if (!behaviour->bare)
        job_close(job);
    job_free(job);
}

static void set_number(const char *name, unsigned value)
{
    char text[16];
    snprintf(text, sizeof text, "%u", value);
    setenv(name, text, 1);
}

static void move_to_host(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || setns(fd, CLONE_NEWNET) < 0) {
        fprintf(stderr, "cannot enter the network of %s: %s\n", path, strerror(errno));
        exit(1);
    }
    close(fd);
}

/* Hosts have numbers in the order in which they come. */
static void come_first(struct run *run)
{
    ptl_handle_ni_t ni;
    if (PtlInit() != PTL_OK || PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL,
                                         PTL_PID_ANY, NULL, NULL, &ni) != PTL_OK)
        exit(1);
    PtlFini();
    atomic_store(&run->has_first, true);
}

static void join_job(struct run *run, unsigned rank)
{
    const struct timespec nap = {.tv_nsec = 1000 * 1000};
    set_number("WEFT_RANK", rank);
    if (!run->other_host)
        return;
    if (rank % 2)
        move_to_host(run->other_host);
    if (rank == 0)
        come_first(run);
    while (!atomic_load(&run->has_first))
        nanosleep(&nap, NULL);
}

static void child(struct run *run, unsigned begin, unsigned end, unsigned rank)
{
    struct job job;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (run->world == JOB_OFI)
        join_job(run, rank);
    for (unsigned i = begin; i < end; i++) {
        if (run->world & JOB_REAL)
            pthread_barrier_wait(&run->between);
        atomic_store(&run->at[rank], i);
        if (run->world & JOB_REAL)
            run_rank(run, i, rank, &job);
        else
            run_simulation(run, i);
    }
    atomic_store(&run->at[rank], end);
    exit(0);
}

/* ---- Watching them ------------------------------------------------------------------------ */

struct team {
    struct run *run;
    unsigned begin, end; /* behaviours */
    unsigned size;
    pid_t pids[RUN_RANKS]; /* 0: ended */
};

__attribute__((format(printf, 3, 4))) static void blame(struct run *run, unsigned position,
                                                        const char *format, ...)
{
    struct job_verdict *verdict = &run->verdicts[position];
    unsigned slot = atomic_fetch_add(&verdict->failures, 1);
    va_list arguments;
    va_start(arguments, format);
    if (slot < JOB_COMPLAINTS)
        vsnprintf(verdict->complaints[slot], sizeof verdict->complaints[slot], format, arguments);
    va_end(arguments);
}

/* The behaviour that all ranks have come to; those that are dead on purpose do not count. */
static unsigned position(const struct team *team)
{
    unsigned least = team->end;
    for (unsigned rank = 0; rank < team->size; rank++) {
        unsigned at = atomic_load(&team->run->at[rank]);
        if (at < least && team->pids[rank])
            least = at;
    }
    return least;
}

/* What goes wrong when all is done is said with the last behaviour. */
static unsigned blamed(const struct team *team, unsigned at)
{
    return at < team->end ? at : team->end - 1;
}

/* Says whether a rank has failed. */
static bool reap(struct team *team)
{
    for (unsigned rank = 0; rank < team->size; rank++) {
        int status;
        if (!team->pids[rank] || waitpid(team->pids[rank], &status, WNOHANG) <= 0)
            continue;
        team->pids[rank] = 0;
        unsigned at = atomic_load(&team->run->at[rank]);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && at == team->end)
            continue;
        at = blamed(team, at);
        if (rank == 0 && team->run->plan[at]->crash && WIFSIGNALED(status))
            continue;
        if (WIFSIGNALED(status))
            blame(team->run, at, "rank %u died of signal %d", rank, WTERMSIG(status));
        else
            blame(team->run, at, "rank %u ended with %d", rank, WEXITSTATUS(status));
        return true;
    }
    return false;
}

static void kill_team(struct team *team)
{
    for (unsigned rank = 0; rank < team->size; rank++)
        if (team->pids[rank]) {
            kill(team->pids[rank], SIGKILL);
            waitpid(team->pids[rank], NULL, 0);
        }
}

static bool is_over(const struct team *team)
{
    for (unsigned rank = 0; rank < team->size; rank++)
        if (team->pids[rank])
            return false;
    return true;
}

/* Until all have ended or one has failed; says which behaviour to go on with. */
static unsigned watch(struct team *team, const sigset_t *child_signal)
{
    unsigned at = team->begin;
    time_t since = time(NULL);
    while (!is_over(team)) {
        const struct timespec nap = {.tv_nsec = 50 * 1000 * 1000};
        sigtimedwait(child_signal, NULL, &nap);
        unsigned before = position(team);
        if (reap(team)) {
            kill_team(team);
            return blamed(team, before) + 1;
        }
        unsigned now = position(team);
        if (now != at) {
            at = now;
            since = time(NULL);
        } else if (time(NULL) - since > HUNG_SECONDS) {
            at = blamed(team, at);
            blame(team->run, at, "hung for %d seconds", HUNG_SECONDS);
            kill_team(team);
            return at + 1;
        }
    }
    return team->end;
}

/* ---- Running ------------------------------------------------------------------------------ */

/* The next behaviours that the same processes can run. */
static unsigned end_of_team(const struct run *run, unsigned begin)
{
    const struct behaviour *leader = run->plan[begin];
    unsigned end = begin + 1;
    while (end < run->count && !leader->crash && !run->plan[end]->crash &&
           (run->world == JOB_SIM || (run_ranks(run, run->plan[end]) == run_ranks(run, leader) &&
                                      run->plan[end]->contexts == leader->contexts &&
                                      run->plan[end]->timeout == leader->timeout)))
        end++;
    return end;
}

/* Silence is all that tells of a death far away, and a busy machine is silent at times. So is a
 * network that loses packets: TCP repeats the first of a connection after a second. */
static unsigned timeout_of(const struct run *run, const struct behaviour *leader)
{
    unsigned timeout = leader->timeout ? leader->timeout : 10000;
    if (!leader->timeout || run->world != JOB_OFI)
        return timeout;
    return timeout * (run->other_host ? 12 : 3);
}

static unsigned run_team(struct run *run, unsigned begin, const sigset_t *child_signal)
{
    const struct behaviour *leader = run->plan[begin];
    struct team team = {.run = run, .begin = begin, .end = end_of_team(run, begin)};
    char folder[] = "/tmp/weft-behaviours-XXXXXX";
    char rendezvous[sizeof folder + 16];
    if (!mkdtemp(folder))
        abort();
    snprintf(rendezvous, sizeof rendezvous, "%s/rendezvous", folder);
    setenv("WEFT_RENDEZVOUS", rendezvous, 1);
    set_number("WEFT_TIMEOUT", timeout_of(run, leader));
    set_number("WEFT_HPUS", run->hpus);
    set_number("WEFT_HPU_CONTEXTS", leader->contexts ? leader->contexts : 256);
    if (leader->timeout) /* what the log would say of processes that are missing is expected */
        setenv("WEFT_LOG", "error", 1);
    else
        unsetenv("WEFT_LOG");

    team.size = run->world & JOB_REAL ? run_ranks(run, leader) : 1;
    if (run->world == JOB_OFI)
        set_number("WEFT_SIZE", team.size);
    atomic_store(&run->has_first, false);
    pthread_barrierattr_t shared;
    pthread_barrierattr_init(&shared);
    pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&run->between, &shared, team.size);
    fflush(stdout);
    for (unsigned rank = 0; rank < team.size; rank++) {
        atomic_store(&run->at[rank], begin);
        team.pids[rank] = fork();
        if (team.pids[rank] < 0)
            abort();
        if (team.pids[rank] == 0)
            child(run, begin, team.end, rank);
    }
    unsigned next = watch(&team, child_signal);
    unlink(rendezvous);
    if (rmdir(folder))
        blame(run, next - 1, "files are left beside the rendezvous file");
    return next;
}

static bool fits(const struct run *run, const struct behaviour *b)
{
    const struct flavour *flavour = run->flavour;
    unsigned interface = (flavour->logical ? PTL_NI_LOGICAL : PTL_NI_PHYSICAL) |
                         (flavour->matching ? PTL_NI_MATCHING : PTL_NI_NO_MATCHING);
    if ((b->worlds && !(b->worlds & run->world)) || (b->needs & ~interface))
        return false;
    if (flavour->self && (b->apart || b->ranks))
        return false;
    if (b->contexts && run->hpus == 0)
        return false;
    return !flavour->lossy || (run->world == JOB_SIM && b->ranks != 1);
}

static void report(const struct run *run)
{
    for (unsigned i = 0; i < run->count; i++) {
        const struct job_verdict *verdict = &run->verdicts[i];
        unsigned failures = atomic_load(&verdict->failures);
        char name[256];
        snprintf(name, sizeof name, "%s [%s: %s]", run->plan[i]->name, run->name,
                 run->flavour->name);
        tap_check(failures == 0, "behaviour", (int)i, name);
        for (unsigned c = 0; c < failures && c < JOB_COMPLAINTS; c++)
            tap_note("%s", verdict->complaints[c]);
    }
}

static void run_flavour(struct run *run, const char *text, const sigset_t *child_signal)
{
    /* Jobs of one size together, so that their processes can be used again. */
    run->count = 0;
    memset(run->verdicts, 0, sizeof run->verdicts);
    for (unsigned size = 1; size <= RUN_RANKS; size++)
        for (const struct behaviour *b = first; b; b = b->next)
            if (fits(run, b) && run_ranks(run, b) == size && (!text || strstr(b->name, text)))
                run->plan[run->count++] = b;
    for (unsigned at = 0; at < run->count;)
        at = run_team(run, at, child_signal);
    report(run);
}

static void choose_world(struct run *run, char *argument)
{
    snprintf(run->name, sizeof run->name, "%s", argument[0] == '/' ? "two hosts" : argument);
    char *colon = strchr(argument, ':');
    if (colon) {
        *colon = 0;
        run->hpus = (unsigned)strtoul(colon + 1, NULL, 10);
    }
    run->has_slow_cores = strcmp(argument, "sim-slow") == 0;
    run->has_paths = strcmp(argument, "sim-paths") == 0;
    run->has_stages = strcmp(argument, "sim-stages") == 0;
    run->world = strncmp(argument, "sim", 3) == 0 ? JOB_SIM
                 : strcmp(argument, "shm") == 0   ? JOB_SHM
                                                  : JOB_OFI;
    if (argument[0] == '/')
        run->other_host = argument;
    setenv("WEFT_WORLD", run->other_host || run->world == JOB_SIM ? "auto" : argument, 1);
}

int main(int count, char **arguments)
{
    struct run *run =
        mmap(NULL, sizeof *run, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (run == MAP_FAILED || count < 2)
        return 2;
    choose_world(run, arguments[1]);
    sigset_t child_signal;
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_signal, NULL);
    for (size_t i = 0; i < sizeof flavours / sizeof *flavours; i++) {
        run->flavour = &flavours[i];
        run_flavour(run, count > 2 ? arguments[2] : NULL, &child_signal);
    }
    return tap_done();
}
