/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz/input.h"

#include <stdlib.h>
#include <string.h>

static const unsigned char *input;
static size_t input_left;

void require(bool condition)
{
    if (!condition)
        abort();
}

void begin_input(const unsigned char *data, size_t size)
{
    input = data;
    input_left = size;
}

bool has_input(void)
{
    return input_left > 0;
}

unsigned next_byte(void)
{
    if (!input_left)
        return 0;
    input_left--;
    return *input++;
}

size_t next_bytes(unsigned char *out, size_t size)
{
    size = size < input_left ? size : input_left;
    if (size)
        memcpy(out, input, size);
    input += size;
    input_left -= size;
    return size;
}

/* Places have two bytes only where one does not reach all of them: inputs stay short. */
static size_t next_place(size_t size)
{
    size_t high = size > 256 ? next_byte() : 0;
    return (high << 8 | next_byte()) % size;
}

bool change(void *bytes, size_t size)
{
    bool is_changed = false;
    for (unsigned count = next_byte() & 7; count && size; count--) {
        size_t at = next_place(size);
        unsigned char difference = (unsigned char)next_byte();
        ((unsigned char *)bytes)[at] ^= difference;
        is_changed |= difference != 0;
    }
    return is_changed;
}
