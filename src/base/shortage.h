/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_BASE_SHORTAGE_H
#define WEFT_BASE_SHORTAGE_H

#include <errno.h>
#include <stdbool.h>

/* This process or its host has run out of something. That may pass, and it says nothing about
 * what was asked for, nor about the process that has it. */
static inline bool weft_shortage_is(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM;
}

#endif
