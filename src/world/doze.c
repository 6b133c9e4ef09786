/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/doze.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

#define LONGEST_WAIT WEFT_CLOCK_MILLISECOND
#define NAP (WEFT_CLOCK_MILLISECOND / 5)

bool weft_world_doze_open(struct weft_world_doze *doze, int wait)
{
    doze->wait = wait;
    doze->bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (doze->bell < 0)
        weft_log(WEFT_LOG_ERROR, "cannot make an event descriptor: %s", strerror(errno));
    return doze->bell >= 0;
}

void weft_world_doze_close(struct weft_world_doze *doze)
{
    if (doze->bell >= 0)
        close(doze->bell);
}

static void wait_for(struct pollfd *descriptors, nfds_t count, uint64_t time)
{
    struct timespec most = {.tv_nsec = (long)time};
    ppoll(descriptors, count, &most, NULL);
}

void weft_world_doze_until(struct weft_world_doze *doze, uint64_t until)
{
    uint64_t now = weft_clock_now(), most = doze->wait >= 0 ? LONGEST_WAIT : NAP;
    if (until <= now)
        return;
    uint64_t time = until - now < most ? until - now : most;
    struct pollfd descriptors[2] = {{.fd = doze->bell, .events = POLLIN},
                                    {.fd = doze->wait, .events = POLLIN}};
    wait_for(descriptors, 2, time);
    if (descriptors[1].revents && !descriptors[0].revents) {
        uint64_t progress = atomic_load_explicit(&doze->progress, memory_order_relaxed);
        /* It was ready before, and nothing came of it. */
        if (atomic_exchange_explicit(&doze->seen, progress, memory_order_relaxed) == progress)
            wait_for(descriptors, 1, time < NAP ? time : NAP);
    }
    if (descriptors[0].revents) {
        uint64_t rings;
        if (read(doze->bell, &rings, sizeof rings) < 0)
            return; /* another sleeper was faster */
    }
}

void weft_world_doze_wake(struct weft_world_doze *doze)
{
    uint64_t once = 1;
    if (write(doze->bell, &once, sizeof once) < 0)
        return; /* it has been rung more often than it can count: it rings */
}
