/* SPDX-License-Identifier: BSD-3-Clause */
/* One of two processes joins the job and never opens a net: the other does not wait for longer
 * than it was told to. */
#include <portals4_job.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include <weft_net.h>

#include "base/clock.h"
#include "support/tap.h"
#include "transfer/family.h"

#define SECONDS 20
#define LAUNCH_TIMEOUT 1000u
#define TIMEOUT 300u
/* Milliseconds on a machine that has other things to do. */
#define SLACK 3000u

/* What the other does after it has joined. */
enum conduct {
    LEAVES, /* it is known, and nobody answers for it */
    STAYS,  /* its NIC answers that nobody listens */
    SLEEPS, /* it takes what is sent, and does not look at it */
    CONDUCTS
};

static int join_only(const atomic_bool *is_over, enum conduct conduct)
{
    ptl_handle_ni_t ni;
    if (conduct == SLEEPS)
        setenv("WEFT_PROGRESS", "0", 1);
    if (PtlInit() || PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, PTL_PID_ANY,
                               NULL, NULL, &ni))
        return 1;
    if (conduct == LEAVES)
        PtlNIFini(ni);
    while (!atomic_load(is_over))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    PtlNIFini(ni);
    PtlFini();
    return 0;
}

static int open_in_vain(atomic_bool *is_over)
{
    weft_net *net;
    uint64_t begin = weft_clock_now();
    int error = weft_open(&net);
    uint64_t passed = (weft_clock_now() - begin) / WEFT_CLOCK_MILLISECOND;
    atomic_store(is_over, true);
    if (error != WEFT_ERR_PEER)
        return 2;
    if (passed < LAUNCH_TIMEOUT)
        return 3;
    return passed < LAUNCH_TIMEOUT + TIMEOUT + SLACK ? 0 : 4;
}

struct scene {
    atomic_bool is_over;
    enum conduct conduct;
};

static int live(int rank, void *argument)
{
    struct scene *scene = argument;
    return rank == 0 ? open_in_vain(&scene->is_over) : join_only(&scene->is_over, scene->conduct);
}

int main(void)
{
    setenv("WEFT_LOG", "off", 1);
    setenv("WEFT_LAUNCH_TIMEOUT", "1000", 1);
    setenv("WEFT_TIMEOUT", "300", 1);
    struct scene *scene = family_memory(sizeof *scene);
    for (enum conduct conduct = LEAVES; conduct < CONDUCTS; conduct++) {
        *scene = (struct scene){.conduct = conduct};
        tap_note("conduct %d", (int)conduct);
        family_run(2, SECONDS, live, scene);
    }
    return tap_done();
}
