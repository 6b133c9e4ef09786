/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process makes of its launcher's words, and of a file that others have been at. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "job/hosts.h"
#include "job/mapping.h"
#include "job/wireup.h"
#include "support/tap.h"
#include "world/shm/rendezvous.h"
#include "world/world.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char folder[] = "/tmp/weft-wireup-XXXXXX";
static char path[64];

/* ---- Maps ---------------------------------------------------------------------------------- */

static void check_mapping(const char *text, const char *nodes)
{
    struct weft_job_mapping mapping;
    tap_note("%s", text);
    if (!check(weft_job_mapping_parse(&mapping, text)))
        return;
    bool fine = true;
    for (uint32_t rank = 0; nodes[rank]; rank++)
        fine &= weft_job_mapping_node(&mapping, rank) == (uint32_t)(nodes[rank] - '0');
    check(fine);
}

static void test_mapping(void)
{
    static const char *const bad[] = {
        "",
        "vector",
        "(vector)",
        "(vector,)",
        "(vector,())",
        "(vector,(0,1))",
        "(vector,(0,0,1))",
        "(vector,(0,1,0))",
        "(vector,(0,1,1)",
        "(vector,(0,1,1)))",
        "(vector,(0,1,1),)",
        "(vector,(-1,1,1))",
        "(vector,(0,4294967297,1))",
        "(vector,(2147483647,2,1))",
        "(vector, (0,1,1))",
        "(matrix,(0,1,1))",
        "(vector,(0,1,99999999999999999999))",
    };
    check_mapping("(vector,(0,1,4))", "0000");
    check_mapping("(vector,(0,3,2))", "001122");
    check_mapping("(vector,(0,3,2),(5,1,4))", "0011225555");
    check_mapping("(vector,(0,2,1))", "0101010");
    check_mapping("(vector,(3,1,1),(0,3,1))", "3012301");
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct weft_job_mapping mapping;
        tap_note("%s", bad[i]);
        check(!weft_job_mapping_parse(&mapping, bad[i]));
    }
}

static void test_hosts(void)
{
    struct weft_job_hosts hosts;
    uint32_t number = 9;
    check(!weft_job_hosts_open(&hosts, ""));
    check(weft_job_hosts_open(&hosts, "delta,alpha,charlie") && hosts.count == 3);
    check(weft_job_hosts_find(&hosts, "delta", &number) && number == 0);
    check(weft_job_hosts_find(&hosts, "alpha", &number) && number == 1);
    check(weft_job_hosts_find(&hosts, "charlie", &number) && number == 2);
    check(!weft_job_hosts_find(&hosts, "bravo", &number));
    check(!weft_job_hosts_find(&hosts, "", &number));
    weft_job_hosts_close(&hosts);
    check(!weft_job_hosts_find(&hosts, "delta", &number));
}

/* ---- Processes ----------------------------------------------------------------------------- */

enum { OPENED, NONE, REFUSED, WRONG };

/* Milliseconds that a process waits for others: more than any check allows, so that whoever ends
 * in time has not waited, however slow the machine is. */
#define PATIENT "15000"

static const char *patience = PATIENT;

/* Filled in by the children. */
static struct weft_job *seen;

static void set(const char *name, const char *value)
{
    setenv(name, value, 1);
}

static int open_job(struct weft_job_wireup **wireup)
{
    enum weft_job_status status;
    *wireup = weft_job_open(seen, &status);
    if (*wireup)
        return status == WEFT_JOB_OK ? OPENED : WRONG;
    return status == WEFT_JOB_NONE ? NONE : status == WEFT_JOB_FAILED ? REFUSED : WRONG;
}

static pid_t start(int (*role)(void))
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        set("WEFT_LOG", "off");
        alarm(20);
        _exit(role());
    }
    return child;
}

static int end_of(pid_t child)
{
    int status;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int open_and_close(void)
{
    struct weft_job_wireup *wireup;
    int result = open_job(&wireup);
    if (wireup)
        weft_job_leave(wireup);
    return result;
}

static int without_launcher(void)
{
    set("PMI_FD", "0");
    set("PMI_RANK", "0");
    set("PMI_SIZE", "1");
    set("WEFT_LAUNCHER", "none");
    return open_and_close();
}

static void test_none(void)
{
    check_int(end_of(start(open_and_close)), NONE);
    check_int(end_of(start(without_launcher)), NONE);
}

/* ---- PMI-1 --------------------------------------------------------------------------------- */

struct line {
    const char *question; /* how it begins */
    const char *answer;   /* NULL: none */
};

#define TOKEN "000102030405060708090a0b0c0d0e0f1011121314151617"
#define GET "cmd=get kvsname=job_1 key="

/* What rank 1 of 3 says to open and close. */
static const struct line dialogue[] = {
    {"cmd=init pmi_version=1 pmi_subversion=1\n",
     "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n"},
    {"cmd=get_maxes\n", "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024\n"},
    {"cmd=get_my_kvsname\n", "cmd=my_kvsname kvsname=job_1\n"},
    {GET "PMI_process_mapping\n", "cmd=get_result rc=0 msg=success value=(vector,(0,2,1))\n"},
    {"cmd=barrier_in\n", "cmd=barrier_out\n"},
    {GET "weft-token\n", "cmd=get_result rc=0 msg=success value=" TOKEN "\n"},
    {"cmd=finalize\n", "cmd=finalize_ack\n"},
};

#define OPENING 6u

static int wires[2]; /* the launcher's end and ours */

static void set_pmi(const char *rank)
{
    char fd[16];
    close(wires[0]);
    snprintf(fd, sizeof(fd), "%d", wires[1]);
    set("PMI_FD", fd);
    set("PMI_RANK", rank);
    set("PMI_SIZE", "3");
    set("WEFT_LAUNCH_TIMEOUT", patience);
    set("WEFT_TIMEOUT", patience);
}

static int as_rank_1(void)
{
    set_pmi("1");
    return open_and_close();
}

/* False at the end of the stream. */
static bool read_line(char *line, size_t room)
{
    size_t fill = 0;
    while (fill + 1 < room && read(wires[0], line + fill, 1) == 1)
        if (line[fill++] == '\n')
            break;
    line[fill] = '\0';
    return fill > 0;
}

/* In pieces, as a stream may deliver it. */
static void say(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i += 7)
        send(wires[0], text + i, size - i < 7 ? size - i : 7, MSG_NOSIGNAL);
}

/* True if all questions came. */
static bool talk(const struct line *lines, size_t count)
{
    char line[2048];
    for (size_t i = 0; i < count; i++) {
        if (!read_line(line, sizeof(line)))
            return false;
        if (strncmp(line, lines[i].question, strlen(lines[i].question)) != 0) {
            tap_note("asked %s instead of %s", line, lines[i].question);
            return false;
        }
        if (lines[i].answer)
            say(lines[i].answer, strlen(lines[i].answer));
    }
    return true;
}

static pid_t start_wired(int (*role)(void))
{
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, wires) < 0)
        abort();
    pid_t child = start(role);
    close(wires[1]);
    return child;
}

static void test_pmi(void)
{
    pid_t child = start_wired(as_rank_1);
    check(talk(dialogue, COUNT(dialogue)));
    check_int(end_of(child), OPENED);
    check_uint(seen->rank, 1);
    check_uint(seen->size, 3);
    check_uint(seen->node, 1);
    bool fine = true;
    for (size_t i = 0; i < sizeof(seen->key); i++)
        fine &= seen->key[i] == i;
    for (size_t i = 0; i < sizeof(seen->id); i++)
        fine &= seen->id[i] == sizeof(seen->key) + i;
    check(fine);
    close(wires[0]);
}

/* ---- PMI-1: launchers that misbehave -------------------------------------------------------- */

static char endless[8192];

static const struct {
    const char *what;
    const char *answer;
    size_t size;
} faults[] = {
    {"another command", "cmd=surprise rc=0\n", 18},
    {"no command", "hello\n", 6},
    {"an empty line", "\n", 1},
    {"a refusal", "cmd=get_result rc=-1 msg=no value=unknown\n", 42},
    {"a line without end", endless, sizeof(endless)},
    {"two lines", "cmd=barrier_out\ncmd=barrier_out\n", 32},
    {"a zero byte", "cmd=barrier\0_out\n", 17},
};

/* The launcher goes astray after `step` right answers. False if it was not asked for as many. */
static bool go_astray(size_t step, const char *answer, size_t size, bool hangs_up)
{
    char line[2048];
    pid_t child = start_wired(as_rank_1);
    bool is_asked = talk(dialogue, step) && read_line(line, sizeof(line));
    say(answer, size);
    if (hangs_up)
        close(wires[0]);
    check_int(end_of(child), REFUSED);
    if (!hangs_up)
        close(wires[0]);
    return is_asked;
}

static void check_fault(size_t step, const char *answer, size_t size, bool hangs_up)
{
    uint64_t begin = weft_clock_now();
    check(go_astray(step, answer, size, hangs_up));
    check(weft_clock_now() - begin < 10 * WEFT_CLOCK_SECOND);
}

/* The launcher says no more. A process that gives up before it was told all that comes first, as
 * on a busy machine, is too impatient for this test. */
static void check_silence(size_t step, const char *begun)
{
    static const char *const patiences[] = {"200", "1000", "5000"};
    bool is_asked = false;
    for (size_t i = 0; i < COUNT(patiences) && !is_asked; i++) {
        patience = patiences[i];
        is_asked = go_astray(step, begun, strlen(begun), false);
    }
    patience = PATIENT;
    check(is_asked);
}

static void test_pmi_faults(void)
{
    memset(endless, 'x', sizeof(endless));
    for (size_t step = 0; step < OPENING; step++) {
        int length = (int)strcspn(dialogue[step].question, "\n");
        for (size_t i = 0; i < COUNT(faults); i++) {
            tap_note("to %.*s: %s", length, dialogue[step].question, faults[i].what);
            check_fault(step, faults[i].answer, faults[i].size, false);
        }
        tap_note("to %.*s: hangs up", length, dialogue[step].question);
        check_fault(step, "", 0, true);
        tap_note("to %.*s: silence, and half a line", length, dialogue[step].question);
        check_silence(step, "");
        check_silence(step, "cmd=barr");
    }
    static const char *const limits = "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=400\n";
    check_fault(1, limits, strlen(limits), false);
    static const char *const tokens[] = {
        "cmd=get_result rc=0 value=\n",
        "cmd=get_result rc=0\n",
        "cmd=get_result rc=0 value=0001\n",
        "cmd=get_result rc=0 value=" TOKEN "00\n",
        "cmd=get_result rc=0 value=0x0102030405060708090a0b0c0d0e0f1011121314151617\n",
    };
    for (size_t i = 0; i < COUNT(tokens); i++)
        check_fault(5, tokens[i], strlen(tokens[i]), false);
}

/* ---- PMI-1: cards --------------------------------------------------------------------------- */

#define PUT "cmd=put kvsname=job_1 key=weft-card-1 value="

static const struct line cards[] = {
    {PUT "796573\n", "cmd=put_result rc=0 msg=success\n"},
    {"cmd=barrier_in\n", NULL},
};

static const struct line later_cards[] = {
    {GET "weft-card-2\n", "cmd=get_result rc=0 value=6e6f\n"},
    {GET "weft-card-0\n", "cmd=get_result rc=-1 msg=no value=unknown\n"},
    {GET "weft-card-0\n", "cmd=get_result rc=0 value=6e6\n"},
    {"cmd=finalize\n", "cmd=finalize_ack\n"},
};

static int deal_cards(void)
{
    struct weft_job_wireup *wireup;
    char card[WEFT_JOB_CARD_SIZE];
    size_t size = 0;
    uint32_t node;
    set_pmi("1");
    if (open_job(&wireup) != OPENED)
        return REFUSED;
    bool fine = weft_job_fetch(wireup, 2, card, sizeof(card), &size) == -EAGAIN;
    fine &= weft_job_publish(wireup, "yes", 3) == 0;
    fine &= weft_job_publish(wireup, "yes", 3) == 0;
    fine &= weft_job_publish(wireup, "no", 2) == -EEXIST;
    fine &= weft_job_fetch(wireup, 2, card, sizeof(card), &size) == -EAGAIN;
    fine &= weft_job_node(wireup, 2, &node) == 0 && node == 0;
    /* Tells the launcher that the barrier may end. */
    fine &= kill(getppid(), SIGUSR1) == 0;
    int result;
    while ((result = weft_job_fetch(wireup, 2, card, sizeof(card), &size)) == -EAGAIN)
        sched_yield();
    fine &= result == 0 && size == 2 && memcmp(card, "no", 2) == 0;
    fine &= weft_job_fetch(wireup, 0, card, sizeof(card), &size) == -ENOENT;
    fine &= weft_job_fetch(wireup, 0, card, sizeof(card), &size) == -EPROTO;
    fine &= weft_job_fetch(wireup, 3, card, sizeof(card), &size) == -EINVAL;
    weft_job_leave(wireup);
    return fine ? OPENED : WRONG;
}

static void test_pmi_cards(void)
{
    sigset_t signals, before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    sigprocmask(SIG_BLOCK, &signals, &before);
    pid_t child = start_wired(deal_cards);
    check(talk(dialogue, OPENING));
    check(talk(cards, COUNT(cards)));
    check(sigtimedwait(&signals, NULL, &(struct timespec){.tv_sec = 10}) == SIGUSR1);
    say("cmd=barrier_out\n", 16);
    check(talk(later_cards, COUNT(later_cards)));
    check_int(end_of(child), OPENED);
    close(wires[0]);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* ---- A file -------------------------------------------------------------------------------- */

static const char *rank_to_be, *size_to_be, *named;

static void set_file(void)
{
    set("WEFT_RANK", rank_to_be);
    set("WEFT_SIZE", size_to_be);
    set("WEFT_RENDEZVOUS", named);
    set("WEFT_LAUNCH_TIMEOUT", patience);
}

static int join_file(void)
{
    set_file();
    return open_and_close();
}

static int as_of_file(const char *rank, const char *size)
{
    rank_to_be = rank;
    size_to_be = size;
    return end_of(start(join_file));
}

static int announce[2], dismiss[2];

/* Joins, says so, and stays until it is dismissed. */
static int stay(void)
{
    struct weft_job_wireup *wireup;
    char byte;
    close(announce[0]);
    close(dismiss[1]);
    set_file();
    int result = open_job(&wireup);
    if (!wireup || write(announce[1], "!", 1) != 1 || read(dismiss[0], &byte, 1) < 0)
        return result;
    weft_job_leave(wireup);
    return result;
}

static pid_t start_staying(const char *rank, const char *size)
{
    char byte;
    rank_to_be = rank;
    size_to_be = size;
    if (pipe(announce) < 0 || pipe(dismiss) < 0)
        abort();
    pid_t child = start(stay);
    close(announce[1]);
    close(dismiss[0]);
    check(read(announce[0], &byte, 1) == 1);
    close(announce[0]);
    return child;
}

static void test_file(void)
{
    named = path;
    pid_t holder = start_staying("0", "2");
    struct weft_job first = *seen;
    check_uint(first.node, 0);
    tap_note("others than rank 1 of 2 are refused");
    check_int(as_of_file("0", "2"), REFUSED);
    check_int(as_of_file("1", "3"), REFUSED);
    check_int(as_of_file("1", "2"), OPENED);
    check(memcmp(seen->key, first.key, sizeof(first.key)) == 0);
    check(memcmp(seen->id, first.id, sizeof(first.id)) == 0);
    check_uint(seen->node, 0);
    check(access(path, F_OK) == 0);
    close(dismiss[1]);
    check_int(end_of(holder), OPENED);
    check(access(path, F_OK) != 0);

    tap_note("a rank that comes when the other has left joins the same job");
    check_int(as_of_file("0", "2"), OPENED);
    first = *seen;
    check(access(path, F_OK) == 0);
    check_int(as_of_file("1", "2"), OPENED);
    check(memcmp(seen->key, first.key, sizeof(first.key)) == 0);
    check(access(path, F_OK) != 0);
}

static void test_dead_job(void)
{
    named = path;
    pid_t holder = start_staying("0", "2");
    struct weft_job first = *seen;
    kill(holder, SIGKILL);
    waitpid(holder, NULL, 0);
    close(dismiss[1]);
    check(access(path, F_OK) == 0);
    check_int(as_of_file("1", "2"), OPENED);
    check(memcmp(seen->key, first.key, sizeof(first.key)) != 0);
    unlink(path);
}

static void write_file(const void *bytes, size_t size, mode_t mode)
{
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    check(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && fchmod(fd, mode) == 0);
    close(fd);
}

/* Whoever makes the file for others to read gets no key. */
static void check_no_key(mode_t mode)
{
    struct stat status;
    tap_note("an empty file of mode %03o", (unsigned)mode);
    write_file("", 0, mode);
    check_int(as_of_file("0", "2"), REFUSED);
    check(stat(path, &status) == 0 && status.st_size == 0);
    unlink(path);
}

/* What a job that was killed has left, and others may read by now. */
static void test_readable_remains(void)
{
    named = path;
    pid_t holder = start_staying("0", "2");
    kill(holder, SIGKILL);
    waitpid(holder, NULL, 0);
    close(dismiss[1]);
    check(chmod(path, 0640) == 0);
    check_int(as_of_file("1", "2"), REFUSED);
    unlink(path);
}

static void test_strange_files(void)
{
    named = path;
    write_file("#!/bin/sh\n", 10, 0600);
    check_int(as_of_file("0", "2"), REFUSED);
    memset(endless, 0xff, sizeof(endless));
    write_file(endless, sizeof(endless), 0600);
    check_int(as_of_file("0", "2"), REFUSED);
    unlink(path);
    check_no_key(0666);
    check_no_key(0644);
    check_no_key(0640);
    check_no_key(0604);
    check(symlink("/dev/null", path) == 0);
    check_int(as_of_file("0", "2"), REFUSED);
    unlink(path);

    pid_t holder = start_staying("0", "2");
    check(chmod(path, 0644) == 0);
    check_int(as_of_file("1", "2"), REFUSED);
    check(chmod(path, 0600) == 0);
    check_int(as_of_file("2", "2"), REFUSED);
    close(dismiss[1]);
    check_int(end_of(holder), OPENED);
    named = "";
    check_int(as_of_file("0", "2"), REFUSED);
    unlink(path);
}

/* ---- What follows from it ------------------------------------------------------------------- */

static int open_worlds(void)
{
    enum weft_world_status status;
    struct weft_nic_address address = {0, 0};
    set_file();
    bool fine = weft_world_job() == NULL && weft_world_address(0, &address) == -ENOENT;
    fine &= weft_world_open(1, &status) == NULL && status == WEFT_WORLD_FAILED;
    for (int times = 0; times < 2; times++) {
        struct weft_nic_world *world = weft_world_open(WEFT_WORLD_PID_ANY, &status);
        fine &= world && world->self.nid == 1 && world->self.pid == 2;
        if (world)
            world->ops->close(world);
    }
    fine &= weft_world_job() && weft_world_job()->rank == 1;
    fine &= weft_world_address(1, &address) == 0 && address.nid == 1 && address.pid == 2;
    fine &= weft_world_address(0, &address) == -EAGAIN;
    weft_job_leave(weft_world_wireup());
    return fine ? OPENED : WRONG;
}

static void test_world(void)
{
    named = path;
    rank_to_be = "1";
    size_to_be = "2";
    check_int(end_of(start(open_worlds)), OPENED);
    unlink(path);
}

static char swept[96];

static int enter_and_die(void)
{
    struct weft_shm_segment segment;
    struct weft_shm_rendezvous rendezvous;
    struct weft_shm_rendezvous_record record = {.address = {1, 1}};
    if (!weft_shm_segment_create(&segment, 4096, 4, 4) ||
        !weft_shm_rendezvous_open(&rendezvous, swept, WEFT_CLOCK_SECOND))
        return WRONG;
    record.id = segment.id;
    if (weft_shm_rendezvous_enter(&rendezvous, &record) != WEFT_SHM_RENDEZVOUS_FINE)
        return WRONG;
    weft_shm_rendezvous_sweep(folder, "swept-");
    return access(swept, F_OK) == 0 ? OPENED : WRONG;
}

static void test_sweep(void)
{
    snprintf(swept, sizeof(swept), "%s/swept-1", folder);
    check_int(end_of(start(enter_and_die)), OPENED);
    check(access(swept, F_OK) == 0);
    weft_shm_rendezvous_sweep(folder, "other-");
    check(access(swept, F_OK) == 0);
    weft_shm_rendezvous_sweep(folder, "swept-");
    check(access(swept, F_OK) != 0);
}

static rlim_t room;

static void leave_little_room(void)
{
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){room, room});
}

static int join_without_room(void)
{
    leave_little_room();
    return join_file();
}

static int enter_without_room(void)
{
    struct weft_shm_rendezvous rendezvous;
    struct weft_shm_rendezvous_record record = {{1, 1}, {(uint32_t)getpid(), 0, 1}};
    leave_little_room();
    if (!weft_shm_rendezvous_open(&rendezvous, path, WEFT_CLOCK_SECOND))
        return WRONG;
    return weft_shm_rendezvous_enter(&rendezvous, &record) == WEFT_SHM_RENDEZVOUS_FAILED ? REFUSED
                                                                                         : WRONG;
}

/* Not even the first byte, or all of the head and a part of what follows. */
static void test_no_room(void)
{
    named = path;
    rank_to_be = "0";
    size_to_be = "2";
    for (room = 0; room <= 50; room += 10) {
        tap_note("room for %u bytes", (unsigned)room);
        check_int(end_of(start(join_without_room)), REFUSED);
        check(access(path, F_OK) != 0);
        if (room >= sizeof(struct weft_shm_rendezvous_record))
            continue;
        check_int(end_of(start(enter_without_room)), REFUSED);
        check(access(path, F_OK) != 0);
    }
}

int main(void)
{
    static const char *const launchers[] = {"PMI_FD",         "PMI_RANK",  "PMI_SIZE",
                                            "PMIX_NAMESPACE", "WEFT_RANK", "WEFT_SIZE",
                                            "WEFT_LAUNCHER"};
    for (size_t i = 0; i < COUNT(launchers); i++)
        unsetenv(launchers[i]);
    seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (seen == MAP_FAILED || !mkdtemp(folder))
        return 2;
    snprintf(path, sizeof(path), "%s/job", folder);
    test_mapping();
    test_hosts();
    test_none();
    test_pmi();
    test_pmi_faults();
    test_pmi_cards();
    test_file();
    test_dead_job();
    test_strange_files();
    test_readable_remains();
    test_world();
    test_sweep();
    test_no_room();
    check(rmdir(folder) == 0);
    return tap_done();
}
