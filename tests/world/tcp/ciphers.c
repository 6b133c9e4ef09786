/* SPDX-License-Identifier: BSD-3-Clause */
/* The libraries put the same on the wire, into how many parts of whatever size a frame is cut, and
 * are used by several threads at once. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "support/rng.h"
#include "support/tap.h"
#include "world/children.h"
#include "world/tcp/seal.h"
#include "world/tcp/tests.h"

#define FRAMES 400u
#define MOST 100003u /* no whole blocks */
#define FIRST_PART 77u
#define ALIGNMENTS 64u
#define THREADS 3u

static const struct weft_tcp_cipher *ciphers[2];
static unsigned cipher_count;

struct wire {
    unsigned char head[8];
    unsigned char tag[WEFT_TCP_SEAL_TAG];
    size_t size;
    unsigned char room[MOST + ALIGNMENTS];
    unsigned char *bytes; /* of the room, at any alignment */
};

struct round {
    struct rng rng;
    unsigned char secret[WEFT_TCP_SEAL_SECRET];
    bool is_plain, in_place;
    struct wire original, whole, sealed, opened;
};

static void draw(struct rng *rng, unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)rng_next(rng);
}

static void draw_round(struct round *round)
{
    struct rng *rng = &round->rng;
    struct wire *original = &round->original;
    draw(rng, round->secret, sizeof round->secret);
    draw(rng, original->head, sizeof original->head);
    round->is_plain = rng_one_in(rng, 2);
    round->in_place = rng_one_in(rng, 2);
    original->size = rng_magnitude(rng, MOST);
    original->bytes = original->room + rng_below(rng, ALIGNMENTS);
    draw(rng, original->bytes, original->size);
}

/* The bytes go from the room of `from`, or are in that of `frame` already. */
static bool pass(struct round *round, const struct weft_tcp_cipher *cipher, bool opens,
                 struct wire *frame, const struct wire *from, size_t largest_part)
{
    struct weft_tcp_seal seal;
    frame->bytes = frame->room + rng_below(&round->rng, ALIGNMENTS);
    frame->size = from->size;
    memcpy(frame->head, from->head, sizeof frame->head);
    memcpy(frame->tag, from->tag, sizeof frame->tag);
    if (round->in_place)
        memcpy(frame->bytes, from->bytes, from->size);
    const unsigned char *source = round->in_place ? frame->bytes : from->bytes;
    bool is_right = weft_tcp_seal_begin(&seal, cipher, opens, round->is_plain, round->secret) &&
                    weft_tcp_seal_head(&seal, frame->head, sizeof frame->head);
    for (size_t at = 0, part = 0; is_right && at < frame->size; at += part) {
        part = rng_magnitude(&round->rng, largest_part);
        part = part < frame->size - at ? part : frame->size - at;
        is_right = weft_tcp_seal_part(&seal, frame->bytes + at, source + at, part);
    }
    is_right = is_right && weft_tcp_seal_tag(&seal, frame->tag);
    weft_tcp_seal_end(&seal);
    return is_right;
}

/* What the others are compared with. */
static bool seal_at_once(struct round *round, struct wire *whole)
{
    struct weft_tcp_seal seal;
    const struct wire *from = &round->original;
    whole->bytes = whole->room;
    bool is_right =
        weft_tcp_seal_begin(&seal, weft_tcp_libcrypto(), false, round->is_plain, round->secret) &&
        weft_tcp_seal_head(&seal, from->head, sizeof from->head) &&
        weft_tcp_seal_part(&seal, whole->bytes, from->bytes, from->size) &&
        weft_tcp_seal_tag(&seal, whole->tag);
    weft_tcp_seal_end(&seal);
    return is_right;
}

static bool is_same(const struct wire *one, const struct wire *other)
{
    return memcmp(one->tag, other->tag, sizeof one->tag) == 0 &&
           memcmp(one->bytes, other->bytes, one->size) == 0;
}

static bool refuses_changes(struct round *round, const struct weft_tcp_cipher *cipher)
{
    struct wire *sealed = &round->sealed;
    size_t at = rng_below(&round->rng, sizeof sealed->head + sizeof sealed->tag + sealed->size);
    unsigned char *place = at < sizeof sealed->head ? sealed->head + at : NULL;
    at -= place ? 0 : sizeof sealed->head;
    if (!place)
        place =
            at < sizeof sealed->tag ? sealed->tag + at : sealed->bytes + at - sizeof sealed->tag;
    unsigned char bit = (unsigned char)(1u << rng_below(&round->rng, 8));
    *place ^= bit;
    bool opened = pass(round, cipher, true, &round->opened, sealed, MOST);
    *place ^= bit;
    return !opened;
}

/* Sealed by each library, in parts, as by libcrypto at once; and each opens that. */
static bool holds(struct round *round)
{
    draw_round(round);
    bool is_right = seal_at_once(round, &round->whole);
    for (unsigned i = 0; is_right && i < cipher_count; i++)
        is_right = pass(round, ciphers[i], false, &round->sealed, &round->original, MOST) &&
                   is_same(&round->sealed, &round->whole);
    for (unsigned i = 0; is_right && i < cipher_count; i++)
        is_right = pass(round, ciphers[i], true, &round->opened, &round->sealed,
                        rng_magnitude(&round->rng, MOST)) &&
                   memcmp(round->opened.bytes, round->original.bytes, round->original.size) == 0 &&
                   refuses_changes(round, ciphers[i]);
    return is_right;
}

static void *check_many(void *seed)
{
    struct round *round = calloc(1, sizeof *round);
    unsigned held = 0;
    need(round);
    for (unsigned i = 0; i < FRAMES; i++) {
        round->rng = rng_stream((uint64_t)(uintptr_t)seed, i);
        held += holds(round);
    }
    free(round);
    return (void *)(uintptr_t)held;
}

static void test_threads(void)
{
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        need(pthread_create(&threads[i], NULL, check_many, (void *)(i + 1)) == 0);
    for (unsigned i = 0; i < THREADS; i++) {
        void *held;
        need(pthread_join(threads[i], &held) == 0);
        check_uint((uintptr_t)held, FRAMES);
    }
}

/* ---- Bytes that change while they are sealed ----------------------------------------------- */

static _Atomic unsigned char shared[MOST];
static atomic_bool is_over;

static void *scribble(void *unused)
{
    for (unsigned char value = 0; !atomic_load(&is_over); value++)
        for (size_t i = 0; i < MOST; i++)
            atomic_store_explicit(&shared[i], value, memory_order_relaxed);
    return unused;
}

static bool opens_whatever_was_read(struct round *round, const struct weft_tcp_cipher *cipher)
{
    struct weft_tcp_seal seal;
    struct wire *sealed = &round->sealed;
    sealed->bytes = sealed->room;
    sealed->size = MOST;
    bool is_closed =
        weft_tcp_seal_begin(&seal, cipher, false, round->is_plain, round->secret) &&
        weft_tcp_seal_head(&seal, sealed->head, sizeof sealed->head) &&
        weft_tcp_seal_part(&seal, sealed->bytes, (const unsigned char *)shared, FIRST_PART) &&
        weft_tcp_seal_part(&seal, sealed->bytes + FIRST_PART,
                           (const unsigned char *)shared + FIRST_PART, MOST - FIRST_PART) &&
        weft_tcp_seal_tag(&seal, sealed->tag);
    weft_tcp_seal_end(&seal);
    return is_closed && pass(round, weft_tcp_libcrypto(), true, &round->opened, sealed, MOST);
}

static void test_scribbling(const struct weft_tcp_cipher *cipher)
{
    struct round *round = calloc(1, sizeof *round);
    pthread_t writer;
    unsigned opened = 0;
    need(round);
    atomic_store(&is_over, false);
    need(pthread_create(&writer, NULL, scribble, NULL) == 0);
    for (unsigned i = 0; i < FRAMES; i++) {
        round->is_plain = i % 2;
        opened += opens_whatever_was_read(round, cipher);
    }
    atomic_store(&is_over, true);
    need(pthread_join(writer, NULL) == 0);
    check_uint(opened, FRAMES);
    free(round);
}

void test_ciphers(void)
{
    need(weft_tcp_libcrypto());
    ciphers[cipher_count++] = weft_tcp_libcrypto();
    if (weft_tcp_ipsec_mb())
        ciphers[cipher_count++] = weft_tcp_ipsec_mb();
    tap_note("%s", cipher_count == 2 ? "two libraries put the same on the wire"
                                     : "frames in parts; there is one library only");
    check(weft_tcp_cipher() == ciphers[cipher_count - 1]);
    test_threads();
    for (unsigned i = 0; i < cipher_count; i++) {
        tap_note("the program writes while %s seals", ciphers[i]->library);
        test_scribbling(ciphers[i]);
    }
}
