/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of ipsec_mb.c without its header, or for other processors. */
#include <stddef.h>

#include "world/tcp/cipher.h"

const struct weft_tcp_cipher *weft_tcp_ipsec_mb(void)
{
    return NULL;
}
