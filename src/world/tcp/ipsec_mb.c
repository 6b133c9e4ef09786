/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Intel's library for IPsec. Of it we call what works on a key and a frame, and not its manager,
 * whose layout changes from version to version and which one thread must have for itself.
 */
#include <dlfcn.h>
#include <intel-ipsec-mb.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/sha256.h"
#include "world/secret.h"
#include "world/tcp/cipher.h"

#define LIBRARY "libIPSec_MB.so.1"

/* These are the variants for AVX-512 with VAES: the library chooses by the manager only. */
#define CALLS(X)                                                                                  \
    X(aes_gcm_pre_t, aes_gcm_pre_128)                                                             \
    X(aes_gcm_init_t, aes_gcm_init_128)                                                           \
    X(aes_gcm_enc_dec_update_t, aes_gcm_enc_128_update)                                           \
    X(aes_gcm_enc_dec_update_t, aes_gcm_dec_128_update)                                           \
    X(aes_gcm_enc_dec_finalize_t, aes_gcm_enc_128_finalize)                                       \
    X(aes_gcm_enc_dec_finalize_t, aes_gcm_dec_128_finalize)                                       \
    X(aes_gmac_init_t, imb_aes_gmac_init_128)                                                     \
    X(aes_gmac_update_t, imb_aes_gmac_update_128)                                                 \
    X(aes_gmac_finalize_t, imb_aes_gmac_finalize_128)

static struct {
#define MEMBER(type, name) type name;
    CALLS(MEMBER)
#undef MEMBER
} calls;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_there;

struct seal_by_ipsec_mb {
    alignas(64) struct gcm_key_data key;
    struct gcm_context_data frame;
    uint64_t passed; /* bytes of the frame that the library was given */
    bool opens, is_plain;
};

/* ---- The cipher ---------------------------------------------------------------------------- */

static void *begin(bool opens, bool is_plain)
{
    struct seal_by_ipsec_mb *state =
        aligned_alloc(alignof(struct seal_by_ipsec_mb), sizeof *state);
    if (state)
        *state = (struct seal_by_ipsec_mb){.opens = opens, .is_plain = is_plain};
    return state;
}

static void end(void *from)
{
    weft_world_wipe(from, sizeof(struct seal_by_ipsec_mb));
    free(from);
}

static bool set_key(void *to, const unsigned char key[WEFT_TCP_CIPHER_KEY])
{
    struct seal_by_ipsec_mb *state = to;
    calls.aes_gcm_pre_128(key, &state->key);
    return true;
}

static bool begin_frame(void *of, const unsigned char number[WEFT_TCP_CIPHER_NUMBER],
                        const void *head, size_t size)
{
    struct seal_by_ipsec_mb *state = of;
    state->passed = state->is_plain ? size : 0;
    if (!state->is_plain) {
        calls.aes_gcm_init_128(&state->key, &state->frame, number, head, size);
        return true;
    }
    calls.imb_aes_gmac_init_128(&state->key, &state->frame, number, WEFT_TCP_CIPHER_NUMBER);
    calls.imb_aes_gmac_update_128(&state->key, &state->frame, head, size);
    return true;
}

static bool pass(void *of, unsigned char *to, const unsigned char *from, size_t size)
{
    struct seal_by_ipsec_mb *state = of;
    state->passed += size;
    if (state->is_plain)
        calls.imb_aes_gmac_update_128(&state->key, &state->frame, from, size);
    else if (state->opens)
        calls.aes_gcm_dec_128_update(&state->key, &state->frame, to, from, size);
    else
        calls.aes_gcm_enc_128_update(&state->key, &state->frame, to, from, size);
    return true;
}

/* Its calls have no result: what they refuse they leave out. */
static bool has_refused(const struct seal_by_ipsec_mb *state)
{
    return state->passed != (state->is_plain ? state->frame.aad_length : state->frame.in_length);
}

static bool end_frame(void *of, unsigned char tag[WEFT_TCP_CIPHER_TAG])
{
    struct seal_by_ipsec_mb *state = of;
    unsigned char right[WEFT_TCP_CIPHER_TAG] = {0};
    unsigned char *out = state->opens ? right : tag;
    if (has_refused(state))
        return false;
    if (state->is_plain)
        calls.imb_aes_gmac_finalize_128(&state->key, &state->frame, out, sizeof right);
    else if (state->opens)
        calls.aes_gcm_dec_128_finalize(&state->key, &state->frame, out, sizeof right);
    else
        calls.aes_gcm_enc_128_finalize(&state->key, &state->frame, out, sizeof right);
    bool is_right = !state->opens || weft_sha256_equal(right, tag, sizeof right);
    weft_world_wipe(right, sizeof right);
    return is_right;
}

/* ---- The library --------------------------------------------------------------------------- */

/* The library does not ask whether the system saves wide registers; the compiler does. */
static bool has_wide_registers(void)
{
    return __builtin_cpu_supports("avx512f");
}

/* It calls some of its own functions by name: a program that has others of that name, of another
 * version, would work on our keys. */
static bool is_alone(void *library)
{
    static const char *const names[] = {
        "aes_keyexp_128_enc_avx2", "aes_gcm_precomp_128_vaes_avx512",
        "aes_gcm_init_var_iv_128_vaes_avx512", "aes_gcm_enc_128_finalize_vaes_avx512"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const void *first = dlsym(RTLD_DEFAULT, names[i]);
        if (first && first != dlsym(library, names[i])) {
            weft_log(WEFT_LOG_INFO, "the program has a %s of its own, so %s is not used", names[i],
                     LIBRARY);
            return false;
        }
    }
    return true;
}

/* The layout of keys is what the header says in that version, and in its corrections. */
static bool is_version_known(unsigned version)
{
    return version >> 8 == IMB_VERSION_NUM >> 8;
}

static bool is_usable(void *library)
{
    unsigned (*get_version)(void);
    uint64_t (*get_features)(void);
    *(void **)&get_version = dlsym(library, "imb_get_version");
    *(void **)&get_features = dlsym(library, "imb_get_feature_flags");
    if (!get_version || !get_features || !is_version_known(get_version())) {
        weft_log(WEFT_LOG_INFO, "%s is not of version %s and is not used", LIBRARY,
                 IMB_VERSION_STR);
        return false;
    }
    if ((get_features() & IMB_CPUFLAGS_AVX512_T2) != IMB_CPUFLAGS_AVX512_T2 || !is_alone(library))
        return false;
#define FIND(type, name)                                                                          \
    *(void **)&calls.name = dlsym(library, #name "_vaes_avx512");                                 \
    if (!calls.name) {                                                                            \
        weft_log(WEFT_LOG_INFO, "%s lacks %s_vaes_avx512 and is not used", LIBRARY, #name);       \
        return false;                                                                             \
    }
    CALLS(FIND)
#undef FIND
    return true;
}

/* The program may use it, too: it stays. */
static void load(void)
{
    void *library =
        has_wide_registers() ? dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) : NULL;
    is_there = library && is_usable(library);
}

const struct weft_tcp_cipher *weft_tcp_ipsec_mb(void)
{
    static const struct weft_tcp_cipher cipher = {.library = LIBRARY,
                                                  .begin = begin,
                                                  .end = end,
                                                  .set_key = set_key,
                                                  .head = begin_frame,
                                                  .part = pass,
                                                  .tag = end_frame};
    pthread_once(&once, load);
    return is_there ? &cipher : NULL;
}
