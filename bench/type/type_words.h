/* SPDX-License-Identifier: BSD-3-Clause */
/* What `weft bench type` can be asked for, as its options and its programs spell it. */
#ifndef WEFT_BENCH_TYPE_TYPE_WORDS_H
#define WEFT_BENCH_TYPE_TYPE_WORDS_H

/* Ranges of 2 KiB of the message of 64 KiB, or whole messages. */
enum type_size { TYPE_2K, TYPE_64K, TYPE_4M, TYPE_SIZES };

enum { TYPE_DIRECTIONS = 2, TYPE_CACHES = 2 };

extern const char *const type_sizes[TYPE_SIZES];
extern const char *const type_directions[TYPE_DIRECTIONS]; /* in the order of enum direction */
extern const char *const type_caches[TYPE_CACHES];         /* the second is cold */

#endif
