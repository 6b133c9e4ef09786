/* SPDX-License-Identifier: BSD-3-Clause */
/* A library with symbols of each kind, to be linked with each kind of table for them. */
#define SHOWN __attribute__((visibility("default")))

int elf_missing(void);
int elf_function(void);
int elf_weak(void);
int elf_hidden(void);

SHOWN int elf_object = 1;

int elf_hidden(void)
{
    return elf_object;
}

SHOWN int elf_function(void)
{
    return elf_missing() + elf_hidden();
}

SHOWN __attribute__((weak)) int elf_weak(void)
{
    return 2;
}
