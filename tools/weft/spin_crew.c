/* SPDX-License-Identifier: BSD-3-Clause */
#include "spin_crew.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "bare_ring.h"
#include "base/setting.h"
#include "crew.h"

/* In memory that all share. */
struct meeting {
    atomic_uint arrived;
    atomic_uint turn;
};

static struct meeting *meeting;

void spin_crew_meet(unsigned count)
{
    unsigned turn = atomic_load(&meeting->turn);
    if (atomic_fetch_add(&meeting->arrived, 1) + 1 == count) {
        atomic_store(&meeting->arrived, 0);
        atomic_fetch_add(&meeting->turn, 1);
        return;
    }
    for (unsigned round = 0; atomic_load(&meeting->turn) == turn; round++)
        bare_ring_relax(round);
}

void spin_crew_start(const char *provider, unsigned hpus)
{
    char threads[16];
    meeting =
        mmap(NULL, sizeof(*meeting), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (meeting == MAP_FAILED)
        crew_end_with("cannot make shared memory");
    snprintf(threads, sizeof(threads), "%u", hpus);
    setenv(weft_setting_info(WEFT_SETTING_HPUS)->name, threads, 1);
    crew_start(&(struct crew_plan){.size = SPIN_CREW,
                                   .is_ofi = provider,
                                   .is_job = true,
                                   .provider = provider,
                                   .main = spin_member_main});
}

void spin_crew_stop(void)
{
    crew_stop();
    munmap(meeting, sizeof(*meeting));
}

double spin_crew_run(const struct spin_job *job)
{
    return crew_run(job, sizeof(*job), spin_cases[job->which].ranks);
}
