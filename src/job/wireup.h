/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a process learns from its launcher: its rank, which ranks share its host, the key of the
 * job, and the cards of others: a few bytes by which each says where it can be reached. Nothing
 * is collected in advance; a card is fetched when it is first needed.
 *
 *   pmix   PMIx: mpirun of Open MPI, srun --mpi=pmix. Only rank 0 is waited for.
 *   pmi    PMI-1: mpirun of MPICH (Hydra), srun --mpi=pmi2. It has no way to tell anybody
 *          anything but a barrier, so all processes of the job must come.
 *   file   a file that all hosts see, for processes started by hand: WEFT_RENDEZVOUS, WEFT_RANK,
 *          WEFT_SIZE.
 *   given  what the program says, in which another library has started the job.
 */
#ifndef WEFT_JOB_WIREUP_H
#define WEFT_JOB_WIREUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEFT_JOB_KEY_SIZE 16u
#define WEFT_JOB_ID_SIZE 8u
#define WEFT_JOB_CARD_SIZE 200u
/* What one process makes and all of the job get: the key and the id. */
#define WEFT_JOB_TOKEN_SIZE (WEFT_JOB_KEY_SIZE + WEFT_JOB_ID_SIZE)

struct weft_job {
    uint32_t rank, size;
    uint32_t node; /* number of our host in the job: from 0, perhaps with gaps */
    unsigned char key[WEFT_JOB_KEY_SIZE]; /* random, the same for all, and secret */
    unsigned char id[WEFT_JOB_ID_SIZE];   /* the same, but not secret: names files */
};

enum weft_job_status {
    WEFT_JOB_OK,
    WEFT_JOB_NONE,  /* there is no launcher */
    WEFT_JOB_FAILED /* the log says why */
};

struct weft_job_wireup;

/* False if there is no randomness, and the log says so. */
bool weft_job_make_token(unsigned char token[WEFT_JOB_TOKEN_SIZE]);

/* Both functions as those of the same name below. */
struct weft_job_given {
    uint32_t rank, size;
    const uint32_t *nodes; /* of each rank, as long as the wireup is open */
    unsigned char token[WEFT_JOB_TOKEN_SIZE];
    int (*publish)(const void *card, size_t size);
    int (*fetch)(uint32_t rank, void *card, size_t room, size_t *size);
};

/* Before weft_job_open, which then asks no launcher. */
void weft_job_give(const struct weft_job_given *job);

/* NULL unless `status` is WEFT_JOB_OK. Launchers accept a process once: a process opens this
 * once, and leaves when it ends. All other calls are for any thread. */
struct weft_job_wireup *weft_job_open(struct weft_job *job, enum weft_job_status *status);

/* Makes our card, up to WEFT_JOB_CARD_SIZE bytes, available to the others. 0, or a negative errno
 * and the log says why: -EEXIST if PMI-1 has another card already, which it cannot replace. */
int weft_job_publish(struct weft_job_wireup *wireup, const void *card, size_t size);

/* The card of a rank: 0; -EAGAIN if it is not there yet; -EMSGSIZE if there is no room for it;
 * another negative errno if it never will be. Does not wait for the other process. */
int weft_job_fetch(struct weft_job_wireup *wireup, uint32_t rank, void *card, size_t room,
                   size_t *size);

/* The number of a rank's host: 0; -EAGAIN only with a file, where nobody knows before the rank
 * has come; another negative errno if there is no such rank. */
int weft_job_node(struct weft_job_wireup *wireup, uint32_t rank, uint32_t *node);

/* Tells the launcher that this process ends. Cards are not to be had any more (-ESHUTDOWN), but
 * what is known stays in memory: threads of worlds that are still open may look at it. */
void weft_job_leave(struct weft_job_wireup *wireup);

#endif
