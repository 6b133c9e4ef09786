/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages of the handshake prove that their sender has the key, and the keys of the seals
 * follow from all of them. */
#include <string.h>

#include "support/tap.h"
#include "world/tcp/tests.h"
#include "world/tcp/wire.h"

static const unsigned char key[] = "sixteen bytes..";
static const unsigned char other_key[] = "sixteen others.";

static struct weft_tcp_hello some_hello(void)
{
    struct weft_tcp_hello hello = {.magic = WEFT_TCP_WIRE_MAGIC, .source_pid = 3, .nonce = "one"};
    weft_tcp_wire_sign_hello(&hello, key);
    return hello;
}

static struct weft_tcp_answer some_answer(const struct weft_tcp_hello *hello)
{
    struct weft_tcp_answer answer = {.magic = WEFT_TCP_WIRE_MAGIC, .nonce = "two"};
    weft_tcp_wire_sign_answer(&answer, hello, key);
    return answer;
}

static void test_hello(void)
{
    struct weft_tcp_hello hello = some_hello();
    unsigned believed = 0;
    check(weft_tcp_wire_is_hello(&hello, key));
    check(!weft_tcp_wire_is_hello(&hello, other_key));
    for (size_t i = 0; i < sizeof hello; i++) {
        hello = some_hello();
        ((unsigned char *)&hello)[i] ^= 1;
        believed += weft_tcp_wire_is_hello(&hello, key);
    }
    check_uint(believed, 0);
}

/* It is the answer to this HELLO and no other. */
static void test_answer(void)
{
    struct weft_tcp_hello hello = some_hello();
    struct weft_tcp_answer answer = some_answer(&hello);
    unsigned believed = 0;
    check(weft_tcp_wire_is_answer(&answer, &hello, key));
    check(!weft_tcp_wire_is_answer(&answer, &hello, other_key));
    for (size_t i = 0; i < sizeof answer; i++) {
        answer = some_answer(&hello);
        ((unsigned char *)&answer)[i] ^= 1;
        believed += weft_tcp_wire_is_answer(&answer, &hello, key);
    }
    answer = some_answer(&hello);
    for (size_t i = 0; i < sizeof hello; i++) {
        hello = some_hello();
        ((unsigned char *)&hello)[i] ^= 1;
        believed += weft_tcp_wire_is_answer(&answer, &hello, key);
    }
    check_uint(believed, 0);
}

static bool are_same(const struct weft_tcp_wire_secrets *one,
                     const struct weft_tcp_wire_secrets *other)
{
    return memcmp(one->of_caller, other->of_caller, sizeof one->of_caller) == 0 ||
           memcmp(one->of_called, other->of_called, sizeof one->of_called) == 0;
}

static void test_secrets(void)
{
    struct weft_tcp_hello hello = some_hello();
    struct weft_tcp_answer answer = some_answer(&hello);
    struct weft_tcp_wire_secrets secrets, others;
    weft_tcp_wire_secrets(&secrets, key, &hello, &answer);
    check(memcmp(secrets.of_caller, secrets.of_called, sizeof secrets.of_caller) != 0);
    weft_tcp_wire_secrets(&others, other_key, &hello, &answer);
    check(!are_same(&secrets, &others));
    hello.nonce[0] ^= 1;
    weft_tcp_wire_secrets(&others, key, &hello, &answer);
    check(!are_same(&secrets, &others));
    hello.nonce[0] ^= 1;
    answer.nonce[0] ^= 1;
    weft_tcp_wire_secrets(&others, key, &hello, &answer);
    check(!are_same(&secrets, &others));
}

void test_messages(void)
{
    tap_note("messages of the handshake");
    test_hello();
    test_answer();
    test_secrets();
}
