/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PMIx. Its server tells each process at the start how many there are and who is on which host;
 * what processes say to each other is asked for one by one, and comes when it comes.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/deadline.h"
#include "base/setting.h"
#include "job/hosts.h"
#include "job/launcher.h"
#include "job/pmix_client.h"

/* A server may answer "not found" about a process that has not spoken yet. */
#define RETRY (10 * WEFT_CLOCK_MILLISECOND)

struct pmix {
    struct weft_job_wireup wireup; /* must be first */
    pmix_proc_t self;
    struct weft_job_hosts hosts; /* empty if the server has no list of them */
};

/* Compared by their addresses. */
static const char token_of_job[] = "weft.token";
static const char card_of_rank[] = "weft.card";

static bool is_there(void)
{
    return weft_setting_environment(WEFT_SETTING_ENVIRONMENT_PMIX_NAMESPACE) != NULL;
}

/* ---- What the server told all processes at their start -------------------------------------- */

/* A text may be told without there being one, and a number of bytes without these. */
static bool is_usable(const pmix_value_t *value, pmix_data_type_t type)
{
    if (!value || value->type != type)
        return false;
    if (type == PMIX_BYTE_OBJECT)
        return value->data.bo.bytes && value->data.bo.size > 0;
    return type != PMIX_STRING || value->data.string;
}

/* Looks only into our own memory. The caller frees the value; there is none if that fails. */
static pmix_status_t look_up(const struct pmix *pmix, uint32_t rank, const char *key,
                             pmix_data_type_t type, pmix_value_t **value)
{
    pmix_proc_t process = pmix->self;
    pmix_info_t local = {.key = PMIX_OPTIONAL, .value = {.type = PMIX_BOOL, .data.flag = true}};
    process.rank = rank;
    *value = NULL;
    pmix_status_t status = weft_job_pmix.PMIx_Get(&process, key, &local, 1, value);
    if (status == PMIX_SUCCESS && is_usable(*value, type))
        return status;
    free(*value);
    *value = NULL;
    return status == PMIX_SUCCESS ? PMIX_ERR_TYPE_MISMATCH : status;
}

static pmix_status_t look_up_number(const struct pmix *pmix, uint32_t rank, const char *key,
                                    uint32_t *number)
{
    pmix_value_t *value;
    pmix_status_t status = look_up(pmix, rank, key, PMIX_UINT32, &value);
    if (status == PMIX_SUCCESS)
        *number = value->data.uint32;
    free(value);
    return status;
}

static void free_text(pmix_value_t *value)
{
    free(value->data.string);
    free(value);
}

/* Open MPI numbers the hosts (PMIX_NODEID) only for processes of the own one, but names them all;
 * so names come first, if there is a list of them, which is the same for all. */
static void learn_hosts(struct pmix *pmix)
{
    pmix_value_t *list;
    if (look_up(pmix, PMIX_RANK_WILDCARD, PMIX_NODE_LIST, PMIX_STRING, &list) != PMIX_SUCCESS)
        return;
    weft_job_hosts_open(&pmix->hosts, list->data.string);
    free_text(list);
}

/* Our addresses have the next higher number. */
static pmix_status_t look_up_host(const struct pmix *pmix, uint32_t rank, uint32_t *number)
{
    uint32_t told;
    pmix_status_t status = look_up_number(pmix, rank, PMIX_NODEID, &told);
    if (status == PMIX_SUCCESS && told >= INT32_MAX)
        status = PMIX_ERR_NOT_FOUND;
    if (status == PMIX_SUCCESS)
        *number = told;
    return status;
}

static pmix_status_t find_host(const struct pmix *pmix, uint32_t rank, uint32_t *number)
{
    if (pmix->hosts.count == 0)
        return look_up_host(pmix, rank, number);
    pmix_value_t *name;
    pmix_status_t status = look_up(pmix, rank, PMIX_HOSTNAME, PMIX_STRING, &name);
    if (status != PMIX_SUCCESS)
        return status;
    bool is_found = weft_job_hosts_find(&pmix->hosts, name->data.string, number);
    free_text(name);
    return is_found ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND;
}

static int node(struct weft_job_wireup *wireup, uint32_t rank, uint32_t *number)
{
    pmix_status_t status = find_host((struct pmix *)wireup, rank, number);
    return weft_job_pmix_is_fine(status, "it does not say on which host a process is") ? 0
                                                                                       : -ENOENT;
}

/* ---- What other processes say --------------------------------------------------------------- */

/* A question under way. The answer comes in a thread of the library, perhaps after we have lost
 * interest: only answered ones are freed. */
struct question {
    struct question *next;
    uint32_t rank;
    const char *key;
    uint64_t retry; /* when to ask again, if the answer is "not yet" */
    bool is_answered;
    pmix_status_t status;
    size_t size;
    unsigned char bytes[WEFT_JOB_CARD_SIZE];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct question *questions;

static void take_answer(pmix_status_t status, pmix_value_t *value, void *context)
{
    struct question *question = context;
    pthread_mutex_lock(&lock);
    if (status == PMIX_SUCCESS &&
        (!is_usable(value, PMIX_BYTE_OBJECT) || value->data.bo.size > sizeof(question->bytes)))
        status = PMIX_ERR_TYPE_MISMATCH;
    if (status == PMIX_SUCCESS) {
        question->size = value->data.bo.size;
        memcpy(question->bytes, value->data.bo.bytes, question->size);
    }
    question->status = status;
    question->is_answered = true;
    pthread_mutex_unlock(&lock);
}

static bool is_not_yet(pmix_status_t status)
{
    return status == PMIX_ERR_NOT_FOUND || status == PMIX_ERR_TIMEOUT;
}

/* Without the lock: the answer may come before the call returns. */
static void put_question(const struct pmix *pmix, struct question *question)
{
    pmix_proc_t process = pmix->self;
    process.rank = question->rank;
    question->is_answered = false;
    question->retry = weft_clock_now() + RETRY;
    pmix_status_t status =
        weft_job_pmix.PMIx_Get_nb(&process, question->key, NULL, 0, take_answer, question);
    if (status != PMIX_SUCCESS)
        take_answer(status, NULL, question);
}

static struct question **find_question(uint32_t rank, const char *key)
{
    struct question **at = &questions;
    while (*at && ((*at)->rank != rank || (*at)->key != key))
        at = &(*at)->next;
    return at;
}

static int ask(const struct pmix *pmix, uint32_t rank, const char *key)
{
    struct question *question = calloc(1, sizeof(*question));
    if (!question)
        return -ENOMEM;
    question->rank = rank;
    question->key = key;
    pthread_mutex_lock(&lock);
    question->next = questions;
    questions = question;
    pthread_mutex_unlock(&lock);
    put_question(pmix, question);
    return -EAGAIN;
}

static int use_answer(struct question *question, void *bytes, size_t room, size_t *size)
{
    if (!weft_job_pmix_is_fine(question->status, "what a process has to say is not to be had"))
        return -EIO;
    if (question->size > room)
        return -EMSGSIZE;
    memcpy(bytes, question->bytes, question->size);
    *size = question->size;
    return 0;
}

static int listen_to(const struct pmix *pmix, uint32_t rank, const char *key, void *bytes,
                     size_t room, size_t *size)
{
    pthread_mutex_lock(&lock);
    struct question **at = find_question(rank, key);
    struct question *question = *at;
    bool is_answered = question && question->is_answered;
    bool is_final = is_answered && !is_not_yet(question->status);
    if (is_final)
        *at = question->next;
    pthread_mutex_unlock(&lock);
    if (!question)
        return ask(pmix, rank, key);
    if (is_final) {
        int result = use_answer(question, bytes, room, size);
        free(question);
        return result;
    }
    if (is_answered && weft_clock_now() >= question->retry)
        put_question(pmix, question);
    return -EAGAIN;
}

static int fetch(struct weft_job_wireup *wireup, uint32_t rank, void *card, size_t room,
                 size_t *size)
{
    return listen_to((struct pmix *)wireup, rank, card_of_rank, card, room, size);
}

static bool say(const char *key, const void *bytes, size_t size)
{
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT,
                          .data.bo = {.bytes = (char *)(uintptr_t)bytes, .size = size}};
    return weft_job_pmix_is_fine(weft_job_pmix.PMIx_Put(PMIX_GLOBAL, key, &value),
                                 "it takes no value") &&
           weft_job_pmix_is_fine(weft_job_pmix.PMIx_Commit(), "it passes no value on");
}

static int publish(struct weft_job_wireup *wireup, const void *card, size_t size)
{
    (void)wireup;
    return say(card_of_rank, card, size) ? 0 : -EIO;
}

/* ---- Opening and closing ------------------------------------------------------------------- */

static bool share_token(const struct pmix *pmix, unsigned char *token, uint64_t deadline)
{
    if (pmix->self.rank == 0)
        return weft_job_make_token(token) && say(token_of_job, token, WEFT_JOB_TOKEN_SIZE);
    size_t size = 0;
    int result = -EAGAIN;
    while (result == -EAGAIN) {
        result = listen_to(pmix, 0, token_of_job, token, WEFT_JOB_TOKEN_SIZE, &size);
        if (result == -EAGAIN && weft_deadline_is_over(deadline))
            return weft_job_pmix_refuse("rank 0 has not come", "WEFT_LAUNCH_TIMEOUT has passed");
        if (result == -EAGAIN)
            nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
    return result == 0 && (size == WEFT_JOB_TOKEN_SIZE ||
                           weft_job_pmix_refuse("rank 0", "is of another version"));
}

static bool learn_job(struct pmix *pmix, struct weft_job *job)
{
    job->rank = pmix->self.rank;
    pmix_status_t status = look_up_number(pmix, PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, &job->size);
    if (!weft_job_pmix_is_fine(status, "it does not say how many processes the job has"))
        return false;
    if (job->rank >= job->size || job->size > INT32_MAX)
        return weft_job_pmix_refuse("its rank or size", "makes no sense");
    learn_hosts(pmix);
    status = find_host(pmix, job->rank, &job->node);
    return weft_job_pmix_is_fine(status, "it does not say on which host this process is");
}

static void leave_pmix(struct weft_job_wireup *wireup)
{
    (void)wireup;
    weft_job_pmix_is_fine(weft_job_pmix.PMIx_Finalize(NULL, 0), "it does not let us go");
}

static const struct weft_job_wireup_ops ops = {
    .publish = publish, .fetch = fetch, .node = node, .leave = leave_pmix};

static struct weft_job_wireup *open_pmix(struct weft_job *job,
                                         unsigned char token[WEFT_JOB_TOKEN_SIZE])
{
    uint64_t deadline = weft_deadline_of(WEFT_SETTING_LAUNCH_TIMEOUT);
    struct pmix *pmix = weft_job_wireup_new(sizeof(*pmix), &ops);
    if (pmix && weft_job_pmix_start(&pmix->self, deadline)) {
        if (learn_job(pmix, job) && share_token(pmix, token, deadline))
            return &pmix->wireup;
        weft_job_pmix.PMIx_Finalize(NULL, 0);
        weft_job_hosts_close(&pmix->hosts);
    }
    free(pmix);
    return NULL;
}

const struct weft_job_launcher weft_job_launcher_pmix = {
    .name = "PMIx", .is_there = is_there, .open = open_pmix};
