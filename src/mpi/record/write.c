/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/record/write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/setting.h"
#include "mpi/message/ticket.h"
#include "mpi/record/absent.h"
#include "mpi/record/log.h"
#include "mpi/record/note.h"

enum { TAG = 0x60, ROOM = 1 << 16, LONGEST_LINE = 512 };

static FILE *file; /* of rank 0 */

/* What is to be written, in pieces; an empty one is the last of a rank. */
static struct {
    char text[ROOM];
    size_t length;
} piece;

static void complain(void)
{
    weft_log(WEFT_LOG_ERROR, "cannot write the record to %.300s: %s",
             weft_setting_text(WEFT_SETTING_RECORD), strerror(errno));
}

bool weft_mpi_record_open(void)
{
    if (weft_mpi.rank != 0)
        return true;
    file = fopen(weft_setting_text(WEFT_SETTING_RECORD), "w");
    if (!file)
        complain();
    return file != NULL;
}

void weft_mpi_record_close(void)
{
    bool is_bad = file && ferror(file);
    if (file && (fclose(file) != 0 || is_bad))
        complain();
    file = NULL;
}

/* ---- Text ---------------------------------------------------------------------------------- */

static void flush(void)
{
    if (weft_mpi.rank == 0)
        fwrite(piece.text, 1, piece.length, file);
    else
        mpi.Send(piece.text, (int)piece.length, MPI_BYTE, 0, TAG, weft_mpi.comm);
    piece.length = 0;
}

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...)
{
    va_list arguments;
    if (ROOM - piece.length < LONGEST_LINE)
        flush();
    va_start(arguments, format);
    int length = vsnprintf(piece.text + piece.length, LONGEST_LINE, format, arguments);
    va_end(arguments);
    piece.length += length < 0 ? 0 : (size_t)length;
}

static void put_message(const struct weft_mpi_step *step)
{
    bool is_send = step->kind == WEFT_MPI_STEP_SEND;
    put("%s %" PRIu64 "b %s ", is_send ? "send" : "recv", step->size, is_send ? "to" : "from");
    put(step->peer == WEFT_MPI_STEP_ANY ? "-1" : "%" PRIu32, step->peer);
    put(step->tag == WEFT_MPI_STEP_ANY ? " tag -1" : " tag %" PRIu32, step->tag);
}

static void put_step(uint32_t number)
{
    const struct weft_mpi_step *step = weft_mpi_log_step(number);
    uint32_t count;
    const uint32_t *needs = weft_mpi_log_needs(number, &count);
    put("l%" PRIu32 ": ", number);
    if (step->kind == WEFT_MPI_STEP_COMPUTE)
        put("calc %" PRIu64, step->size);
    else
        put_message(step);
    put(step->note ? " // %s\n" : "\n", weft_mpi_note_text(step->note));
    for (uint32_t i = 0; i < count; i++)
        put("l%" PRIu32 " %s l%" PRIu32 "\n", number,
            needs[i] & WEFT_MPI_NEED_BEGUN ? "irequires" : "requires",
            needs[i] & ~WEFT_MPI_NEED_BEGUN);
}

static void put_absent(void)
{
    for (uint32_t i = 0; i < weft_mpi_absent_count(); i++) {
        uint64_t calls;
        const char *name = weft_mpi_absent_name(i, &calls);
        put("// not recorded: %s, %" PRIu64 " calls\n", name, calls);
    }
}

static void put_rank(void)
{
    put("rank %d {\n// %" PRIu64 " ns from MPI_Init to MPI_Finalize\n", weft_mpi.rank,
        weft_mpi_log_duration());
    put_absent();
    for (uint32_t i = 0; i < weft_mpi_log_count(); i++)
        put_step(i);
    put("}\n");
}

/* ---- All ranks ----------------------------------------------------------------------------- */

static void copy_rank(int rank)
{
    int length = 0;
    do {
        MPI_Status status;
        mpi.Recv(piece.text, ROOM, MPI_BYTE, rank, TAG, weft_mpi.comm, &status);
        length = (int)weft_mpi_bytes_of(&status);
        fwrite(piece.text, 1, (size_t)length, file);
    } while (length > 0);
}

void weft_mpi_record_all(void)
{
    if (weft_mpi.rank == 0)
        put("// What an MPI program did, recorded by weft run\nnum_ranks %d\n", weft_mpi.size);
    put_rank();
    flush();
    if (weft_mpi.rank != 0)
        flush();
    for (int i = 1; weft_mpi.rank == 0 && i < weft_mpi.size; i++)
        copy_rank(i);
}
