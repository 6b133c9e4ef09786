/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/own_file.h"

#include "support/tap.h"

static char text[64];

/* Of process 4711, which has rank 3. */
static const char *name(const char *pattern, char usual)
{
    const struct weft_own_file process = {.rank = 3, .pid = 4711, .usual = usual};
    return weft_own_file_name(pattern, &process, text, sizeof text) ? text : "it does not fit";
}

static void fields_are_expanded(void)
{
    check_string(name("t-%r-%p.json", 'r'), "t-3-4711.json");
    check_string(name("100%%.%r", 'r'), "100%.3");
    check_string(name("%q%", 'p'), "%q%.4711");
}

static void numbers_come_before_the_suffix(void)
{
    check_string(name("t.json", 'r'), "t.3.json");
    check_string(name("t.json", 'p'), "t.4711.json");
    check_string(name("a.b/t", 'r'), "a.b/t.3");
    check_string(name("a/.hidden", 'r'), "a/.hidden.3");
    check_string(name("t.json", 0), "t.json");
}

static void what_does_not_fit_is_refused(void)
{
    const struct weft_own_file process = {.rank = 3, .usual = 'r'};
    check(weft_own_file_name("t.j", &process, text, 6));
    check_string(text, "t.3.j");
    check(!weft_own_file_name("t.js", &process, text, 6));
    check(!weft_own_file_name("t.json", &process, text, 6));
}

int main(void)
{
    fields_are_expanded();
    numbers_come_before_the_suffix();
    what_does_not_fit_is_refused();
    return tap_done();
}
