/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PMI-1. What a process puts, the others can get only after a barrier of all. We wait for one
 * barrier at the start, for the key; the one for the cards goes on while the process computes:
 *
 *   open     init, names and limits; rank 0 puts the key; barrier; get the key
 *   publish  put the card; barrier_in
 *   fetch    nothing, until barrier_out has come; then get
 *   close    finalize
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/deadline.h"
#include "base/log.h"
#include "base/setting.h"
#include "job/launcher.h"
#include "job/mapping.h"
#include "job/pmi_wire.h"

#define TOKEN "weft-token"
#define NAME_LENGTH 256u
#define VALUE_LENGTH 1024u

struct pmi {
    struct weft_job_wireup wireup; /* must be first */
    struct weft_job_pmi_wire wire;
    uint32_t rank, size;
    bool is_in_barrier; /* barrier_out has not come yet */
    bool is_broken;     /* an answer is missing or made no sense: nothing more is asked */
    char space[NAME_LENGTH];
    struct weft_job_mapping mapping;
    size_t card_size;
    unsigned char card[WEFT_JOB_CARD_SIZE];
};

static const char *variable(enum weft_setting_environment name)
{
    const char *text = weft_setting_environment(name);
    return text ? text : "";
}

static bool is_there(void)
{
    return *variable(WEFT_SETTING_ENVIRONMENT_PMI_FD) &&
           *variable(WEFT_SETTING_ENVIRONMENT_PMI_RANK) &&
           *variable(WEFT_SETTING_ENVIRONMENT_PMI_SIZE);
}

/* ---- Messages ------------------------------------------------------------------------------ */

static bool refuse(const char *why)
{
    weft_log(WEFT_LOG_ERROR, "cannot use the launcher (PMI-1): %s", why);
    return false;
}

/* True unless a question has failed; then the log says which and how. */
static bool is_fine(int result, const char *what)
{
    if (result == 0)
        return true;
    const char *how = strerror(-result);
    if (result == -ENOENT)
        how = "the answer was no";
    else if (result == -EPROTO)
        how = "the answer makes no sense";
    else if (result == -ETIMEDOUT)
        how = "there was no answer in time";
    weft_log(WEFT_LOG_ERROR, "cannot use the launcher (PMI-1): asked %s, %s", what, how);
    return false;
}

/* ---- Questions and answers ----------------------------------------------------------------- */

/* The next line must be that answer: 0; -ENOENT if it says no; anything else is for good. */
static int receive(struct pmi *pmi, const char *answer, uint64_t deadline)
{
    char field[64];
    int result = weft_job_pmi_receive(&pmi->wire, deadline);
    if (result < 0)
        return result;
    if (!weft_job_pmi_field(pmi->wire.line, "cmd", field, sizeof(field)) ||
        strcmp(field, answer) != 0)
        return -EPROTO;
    if (weft_job_pmi_field(pmi->wire.line, "rc", field, sizeof(field)) && strcmp(field, "0") != 0)
        return -ENOENT;
    return 0;
}

static int ask(struct pmi *pmi, const char *question, const char *answer, uint64_t deadline)
{
    if (pmi->is_broken)
        return -EIO;
    int result = weft_job_pmi_send(&pmi->wire, question, deadline);
    if (result == 0)
        result = receive(pmi, answer, deadline);
    if (result < 0 && result != -ENOENT)
        pmi->is_broken = true;
    return result;
}

static int put(struct pmi *pmi, const char *key, const void *bytes, size_t size, uint64_t deadline)
{
    char line[NAME_LENGTH + VALUE_LENGTH + 128];
    char value[2 * WEFT_JOB_CARD_SIZE + 1];
    weft_job_pmi_write_bytes(value, bytes, size);
    snprintf(line, sizeof(line), "cmd=put kvsname=%s key=%s value=%s\n", pmi->space, key, value);
    return ask(pmi, line, "put_result", deadline);
}

static int get(struct pmi *pmi, const char *key, char value[VALUE_LENGTH + 1], uint64_t deadline)
{
    char line[NAME_LENGTH + 128];
    snprintf(line, sizeof(line), "cmd=get kvsname=%s key=%s\n", pmi->space, key);
    int result = ask(pmi, line, "get_result", deadline);
    if (result == 0 && !weft_job_pmi_field(pmi->wire.line, "value", value, VALUE_LENGTH + 1))
        return -EPROTO;
    return result;
}

static int get_bytes(struct pmi *pmi, const char *key, unsigned char *bytes, size_t room,
                     size_t *size, uint64_t deadline)
{
    char value[VALUE_LENGTH + 1];
    unsigned char all[WEFT_JOB_CARD_SIZE];
    int result = get(pmi, key, value, deadline);
    if (result < 0)
        return result;
    if (!weft_job_pmi_read_bytes(value, all, sizeof all, size))
        return -EPROTO;
    if (*size > room)
        return -EMSGSIZE;
    memcpy(bytes, all, *size);
    return 0;
}

/* ---- Opening and closing ------------------------------------------------------------------- */

static bool read_environment(struct pmi *pmi)
{
    uint32_t fd;
    if (!weft_job_pmi_number(variable(WEFT_SETTING_ENVIRONMENT_PMI_FD), &fd) || fd > INT32_MAX ||
        !weft_job_pmi_number(variable(WEFT_SETTING_ENVIRONMENT_PMI_RANK), &pmi->rank) ||
        !weft_job_pmi_number(variable(WEFT_SETTING_ENVIRONMENT_PMI_SIZE), &pmi->size) ||
        pmi->rank >= pmi->size || pmi->size > INT32_MAX)
        return refuse("PMI_FD, PMI_RANK and PMI_SIZE make no sense");
    pmi->wire.fd = (int)fd;
    if (fcntl(pmi->wire.fd, F_GETFD) < 0)
        return refuse("PMI_FD is not open; was this process started by the one it is meant for?");
    /* The launcher accepts one that speaks to it: the MPI library has, or is going to. */
    if (dlsym(RTLD_DEFAULT, "PMPI_Init"))
        return refuse("this is an MPI program, whose MPI library uses it");
    return true;
}

static bool has_room(const struct pmi *pmi, const char *name, uint32_t least)
{
    char field[16];
    uint32_t most;
    return weft_job_pmi_field(pmi->wire.line, name, field, sizeof(field)) &&
           weft_job_pmi_number(field, &most) && most >= least;
}

static bool agree(struct pmi *pmi, uint64_t deadline)
{
    int result =
        ask(pmi, "cmd=init pmi_version=1 pmi_subversion=1\n", "response_to_init", deadline);
    if (!is_fine(result, "to speak PMI-1") ||
        !is_fine(ask(pmi, "cmd=get_maxes\n", "maxes", deadline), "for its limits"))
        return false;
    if (!has_room(pmi, "keylen_max", 32) ||
        !has_room(pmi, "vallen_max", 2 * WEFT_JOB_CARD_SIZE + 1))
        return refuse("its limits are too low");
    result = ask(pmi, "cmd=get_my_kvsname\n", "my_kvsname", deadline);
    if (result == 0 &&
        !weft_job_pmi_field(pmi->wire.line, "kvsname", pmi->space, sizeof(pmi->space)))
        result = -EPROTO;
    return is_fine(result, "for the name of the job");
}

static bool learn_hosts(struct pmi *pmi, uint64_t deadline)
{
    char value[VALUE_LENGTH + 1];
    int result = get(pmi, "PMI_process_mapping", value, deadline);
    if (result == 0 && !weft_job_mapping_parse(&pmi->mapping, value))
        result = -EPROTO;
    return is_fine(result, "which processes share a host (PMI_process_mapping)");
}

static bool share_token(struct pmi *pmi, unsigned char *token, uint64_t deadline)
{
    if (pmi->rank == 0 && (!weft_job_make_token(token) ||
                           !is_fine(put(pmi, TOKEN, token, WEFT_JOB_TOKEN_SIZE, deadline),
                                    "to give the key of the job to the others")))
        return false;
    if (!is_fine(ask(pmi, "cmd=barrier_in\n", "barrier_out", deadline),
                 "to wait for all processes of the job"))
        return false;
    size_t size = WEFT_JOB_TOKEN_SIZE;
    int result = 0;
    if (pmi->rank > 0)
        result = get_bytes(pmi, TOKEN, token, WEFT_JOB_TOKEN_SIZE, &size, deadline);
    if (result == 0 && size != WEFT_JOB_TOKEN_SIZE)
        result = -EPROTO;
    return is_fine(result, "for the key of the job");
}

/* 0 if there is no barrier or it has ended by the deadline. */
static int end_barrier(struct pmi *pmi, uint64_t deadline)
{
    if (pmi->is_broken)
        return -EIO;
    if (!pmi->is_in_barrier)
        return 0;
    int result = receive(pmi, "barrier_out", deadline);
    if (result == -ETIMEDOUT)
        return -EAGAIN;
    pmi->is_in_barrier = false;
    pmi->is_broken = !is_fine(result, "to wait for all processes of the job");
    return result;
}

static void leave_pmi(struct weft_job_wireup *wireup)
{
    struct pmi *pmi = (struct pmi *)wireup;
    uint64_t deadline = weft_deadline_of(WEFT_SETTING_LAUNCH_TIMEOUT);
    /* Launchers take an end without this for a crash, and kill the others. */
    if (end_barrier(pmi, deadline) == 0)
        is_fine(ask(pmi, "cmd=finalize\n", "finalize_ack", deadline), "to let us go");
}

/* ---- Cards --------------------------------------------------------------------------------- */

static void name_card(char name[32], uint32_t rank)
{
    snprintf(name, 32, "weft-card-%u", rank);
}

static int publish(struct weft_job_wireup *wireup, const void *card, size_t size)
{
    struct pmi *pmi = (struct pmi *)wireup;
    uint64_t deadline = weft_deadline_of(WEFT_SETTING_LAUNCH_TIMEOUT);
    if (pmi->card_size) {
        if (pmi->card_size == size && memcmp(pmi->card, card, size) == 0)
            return 0;
        refuse("it cannot replace what this process has said before");
        return -EEXIST;
    }
    char name[32];
    name_card(name, pmi->rank);
    int result = put(pmi, name, card, size, deadline);
    if (result == 0)
        result = weft_job_pmi_send(&pmi->wire, "cmd=barrier_in\n", deadline);
    if (!is_fine(result, "to give our address to the others"))
        return result;
    pmi->is_in_barrier = true;
    memcpy(pmi->card, card, size);
    pmi->card_size = size;
    return 0;
}

static int fetch(struct weft_job_wireup *wireup, uint32_t rank, void *card, size_t room,
                 size_t *size)
{
    struct pmi *pmi = (struct pmi *)wireup;
    int result = end_barrier(pmi, 0);
    if (result < 0)
        return result;
    /* Before our own barrier nobody can have passed it. */
    if (!pmi->card_size)
        return -EAGAIN;
    char name[32];
    name_card(name, rank);
    result = get_bytes(pmi, name, card, room, size, weft_deadline_of(WEFT_SETTING_TIMEOUT));
    if (result != -EMSGSIZE)
        is_fine(result, name);
    return result;
}

static int node(struct weft_job_wireup *wireup, uint32_t rank, uint32_t *number)
{
    *number = weft_job_mapping_node(&((struct pmi *)wireup)->mapping, rank);
    return 0;
}

static const struct weft_job_wireup_ops ops = {
    .publish = publish, .fetch = fetch, .node = node, .leave = leave_pmi};

/* ---- The launcher -------------------------------------------------------------------------- */

static struct weft_job_wireup *open_pmi(struct weft_job *job,
                                        unsigned char token[WEFT_JOB_TOKEN_SIZE])
{
    uint64_t deadline = weft_deadline_of(WEFT_SETTING_LAUNCH_TIMEOUT);
    struct pmi *pmi = weft_job_wireup_new(sizeof(*pmi), &ops);
    if (!pmi)
        return NULL;
    if (read_environment(pmi) && agree(pmi, deadline) && learn_hosts(pmi, deadline) &&
        share_token(pmi, token, deadline)) {
        job->rank = pmi->rank;
        job->size = pmi->size;
        job->node = weft_job_mapping_node(&pmi->mapping, pmi->rank);
        return &pmi->wireup;
    }
    free(pmi);
    return NULL;
}

const struct weft_job_launcher weft_job_launcher_pmi = {
    .name = "PMI-1", .is_there = is_there, .open = open_pmi};
