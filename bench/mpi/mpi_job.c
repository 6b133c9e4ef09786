/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/mpi/mpi_job.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/harness/crew.h"
#include "bench/harness/progress.h"
#include "weft/command.h"

#define PATIENCE_MS 60000
#define MOST_ARGUMENTS 32

const char *const mpi_kind_names[MPI_KINDS] = {"openmpi", "mpich"};
const char *const mpi_kind_titles[MPI_KINDS] = {"Open MPI", "MPICH"};
const char *const mpi_network_titles[MPI_NETWORKS] = {"shared memory", "TCP within the host",
                                                      "TCP between hosts"};

static const char *const ways[] = {"derived", "hand", "contiguous"};
const char *const mpi_forced_ways[MPI_FORCED_WAYS] = {"native", "packed", "pulled", "together"};
const char *const mpi_course_titles[MPI_COURSES] = {"one way", "ping-pong", "exchange", "Sendrecv",
                                                    "persistent"};
static const char *const courses[MPI_COURSES] = {"oneway", "pingpong", "exchange", "sendrecv",
                                                 "persistent"};

/* ---- The programs ------------------------------------------------------------------------- */

/* Debian's names where several MPIs are installed; else there is only one. */
static const char *const launchers[MPI_KINDS] = {WEFT_MPIRUN_OPENMPI, WEFT_MPIRUN_MPICH};

static bool find_program(const struct mpi_plan *plan, char *path, size_t size)
{
    char name[64];
    snprintf(name, sizeof(name), "weft-bench-%s-%s", plan->program ? plan->program : "mpi",
             mpi_kind_names[plan->kind]);
    return partner_find(name, path, size);
}

bool mpi_kind_is_here(enum mpi_kind kind)
{
    char path[PATH_MAX + 64];
    return find_program(&(struct mpi_plan){.kind = kind}, path, sizeof(path));
}

/* ---- Starting ----------------------------------------------------------------------------- */

struct line {
    char *words[MOST_ARGUMENTS];
    size_t count;
    char processes[12];
};

static void add_word(struct line *line, const char *word)
{
    if (line->count + 1 < MOST_ARGUMENTS)
        line->words[line->count++] = (char *)word;
}

static void add_words(struct line *line, const char *const *words)
{
    for (; *words; words++)
        add_word(line, *words);
}

#define ADD(line, ...) add_words(line, (const char *const[]){__VA_ARGS__, NULL})

/* Each process on a core of its own, if this host has two for them. */
static bool is_bound(const struct mpi_plan *plan)
{
    int cores[2];
    return plan->network != MPI_NETWORK_HOSTS && plan->processes <= 2 && crew_cores(cores);
}

static void add_openmpi(struct line *line, const struct mpi_plan *plan, const char *way)
{
    ADD(line, "-n", line->processes, "--bind-to", is_bound(plan) ? "core" : "none", "--mca", "pml",
        "ob1");
    if (plan->network == MPI_NETWORK_SHM)
        ADD(line, "--mca", "btl", "vader,self", "--oversubscribe");
    else
        ADD(line, "--mca", "btl", "tcp,self", "--oversubscribe");
    if (plan->network == MPI_NETWORK_TCP)
        ADD(line, "--mca", "btl_tcp_if_include", "lo");
    if (plan->network == MPI_NETWORK_HOSTS)
        ADD(line, "--host", plan->hosts);
    if (way) /* to other hosts, too */
        ADD(line, "-x", "WEFT_WAY");
}

static void add_mpich(struct line *line, const struct mpi_plan *plan)
{
    ADD(line, "-n", line->processes, "-bind-to", is_bound(plan) ? "core" : "none");
    if (plan->network == MPI_NETWORK_HOSTS)
        ADD(line, "-ppn", "1", "-hosts", plan->hosts);
}

/* In the new process, which mpirun becomes. */
static void set_variables(void *context)
{
    const struct mpi_job *job = context;
    bool is_tcp = job->plan->network != MPI_NETWORK_SHM;
    if (is_tcp && job->plan->kind == MPI_KIND_MPICH)
        setenv("UCX_TLS", "tcp,self", 0);
    if (job->has_weft && job->plan->network == MPI_NETWORK_TCP)
        setenv("WEFT_WORLD", "tcp", 0);
    if (job->way)
        setenv("WEFT_WAY", job->way, 1);
}

static const char *self(void)
{
    static char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    path[length > 0 ? length : 0] = '\0';
    return path;
}

static void start(struct mpi_job *job, const struct mpi_plan *plan, bool with_weft,
                  const char *way)
{
    static const char *const names[MPI_KINDS][2] = {
        {"mpirun of Open MPI", "mpirun of Open MPI with `weft run`"},
        {"mpirun of MPICH", "mpirun of MPICH with `weft run`"}};
    char program[PATH_MAX + 64];
    struct line line = {.count = 0};
    *job = (struct mpi_job){
        {.name = names[plan->kind][with_weft], .patience_ms = PATIENCE_MS}, plan, with_weft, way};
    find_program(plan, program, sizeof(program));
    snprintf(line.processes, sizeof(line.processes), "%u", plan->processes ? plan->processes : 2);
    add_word(&line, launchers[plan->kind]);
    if (plan->kind == MPI_KIND_OPENMPI)
        add_openmpi(&line, plan, way);
    else
        add_mpich(&line, plan);
    if (with_weft)
        ADD(&line, self(), "run");
    if (with_weft && plan->has_heap)
        ADD(&line, "--shared-heap");
    add_word(&line, program);
    partner_start(&job->partner, line.words, set_variables, job);
}

void mpi_job_start(struct mpi_job *job, const struct mpi_plan *plan, bool with_weft)
{
    start(job, plan, with_weft, NULL);
}

void mpi_job_start_forced(struct mpi_job *job, const struct mpi_plan *plan, const char *way)
{
    start(job, plan, true, way);
}

void mpi_job_stop(struct mpi_job *job)
{
    partner_stop(&job->partner);
}

/* ---- Turns -------------------------------------------------------------------------------- */

static void complain(const struct mpi_job *job, const struct mpi_turn *turn, const char *line)
{
    progress_clear();
    fprintf(stderr, "weft bench mpi: %s: %s into %s, %zu bytes, %s: %s", job->partner.name,
            turn->send, turn->receive, turn->bytes, ways[turn->way], line);
}

static _Noreturn void end_with(const struct mpi_job *job, const struct mpi_turn *turn,
                               const char *line)
{
    complain(job, turn, line);
    exit(WEFT_EXIT_FAILED);
}

/* Launchers write lines of their own, too. */
static void await_answer(const struct mpi_job *job, char *line, size_t size)
{
    static const char *const words[] = {"turn ", "right", "wrong ", "skip "};
    for (;;) {
        partner_answer(&job->partner, line, size);
        for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
            if (strncmp(line, words[i], strlen(words[i])) == 0)
                return;
        fprintf(stderr, "%s", line);
    }
}

void mpi_job_ask(const struct mpi_job *job, const char *request, char *line, size_t size)
{
    partner_ask(&job->partner, request);
    await_answer(job, line, size);
}

static void ask(const struct mpi_job *job, const char *what, const struct mpi_turn *turn,
                char *line, size_t size)
{
    char request[256];
    snprintf(request, sizeof(request), "%s %s %s %zu %s %s %zu", what, turn->send, turn->receive,
             turn->bytes, ways[turn->way], courses[turn->course], turn->messages);
    mpi_job_ask(job, request, line, size);
}

double mpi_job_number(const char *line, const char *key)
{
    char text[32];
    snprintf(text, sizeof(text), " %s=", key);
    const char *at = strstr(line, text);
    return at ? strtod(at + strlen(text), NULL) : 0;
}

void mpi_job_turn(const struct mpi_job *job, const struct mpi_turn *turn,
                  struct mpi_answer *answer)
{
    static const char *const keys[MPI_TIMES] = {
#define MPI_TIME_KEY(name) #name,
        MPI_TIME_MAP(MPI_TIME_KEY)
#undef MPI_TIME_KEY
    };
    char line[512];
    ask(job, "turn", turn, line, sizeof(line));
    if (strncmp(line, "turn ", 5) != 0)
        end_with(job, turn, line);
    answer->bytes = mpi_job_number(line, "bytes");
    answer->block = mpi_job_number(line, "block");
    for (size_t i = 0; i < MPI_TIMES; i++)
        answer->times[i] = mpi_job_number(line, keys[i]);
}

bool mpi_job_verify(const struct mpi_job *job, const struct mpi_turn *turn)
{
    char line[512];
    ask(job, "verify", turn, line, sizeof(line));
    if (strncmp(line, "skip ", 5) == 0)
        end_with(job, turn, line);
    if (strncmp(line, "right", 5) == 0)
        return true;
    complain(job, turn, line);
    return false;
}
