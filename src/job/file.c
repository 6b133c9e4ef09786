/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file that all hosts of the job see, for processes that are started by hand. Each rank has a
 * place of its own in it:
 *
 *   0  +-------------------------------+
 *      | head: how many ranks; token   |
 *   40 +-------------------------------+
 *      | place of rank 0               |
 *      | place of rank 1 ...           |
 *
 * The first to come makes the file and the token, the last to leave removes it. Hosts are numbered
 * in the order in which they first came.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/deadline.h"
#include "base/log.h"
#include "base/setting.h"
#include "job/launcher.h"
#include "job/locked_file.h"
#include "job/machine.h"

#define MAGIC UINT64_C(0x31424f4a54464557) /* "WEFTJOB1" */
#define MOST_RANKS 65536u

struct file_head {
    uint64_t magic;
    uint32_t version;
    uint32_t size;
    unsigned char token[WEFT_JOB_TOKEN_SIZE];
};

enum state { NOBODY, HERE, LEFT };

struct place {
    uint32_t state;
    uint32_t node;
    uint32_t os_pid;
    uint32_t card_size; /* 0: not published */
    struct weft_job_machine host;
    unsigned char card[WEFT_JOB_CARD_SIZE];
};

struct file {
    struct weft_job_wireup wireup; /* must be first */
    uint32_t rank, size;
    char path[];
};

static bool is_there(void)
{
    return weft_setting(WEFT_SETTING_SIZE) > 0;
}

static int refuse(const struct file *file, const char *why)
{
    weft_job_locked_refuse(file->path, why);
    return -EIO;
}

/* ---- Places -------------------------------------------------------------------------------- */

static off_t place_of(uint32_t rank)
{
    return (off_t)(sizeof(struct file_head) + (size_t)rank * sizeof(struct place));
}

/* Beyond the end of the file, and where nobody has written, there is nobody. */
static bool read_places(int fd, uint32_t rank, struct place *places, uint32_t count)
{
    memset(places, 0, count * sizeof(*places));
    if (pread(fd, places, count * sizeof(*places), place_of(rank)) < 0)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (places[i].state > LEFT || places[i].card_size > WEFT_JOB_CARD_SIZE ||
            places[i].node >= MOST_RANKS)
            return false;
    return true;
}

static bool write_place(int fd, uint32_t rank, const struct place *place)
{
    return weft_job_locked_write(fd, place, sizeof(*place), (size_t)place_of(rank));
}

/* 0 and the place of a rank that has come, and perhaps left; -EAGAIN if it has not, or somebody
 * has the lock. */
static int look_at(const struct file *file, uint32_t rank, struct place *place)
{
    int fd;
    switch (weft_job_locked_try(file->path, 0, LOCK_SH, &fd)) {
    case WEFT_JOB_LOCKED_FINE:
        break;
    case WEFT_JOB_LOCKED_ABSENT:
        return -EAGAIN;
    case WEFT_JOB_LOCKED_FAILED:
        return -EIO;
    }
    bool fine = read_places(fd, rank, place, 1);
    close(fd);
    if (!fine)
        return refuse(file, "it is damaged");
    return place->state == NOBODY ? -EAGAIN : 0;
}

static int lock_file(const struct file *file, int flags, int *fd)
{
    uint64_t deadline = weft_deadline_of(WEFT_SETTING_LAUNCH_TIMEOUT);
    switch (weft_job_locked_open(file->path, flags, deadline, fd)) {
    case WEFT_JOB_LOCKED_FINE:
        return 0;
    case WEFT_JOB_LOCKED_ABSENT:
        return refuse(file, "somebody has removed it");
    case WEFT_JOB_LOCKED_FAILED:
        break;
    }
    return -EIO;
}

/* ---- Hosts --------------------------------------------------------------------------------- */

/* As far as one can tell from this host. */
static bool is_alive(const struct place *place, const struct weft_job_machine *host)
{
    return place->state == HERE && (!weft_job_machine_is_same(&place->host, host) ||
                                    kill((pid_t)place->os_pid, 0) == 0 || errno != ESRCH);
}

/* Nobody uses the file any more, and it is not that some have left before others came. */
static bool is_over(const struct place *places, uint32_t size, const struct weft_job_machine *host)
{
    bool has_dead = false, has_all = true;
    for (uint32_t i = 0; i < size; i++) {
        if (is_alive(&places[i], host))
            return false;
        has_dead |= places[i].state == HERE;
        has_all &= places[i].state != NOBODY;
    }
    return has_dead || has_all;
}

static uint32_t number_host(const struct place *places, uint32_t size,
                            const struct weft_job_machine *host)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < size; i++) {
        if (places[i].state == NOBODY)
            continue;
        if (weft_job_machine_is_same(&places[i].host, host))
            return places[i].node;
        if (places[i].node >= next)
            next = places[i].node + 1;
    }
    return next;
}

/* ---- Joining and leaving ------------------------------------------------------------------- */

/* A new one has nobody else in it. */
static int cannot_fill(const struct file *file, bool is_new)
{
    int error = errno;
    if (is_new)
        unlink(file->path);
    return refuse(file, weft_job_locked_fault(error));
}

/* Makes a new file of what nobody alive uses. */
static int begin(const struct file *file, int fd, struct file_head *head)
{
    *head = (struct file_head){.magic = MAGIC, .version = 1, .size = file->size};
    if (!weft_job_make_token(head->token))
        return -EIO;
    if (ftruncate(fd, 0) < 0 || !weft_job_locked_write(fd, head, sizeof(*head), 0))
        return cannot_fill(file, true);
    return 0;
}

/* What is wrong with a file that is in use, or NULL. */
static const char *fault_of(const struct file *file, const struct file_head *head, bool is_ours,
                            const struct place *places)
{
    if (!is_ours || head->version != 1)
        return "it holds something else, or was made by another version";
    if (head->size != file->size)
        return "it is of a job of another size (WEFT_SIZE)";
    if (places[file->rank].state == HERE)
        return "it has another process of this rank (WEFT_RANK); if that is dead, remove it";
    return NULL;
}

static int enter(const struct file *file, int fd, struct place *places, struct weft_job *job,
                 unsigned char *token)
{
    struct file_head head;
    struct place self = {.state = HERE, .os_pid = (uint32_t)getpid()};
    if (!weft_job_machine_learn(&self.host))
        return refuse(file, "/proc does not say which host this is");
    ssize_t got = pread(fd, &head, sizeof(head), 0);
    if (got < 0 || !read_places(fd, 0, places, file->size))
        return refuse(file, "it is damaged");
    bool is_ours = got == (ssize_t)sizeof(head) && head.magic == MAGIC;
    bool is_new = got == 0 || (is_ours && is_over(places, file->size, &self.host));
    const char *fault = NULL;
    if (is_new) {
        memset(places, 0, file->size * sizeof(*places));
        if (begin(file, fd, &head) < 0)
            return -EIO;
    } else {
        fault = fault_of(file, &head, is_ours, places);
    }
    if (fault)
        return refuse(file, fault);
    self.node = number_host(places, file->size, &self.host);
    if (self.node >= MOST_RANKS)
        return refuse(file, "it is damaged");
    if (!write_place(fd, file->rank, &self))
        return cannot_fill(file, is_new);
    job->node = self.node;
    memcpy(token, head.token, sizeof(head.token));
    return 0;
}

static int join(const struct file *file, struct weft_job *job, unsigned char *token)
{
    int fd;
    struct place *places = calloc(file->size, sizeof(*places));
    if (!places)
        return refuse(file, strerror(ENOMEM));
    int result = lock_file(file, O_CREAT, &fd);
    if (result == 0) {
        result = enter(file, fd, places, job, token);
        close(fd);
    }
    free(places);
    return result;
}

static void leave(const struct file *file, int fd)
{
    struct place self, *places = calloc(file->size, sizeof(*places));
    if (!places || !read_places(fd, 0, places, file->size)) {
        refuse(file, places ? "it is damaged" : strerror(ENOMEM));
        free(places);
        return;
    }
    self = places[file->rank];
    places[file->rank].state = self.state = LEFT;
    bool fine = is_over(places, file->size, &self.host) ? unlink(file->path) == 0
                                                        : write_place(fd, file->rank, &self);
    if (!fine)
        refuse(file, strerror(errno));
    free(places);
}

static void leave_file(struct weft_job_wireup *wireup)
{
    struct file *file = (struct file *)wireup;
    int fd;
    if (lock_file(file, 0, &fd) == 0) {
        leave(file, fd);
        close(fd);
    }
}

/* ---- Cards --------------------------------------------------------------------------------- */

static int publish(struct weft_job_wireup *wireup, const void *card, size_t size)
{
    const struct file *file = (const struct file *)wireup;
    struct place self;
    int fd;
    if (lock_file(file, 0, &fd) < 0)
        return -EIO;
    bool fine = read_places(fd, file->rank, &self, 1) && self.state == HERE;
    memcpy(self.card, card, size);
    self.card_size = (uint32_t)size;
    fine = fine && write_place(fd, file->rank, &self);
    close(fd);
    return fine ? 0 : refuse(file, "it is damaged");
}

static int fetch(struct weft_job_wireup *wireup, uint32_t rank, void *card, size_t room,
                 size_t *size)
{
    struct place place;
    int result = look_at((const struct file *)wireup, rank, &place);
    if (result < 0)
        return result;
    if (place.card_size == 0)
        return place.state == LEFT ? -ENOENT : -EAGAIN;
    if (place.card_size > room)
        return -EMSGSIZE;
    memcpy(card, place.card, place.card_size);
    *size = place.card_size;
    return 0;
}

static int node(struct weft_job_wireup *wireup, uint32_t rank, uint32_t *number)
{
    struct place place;
    int result = look_at((const struct file *)wireup, rank, &place);
    if (result == 0)
        *number = place.node;
    return result;
}

static const struct weft_job_wireup_ops ops = {
    .publish = publish, .fetch = fetch, .node = node, .leave = leave_file};

/* ---- The launcher -------------------------------------------------------------------------- */

static struct weft_job_wireup *open_file(struct weft_job *job,
                                         unsigned char token[WEFT_JOB_TOKEN_SIZE])
{
    uint64_t rank = weft_setting(WEFT_SETTING_RANK), size = weft_setting(WEFT_SETTING_SIZE);
    const char *path = weft_setting_text(WEFT_SETTING_RENDEZVOUS);
    if (rank >= size || size > MOST_RANKS || !*path) {
        weft_log(WEFT_LOG_ERROR,
                 "a job started by hand needs %s below %s, at most %u processes, and a file that "
                 "all hosts see as %s",
                 weft_setting_info(WEFT_SETTING_RANK)->name,
                 weft_setting_info(WEFT_SETTING_SIZE)->name, MOST_RANKS,
                 weft_setting_info(WEFT_SETTING_RENDEZVOUS)->name);
        return NULL;
    }
    size_t room = strlen(path) + 1;
    struct file *file = weft_job_wireup_new(sizeof(*file) + room, &ops);
    if (!file)
        return NULL;
    memcpy(file->path, path, room);
    file->rank = job->rank = (uint32_t)rank;
    file->size = job->size = (uint32_t)size;
    if (join(file, job, token) == 0)
        return &file->wireup;
    free(file);
    return NULL;
}

const struct weft_job_launcher weft_job_launcher_file = {
    .name = "file", .is_there = is_there, .open = open_file};
