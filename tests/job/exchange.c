/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exchange FOLDER: one rank of a job that a launcher or a hand has started. Every rank publishes a
 * card and fetches those of all others. Rank 1 publishes only after rank 0 has asked for its card
 * in vain; files in the folder, which all ranks see, tell so. Prints "rank R of S on host H" and
 * ends with 0 if all was well.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "job/wireup.h"

#define PATIENCE (30 * WEFT_CLOCK_SECOND)

#define need(condition)                                                                           \
    do {                                                                                          \
        if (!(condition)) {                                                                       \
            fprintf(stderr, "rank %u, line %d: %s\n", job.rank, __LINE__, #condition);            \
            exit(1);                                                                              \
        }                                                                                         \
    } while (0)

static struct weft_job job;
static const char *folder;

struct card {
    unsigned char key[WEFT_JOB_KEY_SIZE];
    unsigned char id[WEFT_JOB_ID_SIZE];
    uint32_t rank, node;
    unsigned char rest[WEFT_JOB_CARD_SIZE - 32]; /* the largest that there may be */
};

static struct card card_of(uint32_t rank, uint32_t node)
{
    struct card card = {.rank = rank, .node = node};
    memcpy(card.key, job.key, sizeof(card.key));
    memcpy(card.id, job.id, sizeof(card.id));
    for (size_t i = 0; i < sizeof(card.rest); i++)
        card.rest[i] = (unsigned char)(rank + i);
    return card;
}

static void pause_until(uint64_t deadline)
{
    need(weft_clock_now() < deadline);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* In the folder that all ranks see. */
static void leave_note(const char *name)
{
    int fd = open(name, O_CREAT | O_WRONLY, 0600);
    need(fd >= 0);
    close(fd);
}

static void wait_for_note(const char *name)
{
    uint64_t deadline = weft_clock_now() + PATIENCE;
    while (access(name, F_OK) != 0)
        pause_until(deadline);
}

static void fetch(struct weft_job_wireup *wireup, uint32_t rank, bool shall_be_late)
{
    uint64_t deadline = weft_clock_now() + PATIENCE;
    struct card card;
    size_t size = 0;
    unsigned rounds = 0;
    int result;
    while ((result = weft_job_fetch(wireup, rank, &card, sizeof(card), &size)) == -EAGAIN) {
        /* Not at once: a question that is under way must have time to be answered. */
        if (shall_be_late && ++rounds == 50)
            leave_note("asked");
        pause_until(deadline);
    }
    need(result == 0);
    need(size == sizeof(card));
    need(!shall_be_late || rounds >= 50);
    uint32_t node;
    while ((result = weft_job_node(wireup, rank, &node)) == -EAGAIN)
        pause_until(deadline); /* somebody has the file */
    need(result == 0);
    struct card expected = card_of(rank, node);
    need(memcmp(&card, &expected, sizeof(card)) == 0);
}

/* The server of a host may forget the cards of processes that have left. */
static void wait_for_all(void)
{
    char note[32];
    snprintf(note, sizeof(note), "done-%u", job.rank);
    leave_note(note);
    for (uint32_t rank = 0; rank < job.size; rank++) {
        snprintf(note, sizeof(note), "done-%u", rank);
        wait_for_note(note);
    }
}

static void check_refusals(struct weft_job_wireup *wireup)
{
    struct card card;
    size_t size;
    uint32_t node;
    need(weft_job_fetch(wireup, job.size, &card, sizeof(card), &size) == -EINVAL);
    need(weft_job_node(wireup, job.size, &node) == -EINVAL);
    need(weft_job_publish(wireup, &card, 0) == -EINVAL);
    need(weft_job_publish(wireup, &card, WEFT_JOB_CARD_SIZE + 1) == -EINVAL);
}

int main(int count, char **arguments)
{
    enum weft_job_status status;
    need(count == 2);
    folder = arguments[1];
    need(chdir(folder) == 0);
    struct weft_job_wireup *wireup = weft_job_open(&job, &status);
    need(wireup != NULL && status == WEFT_JOB_OK);
    need(job.rank < job.size);
    check_refusals(wireup);
    if (job.rank == 1)
        wait_for_note("asked");
    struct card card = card_of(job.rank, job.node);
    need(weft_job_publish(wireup, &card, sizeof(card)) == 0);
    if (job.size > 1 && job.rank == 0)
        fetch(wireup, 1, true);
    for (uint32_t rank = 0; rank < job.size; rank++)
        fetch(wireup, rank, false);
    char small[8];
    size_t size;
    int result;
    while ((result = weft_job_fetch(wireup, job.rank, small, sizeof(small), &size)) == -EAGAIN)
        pause_until(weft_clock_now() + PATIENCE);
    need(result == -EMSGSIZE);
    printf("rank %u of %u on host %u\n", job.rank, job.size, job.node);
    fflush(stdout);
    wait_for_all();
    weft_job_leave(wireup);
    return 0;
}
