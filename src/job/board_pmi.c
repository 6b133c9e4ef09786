/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/setting.h"
#include "job/board.h"
#include "job/pmi_wire.h"

#define NAME_LENGTH 256u

static struct {
    struct weft_job_pmi_wire wire;
    char space[NAME_LENGTH];
} pmi;

static bool read_number(enum weft_setting_environment name, uint32_t *number)
{
    const char *text = weft_setting_environment(name);
    return text && weft_job_pmi_number(text, number);
}

static bool is_there(void)
{
    uint32_t fd;
    return read_number(WEFT_SETTING_ENVIRONMENT_PMI_FD, &fd) && fd <= INT32_MAX &&
           fcntl((int)fd, F_GETFD) >= 0;
}

/* The answer is in the line then. */
static bool is_answered(const char *question, uint64_t deadline)
{
    return weft_job_pmi_send(&pmi.wire, question, deadline) == 0 &&
           weft_job_pmi_receive(&pmi.wire, deadline) == 0;
}

static bool is_yes(void)
{
    char result[16];
    return !weft_job_pmi_field(pmi.wire.line, "rc", result, sizeof result) || result[0] == '0';
}

static bool ask(const char *question, uint64_t deadline)
{
    return is_answered(question, deadline) && is_yes();
}

static bool put_token(uint64_t deadline)
{
    char line[NAME_LENGTH + 128], value[2 * WEFT_JOB_TOKEN_SIZE + 1];
    unsigned char token[WEFT_JOB_TOKEN_SIZE];
    if (!weft_job_make_token(token))
        return false;
    weft_job_pmi_write_bytes(value, token, sizeof token);
    snprintf(line, sizeof line, "cmd=put kvsname=%s key=weft-token value=%s\n", pmi.space, value);
    bool is_put = ask(line, deadline);
    explicit_bzero(token, sizeof token);
    explicit_bzero(value, sizeof value);
    explicit_bzero(line, sizeof line);
    return is_put;
}

static bool put(uint32_t number, uint64_t deadline)
{
    char line[NAME_LENGTH + 128];
    uint32_t fd = 0, rank = 0;
    read_number(WEFT_SETTING_ENVIRONMENT_PMI_FD, &fd);
    pmi.wire = (struct weft_job_pmi_wire){.fd = (int)fd};
    if (!read_number(WEFT_SETTING_ENVIRONMENT_PMI_RANK, &rank) ||
        !ask("cmd=init pmi_version=1 pmi_subversion=1\n", deadline) ||
        !ask("cmd=get_my_kvsname\n", deadline) ||
        !weft_job_pmi_field(pmi.wire.line, "kvsname", pmi.space, sizeof pmi.space))
        return false;
    if (rank == 0 && !put_token(deadline))
        return false;
    snprintf(line, sizeof line, "cmd=put kvsname=%s key=weft-here-%u value=%u\n", pmi.space, rank,
             number);
    return !is_answered(line, deadline) || is_yes();
}

static bool get(uint32_t rank, uint32_t *number, uint64_t deadline)
{
    char line[NAME_LENGTH + 128], value[16];
    snprintf(line, sizeof line, "cmd=get kvsname=%s key=weft-here-%u\n", pmi.space, rank);
    if (!is_answered(line, deadline))
        return false;
    if (!is_yes() || !weft_job_pmi_field(pmi.wire.line, "value", value, sizeof value) ||
        !weft_job_pmi_number(value, number))
        *number = 0;
    return true;
}

static bool get_token(unsigned char token[WEFT_JOB_TOKEN_SIZE], uint64_t deadline)
{
    char line[NAME_LENGTH + 128], value[2 * WEFT_JOB_TOKEN_SIZE + 1];
    size_t size;
    snprintf(line, sizeof line, "cmd=get kvsname=%s key=weft-token\n", pmi.space);
    bool is_whole = ask(line, deadline) &&
                    weft_job_pmi_field(pmi.wire.line, "value", value, sizeof value) &&
                    weft_job_pmi_read_bytes(value, token, WEFT_JOB_TOKEN_SIZE, &size) &&
                    size == WEFT_JOB_TOKEN_SIZE;
    explicit_bzero(value, sizeof value);
    explicit_bzero(pmi.wire.line, sizeof pmi.wire.line);
    return is_whole;
}

/* MPI itself takes its leave. */
static void leave(void)
{
}

const struct weft_job_board weft_job_board_pmi = {
    .is_there = is_there, .put = put, .get = get, .token = get_token, .close = leave};
