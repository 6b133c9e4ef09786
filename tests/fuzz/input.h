/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of an input, taken one after another. When there are none left they are zeros. */
#ifndef WEFT_TESTS_FUZZ_INPUT_H
#define WEFT_TESTS_FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>

/* Ends the program if it does not hold: what the fuzzer looks for. */
void require(bool condition);

void begin_input(const unsigned char *data, size_t size);
bool has_input(void);

unsigned next_byte(void);

/* As many as there are. */
size_t next_bytes(unsigned char *out, size_t size);

/* Up to seven changes of a byte; whether there was one. */
bool change(void *bytes, size_t size);

#endif
