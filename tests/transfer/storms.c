/* SPDX-License-Identifier: BSD-3-Clause */
/* Some storms in every world; storm_test tries many in virtual time. */
#include "transfer/exchange.h"
#include "transfer/storm.h"

static void weather(struct job *job, void (*run)(struct storm *), unsigned count)
{
    weft_net *net = exchange_open(job);
    for (unsigned seed = 1; seed <= count; seed++) {
        struct storm storm = {.net = net, .seed = seed, .patience = (int)job_patience(job)};
        run(&storm);
        job_check(job, !storm.why[0], __FILE__, __LINE__, storm.why);
        job_barrier(job); /* wildcards would take messages of the next */
    }
    exchange_close(job, net);
}

BEHAVIOUR("random messages come where and how they must", NET, .ranks = 4)
{
    weather(job, storm_of_messages, 25);
}

BEHAVIOUR("random puts and gets leave what they must", NET, .ranks = 4)
{
    weather(job, storm_of_regions, 5);
}
