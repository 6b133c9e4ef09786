/* SPDX-License-Identifier: BSD-3-Clause */
/* A driver of a device that does not exist: says of memory that was claimed that it is a device's,
 * as libcuda would. */
#include <stddef.h>
#include <stdint.h>

enum { OK = 0, INVALID_VALUE = 1, MEMORY_TYPE = 2, TYPE_DEVICE = 2, MOST = 16 };

static struct {
    uintptr_t begin, end;
} claimed[MOST];
static unsigned count;

void stub_claim(const void *memory, size_t size);
int cuPointerGetAttribute(void *answer, int attribute, uint64_t address);

void stub_claim(const void *memory, size_t size)
{
    claimed[count].begin = (uintptr_t)memory;
    claimed[count++].end = (uintptr_t)memory + size;
}

int cuPointerGetAttribute(void *answer, int attribute, uint64_t address)
{
    for (unsigned i = 0; i < count; i++)
        if (attribute == MEMORY_TYPE && address >= claimed[i].begin && address < claimed[i].end) {
            *(unsigned *)answer = TYPE_DEVICE;
            return OK;
        }
    return INVALID_VALUE;
}
