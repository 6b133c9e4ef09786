/* SPDX-License-Identifier: BSD-3-Clause */
/* What was sealed opens once, in order and unchanged, and else not at all, whichever library has
 * sealed it and whichever opens it. */
#include <stdlib.h>
#include <string.h>

#include "support/tap.h"
#include "world/children.h"
#include "world/tcp/seal.h"
#include "world/tcp/tests.h"

#define SIZE 100u

static const unsigned char secret[WEFT_TCP_SEAL_SECRET] = "thirty-two bytes of no secrecy.";

struct frame {
    unsigned char head[8];
    unsigned char bytes[SIZE];
    unsigned char tag[WEFT_TCP_SEAL_TAG];
};

/* The libraries of the two ends. */
static const struct weft_tcp_cipher *closing, *opening;

static const struct frame original = {"a head..", "some bytes", ""};

static bool apply(struct weft_tcp_seal *seal, struct frame *frame)
{
    return weft_tcp_seal_head(seal, frame->head, sizeof frame->head) &&
           weft_tcp_seal_part(seal, frame->bytes, frame->bytes, SIZE) &&
           weft_tcp_seal_tag(seal, frame->tag);
}

/* The same, but the last bytes come from elsewhere, or go there. */
static bool apply_apart(struct weft_tcp_seal *seal, struct frame *frame, unsigned char *to,
                        const unsigned char *from, size_t size)
{
    return weft_tcp_seal_head(seal, frame->head, sizeof frame->head) &&
           weft_tcp_seal_part(seal, frame->bytes, frame->bytes, SIZE - size) &&
           weft_tcp_seal_part(seal, to, from, size) && weft_tcp_seal_tag(seal, frame->tag);
}

struct both {
    struct weft_tcp_seal closes, opens;
};

static struct both begin_both(bool is_plain)
{
    struct both both;
    check(weft_tcp_seal_begin(&both.closes, closing, false, is_plain, secret));
    check(weft_tcp_seal_begin(&both.opens, opening, true, is_plain, secret));
    return both;
}

static void end_both(struct both *both)
{
    weft_tcp_seal_end(&both->closes);
    weft_tcp_seal_end(&both->opens);
}

static void test_order(bool is_plain)
{
    struct both both = begin_both(is_plain);
    struct frame one = original, two = original;
    check(apply(&both.closes, &one) && apply(&both.closes, &two));
    check((memcmp(one.bytes, original.bytes, SIZE) == 0) == is_plain);
    check(memcmp(one.tag, two.tag, sizeof one.tag) != 0);
    struct frame again = one;
    check(apply(&both.opens, &one) && memcmp(one.bytes, original.bytes, SIZE) == 0);
    check(!apply(&both.opens, &again));
    end_both(&both);
    both = begin_both(is_plain);
    check(!apply(&both.opens, &two));
    end_both(&both);
}

/* A frame whose last bytes are elsewhere is the same as one that has them in place. */
static void test_elsewhere(bool is_plain)
{
    for (size_t there = 1; there <= SIZE; there++) {
        struct both both = begin_both(is_plain);
        struct frame frame = original;
        unsigned char apart[SIZE], *last = frame.bytes + SIZE - there;
        memset(last, 'x', there);
        check(apply_apart(&both.closes, &frame, last, original.bytes + SIZE - there, there));
        check(apply(&both.opens, &frame) && memcmp(frame.bytes, original.bytes, SIZE) == 0);
        check(apply(&both.closes, &frame) &&
              apply_apart(&both.opens, &frame, apart, last, there) &&
              memcmp(frame.bytes, original.bytes, SIZE - there) == 0 &&
              memcmp(apart, original.bytes + SIZE - there, there) == 0);
        end_both(&both);
    }
}

/* Neither a bit of the head, nor of the bytes, nor of the tag may differ. */
static void test_changes(bool is_plain)
{
    unsigned opened = 0;
    for (size_t bit = 0; bit < 8 * sizeof(struct frame); bit++) {
        struct weft_tcp_seal closes, opens;
        struct frame frame = original;
        if (!weft_tcp_seal_begin(&closes, closing, false, is_plain, secret) ||
            !weft_tcp_seal_begin(&opens, opening, true, is_plain, secret) ||
            !apply(&closes, &frame))
            break;
        ((unsigned char *)&frame)[bit / 8] ^= (unsigned char)(1u << bit % 8);
        opened += apply(&opens, &frame);
        weft_tcp_seal_end(&closes);
        weft_tcp_seal_end(&opens);
    }
    check(opened == 0);
}

/* Who is plain does not open what is not, though it has the key. */
static void test_privacy(void)
{
    struct both plain = begin_both(true), private = begin_both(false);
    struct frame frame = original;
    check(apply(&private.closes, &frame) && !apply(&plain.opens, &frame));
    end_both(&plain);
    end_both(&private);
}

static void test_renewal(bool is_plain)
{
    struct both both = begin_both(is_plain);
    unsigned char before[WEFT_TCP_SEAL_SECRET];
    bool all_opened = true;
    memcpy(before, both.closes.secret, sizeof before);
    for (uint64_t i = 0; i < WEFT_TCP_SEAL_RENEWAL + 2; i++) {
        struct frame frame = original;
        all_opened = all_opened && apply(&both.closes, &frame) && apply(&both.opens, &frame);
    }
    check(all_opened);
    check(memcmp(before, both.closes.secret, sizeof before) != 0);
    check(memcmp(both.opens.secret, both.closes.secret, sizeof before) == 0);
    end_both(&both);
}

static struct weft_tcp_seal early;

/* A library that nobody has loaded before, so that its own exit handlers run first. */
static const struct weft_tcp_cipher *(*find_late)(void);

static void seal_late(void)
{
    struct weft_tcp_seal late;
    struct frame one = original, two = original;
    need(weft_tcp_seal_begin(&late, find_late(), false, false, secret));
    need(apply(&late, &one) && apply(&early, &two));
    weft_tcp_seal_end(&late);
    weft_tcp_seal_end(&early);
}

/* Handlers run in reverse order, so this one after those of the library. */
static void exit_before_sealing(uint32_t pid)
{
    (void)pid;
    need(atexit(seal_late) == 0);
    need(weft_tcp_seal_begin(&early, find_late(), false, false, secret));
}

static void test_all(const struct weft_tcp_cipher *of_sender,
                     const struct weft_tcp_cipher *of_receiver)
{
    closing = of_sender;
    opening = of_receiver;
    for (unsigned is_plain = 0; is_plain < 2; is_plain++) {
        tap_note("%s of %s for %s", is_plain ? "seals that hide nothing," : "seals,",
                 closing->library, opening->library);
        test_order(is_plain);
        test_elsewhere(is_plain);
        test_changes(is_plain);
        test_renewal(is_plain);
    }
    test_privacy();
}

void test_sealing(void)
{
    tap_note("exit handlers still send");
    find_late = weft_tcp_libcrypto;
    check(run_alone(exit_before_sealing));
    find_late = weft_tcp_cipher;
    check(run_alone(exit_before_sealing));
    const struct weft_tcp_cipher *best = weft_tcp_cipher(), *other = weft_tcp_libcrypto();
    test_all(other, other);
    if (best == other)
        return;
    test_all(best, best);
    test_all(best, other);
    test_all(other, best);
}
