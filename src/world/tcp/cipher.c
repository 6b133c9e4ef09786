/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/tcp/cipher.h"

#include "base/setting.h"

/* What seals by wide registers takes a third of the time (docs/benchmarks.md). Whether a processor
 * that has AES for them lowers its clock all the same was not measured. */
static bool may_be_wide(void)
{
    enum weft_setting_simd wanted = weft_setting(WEFT_SETTING_SIMD);
    return wanted == WEFT_SETTING_SIMD_AUTO || wanted == WEFT_SETTING_SIMD_AVX512;
}

const struct weft_tcp_cipher *weft_tcp_cipher(void)
{
    const struct weft_tcp_cipher *wide = may_be_wide() ? weft_tcp_ipsec_mb() : NULL;
    return wide ? wide : weft_tcp_libcrypto();
}
