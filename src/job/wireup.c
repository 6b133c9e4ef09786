/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/wireup.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/log.h"
#include "base/setting.h"
#include "job/launcher.h"

/* In the order of the choices of WEFT_LAUNCHER, after `auto`. A build without PMIx knows that it
 * lacks it, so that it can say so. */
static const struct weft_job_launcher *const launchers[] = {
    &weft_job_launcher_pmix,
    &weft_job_launcher_pmi,
    &weft_job_launcher_file,
};

/* One thread at a time speaks to the launcher, and none after the farewell. */
static pthread_mutex_t talk = PTHREAD_MUTEX_INITIALIZER;

#define LAUNCHERS (sizeof(launchers) / sizeof(launchers[0]))

static const char *setting_name(enum weft_setting setting)
{
    return weft_setting_info(setting)->name;
}

bool weft_job_make_token(unsigned char token[WEFT_JOB_TOKEN_SIZE])
{
    if (getrandom(token, WEFT_JOB_TOKEN_SIZE, 0) == (ssize_t)WEFT_JOB_TOKEN_SIZE)
        return true;
    weft_log(WEFT_LOG_ERROR, "cannot make a key for the job: %s", strerror(errno));
    return false;
}

void *weft_job_wireup_new(size_t size, const struct weft_job_wireup_ops *ops)
{
    struct weft_job_wireup *wireup = calloc(1, size);
    if (wireup)
        wireup->ops = ops;
    else
        weft_log(WEFT_LOG_ERROR, "cannot join the job: %s", strerror(ENOMEM));
    return wireup;
}

static struct weft_job_wireup *open_launcher(const struct weft_job_launcher *launcher,
                                             struct weft_job *job)
{
    unsigned char token[WEFT_JOB_TOKEN_SIZE];
    memset(job, 0, sizeof(*job));
    struct weft_job_wireup *wireup = launcher->open(job, token);
    if (!wireup)
        return NULL;
    memcpy(job->key, token, sizeof(job->key));
    memcpy(job->id, token + sizeof(job->key), sizeof(job->id));
    explicit_bzero(token, sizeof(token));
    wireup->size = job->size;
    weft_log(WEFT_LOG_INFO, "rank %u of %u on host %u, says the launcher (%s)", job->rank,
             job->size, job->node, launcher->name);
    return wireup;
}

struct weft_job_wireup *weft_job_open(struct weft_job *job, enum weft_job_status *status)
{
    bool is_given = weft_job_launcher_given.is_there();
    size_t choice = weft_setting(WEFT_SETTING_LAUNCHER);
    struct weft_job_wireup *wireup = NULL;
    bool is_any_there = is_given || (choice > 0 && choice <= LAUNCHERS);
    if (is_given)
        wireup = open_launcher(&weft_job_launcher_given, job);
    else if (is_any_there)
        wireup = open_launcher(launchers[choice - 1], job);
    for (size_t i = 0; choice == 0 && !is_given && !wireup && i < LAUNCHERS; i++) {
        if (!launchers[i]->is_there())
            continue;
        is_any_there = true;
        wireup = open_launcher(launchers[i], job);
    }
    if (wireup) {
        *status = WEFT_JOB_OK;
        return wireup;
    }
    *status = is_any_there ? WEFT_JOB_FAILED : WEFT_JOB_NONE;
    /* Not alone by default: it would look as if it worked, and every rank would be rank 0. */
    if (is_any_there)
        weft_log(WEFT_LOG_ERROR, "cannot join the job; %s=none runs this process alone",
                 setting_name(WEFT_SETTING_LAUNCHER));
    return NULL;
}

int weft_job_publish(struct weft_job_wireup *wireup, const void *card, size_t size)
{
    if (size == 0 || size > WEFT_JOB_CARD_SIZE)
        return -EINVAL;
    pthread_mutex_lock(&talk);
    int result = wireup->has_left ? -ESHUTDOWN : wireup->ops->publish(wireup, card, size);
    pthread_mutex_unlock(&talk);
    return result;
}

int weft_job_fetch(struct weft_job_wireup *wireup, uint32_t rank, void *card, size_t room,
                   size_t *size)
{
    if (rank >= wireup->size)
        return -EINVAL;
    pthread_mutex_lock(&talk);
    int result =
        wireup->has_left ? -ESHUTDOWN : wireup->ops->fetch(wireup, rank, card, room, size);
    pthread_mutex_unlock(&talk);
    return result;
}

int weft_job_node(struct weft_job_wireup *wireup, uint32_t rank, uint32_t *node)
{
    if (rank >= wireup->size)
        return -EINVAL;
    return wireup->ops->node(wireup, rank, node);
}

void weft_job_leave(struct weft_job_wireup *wireup)
{
    pthread_mutex_lock(&talk);
    if (!wireup->has_left && wireup->ops->leave)
        wireup->ops->leave(wireup);
    wireup->has_left = true;
    pthread_mutex_unlock(&talk);
}
