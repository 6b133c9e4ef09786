/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft sim collective`: collectives of schedules on simulated NICs, beside closed forms. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "bench/harness/option.h"
#include "command.h"
#include "json.h"
#include "number.h"
#include "sim.h"
#include "sim_offload.h"

#define MOST_POINTS 16
#define MOST_PROCESSES 1048576
#define MOST_BYTES 4096

/* ---- Models ------------------------------------------------------------------------------- */

/* [DiG15], table I; nanoseconds. */
static const struct mpi {
    double latency, overhead, gap;
} mpi = {2700, 1200, 0.4};

enum nic { HARDWARE, SOFTWARE, NICS };

static const struct {
    const char *name;
    struct sim_offload_network network;
} nics[NICS] = {{"hardware", {2700, 300, 0.4}}, {"software", {5000, 900, 0.4}}};

static double hop(const struct sim_offload_network *network, size_t bytes)
{
    return (double)(network->latency + network->matching) + (double)bytes * network->gap;
}

/* What is simulated: in each round of log2 P, so many messages one after the other, with data and
 * without; and so many of MPI that do the same, 0: it has no such thing. */
static const struct collective {
    const char *name;
    enum sim_offload_kind kind;
    unsigned messages, calls, mpi_messages;
    double tolerance;
} collectives[] = {
    {"broadcast", SIM_OFFLOAD_BCAST, 1, 0, 1, 0.02},
    {"allreduce, binomial", SIM_OFFLOAD_ALLREDUCE, 2, 0, 2, 0.02},
    {"allreduce, doubling", SIM_OFFLOAD_DOUBLING, 1, 0, 2, 0.02},
    {"activation", SIM_OFFLOAD_ACTIVATION, 0, 1, 0, 0.05},
    {"solo reduce", SIM_OFFLOAD_SOLO_REDUCE, 1, 1, 0, 0.05},
};

#define COLLECTIVES (sizeof collectives / sizeof *collectives)

struct point {
    uint32_t processes;
    double simulated, closed, by_mpi; /* nanoseconds; by_mpi may be 0 */
    double seconds, bytes;            /* that the simulation took, and of this process so far */
};

struct request {
    size_t processes[MOST_POINTS];
    size_t count;
    size_t bytes;
    bool is_chosen[COLLECTIVES]; /* none: all are */
    bool is_nic_chosen[NICS];    /* the same */
    bool is_json, check, tells_cost;
};

static bool is_among(const bool *chosen, size_t count, size_t index)
{
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any = any || chosen[i];
    return !any || chosen[index];
}

static bool is_met(const struct collective *collective, const struct point *point)
{
    return fabs(point->simulated / point->closed - 1) <= collective->tolerance;
}

static double processor_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double peak_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss * 1024;
}

static bool simulate(const struct request *request, enum nic nic,
                     const struct collective *collective, size_t processes, struct point *point)
{
    const struct sim_offload_network *network = &nics[nic].network;
    double rounds = log2((double)processes);
    const struct sim_offload offload = {.kind = collective->kind,
                                        .processes = (uint32_t)processes,
                                        .bytes = request->bytes,
                                        .network = *network};
    double begin = processor_time();
    double by_mpi = mpi.latency + 2 * mpi.overhead + (double)request->bytes * mpi.gap;
    *point = (struct point){
        .processes = (uint32_t)processes,
        .simulated = (double)sim_offload_run(&offload),
        .closed = rounds * (collective->messages * hop(network, request->bytes) +
                            collective->calls * hop(network, 0)),
        .by_mpi = rounds * collective->mpi_messages * by_mpi,
    };
    point->seconds = processor_time() - begin;
    point->bytes = peak_memory();
    return point->simulated > 0;
}

/* ---- Reports ------------------------------------------------------------------------------ */

static void print_heading(enum nic nic, const struct collective *collective, size_t bytes)
{
    printf("# %s of %zu B, %s\n# %9s %14s %16s %9s", collective->name, bytes, nics[nic].name,
           "processes", "simulated (us)", "closed form (us)", "differ by");
    printf(collective->mpi_messages ? " %8s %8s\n" : "\n", "MPI (us)", "gain");
}

static void print_point(const struct request *request, const struct collective *collective,
                        const struct point *point)
{
    printf("%11u %14.3f %16.3f %7.2f %%", point->processes, point->simulated / 1e3,
           point->closed / 1e3, 100 * (point->simulated / point->closed - 1));
    if (point->by_mpi > 0)
        printf(" %8.3f %8.2f", point->by_mpi / 1e3, point->by_mpi / point->simulated);
    printf(is_met(collective, point) ? "\n" : " not met\n");
    if (request->tells_cost)
        printf("# that took %.1f s of a processor and %.2f GB, %.1f KB for each NIC\n",
               point->seconds, point->bytes / 1e9, point->bytes / 1e3 / point->processes);
}

static void write_point(const struct request *request, enum nic nic,
                        const struct collective *collective, const struct point *point)
{
    weft_json_open(NULL, '{');
    weft_json_string("nic", nics[nic].name);
    weft_json_string("collective", collective->name);
    weft_json_integer("processes", point->processes);
    weft_json_number("simulated_us", point->simulated / 1e3);
    weft_json_number("closed_us", point->closed / 1e3);
    if (point->by_mpi > 0)
        weft_json_number("mpi_us", point->by_mpi / 1e3);
    weft_json_bool("met", is_met(collective, point));
    if (request->tells_cost) {
        weft_json_number("seconds", point->seconds);
        weft_json_number("bytes", point->bytes);
    }
    weft_json_close('}');
}

/* What the paper says of its figure 6, and the gains of the largest number of processes here. */
static void print_statements(double gains[NICS][COLLECTIVES])
{
    printf("# [DiG15], figure 6, and here:\n");
    printf("# offloaded broadcast is about 1.4 times as fast as MPI's: %.2f. The closed forms\n"
           "#     give (L + 2o + sG) / (L + m + sG) = 1.70 for every P, also for reductions.\n",
           gains[HARDWARE][0]);
    printf("# offloaded allreduce is about 3 times as fast as MPI's: %.2f by the same tree, and\n"
           "#     %.2f by exchanges, which take half the rounds, where the MPI keeps its tree.\n",
           gains[HARDWARE][1], gains[HARDWARE][2]);
    printf("# offloaded by software both are slowest: %.2f and %.2f.\n", gains[SOFTWARE][0],
           gains[SOFTWARE][1]);
}

/* Returns how many points are not as the closed forms say; -1 if something went wrong. */
static int report(const struct request *request, enum nic nic, const struct collective *collective,
                  double *gain)
{
    int missed = 0;
    if (!request->is_json)
        print_heading(nic, collective, request->bytes);
    for (size_t i = 0; i < request->count; i++) {
        struct point point;
        if (!simulate(request, nic, collective, request->processes[i], &point))
            return -1;
        if (request->is_json)
            write_point(request, nic, collective, &point);
        else
            print_point(request, collective, &point);
        missed += !is_met(collective, &point);
        *gain = point.by_mpi / point.simulated;
    }
    return missed;
}

static bool is_wanted(const struct request *request, size_t nic, size_t collective)
{
    return is_among(request->is_nic_chosen, NICS, nic) &&
           is_among(request->is_chosen, COLLECTIVES, collective);
}

/* The statements need all of them. */
static bool wants_all(const struct request *request)
{
    bool all = true;
    for (size_t nic = 0; nic < NICS; nic++)
        for (size_t i = 0; i < COLLECTIVES; i++)
            all = all && is_wanted(request, nic, i);
    return all;
}

static int report_all(const struct request *request)
{
    double gains[NICS][COLLECTIVES];
    int missed = 0;
    if (request->is_json) {
        weft_json_open(NULL, '{');
        weft_json_integer("bytes", (int64_t)request->bytes);
        weft_json_open("points", '[');
    }
    for (size_t nic = 0; nic < NICS; nic++)
        for (size_t i = 0; i < COLLECTIVES; i++) {
            if (!is_wanted(request, nic, i))
                continue;
            int more = report(request, (enum nic)nic, &collectives[i], &gains[nic][i]);
            if (more < 0)
                return WEFT_EXIT_FAILED;
            missed += more;
        }
    if (request->is_json) {
        weft_json_close(']');
        weft_json_integer("missed", missed);
        weft_json_close('}');
    } else if (wants_all(request)) {
        print_statements(gains);
    }
    return request->check && missed ? WEFT_EXIT_FAILED : WEFT_EXIT_OK;
}

/* ---- The command line --------------------------------------------------------------------- */

/* Other numbers have no closed form. */
static bool take_processes(const char *text, void *context)
{
    struct request *request = context;
    size_t processes;
    if (request->count == MOST_POINTS || !number_parse(text, "K", 2, MOST_PROCESSES, &processes) ||
        processes & (processes - 1))
        return false;
    request->processes[request->count++] = processes;
    return true;
}

static bool take_bytes(const char *text, void *context)
{
    struct request *request = context;
    return number_parse(text, "K", 2, MOST_BYTES, &request->bytes) && request->bytes % 2 == 0;
}

static bool take_collective(const char *text, void *context)
{
    struct request *request = context;
    for (size_t i = 0; i < COLLECTIVES; i++)
        if (strcmp(text, collectives[i].name) == 0)
            return request->is_chosen[i] = true;
    return false;
}

static bool take_nic(const char *text, void *context)
{
    struct request *request = context;
    for (size_t i = 0; i < NICS; i++)
        if (strcmp(text, nics[i].name) == 0)
            return request->is_nic_chosen[i] = true;
    return false;
}

static void choose_processes(struct request *request)
{
    for (size_t processes = 2; processes <= 1024; processes *= 2)
        request->processes[request->count++] = processes;
}

int sim_collective(int argc, char **argv)
{
    struct request request = {.bytes = 50};
    const struct option_entry entries[] = {
        {"processes", "N", "a power of two, instead of 2, 4, ... 1024; may be repeated",
         .take = take_processes, .context = &request, .wants = "a power of two from 2 to 1024K"},
        {"bytes", "N", "of a message, even (50)", .take = take_bytes, .context = &request,
         .wants = "an even number from 2 to 4096"},
        {"collective", "NAME", "only this one, as a table calls it; may be repeated",
         .take = take_collective, .context = &request,
         .wants = "broadcast, 'allreduce, binomial', 'allreduce, doubling', activation or 'solo "
                  "reduce'"},
        {"nic", "NAME", "only this one; may be repeated", .take = take_nic, .context = &request,
         .wants = "hardware or software"},
        {"cost", NULL, "also what the simulation took: time of a processor, and memory",
         .flag = &request.tells_cost},
        {"json", NULL, "one JSON object instead of tables", .flag = &request.is_json},
        {"check", NULL, "the exit code is 1 if a closed form is not met", .flag = &request.check},
        {"help", NULL, "this text", .flag = NULL},
        {0}};
    const struct option_table table = {
        .command = "sim",
        .name = "collective",
        .description =
            "Runs collectives of schedules on simulated NICs, in virtual time, with the "
            "parameters "
            "of\n"
            "[DiG15], table I, beside the closed forms of that paper for them and for an MPI that "
            "does\n"
            "the same on its processors. `hardware` are NICs with the latency of the MPI that "
            "take\n"
            "0.3 us for a match, `software` the Portals library of the paper.\n",
        .width = 14,
        .entries = entries};
    int code = option_parse(&table, argc, argv);
    if (code != -1)
        return code;
    if (request.count == 0)
        choose_processes(&request);
    return report_all(&request);
}
