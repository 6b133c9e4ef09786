/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 finds out who has changed its memory since a transaction began: README.md. */
#include <weft_handlers.h>

#include "spin.h"

#define CELLS 1000
#define CAPACITY 4096
#define BITS 1

/* Every rank reads the cells of the next one and writes its own. */
static void use_cells(struct spin *spin)
{
    double value = spin->rank;
    for (unsigned i = 0; i < 10; i++) {
        double other;
        ptl_size_t cell = spin->rank * 10 + i;
        spin_get(spin, &other, sizeof other, 0, BITS, (cell + 10) * sizeof other);
        spin_put(spin, &value, sizeof value, 0, BITS, cell * sizeof value, 0);
    }
}

/* Whether the log has what the ranks say that they did. */
static bool is_complete(const struct spin *spin, const struct weft_handler_log *log)
{
    unsigned wrong = 0, reads = 0, writes = 0;
    for (uint64_t i = 0; i < log->count; i++) {
        const struct weft_handler_access *access = &weft_handler_log_accesses(log)[i];
        bool is_write = access->type == PTL_REQUEST_PUT;
        ptl_rank_t whose = (ptl_rank_t)(access->offset / sizeof(double) / 10);
        wrong += whose != access->source.rank + !is_write || access->length != sizeof(double);
        writes += is_write;
        reads += access->type == PTL_REQUEST_GET;
    }
    return wrong == 0 && reads == 10 * spin->size && writes == 10 * spin->size;
}

int main(void)
{
    struct spin spin;
    ptl_handlers_t handlers;
    const uint64_t capacity = CAPACITY;
    spin_open(&spin, 1);
    double *cells = spin_memory(CELLS * sizeof *cells);
    struct weft_handler_log *log = spin_memory(weft_handler_log_size(capacity));
    if (spin.rank == 0) {
        NEED(weft_handler_access_log(spin.ni, log, &capacity, &handlers));
        spin_post(&spin, cells, CELLS * sizeof *cells,
                  PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_COMM_DISABLE, BITS, PTL_CT_NONE,
                  &handlers);
    }
    spin_barrier(&spin);
    use_cells(&spin);
    spin_barrier(&spin);
    if (spin.rank == 0)
        spin_say(is_complete(&spin, log), "access_log: %u accesses of %u ranks are known",
                 (unsigned)log->count, spin.size);
    spin_close(&spin);
    return 0;
}
