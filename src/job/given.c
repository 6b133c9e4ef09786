/* SPDX-License-Identifier: BSD-3-Clause */
/* A job that the program knows already, because another library has started it. */
#include <string.h>

#include "job/launcher.h"

struct given {
    struct weft_job_wireup wireup; /* must be first */
    struct weft_job_given job;
};

static const struct weft_job_given *given_job;

void weft_job_give(const struct weft_job_given *job)
{
    given_job = job;
}

static bool is_there(void)
{
    return given_job != NULL;
}

static int publish(struct weft_job_wireup *wireup, const void *card, size_t size)
{
    struct given *given = (struct given *)wireup;
    return given->job.publish(card, size);
}

static int fetch(struct weft_job_wireup *wireup, uint32_t rank, void *card, size_t room,
                 size_t *size)
{
    struct given *given = (struct given *)wireup;
    return given->job.fetch(rank, card, room, size);
}

static int node_of(struct weft_job_wireup *wireup, uint32_t rank, uint32_t *node)
{
    struct given *given = (struct given *)wireup;
    *node = given->job.nodes[rank];
    return 0;
}

static const struct weft_job_wireup_ops ops = {
    .publish = publish, .fetch = fetch, .node = node_of};

static struct weft_job_wireup *open_given(struct weft_job *job,
                                          unsigned char token[WEFT_JOB_TOKEN_SIZE])
{
    struct given *given = weft_job_wireup_new(sizeof *given, &ops);
    if (!given)
        return NULL;
    given->job = *given_job;
    job->rank = given_job->rank;
    job->size = given_job->size;
    job->node = given_job->nodes[given_job->rank];
    memcpy(token, given_job->token, WEFT_JOB_TOKEN_SIZE);
    return &given->wireup;
}

const struct weft_job_launcher weft_job_launcher_given = {
    .name = "given", .is_there = is_there, .open = open_given};
