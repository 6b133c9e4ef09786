/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/card.h"

#include <errno.h>
#include <string.h>

uint64_t weft_world_card_instance(const struct weft_world_card *card)
{
    uint64_t instance;
    memcpy(&instance, card->bytes, sizeof instance);
    return instance;
}

void weft_world_card_begin(struct weft_world_card *card, uint64_t instance)
{
    memcpy(card->bytes, &instance, sizeof instance);
    card->size = WEFT_WORLD_CARD_HEAD;
}

bool weft_world_card_add(struct weft_world_card *card, const struct weft_world_card *rail)
{
    size_t length = rail->size - WEFT_WORLD_CARD_HEAD;
    if (length > UINT8_MAX || card->size + 1 + length > WEFT_WORLD_CARD_MAX)
        return false;
    card->bytes[card->size] = (unsigned char)length;
    memcpy(card->bytes + card->size + 1, rail->bytes + WEFT_WORLD_CARD_HEAD, length);
    card->size += (uint32_t)(1 + length);
    return true;
}

static bool has_rail_at(const struct weft_world_card *card, uint32_t at)
{
    return at < card->size && card->bytes[at] && card->bytes[at] < card->size - at;
}

bool weft_world_card_part(const struct weft_world_card *card, unsigned count, unsigned index,
                          struct weft_world_card *rail)
{
    uint32_t at = WEFT_WORLD_CARD_HEAD;
    for (unsigned i = 0; i < count; i++) {
        if (!has_rail_at(card, at))
            return false;
        uint32_t length = card->bytes[at];
        if (i == index) {
            weft_world_card_begin(rail, weft_world_card_instance(card));
            memcpy(rail->bytes + rail->size, card->bytes + at + 1, length);
            rail->size += length;
        }
        at += 1 + length;
    }
    return at == card->size;
}

int weft_world_card_find(struct weft_world_card *card, struct weft_world_directory *directory,
                         struct weft_nic_address address, uint64_t retired)
{
    int result = directory->find(directory, address, card);
    if (result)
        return result;
    if (card->size <= WEFT_WORLD_CARD_HEAD || card->size > WEFT_WORLD_CARD_MAX)
        return -EINVAL;
    return weft_world_card_instance(card) == retired ? -EAGAIN : 0;
}
