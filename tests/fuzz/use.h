/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_TESTS_USE_H
#define WEFT_TESTS_USE_H

#include <weft.h>

/* libFuzzer calls this with every input; always 0. */
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* Whatever an input made must behave as a type: it is committed, asked, written down, read again
 * and, if it is small enough, moved. The program aborts if it does not. */
void use_type(weft_type *type);

#endif
