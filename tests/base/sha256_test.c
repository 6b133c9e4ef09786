/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors of FIPS 180-4's examples and of RFC 4231. */
#include "base/sha256.h"

#include <stdio.h>
#include <string.h>

#include "support/tap.h"

static const char *hex(const unsigned char digest[WEFT_SHA256_SIZE])
{
    static char text[2 * WEFT_SHA256_SIZE + 1];
    for (unsigned i = 0; i < WEFT_SHA256_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    return text;
}

static const char *hash_of(const char *text, size_t times, size_t step)
{
    static unsigned char digest[WEFT_SHA256_SIZE];
    struct weft_sha256 hash;
    weft_sha256_begin(&hash);
    for (size_t i = 0; i < times; i++)
        for (size_t at = 0, size = strlen(text); at < size; at += step)
            weft_sha256_add(&hash, text + at, size - at < step ? size - at : step);
    weft_sha256_end(&hash, digest);
    return hex(digest);
}

static const char *hmac_of(const void *key, size_t key_size, const void *bytes, size_t size)
{
    static unsigned char mac[WEFT_SHA256_SIZE];
    struct weft_sha256_mac hmac;
    weft_sha256_mac_begin(&hmac, key, key_size);
    weft_sha256_mac_add(&hmac, bytes, size / 2);
    weft_sha256_mac_add(&hmac, (const unsigned char *)bytes + size / 2, size - size / 2);
    weft_sha256_mac_end(&hmac, mac);
    return hex(mac);
}

static void test_hash(void)
{
    check_string(hash_of("", 1, 1),
                 "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_string(hash_of("abc", 1, 3),
                 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    const char *two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    for (size_t step = 1; step <= 56; step += 5)
        check_string(hash_of(two_blocks, 1, step),
                     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    check_string(hash_of("aaaaaaaaaa", 100000, 7),
                 "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void test_hmac(void)
{
    unsigned char key[131];
    memset(key, 0x0b, 20);
    check_string(hmac_of(key, 20, "Hi There", 8),
                 "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    check_string(hmac_of("Jefe", 4, "what do ya want for nothing?", 28),
                 "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(key, 0xaa, sizeof key);
    const char *text = "Test Using Larger Than Block-Size Key - Hash Key First";
    check_string(hmac_of(key, sizeof key, text, strlen(text)),
                 "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

static void test_equal(void)
{
    check(weft_sha256_equal("abcd", "abcd", 4));
    check(!weft_sha256_equal("abcd", "abce", 4));
    check(!weft_sha256_equal("xbcd", "abcd", 4));
    check(weft_sha256_equal("abcd", "abcx", 3));
}

int main(void)
{
    test_hash();
    test_hmac();
    test_equal();
    return tap_done();
}
