/* SPDX-License-Identifier: BSD-3-Clause */
/* Types for tests, from the text notation. A text that cannot be read ends the program. */
#ifndef WEFT_TESTS_NOTATION_H
#define WEFT_TESTS_NOTATION_H

#include <weft.h>

/* Committed. */
weft_type *type_from(const char *text);

struct weft_type_info type_info(const weft_type *type);

/* The same for a text. */
struct weft_type_info info_from(const char *text);

#endif
