/* SPDX-License-Identifier: BSD-3-Clause */
/* Files, settings and peers that are refused, and what the log says. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/tap.h"
#include "world/shm/host.h"
#include "world/shm/peer.h"
#include "world/shm/tests.h"

static void fail_to_open(uint32_t pid)
{
    enum weft_world_status status;
    need(weft_world_open(pid, &status) == NULL && status == WEFT_WORLD_FAILED);
}

void test_bad_files(void)
{
    begin("rendezvous files that are refused");
    int file = open(rendezvous, O_WRONLY | O_CREAT, 0600);
    check(write(file, "a letter to somebody else", 25) == 25);
    check_says(fail_to_open, "holds something else");
    check(ftruncate(file, 0) == 0 && fchmod(file, 0666) == 0);
    check_says(fail_to_open, "other users may read or write");
    check(fchmod(file, 0644) == 0);
    check_says(fail_to_open, "remove it");
    close(file);
    char elsewhere[128];
    snprintf(elsewhere, sizeof(elsewhere), "%s.moved", rendezvous);
    check(rename(rendezvous, elsewhere) == 0 && symlink(elsewhere, rendezvous) == 0);
    check_says(fail_to_open, "symbolic link");
    unlink(rendezvous);
    unlink(elsewhere);
    check(mkdir(rendezvous, 0700) == 0);
    check_says(fail_to_open, "WEFT_RENDEZVOUS");
    rmdir(rendezvous);
    begin("settings that are refused");
    set("WEFT_PACKET_SIZE", "100");
    check_says(fail_to_open, "WEFT_PACKET_SIZE");
    set("WEFT_PACKET_SIZE", "1024");
    set("WEFT_SHM_SLOTS", "0");
    check_says(fail_to_open, "WEFT_SHM_SLOTS");
    check(access(rendezvous, F_OK) != 0);
}

static void open_and_look(uint32_t pid)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/weft-%u", getenv("XDG_RUNTIME_DIR"), (unsigned)geteuid());
    open_as(pid);
    need((access(path, F_OK) == 0) == (stage->step == 1));
    close_world();
}

/* Others can take a name in /tmp before we do, but none in a folder that is ours alone. */
void test_private_folder(void)
{
    char folder[128];
    begin("the file is in the user's own folder");
    set("WEFT_RENDEZVOUS", "");
    snprintf(folder, sizeof(folder), "%s.d", rendezvous);
    check(mkdir(folder, 0700) == 0);
    set("XDG_RUNTIME_DIR", folder);
    stage->step = 1;
    check(run_alone(open_and_look));
    tap_note("if others can write there, it is not");
    check(chmod(folder, 0777) == 0);
    stage->step = 0;
    check(run_alone(open_and_look));
    check(rmdir(folder) == 0);
    unsetenv("XDG_RUNTIME_DIR");
}

static void send_nonsense(uint32_t pid)
{
    open_as(pid);
    struct weft_nic_route *route = route_to(1);
    need(send_packet(route, 0));
    need(world->ops->reserve(route, 8) != NULL);
    world->ops->commit(route, world->packet_size + 1);
    wait_until((step_world(), route->failed));
    close_world();
}

/* A claim with an address that no process of this world has. */
static void claim_nonsense(uint32_t pid)
{
    open_as(pid);
    struct weft_shm *shm = (struct weft_shm *)world;
    struct weft_shm_rendezvous_record record;
    struct weft_shm_claim claim;
    wait_until(weft_shm_rendezvous_find(&shm->rendezvous, (struct weft_nic_address){1, 1},
                                        &record) == WEFT_SHM_RENDEZVOUS_FINE);
    need(weft_shm_claim_make(&claim, &record.id, world->packet_size,
                             (struct weft_nic_address){7, 7},
                             &shm->segment.id) == WEFT_SHM_SEGMENT_FINE);
    wait_until(!weft_shm_claim_holds(&claim));
    weft_shm_claim_drop(&claim);
    close_world();
}

static void hear_nonsense(uint32_t pid)
{
    pid_t sender = start(send_nonsense, 2);
    open_as(pid);
    wait_until((step_world(), nic.peers[2].failed));
    need(nic.peers[2].received == 1 && !nic.damaged);
    need(ended_well(sender));
    close_world();
}

static void hear_nonsense_claim(uint32_t pid)
{
    pid_t sender = start(claim_nonsense, 3);
    open_as(pid);
    int status;
    wait_until((step_world(), waitpid(sender, &status, WNOHANG) == sender));
    need(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close_world();
}

static void be_refused(uint32_t pid)
{
    wait_until(stage->step == 1);
    set("WEFT_TIMEOUT", "50");
    open_as(pid);
    struct weft_nic_route *route = route_to(1);
    wait_until((step_world(), route->failed));
    need(nic.peers[1].failed == 1);
    close_world();
}

/* Its only ring goes to itself. */
static void have_no_ring(uint32_t pid)
{
    pid_t sender = start(be_refused, 2);
    set("WEFT_SHM_PEERS", "1");
    open_as(pid);
    need(send_packet(route_to(pid), 0));
    stage->step = 1;
    need(ended_well(sender));
    close_world();
}

static void have_other_packets(uint32_t pid)
{
    pid_t sender = start(be_refused, 2);
    set("WEFT_PACKET_SIZE", "2048");
    open_as(pid);
    stage->step = 1;
    need(ended_well(sender));
    close_world();
}

void test_bad_peers(void)
{
    begin("peers that are refused");
    check_says(hear_nonsense, "sent a packet of 1105 bytes");
    check_says(hear_nonsense_claim, "no valid address");
    check_says(have_no_ring, "WEFT_SHM_PEERS");
    stage->step = 0;
    check_says(have_other_packets, "WEFT_PACKET_SIZE must be the same");
    check(access(rendezvous, F_OK) != 0);
}
