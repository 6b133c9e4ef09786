/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/type/type_words.h"

const char *const type_sizes[TYPE_SIZES] = {"2K", "64K", "4M"};
const char *const type_directions[TYPE_DIRECTIONS] = {"pack", "unpack"};
const char *const type_caches[TYPE_CACHES] = {"warm", "cold"};
