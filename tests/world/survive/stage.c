/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/survive/stage.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/tap.h"

#define PATIENCE (60 * STAGE_SECOND)
#define LONGEST_TICK (50 * STAGE_MILLISECOND)

struct stage *stage;

static bool is_far;
static char folder[] = "/tmp/weft-survive-XXXXXX";
static char rendezvous[sizeof folder + 16];
static unsigned named_before;
static uint64_t last_tick, stalled;

/* ---- What is left over --------------------------------------------------------------------- */

static unsigned count_files(const char *path, const char *part)
{
    unsigned count = 0;
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        count += entry->d_name[0] != '.' && strstr(entry->d_name, part) != NULL;
    if (directory)
        closedir(directory);
    return count;
}

static unsigned count_lines(const char *path, const char *part)
{
    char line[512];
    unsigned count = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        count += strstr(line, part) != NULL;
    if (file)
        fclose(file);
    return count;
}

/* Other programs may use the shared memory of the host at the same time: only names of ours. */
static unsigned count_named(void)
{
    return count_files("/dev/shm", "weft");
}

struct stage_holdings stage_holdings(void)
{
    need(count_lines("/proc/self/maps", "/dev/shm/") == 0);
    return (struct stage_holdings){.files = is_far ? 0 : count_files("/proc/self/fd", ""),
                                   .threads = count_files("/proc/self/task", ""),
                                   .maps = count_lines("/proc/self/maps", "/memfd:weft")};
}

/* ---- Opening and closing ------------------------------------------------------------------- */

static void set_number(const char *name, unsigned value)
{
    char text[16];
    snprintf(text, sizeof text, "%u", value);
    setenv(name, text, 1);
}

/* `provider` is one of libfabric, or "tcp": sockets without libfabric. */
static void choose_world(const char *provider, unsigned ranks)
{
    is_far = provider != NULL;
    bool is_tcp = is_far && strcmp(provider, "tcp") == 0;
    setenv("WEFT_WORLD", is_tcp ? "tcp" : is_far ? "ofi" : "shm", 1);
    if (!is_far)
        return;
    setenv("WEFT_OFI_PROVIDER", provider, 1);
    set_number("WEFT_SIZE", ranks);
}

bool stage_is_far(void)
{
    return is_far;
}

void stage_join(unsigned pid)
{
    if (is_far)
        set_number("WEFT_RANK", pid - 1);
}

void stage_open(const char *provider, unsigned ranks)
{
    stage = mmap(NULL, sizeof *stage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (stage == MAP_FAILED || !mkdtemp(folder))
        abort();
    snprintf(rendezvous, sizeof rendezvous, "%s/rendezvous", folder);
    choose_world(provider, ranks);
    setenv("WEFT_RENDEZVOUS", rendezvous, 1);
    setenv("WEFT_TIMEOUT", STAGE_TIMEOUT, 1);
    /* Few, so that a ring that is not given back is missed soon. */
    setenv("WEFT_SHM_PEERS", "3", 1);
    setenv("WEFT_LOG", "error", 1);
    named_before = count_named();
}

void stage_reset(void)
{
    memset(stage, 0, sizeof *stage);
}

void stage_close(void)
{
    /* Those who were killed have not left the job. */
    if (is_far)
        unlink(rendezvous);
    check_uint(count_files(folder, ""), 0);
    check(rmdir(folder) == 0);
    check_uint(count_named(), named_before);
}

/* ---- Processes ----------------------------------------------------------------------------- */

pid_t stage_start(void (*role)(void), const char *progress)
{
    fflush(stdout);
    pid_t process = fork();
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* some roles have no end of their own */
        setenv("WEFT_PROGRESS", progress, 1);
        role();
        exit(0);
    }
    return process;
}

bool stage_ended_well(pid_t process)
{
    int status;
    wait_until(waitpid(process, &status, WNOHANG) == process);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void stage_kill(pid_t process)
{
    atomic_store(&stage->is_doomed, true);
    kill(process, SIGKILL);
    siginfo_t info;
    waitid(P_PID, (id_t)process, &info, WEXITED | WNOWAIT);
    atomic_store(&stage->dead_at, stage_now());
}

void stage_reap(pid_t process)
{
    waitpid(process, NULL, 0);
}

void stage_stop(pid_t process)
{
    siginfo_t info;
    kill(process, SIGSTOP);
    waitid(P_PID, (id_t)process, &info, WSTOPPED);
}

void stage_stop_for_good(pid_t process)
{
    atomic_store(&stage->is_doomed, true);
    stage_stop(process);
    atomic_store(&stage->dead_at, stage_now());
}

/* ---- Time ---------------------------------------------------------------------------------- */

uint64_t stage_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * STAGE_SECOND + (uint64_t)now.tv_nsec;
}

void stage_need(bool holds, const char *file, int line, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "# in process %d, %s:%d: %s\n", (int)getpid(), file, line, what);
    _exit(1);
}

void stage_tick(void)
{
    uint64_t now = stage_now();
    if (!stage->is_doomed)
        stalled = 0;
    else if (now - last_tick > LONGEST_TICK)
        stalled += now - last_tick;
    last_tick = now;
}

uint64_t stage_since_death(void)
{
    uint64_t now = stage_now(), begin = stage->dead_at + stalled;
    return now > begin ? now - begin : 0;
}

uint64_t stage_patience(void)
{
    return stage_now() + PATIENCE;
}

void stage_pause(uint64_t until, const char *file, int line, const char *what)
{
    stage_need(stage_now() < until, file, line, what);
    sched_yield();
}
