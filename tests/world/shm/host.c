/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/shm/host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/forbid.h"
#include "support/tap.h"

char rendezvous[64];
bool has_pidfd = true;

static char folder[] = "/tmp/weft-test-XXXXXX";
static char messages[64];

void prepare_host(void)
{
    prepare_children();
    if (!mkdtemp(folder))
        tap_skip_all("no place for the rendezvous file");
    snprintf(rendezvous, sizeof(rendezvous), "%s/rendezvous", folder);
    snprintf(messages, sizeof(messages), "%s/messages", folder);
}

void leave_host(void)
{
    unlink(messages);
    check(rmdir(folder) == 0);
}

void begin(const char *what)
{
    tap_note("%s", what);
    set("WEFT_RENDEZVOUS", rendezvous);
    set("WEFT_SHM_SLOTS", "4");
    set("WEFT_SHM_PEERS", "7");
    set("WEFT_PACKET_SIZE", "1024");
    set("WEFT_TIMEOUT", "10000");
    set("WEFT_LOG", "warn");
    *stage = (struct stage){.stream = 20000};
}

void open_as(uint32_t pid)
{
    enum weft_world_status status;
    need(has_pidfd || forbid(SYS_pidfd_open, ENOSYS));
    world = weft_world_open(pid, &status);
    need(world != NULL && status == WEFT_WORLD_OK);
    need(world->self.nid == 1 && (pid == WEFT_WORLD_PID_ANY || world->self.pid == pid));
}

/* Runs a role alone and says what it wrote to standard error. */
static const char *said(void (*role)(uint32_t pid), bool *well)
{
    static char text[2048];
    int saved = dup(STDERR_FILENO);
    int file = open(messages, O_RDWR | O_CREAT | O_TRUNC, 0600);
    dup2(file, STDERR_FILENO);
    *well = run_alone(role);
    dup2(saved, STDERR_FILENO);
    ssize_t length = pread(file, text, sizeof(text) - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    close(file);
    close(saved);
    return text;
}

void check_outlives_sender(void (*role)(uint32_t pid))
{
    pid_t receiver = start(role, 1);
    wait_until(stage->step == 1);
    pid_t sender = start(send_for_ever, 2);
    wait_until(stage->step == 2);
    kill_and_reap(sender);
    check(ended_well(receiver));
}

void check_says(void (*role)(uint32_t pid), const char *expected)
{
    bool well;
    const char *text = said(role, &well);
    if (!check(well && strstr(text, expected)))
        tap_note("wanted \"%s\" in: %s", expected, text);
}
