/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/tcp/cipher.h"

const struct weft_tcp_cipher *weft_tcp_cipher(void)
{
    const struct weft_tcp_cipher *wide = weft_tcp_ipsec_mb();
    return wide ? wide : weft_tcp_libcrypto();
}
