/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of functions of this program, static ones too. */
#ifndef WEFT_TESTS_OWN_SYMBOL_H
#define WEFT_TESTS_OWN_SYMBOL_H

/* NULL if none begins there. The program must not be stripped. */
const char *own_symbol(void (*function)(void));

#endif
