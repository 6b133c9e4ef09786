/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with code among its static variables: in memory that is shared, it could not run. */
#include "support/tap.h"

static volatile char array[1 << 20];

int next(int number);

__asm__(".pushsection .weft.code,\"awx\",@progbits\n"
        "next: leal 1(%rdi), %eax\n"
        "ret\n"
        ".popsection\n");

int main(void)
{
    array[sizeof array / 2] = 1;
    check_int(next(array[sizeof array / 2]), 2);
    return tap_done();
}
