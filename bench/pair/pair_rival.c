/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/pair/pair_rival.h"

#include "bench/harness/perftest.h"

const struct pair_ucx pair_ucx_active = {"ucp_am_lat", "ucp_am_bw"};
const struct pair_ucx pair_ucx_tagged = {"tag_lat", "tag_bw"};

static double run_job(void *context, size_t count)
{
    struct pair_rival *rival = context;
    rival->job.count = count;
    return rival->share * pair_run(&rival->job);
}

struct contestant pair_contestant(struct pair_rival *rival)
{
    return (struct contestant){.run = run_job, .context = rival};
}

/* There and back, or the stream. */
static double ask_ucx(const struct pair_ucx *ucx, const struct pair_job *job, size_t count)
{
    if (job->loop == PAIR_STREAM)
        return perftest_seconds(ucx->bandwidth, job->there, count);
    double there = perftest_seconds(ucx->latency, job->there, count);
    if (there <= 0 || job->back == job->there)
        return 2 * there;
    double back = perftest_seconds(ucx->latency, job->back, count);
    return back > 0 ? there + back : 0;
}

static double run_ucx(void *context, size_t count)
{
    const struct pair_rival *rival = context;
    crew_hold(true);
    double seconds = ask_ucx(rival->ucx, &rival->job, count);
    crew_hold(false);
    return rival->share * seconds;
}

struct contestant pair_ucx_contestant(struct pair_rival *rival, const struct contestant *like)
{
    return (struct contestant){.run = run_ucx, .context = rival, .like = like};
}

/* Two tries, because the first messages are slow. */
struct contest pair_contest(size_t rounds, double seconds)
{
    return (struct contest){rounds, seconds, {2, 16, 8, 2000000}};
}
