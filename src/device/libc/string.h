/* SPDX-License-Identifier: BSD-3-Clause */
/* In the place of libc's, where there is none: what portals4_device.h has. */
#ifndef WEFT_DEVICE_LIBC_STRING_H
#define WEFT_DEVICE_LIBC_STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *a, const void *b, size_t size);

#endif
