/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/record/absent.h"

#include <string.h>

#include "mpi/record/between.h"
#include "mpi/record/note.h"

enum { MOST = 256 }; /* more than there are */

static struct {
    uint32_t note;
    uint64_t calls;
} all[MOST];
static uint32_t count;

void weft_mpi_absent_add(const char *name)
{
    uint32_t note = weft_mpi_note(name), i = 0;
    while (i < count && all[i].note != note)
        i++;
    if (i == MOST)
        return;
    count += i == count;
    all[i].note = note;
    all[i].calls++;
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), short_length = strlen(end);
    return length > short_length && strcmp(name + length - short_length, end) == 0;
}

/* One-sided calls, files and neighbours; all other collectives are recorded, but for those with
 * persistent requests. */
static bool is_absent(const char *name)
{
    if (ends_with(name, "_init") || ends_with(name, "_init_c"))
        return true;
    static const char *const beginnings[] = {
        "Accumulate", "File_", "Get", "Ineighbor_", "Neighbor_", "Put", "Racc", "Rget", "Rput"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

void weft_mpi_absent_pass(const char *name)
{
    if (weft_mpi_record_is_on && is_absent(name + strlen("MPI_")))
        weft_mpi_absent_add(name);
}

uint32_t weft_mpi_absent_count(void)
{
    return count;
}

const char *weft_mpi_absent_name(uint32_t index, uint64_t *calls)
{
    *calls = all[index].calls;
    return weft_mpi_note_text(all[index].note);
}
