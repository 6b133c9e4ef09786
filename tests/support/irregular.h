/* SPDX-License-Identifier: BSD-3-Clause */
/* Large types without any regularity, committed. None of them overlaps. */
#ifndef WEFT_TESTS_IRREGULAR_H
#define WEFT_TESTS_IRREGULAR_H

#include <weft.h>

/* `blocks` blocks of 1 to 20 elements of `old`, with gaps of 1 to 9 between them. */
weft_type *irregular_indexed(size_t blocks, const weft_type *old);

/* The same with blocks of one length. */
weft_type *irregular_indexed_block(size_t blocks, const weft_type *old);

/* Four different ones of `blocks / 4` blocks in a struct. */
weft_type *irregular_struct(size_t blocks);

/* A list whose entries are lists. */
weft_type *irregular_nested(size_t blocks);

#endif
