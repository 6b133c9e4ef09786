/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/spin/spin_crew.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/setting.h"
#include "bench/harness/crew.h"

void spin_crew_start(const char *provider, unsigned hpus)
{
    char threads[16];
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
}

double spin_crew_run(const struct spin_job *job)
{
    return crew_run(job, sizeof(*job), spin_cases[job->which].ranks);
}
