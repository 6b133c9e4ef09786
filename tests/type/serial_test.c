/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes that a type is serialised to, which other hosts and later versions read: those of many
 * random types have the digest that they had when the form was laid down, whatever the processor.
 */
#include <stdio.h>
#include <stdlib.h>
#include <weft.h>

#include "base/sha256.h"
#include "support/generate.h"
#include "support/tap.h"

#define SEED 1
#define TYPES 2000
#define DIGEST "89e5ad9275ed2e099e77ab2735cb84f6e3424d7da2c452f7c76762732872e19e"

static struct model *model_number(uint64_t index)
{
    struct rng rng = rng_stream(SEED, index);
    struct generator generator = {.rng = &rng, .elements = 64, .far = index % 20 == 0};
    return generate_model(&generator, 1 + (unsigned)(index % GENERATE_DEPTH));
}

/* Says of those that cannot be serialised how many they are. */
static unsigned add(struct weft_sha256 *hash, const weft_type *type)
{
    ptrdiff_t length = weft_type_serialize(type, NULL, 0);
    if (length <= 0)
        return 1;
    unsigned char *bytes = model_alloc((size_t)length, 1);
    unsigned failed = weft_type_serialize(type, bytes, (size_t)length) != length;
    weft_sha256_add(hash, bytes, (size_t)length);
    free(bytes);
    return failed;
}

static unsigned add_all(struct weft_sha256 *hash)
{
    unsigned failed = 0;
    for (uint64_t index = 0; index < TYPES; index++) {
        struct model *model = model_number(index);
        weft_type *type = NULL;
        failed += model_build(model, &type) || add(hash, type);
        weft_type_free(type);
        model_free(model);
    }
    return failed;
}

static void in_hexadecimal(char *text, const unsigned char *digest)
{
    for (unsigned i = 0; i < WEFT_SHA256_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

int main(void)
{
    struct weft_sha256 hash;
    unsigned char digest[WEFT_SHA256_SIZE];
    char text[2 * WEFT_SHA256_SIZE + 1];
    weft_sha256_begin(&hash);
    check_uint(add_all(&hash), 0);
    weft_sha256_end(&hash, digest);
    in_hexadecimal(text, digest);
    check_string(text, DIGEST);
    return tap_done();
}
