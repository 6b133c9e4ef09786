/* SPDX-License-Identifier: BSD-3-Clause */
#include <weft_handlers.h>

#include "spin/spin.h"

#define COUNT 9000 /* doubles: some packets, in every world */
#define SIZE (COUNT * sizeof(double))
#define SENDERS 3

/* Small numbers, so that every result is exact. */
static double *numbers(struct job *job, unsigned seed)
{
    double *values = job_memory(job, SIZE);
    for (unsigned i = 0; i < COUNT; i++)
        values[i] = (double)((i * 7 + seed) % 19) - 9;
    return values;
}

typedef int constructor(ptl_handle_ni_t ni, const struct weft_handler_accumulate *accumulate,
                        ptl_handlers_t *handlers);

/* Every sender sends its numbers at the same time; the target gives what is then in its memory. */
static const double *combine(struct job *job, constructor *construct, double *memory)
{
    if (job->target) {
        static const struct weft_handler_accumulate unlocked;
        ptl_handlers_t handlers;
        ok(construct(job->ni, &unlocked, &handlers));
        post_spin(&handlers, memory, SIZE, .options = PTL_ME_OP_PUT);
        job_barrier(job);
        for (unsigned i = 1; i < job->size; i++)
            equals(next_event(job->target_eq, PTL_EVENT_PUT).mlength, SIZE);
    } else {
        job_barrier(job);
        ok(put(job_md(job, memory, SIZE), SIZE, .ack = PTL_ACK_REQ));
        equals(next_event(job->eq, PTL_EVENT_ACK).mlength, SIZE);
    }
    job_barrier(job);
    return memory;
}

BEHAVIOUR("sum: doubles of many senders at once are all added", SPIN, .ranks = SENDERS + 1)
{
    const double *sum = combine(job, weft_handler_sum, numbers(job, job->rank));
    unsigned wrong = 0;
    for (unsigned i = 0; i < COUNT && job->target; i++) {
        double expected = 0;
        for (unsigned rank = 0; rank <= SENDERS; rank++)
            expected += (double)((i * 7 + rank) % 19) - 9;
        wrong += sum[i] != expected;
    }
    equals(wrong, 0);
}

BEHAVIOUR("product: complex numbers are multiplied, whichever packets they come in", SPIN,
          .ranks = 2)
{
    const double *product = combine(job, weft_handler_product, numbers(job, job->rank));
    const double *a = numbers(job, 0), *b = numbers(job, 1);
    unsigned wrong = 0;
    for (unsigned i = 0; i < COUNT && job->target; i += 2) {
        wrong += product[i] != a[i] * b[i] - a[i + 1] * b[i + 1];
        wrong += product[i + 1] != a[i] * b[i + 1] + a[i + 1] * b[i];
    }
    equals(wrong, 0);
}

BEHAVIOUR("product: half an element fails and changes nothing", SPIN, .ranks = 2)
{
    double *memory = job_memory(job, 32);
    if (job->target) {
        static const struct weft_handler_accumulate unlocked;
        ptl_handlers_t handlers;
        ok(weft_handler_product(job->ni, &unlocked, &handlers));
        memory[0] = memory[1] = memory[2] = memory[3] = 1;
        post_spin(&handlers, memory, 32, .options = PTL_ME_OP_PUT);
        job_barrier(job);
        for (unsigned i = 0; i < 2; i++)
            next_failure(job->target_eq, PTL_EVENT_PUT, PTL_NI_HANDLER);
        holds(memory[0] == 1 && memory[1] == 1 && memory[2] == 1 && memory[3] == 1);
    } else {
        job_barrier(job);
        ptl_handle_md_t md = job_md(job, memory, 32);
        ok(put(md, 16, .remote_offset = 8, .ack = PTL_ACK_REQ));
        ok(put(md, 8, .ack = PTL_ACK_REQ));
        for (unsigned i = 0; i < 2; i++)
            next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_HANDLER);
    }
    job_barrier(job);
}

BEHAVIOUR("sum: many short messages for one place are all added", SPIN, .ranks = SENDERS + 1)
{
    enum { EACH = 300, HOT = 128 };
    double *numbers = job_memory(job, HOT * sizeof *numbers);
    ptl_handle_ct_t ct = job_ct(job);
    if (job->target) {
        static const struct weft_handler_accumulate unlocked;
        ptl_handlers_t handlers;
        ok(weft_handler_sum(job->ni, &unlocked, &handlers));
        post_spin(&handlers, numbers, HOT * sizeof *numbers, .ct = &ct,
                  .options = PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_COMM_DISABLE);
        job_barrier(job);
        counts(ct, SENDERS * EACH, 0);
        for (unsigned i = 0; i < HOT; i++)
            holds(numbers[i] == SENDERS * EACH);
    } else {
        for (unsigned i = 0; i < HOT; i++)
            numbers[i] = 1;
        ptl_handle_md_t md = job_md(job, numbers, HOT * sizeof *numbers);
        job_barrier(job);
        for (unsigned i = 0; i < EACH; i++)
            ok(put(md, HOT * sizeof *numbers));
    }
    job_barrier(job);
}
