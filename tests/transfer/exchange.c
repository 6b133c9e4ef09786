/* SPDX-License-Identifier: BSD-3-Clause */
#include "transfer/exchange.h"

#include <stdio.h>

#include "transfer/net.h"

/* Simulated nodes that crash leave their nets behind: the leak checker finds them here. */
static weft_net *living[8];

weft_net *exchange_open(struct job *job)
{
    weft_net *net = NULL;
    job->logical = true;
    job_open(job);
    fine(weft_net_attach(job->ni, job->rank, job->size, 0, &net));
    if (job->world & JOB_REAL)
        weft_net_watch_start(net);
    return living[job->rank] = net;
}

void exchange_close_alone(struct job *job, weft_net *net)
{
    weft_close(net);
    living[job->rank] = NULL;
    ok(PtlNIFini(job->ni));
    PtlFini();
}

void exchange_close(struct job *job, weft_net *net)
{
    job_gate(job);
    weft_close(net);
    living[job->rank] = NULL;
    job_close(job);
}

bool exchange_check(struct job *job, int actual, int expected, const char *file, int line,
                    const char *call)
{
    char what[200];
    snprintf(what, sizeof what, "%s gives %s, not %s", call, weft_error_name(actual),
             weft_error_name(expected));
    return job_check(job, actual == expected, file, line, what);
}

int exchange_wait(struct job *job, weft_request **request, struct weft_status *status)
{
    return weft_wait(request, (int)job_patience(job), status);
}

weft_type *exchange_type(struct job *job, const char *text)
{
    weft_type *type = NULL;
    fine(weft_type_parse(text, &type, NULL));
    fine(weft_type_commit(type));
    return type;
}
