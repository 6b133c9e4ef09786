/* SPDX-License-Identifier: BSD-3-Clause */
/* What processors without 128-bit products do; all other tests divide with them. */
#undef __SIZEOF_INT128__
#include "base/divisor.h"

#include "support/rng.h"
#include "support/tap.h"

#define LARGEST ((uint64_t)INT64_MAX)

static bool divides(uint64_t n, uint64_t d)
{
    return weft_divisor_divide(n, weft_divisor(d)) == n / d;
}

/* The magic number is ceil(2^(63 + shift) / d): d times it is less than d above that power, of
 * which 64 bits show nothing but where d is 1. */
static bool is_exact(uint64_t d)
{
    struct weft_divisor by = weft_divisor(d);
    return by.magic * d - (by.shift ? 0 : (uint64_t)1 << 63) < d;
}

/* The quotients next to where they change, and those of any number. */
static bool divides_all(uint64_t d, struct rng *rng)
{
    uint64_t last = LARGEST - LARGEST % d, any = rng_magnitude(rng, LARGEST);
    bool right = is_exact(d) && divides(0, d) && divides(d - 1, d) && divides(d, d);
    return right && divides(any, d) && divides(any - any % d, d) && divides(last, d) &&
           divides(last - 1, d) && divides(LARGEST, d);
}

int main(void)
{
    struct rng rng = {1};
    uint64_t wrong = 0;
    for (uint64_t d = 1; d <= 5000; d++)
        wrong += !divides_all(d, &rng);
    check_uint(wrong, 0);
    for (unsigned bit = 1; bit < 63; bit++)
        for (uint64_t d = ((uint64_t)1 << bit) - 1; d <= ((uint64_t)1 << bit) + 1; d++)
            wrong += !divides_all(d, &rng);
    wrong += !divides_all(LARGEST, &rng);
    check_uint(wrong, 0);
    for (int i = 0; i < 100000; i++) {
        uint64_t d = rng_magnitude(&rng, LARGEST);
        wrong += !divides_all(d, &rng);
    }
    check_uint(wrong, 0);
    return tap_done();
}
