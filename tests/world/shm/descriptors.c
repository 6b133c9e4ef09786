/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that cannot have a descriptor of each other. */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/tap.h"
#include "world/shm/host.h"
#include "world/shm/tests.h"

#define FILES 64u
#define SENDERS 5u

void test_without_pidfd(void)
{
    has_pidfd = false;
    test_killed_senders();
    test_killed_receivers();
    has_pidfd = true;
}

static void allow_files(rlim_t count)
{
    need(setrlimit(RLIMIT_NOFILE, &(struct rlimit){count, count}) == 0);
}

static int take_all_descriptors(void)
{
    int first = dup(STDERR_FILENO);
    while (dup(STDERR_FILENO) >= 0)
        ;
    need(errno == EMFILE);
    return first;
}

static void listen_without_descriptors(uint32_t pid)
{
    allow_files(FILES);
    open_as(pid);
    int first = take_all_descriptors();
    struct weft_nic_peer *peer = &nic.peers[2];
    stage->step = 1;
    wait_until((step_world(), peer->failed || peer->received >= 1000));
    need(!peer->failed);
    /* Long enough to be looked at a few times. */
    for (uint64_t end = weft_clock_now() + WEFT_CLOCK_SECOND / 2; weft_clock_now() < end;)
        step_world();
    need(!peer->failed);
    stage->step = 2;
    wait_until((step_world(), peer->failed));
    need(peer->received_before_failure == peer->received && !nic.damaged);
    for (int fd = first; fd < (int)FILES; fd++)
        close(fd);
    close_world();
}

void test_without_descriptors(void)
{
    begin("a process that has no descriptor left hears the living, and notices their death");
    check_outlives_sender(listen_without_descriptors);
    check(access(rendezvous, F_OK) != 0);
}

static unsigned count_descriptors(void)
{
    unsigned count = 0;
    for (int fd = 0; fd < (int)FILES; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static void listen_to_many(uint32_t pid)
{
    allow_files(16);
    open_as(pid);
    unsigned before = count_descriptors();
    for (uint32_t sender = 2; sender < 2 + SENDERS; sender++)
        wait_until((step_world(), nic.peers[sender].received));
    need(count_descriptors() <= before + 16 / 8);
    stage->step = 1;
    for (uint32_t sender = 2; sender < 2 + SENDERS; sender++)
        wait_until((step_world(), nic.peers[sender].failed));
    need(count_descriptors() == before);
    close_world();
}

void test_few_descriptors(void)
{
    pid_t senders[SENDERS];
    begin("most descriptors are left to the program, and every death is noticed");
    pid_t receiver = start(listen_to_many, 1);
    for (uint32_t i = 0; i < SENDERS; i++)
        senders[i] = start(send_for_ever, 2 + i);
    wait_until(stage->step == 1);
    for (uint32_t i = 0; i < SENDERS; i++)
        kill_and_reap(senders[i]);
    check(ended_well(receiver));
    check(access(rendezvous, F_OK) != 0);
}
