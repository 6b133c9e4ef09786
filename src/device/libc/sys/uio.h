/* SPDX-License-Identifier: BSD-3-Clause */
/* In the place of libc's, where there is none: weft.h names the structure. */
#ifndef WEFT_DEVICE_LIBC_SYS_UIO_H
#define WEFT_DEVICE_LIBC_SYS_UIO_H

struct iovec;

#endif
