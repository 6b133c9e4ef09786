/* SPDX-License-Identifier: BSD-3-Clause */
/* In the place of libc's, where there is none. Nobody could be told of a failed assertion. */
#ifndef WEFT_DEVICE_LIBC_ASSERT_H
#define WEFT_DEVICE_LIBC_ASSERT_H

#define static_assert _Static_assert
#define assert(condition) ((void)sizeof(condition))

#endif
