/* SPDX-License-Identifier: BSD-3-Clause */
/* One end of a message: a layout in memory, its datatype, and the loops that pack and unpack it by
 * hand. */
#ifndef WEFT_BENCH_MPI_END_H
#define WEFT_BENCH_MPI_END_H

#include <mpi.h>

#include "bench/layouts/hand.h"

enum way { WAY_DERIVED, WAY_HAND, WAY_CONTIGUOUS, WAYS };

#define END_NAME 64

/* Layouts by their names of layouts.h. A receiver that is "contiguous" takes as many bytes as the
 * sender has. */
struct end_pair {
    char send[END_NAME], receive[END_NAME];
    size_t bytes; /* about as many; 0: one element, as the program has it */
};

struct end {
    struct end_pair pair;
    struct layout layout;
    size_t bytes;
    bool is_contiguous;
    char *window, *packed;
    struct hand_loop pack, unpack, plain_pack, plain_unpack;
    MPI_Datatype type; /* of the derived way; MPI_PACKED if contiguous */
};

/* NULL, or why there is no such pair. */
const char *end_open(struct end *end, const struct end_pair *pair, bool is_sender);
void end_close(struct end *end);

void end_make_type(struct end *end);
void end_free_type(struct end *end);

/* What MPI is handed in this way. The buffers hold the bytes that travel. */
struct end_buffer {
    void *memory;
    int count;
    MPI_Datatype type;
};
struct end_buffer end_buffer(const struct end *end, enum way way);

/* By hand, if the way asks for it. */
void end_pack(const struct end *end, enum way way);
void end_unpack(const struct end *end, enum way way);

/* Writes the bytes of the message and no others, as a program does that has just computed them.
 * They are different in every round. */
void end_write(const struct end *end, enum way way, unsigned round);

/* Whether they are the ones of that round. */
bool end_is_right(const struct end *end, enum way way, unsigned round);

/* Before a message and after it: nothing but its bytes has been written. The message is lost. */
void end_blank(const struct end *end);
bool end_was_blank(const struct end *end, enum way way);

#endif
