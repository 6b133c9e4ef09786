/* SPDX-License-Identifier: BSD-3-Clause */
/* To ask the kernel for a caller when there is none costs as much as a packet: it is not done. */
#include <sys/socket.h>

#include "support/tap.h"
#include "world/far/fabric.h"
#include "world/tcp/tests.h"

#define WHILE (50 * WEFT_CLOCK_MILLISECOND)

/* The linker puts it before that of the system. */
int __real_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags);
int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags);

static unsigned questions;

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags)
{
    questions++;
    return __real_accept4(fd, address, size, flags);
}

static void look_for_a_while(void)
{
    for (uint64_t end = weft_clock_now() + WHILE; weft_clock_now() < end;)
        step_world();
}

static void be_called(uint32_t pid)
{
    open_as(pid);
    look_for_a_while();
    need(questions == 0);
    stage->step = 1;
    wait_until((step_world(), nic.peers[2].received));
    unsigned before = questions;
    look_for_a_while();
    need(before > 0 && questions == before);
    stage->step = 2;
    close_world();
}

static void call_once(uint32_t pid)
{
    wait_until(stage->step == 1);
    open_as(pid);
    need(send_packet(route_to(1), 0));
    wait_until((step_world(), stage->step == 2));
    close_world();
}

void test_callers(void)
{
    begin("nobody is accepted where nobody calls");
    pid_t called = start(be_called, 1);
    check(ended_well(start(call_once, 2)));
    check(ended_well(called));
}
