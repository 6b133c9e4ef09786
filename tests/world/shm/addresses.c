/* SPDX-License-Identifier: BSD-3-Clause */
/* Process numbers, and what is left behind. */
#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "support/tap.h"
#include "world/shm/host.h"
#include "world/shm/tests.h"

static unsigned entries(const char *path, const char *named)
{
    unsigned count = 0;
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        count += strstr(entry->d_name, named) != NULL;
    if (directory)
        closedir(directory);
    return count;
}

static void allocate_pids(uint32_t pid)
{
    (void)pid;
    enum weft_world_status status;
    unsigned descriptors = entries("/proc/self/fd", "");
    open_as(WEFT_WORLD_PID_ANY);
    struct weft_nic_world *first = world;
    open_as(WEFT_WORLD_PID_ANY);
    need(first->self.pid == 1 && world->self.pid == 2);
    need(weft_world_open(2, &status) == NULL && status == WEFT_WORLD_PID_IN_USE);
    first->ops->close(first);
    open_as(WEFT_WORLD_PID_ANY);
    need(world->self.pid == 1);
    /* World 2 ends with the process, and nobody cleans up after it. */
    close_world();
    need(entries("/proc/self/fd", "") == descriptors + 2);
    _exit(0);
}

static void open_and_close(uint32_t pid)
{
    open_as(pid);
    close_world();
}

void test_addresses(void)
{
    begin("addresses");
    check(run_alone(allocate_pids));
    check(access(rendezvous, F_OK) == 0);
    check(ended_well(start(open_and_close, 2)));
    check(access(rendezvous, F_OK) != 0);
    check_uint(entries("/dev/shm", "weft"), 0);
}
