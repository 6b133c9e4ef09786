/* SPDX-License-Identifier: BSD-3-Clause */
/* A test program prints one TAP line for each check; Meson reads them. */
#ifndef WEFT_TESTS_TAP_H
#define WEFT_TESTS_TAP_H

#include <stdbool.h>
#include <stdint.h>

#define check(condition) tap_check((condition), __FILE__, __LINE__, #condition)
#define check_int(actual, expected)                                                               \
    tap_check_int((int64_t)(actual), (int64_t)(expected), __FILE__, __LINE__, #actual)
#define check_uint(actual, expected)                                                              \
    tap_check_uint((uint64_t)(actual), (uint64_t)(expected), __FILE__, __LINE__, #actual)
#define check_string(actual, expected)                                                            \
    tap_check_string((actual), (expected), __FILE__, __LINE__, #actual)

/* Each returns whether the check held. */
bool tap_check(bool holds, const char *file, int line, const char *what);
bool tap_check_int(int64_t actual, int64_t expected, const char *file, int line,
                   const char *what);
bool tap_check_uint(uint64_t actual, uint64_t expected, const char *file, int line,
                    const char *what);
bool tap_check_string(const char *actual, const char *expected, const char *file, int line,
                      const char *what);

/* Explains what follows or what went wrong. */
__attribute__((format(printf, 1, 2))) void tap_note(const char *format, ...);

/* Ends the program: this test cannot run here, and why. */
_Noreturn void tap_skip_all(const char *reason);

/* Prints the plan; the value is what main returns. */
int tap_done(void);

#endif
