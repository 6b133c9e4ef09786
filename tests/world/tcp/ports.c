/* SPDX-License-Identifier: BSD-3-Clause */
/* A host with few ports: lines that come and go must not use them up. */
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/tap.h"
#include "world/far/tests.h"
#include "world/tcp/tests.h"

/* Less than the lines of test_parking, and more than its processes. */
static const char range[] = "40000 40011";

static bool narrow_ports(void)
{
    int fd = open("/proc/sys/net/ipv4/ip_local_port_range", O_WRONLY | O_CLOEXEC);
    bool is_done = fd >= 0 && write(fd, range, sizeof range - 1) > 0;
    if (fd >= 0)
        close(fd);
    return is_done;
}

static bool raise_loopback(void)
{
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool is_done = fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &request) == 0;
    if (fd >= 0)
        close(fd);
    return is_done;
}

/* Leaves the network of the other tests. */
void test_few_ports(void)
{
    if (unshare(CLONE_NEWNET) == 0 && raise_loopback() && narrow_ports())
        test_parking();
    else
        tap_note("a network of our own is not permitted here");
}
