/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_TESTS_SHRINK_H
#define WEFT_TESTS_SHRINK_H

#include "support/model.h"

typedef bool (*shrink_predicate)(const struct model *model, void *context);

/* Looks for a smaller model that still fails, and returns the smallest found, which the caller
 * frees. `model` must fail and is left alone. */
struct model *shrink_model(const struct model *model, shrink_predicate fails, void *context);

#endif
