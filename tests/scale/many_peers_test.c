/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * many_peers_test [provider]: a job of 100,000 ranks of which four are there. Rank 0 talks to the
 * three others. What the rest costs it is counted: memory, time, and questions to the directory.
 * This process itself never opens a world: libfabric does not survive a fork.
 */
#include <errno.h>
#include <portals4.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "portals/process.h"
#include "support/tap.h"
#include "world/ofi/ofi.h"
#include "world/shm/clock.h"

#define RANKS 100000u
#define RANKS_PER_HOST 64u
#define MOST_BYTES_PER_PEER 32
#define MOST_CPU_SECONDS 1.0
#define MESSAGES 2 /* to each */
#define PATIENCE_SECONDS 60
/* So long that no greeting is repeated, which would ask the directory again. */
#define TIMEOUT (600 * WEFT_CLOCK_SECOND)

static const uint32_t present[] = {0, 1, RANKS / 2, RANKS - 1};

#define PRESENT (sizeof(present) / sizeof(present[0]))

/* What a process has found out. */
struct report {
    bool is_complete;
    double cpu_seconds;              /* of its start */
    long data_bytes, resident_bytes; /* that the map has added */
    uint64_t questions_at_start, questions_at_end;
    uint64_t sessions;
};

static struct stage {
    atomic_uint cards_there;
    atomic_bool is_over;
    struct weft_ofi_card cards[PRESENT];
    struct report reports[PRESENT];
} * stage;

/* In a child, which has no TAP of its own: says what went wrong and ends. */
#define need(condition) need_at((condition), __LINE__, #condition)

static void need_at(bool holds, int line, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "# in process %d, line %d: %s\n", (int)getpid(), line, what);
    _exit(1);
}

/* ---- The job ------------------------------------------------------------------------------- */

static ptl_process_t place_of(uint32_t rank)
{
    return (ptl_process_t){.phys = {.nid = 1 + rank / RANKS_PER_HOST, .pid = 1 + rank}};
}

static uint64_t questions;

static int find_card(struct weft_directory *directory, struct weft_address address,
                     struct weft_ofi_card *card)
{
    (void)directory;
    questions++;
    for (size_t i = 0; i < PRESENT; i++)
        if (address.pid == present[i] + 1) {
            *card = stage->cards[i];
            return 0;
        }
    return -ENOENT;
}

static struct weft_directory directory = {find_card};

/* ---- What things cost ---------------------------------------------------------------------- */

static double cpu_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void measure_memory(long *data, long *resident)
{
    long pages_resident = 0, pages_data = 0, page = sysconf(_SC_PAGESIZE);
    FILE *file = fopen("/proc/self/statm", "r");
    need(file && fscanf(file, "%*d %ld %*d %*d %*d %ld", &pages_resident, &pages_data) == 2);
    fclose(file);
    *data = pages_data * page;
    *resident = pages_resident * page;
}

/* ---- A process ----------------------------------------------------------------------------- */

struct member {
    struct weft_process process;
    ptl_handle_ni_t ni;
    ptl_handle_eq_t eq;
};

static struct weft_world *open_world(size_t which, const char *provider)
{
    ptl_process_t self = place_of(present[which]);
    struct weft_ofi_config config = {.provider = provider,
                                     .interface = "",
                                     .timeout = TIMEOUT,
                                     .self = {self.phys.nid, self.phys.pid},
                                     .directory = &directory};
    struct weft_world *world = weft_ofi_open(&config, &stage->cards[which]);
    need(world);
    atomic_fetch_add(&stage->cards_there, 1);
    return world;
}

static void set_map(struct member *member, struct report *report)
{
    long data, resident;
    ptl_process_t *map = calloc(RANKS, sizeof(*map));
    need(map);
    for (uint32_t rank = 0; rank < RANKS; rank++)
        map[rank] = place_of(rank);
    measure_memory(&data, &resident);
    need(PtlSetMap(member->ni, RANKS, map) == PTL_OK);
    measure_memory(&report->data_bytes, &report->resident_bytes);
    report->data_bytes -= data;
    report->resident_bytes -= resident;
    free(map);
}

static void start(struct member *member, size_t which, const char *provider)
{
    struct report *report = &stage->reports[which];
    double begin = cpu_seconds();
    weft_process_init(&member->process);
    member->process.world = open_world(which, provider);
    member->process.world_is_given = true;
    weft_process_become(&member->process);
    need(PtlInit() == PTL_OK);
    need(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, PTL_PID_ANY, NULL, NULL,
                   &member->ni) == PTL_OK);
    set_map(member, report);
    need(PtlEQAlloc(member->ni, 64, &member->eq) == PTL_OK);
    report->cpu_seconds = cpu_seconds() - begin;
    report->questions_at_start = questions;
}

/* False if none has come within a tenth of a second. */
static bool next_event(struct member *member, ptl_event_t *event)
{
    unsigned which;
    int result = PtlEQPoll(&member->eq, 1, 100, event, &which);
    need(result == PTL_OK || result == PTL_EQ_EMPTY);
    return result == PTL_OK;
}

static void listen(struct member *member)
{
    static char target[64];
    ptl_pt_index_t index;
    ptl_handle_me_t entry;
    ptl_me_t me = {.start = target,
                   .length = sizeof(target),
                   .ct_handle = PTL_CT_NONE,
                   .uid = PTL_UID_ANY,
                   .options = PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE,
                   .match_id = {.rank = PTL_RANK_ANY}};
    need(PtlPTAlloc(member->ni, 0, member->eq, 0, &index) == PTL_OK && index == 0);
    need(PtlMEAppend(member->ni, index, &me, PTL_PRIORITY_LIST, NULL, &entry) == PTL_OK);
}

static void answer(struct member *member)
{
    unsigned received = 0;
    ptl_event_t event;
    while (!atomic_load(&stage->is_over))
        if (next_event(member, &event)) {
            need(event.type == PTL_EVENT_PUT && event.ni_fail_type == PTL_NI_OK);
            need(event.initiator.rank == present[0]);
            received++;
        }
    need(received == MESSAGES);
}

static void talk(struct member *member)
{
    static char source[64];
    unsigned acknowledged = 0;
    ptl_handle_md_t md_handle;
    ptl_md_t md = {.start = source,
                   .length = sizeof(source),
                   .options = PTL_MD_EVENT_SEND_DISABLE,
                   .eq_handle = member->eq,
                   .ct_handle = PTL_CT_NONE};
    ptl_event_t event;
    need(PtlMDBind(member->ni, &md, &md_handle) == PTL_OK);
    for (unsigned i = 0; i < MESSAGES; i++)
        for (size_t to = 1; to < PRESENT; to++)
            need(PtlPut(md_handle, 0, sizeof(source), PTL_ACK_REQ,
                        (ptl_process_t){.rank = present[to]}, 0, 0, 0, NULL, 0) == PTL_OK);
    while (acknowledged < MESSAGES * (PRESENT - 1))
        if (next_event(member, &event)) {
            need(event.type == PTL_EVENT_ACK && event.ni_fail_type == PTL_NI_OK);
            acknowledged++;
        }
    atomic_store(&stage->is_over, true);
}

static void run(size_t which, const char *provider)
{
    struct report *report = &stage->reports[which];
    struct member member;
    start(&member, which, provider);
    listen(&member);
    while (atomic_load(&stage->cards_there) < PRESENT)
        usleep(1000);
    if (which == 0)
        talk(&member);
    else
        answer(&member);
    struct weft_world *world = member.process.world;
    report->questions_at_end = questions;
    report->sessions = weft_ofi_counts(world).opened;
    report->is_complete = true;
    PtlFini();
    world->ops->close(world);
}

/* ---- All of them --------------------------------------------------------------------------- */

static pid_t start_process(size_t which, const char *provider)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(PATIENCE_SECONDS);
        run(which, provider);
        _exit(0);
    }
    return pid;
}

static bool run_all(const char *provider)
{
    pid_t pids[PRESENT];
    bool fine = true;
    for (size_t i = 0; i < PRESENT; i++)
        pids[i] = start_process(i, provider);
    for (size_t i = 0; i < PRESENT; i++) {
        int status = -1;
        fine &= pids[i] > 0 && waitpid(pids[i], &status, 0) == pids[i] && status == 0;
    }
    return fine;
}

static void look_at(size_t which)
{
    const struct report *report = &stage->reports[which];
    double data = (double)report->data_bytes / RANKS;
    double resident = (double)report->resident_bytes / RANKS;
    tap_note("rank %u: start-up with %u peers: %.3f s of CPU; %ld bytes, %.1f for each idle peer, "
             "of which %.1f are resident; %llu look-ups, %llu connections",
             present[which], RANKS, report->cpu_seconds, report->data_bytes, data, resident,
             (unsigned long long)report->questions_at_end, (unsigned long long)report->sessions);
    check(report->is_complete);
    /* Less than the map itself has would be a mistake of this test. */
    check(data >= sizeof(ptl_process_t));
    check(data <= MOST_BYTES_PER_PEER && resident <= MOST_BYTES_PER_PEER);
    check(report->cpu_seconds <= MOST_CPU_SECONDS);
    check_uint(report->questions_at_start, 0);
    /* Whoever is greeted learns the card from the greeting. */
    check_uint(report->questions_at_end, which == 0 ? PRESENT - 1 : 0);
    check_uint(report->sessions, which == 0 ? PRESENT - 1 : 1);
}

int main(int argc, char **argv)
{
    stage = mmap(NULL, sizeof(*stage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    check(stage != MAP_FAILED && run_all(argc > 1 ? argv[1] : ""));
    for (size_t i = 0; i < PRESENT; i++)
        look_at(i);
    return tap_done();
}
