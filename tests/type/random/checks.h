/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_TESTS_CHECKS_H
#define WEFT_TESTS_CHECKS_H

#include "type/random/trial.h"

/* describe_checks.c: what the library says of a type, and ways to write it down and read it. */
bool check_query(struct bench *bench);
bool check_commit_again(struct bench *bench);
bool check_rebuild(struct bench *bench);
bool check_parse_model(struct bench *bench);
bool check_parse_printed(struct bench *bench);
bool check_serialise(struct bench *bench);

/* move_checks.c: the calls that move data or say where it lies. */
bool check_pack_whole(struct bench *bench);
bool check_pack_ranges(struct bench *bench);
bool check_pack_beyond(struct bench *bench);
bool check_pieces(struct bench *bench);
bool check_locate(struct bench *bench);
bool check_unpack_whole(struct bench *bench);
bool check_unpack_ranges(struct bench *bench);
bool check_copy_whole(struct bench *bench);
bool check_copy_ranges(struct bench *bench);

/* image_checks.c: the form that a type has on a NIC. */
bool check_image(struct bench *bench);

#endif
