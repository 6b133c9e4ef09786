/* SPDX-License-Identifier: BSD-3-Clause */
/*
 *   net_faults sim|shm|ofi ...
 *
 * Two processes send, receive, put and get data of several layouts, while one of them is denied
 * what it asks of the system. Whatever fails is told by its call or by its request, and then that
 * process leaves the job; whatever ends well has the right bytes; and all requests of the other
 * process end, too. On simulated nodes a variant is a seed, and both are denied; between real
 * processes it is the rank that is.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weft_net.h>

#include "faults/simulated.h"
#include "transfer/node.h"

#define RANKS 2u
#define ROUNDS 12u
#define LONGEST 60000u  /* doubles that a layout spans */
#define NAP 20          /* milliseconds */
#define PATIENCE 30000u /* milliseconds without any progress: then a request counts as hanging */
#define NOBODY 9999     /* a tag that is never sent */

/* Doubles: a few, as much as goes at once, many short pieces, long pieces. */
static const struct {
    size_t blocks, length, stride;
} layouts[] = {{1, 4, 4}, {100, 3, 5}, {20000, 1, 3}, {10, 5000, 6000}};

/* What the processes know of each other, outside of what is tried. */
static struct shared {
    atomic_uint progress;
    atomic_bool is_wrong;
    struct rank {
        atomic_uint_least64_t keys[ROUNDS]; /* 0: not exposed */
        atomic_bool is_finished;
        double out[LONGEST], in[LONGEST], put[LONGEST], got[LONGEST];
        double region[LONGEST]; /* written and read by the other rank */
    } ranks[RANKS];
} * shared;

struct peer {
    weft_net *net;
    unsigned rank;
    struct rank *mine, *other;
};

static void complain(const struct peer *peer, const char *what, unsigned round)
{
    tap_note("rank %u, round %u: %s", peer->rank, round, what);
    shared->is_wrong = true;
}

/* ---- Data --------------------------------------------------------------------------------- */

static double value(unsigned rank, unsigned what, unsigned round, size_t at)
{
    return (double)(1 + rank + 2 * what + 10 * round) + (double)at * 1000.0;
}

static void fill(double *to, unsigned rank, unsigned what, unsigned round)
{
    for (size_t at = 0; at < LONGEST; at++)
        to[at] = value(rank, what, round, at);
}

/* The places of the layout have the values, and nothing was written between them. */
static bool holds(const double *from, unsigned rank, unsigned what, unsigned round)
{
    size_t stride = layouts[round % 4].stride, length = layouts[round % 4].length;
    size_t end = stride * (layouts[round % 4].blocks - 1) + length;
    for (size_t at = 0; at < LONGEST; at++) {
        bool is_inside = at < end && at % stride < length;
        if (from[at] != (is_inside ? value(rank, what, round, at) : 0.0))
            return false;
    }
    return true;
}

static weft_type *make_type(unsigned round)
{
    weft_type *type = NULL;
    if (weft_type_vector(layouts[round % 4].blocks, layouts[round % 4].length,
                         (ptrdiff_t)layouts[round % 4].stride, weft_basic(WEFT_DOUBLE), &type))
        return NULL;
    if (weft_type_commit(type) == WEFT_OK)
        return type;
    weft_type_free(type);
    return NULL;
}

/* ---- Waiting ------------------------------------------------------------------------------ */

/* Whether a request that was started without `error` ends well; it must end. */
static bool ends_well(struct peer *peer, int error, weft_request *request, unsigned round,
                      const char *what)
{
    unsigned last = shared->progress, idle = 0;
    while (!error && request) {
        error = weft_wait(&request, NAP, NULL);
        if (!request)
            break;
        error = WEFT_OK;
        idle = shared->progress == last ? idle + NAP : 0;
        last = shared->progress;
        if (idle > PATIENCE) {
            complain(peer, what, round);
            error = WEFT_ERR_TIMEOUT;
        }
    }
    shared->progress++;
    return error == WEFT_OK;
}

/* ---- A round ------------------------------------------------------------------------------ */

static bool exchange(struct peer *peer, const weft_type *type, unsigned round)
{
    weft_request *send = NULL, *receive = NULL;
    struct rank *mine = peer->mine;
    int to = 1 - (int)peer->rank, tag = (int)round;
    memset(mine->in, 0, sizeof mine->in);
    fill(mine->out, peer->rank, 0, round);
    if (weft_irecv(peer->net, type, 1, mine->in, to, tag, &receive))
        return false;
    int error = weft_isend(peer->net, type, 1, mine->out, to, tag, &send);
    if (!ends_well(peer, error, send, round, "the send never ends") ||
        !ends_well(peer, WEFT_OK, receive, round, "the receive never ends"))
        return false;
    if (!holds(mine->in, 1 - peer->rank, 0, round))
        complain(peer, "wrong bytes were received", round);
    return true;
}

static bool expose(struct peer *peer, unsigned round)
{
    struct rank *mine = peer->mine;
    uint64_t key;
    if (weft_expose(peer->net, weft_basic(WEFT_BYTE), sizeof mine->region, mine->region, &key))
        return false;
    mine->keys[round] = key;
    return true;
}

/* The other rank has exposed its region before it sent what has been received. */
static bool access_region(struct peer *peer, const weft_type *type, unsigned round)
{
    weft_request *put = NULL, *get = NULL;
    struct rank *mine = peer->mine;
    uint64_t key = peer->other->keys[round];
    int to = 1 - (int)peer->rank;
    fill(mine->put, peer->rank, 1, round);
    memset(mine->got, 0, sizeof mine->got);
    int error = weft_iput(peer->net, type, 1, mine->put, to, key, 0, &put);
    if (!ends_well(peer, error, put, round, "the put never ends"))
        return false;
    error = weft_iget(peer->net, type, 1, mine->got, to, key, 0, &get);
    if (!ends_well(peer, error, get, round, "the get never ends"))
        return false;
    if (!holds(mine->got, peer->rank, 1, round))
        complain(peer, "what was put is not what was got", round);
    return true;
}

/* ---- A process ---------------------------------------------------------------------------- */

/* The other rank may still need this one. A request ends when the other has left. */
static void await_other(struct peer *peer)
{
    weft_request *nothing = NULL;
    peer->mine->is_finished = true;
    weft_irecv(peer->net, weft_basic(WEFT_BYTE), 1, peer->mine->in, 1 - (int)peer->rank, NOBODY,
               &nothing);
    while (nothing && !peer->other->is_finished)
        weft_wait(&nothing, NAP, NULL);
}

static bool run_round(struct peer *peer, unsigned round)
{
    weft_type *type = make_type(round);
    bool is_fine = type && expose(peer, round) && exchange(peer, type, round) &&
                   access_region(peer, type, round);
    weft_type_free(type);
    return is_fine;
}

static void live(struct peer *peer)
{
    unsigned round = 0;
    while (round < ROUNDS && !shared->is_wrong && run_round(peer, round))
        round++;
    if (round == ROUNDS)
        await_other(peer);
    peer->mine->is_finished = true;
}

static struct peer peer_of(unsigned rank)
{
    return (struct peer){
        .rank = rank, .mine = &shared->ranks[rank], .other = &shared->ranks[1 - rank]};
}

/* ---- Simulated ---------------------------------------------------------------------------- */

static void simulated(unsigned number, void *argument)
{
    (void)argument;
    struct peer peer = peer_of(number);
    struct node_net node = {.ni = PTL_INVALID_HANDLE};
    if (node_open(&node, number, RANKS)) {
        peer.net = node.net;
        live(&peer);
        node_close(&node);
        return;
    }
    PtlNIFini(node.ni);
    PtlFini();
}

/* The network is not reliable: of one that is, only the death of a node is told, not that it has
 * closed its net. */
static bool run_simulated(unsigned variant, struct fault *fault)
{
    struct weft_sim_config config = {.nodes = RANKS,
                                     .seed = variant + 1,
                                     .latency = 1000,
                                     .bandwidth = 10000,
                                     .packet_size = 4096,
                                     .timeout = 100000000,
                                     .loss = variant * (WEFT_SIM_MILLION / 200),
                                     .limit = UINT64_C(600000000000)};
    memset(shared, 0, sizeof *shared);
    bool has_ended = simulate_with(fault, &config, simulated);
    return has_ended && !shared->is_wrong;
}

/* ---- Real --------------------------------------------------------------------------------- */

static int real(unsigned rank)
{
    struct peer peer = peer_of(rank);
    if (weft_open(&peer.net) == WEFT_OK)
        live(&peer);
    weft_close(peer.net);
    fault_arm(NULL);
    return 0;
}

static pid_t start(unsigned rank, struct fault *fault)
{
    pid_t process = fork();
    if (process != 0)
        return process;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(100);
    setenv("WEFT_RANK", rank ? "1" : "0", 1);
    if (fault)
        fault_arm(fault);
    exit(real(rank));
}

static bool ended_well(pid_t process, unsigned rank)
{
    int status = -1;
    if (waitpid(process, &status, 0) == process && status == 0)
        return true;
    tap_note("rank %u ends with status 0x%x", rank, (unsigned)status);
    return false;
}

static bool run_real(unsigned variant, struct fault *fault)
{
    char folder[] = "/tmp/weft-faults-XXXXXX", file[sizeof folder + 8];
    if (!mkdtemp(folder))
        return false;
    snprintf(file, sizeof file, "%s/job", folder);
    setenv("WEFT_RENDEZVOUS", file, 1);
    setenv("WEFT_LAUNCHER", "file", 1);
    setenv("WEFT_SIZE", "2", 1);
    memset(shared, 0, sizeof *shared);
    pid_t processes[RANKS];
    for (unsigned rank = 0; rank < RANKS; rank++)
        processes[rank] = start(rank, rank == variant ? fault : NULL);
    bool is_right = true;
    for (unsigned rank = 0; rank < RANKS; rank++)
        is_right &= ended_well(processes[rank], rank);
    unlink(file);
    rmdir(folder);
    return is_right && !shared->is_wrong;
}

int main(int argc, char **argv)
{
    static char program[512];
    struct scene scene = {
        .variants = RANKS, .kinds = (1u << FAULT_KINDS) - 1, .seconds = 120, .run = run_real};
    if (argc < 2)
        return 2;
    if (strcmp(argv[1], "sim") == 0)
        scene = (struct scene){
            .variants = 4, .kinds = 1u << FAULT_MEMORY, .seconds = 120, .run = run_simulated};
    else
        setenv("WEFT_WORLD", argv[1], 1);
    setenv("WEFT_LAUNCH_TIMEOUT", "2000", 0);
    snprintf(program, sizeof program, "%s %s", argv[0], argv[1]);
    argv[1] = program;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        abort();
    return points_main(argc - 1, argv + 1, &scene);
}
