/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether there are fabrics is told by the kernel's folders: missing, empty, or with a card. */
#include "world/ofi/devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/tap.h"
#include "world/ofi/tests.h"

static void test_class(const char *classes, const char *name)
{
    char folder[64], card[80];
    snprintf(folder, sizeof folder, "%s/%s", classes, name);
    snprintf(card, sizeof card, "%s/card0", folder);
    check(mkdir(folder, 0700) == 0);
    check(!weft_ofi_devices_exist(classes));
    check(mkdir(card, 0700) == 0);
    check(weft_ofi_devices_exist(classes));
    check(rmdir(card) == 0 && rmdir(folder) == 0);
}

void test_devices(void)
{
    char classes[] = "/tmp/weft-classes-XXXXXX";
    tap_note("cards of fabrics");
    check(mkdtemp(classes));
    check(!weft_ofi_devices_exist(classes));
    test_class(classes, "cxi");
    test_class(classes, "infiniband");
    check(rmdir(classes) == 0);
}
