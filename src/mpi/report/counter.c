/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/report/counter.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "mpi/report/notation.h"

#define BUCKETS 512u
/* Of a type as the program made it. */
enum { LONGEST_NOTATION = 200 };

static struct weft_mpi_form *forms, *buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_ullong reasons[WEFT_MPI_REASONS];

static struct weft_mpi_form *find(struct weft_mpi_form *form, const weft_type *type)
{
    while (form && !weft_type_equal(form->type, type))
        form = form->next_in_bucket;
    return form;
}

static struct weft_mpi_form *make(const weft_type *type)
{
    struct weft_mpi_form *form = calloc(1, sizeof *form);
    if (!form || weft_type_dup(type, &form->type) != WEFT_OK) {
        free(form);
        return NULL;
    }
    for (unsigned i = 0; i < WEFT_MPI_STAGED; i++)
        form->staged[i].is_local = true;
    form->next = forms;
    forms = form;
    return form;
}

struct weft_mpi_form *weft_mpi_form_of(const weft_type *type)
{
    struct weft_type_info info = {0};
    weft_type_query(type, &info, sizeof info);
    struct weft_mpi_form **bucket = &buckets[info.hash % BUCKETS];
    pthread_mutex_lock(&lock);
    struct weft_mpi_form *form = find(*bucket, type);
    if (!form && (form = make(type))) {
        form->size = info.size;
        form->pieces = info.pieces;
        form->next_in_bucket = *bucket;
        *bucket = form;
    }
    pthread_mutex_unlock(&lock);
    return form;
}

struct weft_mpi_form *weft_mpi_forms(void)
{
    return forms;
}

void weft_mpi_form_meet(struct weft_mpi_form *form, MPI_Datatype handle)
{
    if (!weft_mpi_report_is_wanted() || form->notation)
        return;
    if ((form->notation = malloc(LONGEST_NOTATION)))
        weft_mpi_notation(handle, form->notation, LONGEST_NOTATION);
    weft_mpi_measure(form, handle);
}

void weft_mpi_count_reason(enum weft_mpi_reason reason)
{
    weft_mpi_add_long(&reasons[reason], 1);
}

unsigned long long weft_mpi_reason_count(enum weft_mpi_reason reason)
{
    return atomic_load_explicit(&reasons[reason], memory_order_relaxed);
}

uint64_t weft_mpi_clock(void)
{
    return weft_mpi_report_is_wanted() ? weft_clock_now() : 0;
}
