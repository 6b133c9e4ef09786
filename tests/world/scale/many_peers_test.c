/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * many_peers_test [provider [present [limit]]]: a job of 100,000 ranks of which few are there,
 * four unless it is said. Rank 0 talks to the others, twice. What the rest costs it is counted:
 * memory, time, and questions to the directory. With a limit of connections, those that are too
 * many are closed after the first time and opened again for the second. This process itself never
 * opens a world: libfabric does not survive a fork.
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

#include "base/clock.h"
#include "portals/process.h"
#include "support/tap.h"
#include "world/ofi/ofi.h"

#define RANKS 100000u
#define RANKS_PER_HOST 64u
#define MOST_BYTES_PER_PEER 32
#define MOST_CPU_SECONDS 1.0
#define MESSAGES 2 /* to each */
#define MESSAGE 64 /* bytes */
#define PATIENCE_SECONDS 60
/* So long that no greeting is repeated, which would ask the directory again. */
#define TIMEOUT (600 * WEFT_CLOCK_SECOND)

#define MOST_PRESENT 100u

static struct {
    const char *provider;
    uint32_t present;
    uint32_t limit; /* of connections; 0: none */
} scenario = {.provider = "", .present = 4};

/* The ranks that are there: the first, the last, and some between. */
static uint32_t rank_of(size_t which)
{
    return (uint32_t)((RANKS - 1) * which / (scenario.present - 1));
}

/* What a process has found out. */
struct report {
    bool is_complete;
    double cpu_seconds;              /* of its start */
    long data_bytes, resident_bytes; /* that the map has added */
    uint64_t questions_at_start, questions_at_end;
    struct weft_world_counts counts;
};

static struct stage {
    atomic_uint cards_there;
    atomic_bool is_over;
    struct weft_world_card cards[MOST_PRESENT];
    struct report reports[MOST_PRESENT];
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

static int find_card(struct weft_world_directory *directory, struct weft_nic_address address,
                     struct weft_world_card *card)
{
    (void)directory;
    questions++;
    for (size_t i = 0; i < scenario.present; i++)
        if (address.pid == rank_of(i) + 1) {
            *card = stage->cards[i];
            return 0;
        }
    return -ENOENT;
}

static struct weft_world_directory directory = {find_card};

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
    struct weft_portals_process process;
    ptl_handle_ni_t ni;
    ptl_handle_eq_t eq;
};

static struct weft_nic_world *open_world(size_t which)
{
    ptl_process_t self = place_of(rank_of(which));
    struct weft_world_config config = {.provider = scenario.provider,
                                       .interface = "",
                                       .timeout = TIMEOUT,
                                       .self = {self.phys.nid, self.phys.pid},
                                       .directory = &directory,
                                       .session_limit = scenario.limit};
    struct weft_nic_world *world = weft_ofi_open(&config, &stage->cards[which]);
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

static void start(struct member *member, size_t which)
{
    struct report *report = &stage->reports[which];
    double begin = cpu_seconds();
    weft_portals_process_init(&member->process);
    member->process.world = open_world(which);
    member->process.world_is_given = true;
    weft_portals_process_become(&member->process);
    need(PtlInit() == PTL_OK);
    need(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, PTL_PID_ANY, NULL, NULL,
                   &member->ni) == PTL_OK);
    set_map(member, report);
    need(PtlEQAlloc(member->ni, 2 * MOST_PRESENT, &member->eq) == PTL_OK);
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
    static char target[MESSAGE];
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
            need(event.initiator.rank == rank_of(0));
            received++;
        }
    need(received == MESSAGES);
}

/* Until no more connections are open than there may be. */
static void rest(struct member *member)
{
    ptl_event_t event;
    while (scenario.limit && weft_ofi_counts(member->process.world).sessions > scenario.limit)
        need(!next_event(member, &event));
}

static void talk_once(struct member *member, ptl_handle_md_t md)
{
    ptl_event_t event;
    uint32_t acknowledged = 0;
    for (size_t to = 1; to < scenario.present; to++)
        need(PtlPut(md, 0, MESSAGE, PTL_ACK_REQ, (ptl_process_t){.rank = rank_of(to)}, 0, 0, 0,
                    NULL, 0) == PTL_OK);
    while (acknowledged < scenario.present - 1)
        if (next_event(member, &event)) {
            need(event.type == PTL_EVENT_ACK && event.ni_fail_type == PTL_NI_OK);
            acknowledged++;
        }
}

static void talk(struct member *member)
{
    static char source[MESSAGE];
    ptl_handle_md_t handle;
    ptl_md_t md = {.start = source,
                   .length = sizeof(source),
                   .options = PTL_MD_EVENT_SEND_DISABLE,
                   .eq_handle = member->eq,
                   .ct_handle = PTL_CT_NONE};
    need(PtlMDBind(member->ni, &md, &handle) == PTL_OK);
    for (unsigned i = 0; i < MESSAGES; i++) {
        talk_once(member, handle);
        rest(member);
    }
    atomic_store(&stage->is_over, true);
}

static void run(size_t which)
{
    struct report *report = &stage->reports[which];
    struct member member;
    start(&member, which);
    listen(&member);
    while (atomic_load(&stage->cards_there) < scenario.present)
        usleep(1000);
    if (which == 0)
        talk(&member);
    else
        answer(&member);
    struct weft_nic_world *world = member.process.world;
    report->questions_at_end = questions;
    report->counts = weft_ofi_counts(world);
    report->is_complete = true;
    PtlFini();
    world->ops->close(world);
}

/* ---- All of them --------------------------------------------------------------------------- */

static pid_t start_process(size_t which)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(PATIENCE_SECONDS);
        run(which);
        _exit(0);
    }
    return pid;
}

static bool run_all(void)
{
    pid_t pids[MOST_PRESENT];
    bool fine = true;
    for (size_t i = 0; i < scenario.present; i++)
        pids[i] = start_process(i);
    for (size_t i = 0; i < scenario.present; i++) {
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
             rank_of(which), RANKS, report->cpu_seconds, report->data_bytes, data, resident,
             (unsigned long long)report->questions_at_end,
             (unsigned long long)report->counts.opened);
    check(report->is_complete);
    /* Less than the map itself has would be a mistake of this test. */
    check(data >= sizeof(ptl_process_t));
    check(data <= MOST_BYTES_PER_PEER && resident <= MOST_BYTES_PER_PEER);
    check(report->cpu_seconds <= MOST_CPU_SECONDS);
    check_uint(report->questions_at_start, 0);
    /* Whoever is greeted learns the card from the greeting. */
    check_uint(report->questions_at_end, which == 0 ? scenario.present - 1 : 0);
    check_uint(report->counts.opened, which == 0 ? scenario.present - 1 : 1);
}

/* Of rank 0, which has talked to more than it may be connected with. */
static void look_at_limit(void)
{
    const struct weft_world_counts *counts = &stage->reports[0].counts;
    tap_note("%u peers, at most %u connections: %llu were opened, %llu closed, %llu are open",
             scenario.present - 1, scenario.limit, (unsigned long long)counts->opened,
             (unsigned long long)counts->parked, (unsigned long long)counts->sessions);
    uint64_t too_many = scenario.present - 1 - scenario.limit;
    check(stage->reports[0].is_complete);
    check(counts->sessions <= scenario.limit);
    check(counts->parked >= 2 * too_many);
    check(counts->opened >= scenario.present - 1 + too_many);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        scenario.provider = argv[1];
    if (argc > 2)
        scenario.present = (uint32_t)strtoul(argv[2], NULL, 10);
    if (argc > 3)
        scenario.limit = (uint32_t)strtoul(argv[3], NULL, 10);
    if (scenario.present < 2 || scenario.present > MOST_PRESENT)
        return 2;
    stage = mmap(NULL, sizeof(*stage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    check(stage != MAP_FAILED && run_all());
    if (scenario.limit)
        look_at_limit();
    else
        for (size_t i = 0; i < scenario.present; i++)
            look_at(i);
    return tap_done();
}
