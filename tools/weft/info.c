/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft info`: what this build is and how it is set. */
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <weft.h>

#include "base/setting.h"
#include "command.h"
#include "info_mpi.h"
#include "info_nic.h"
#include "info_ofi.h"
#include "json.h"
#include "option.h"
#include "type/kernel.h"

static const char *const instruction_sets[] = {
#ifdef WEFT_HAVE_X86_KERNELS
    "avx512",
    "avx512vl",
    "avx2",
#endif
    "portable",
};

#define INSTRUCTION_SETS (sizeof(instruction_sets) / sizeof(instruction_sets[0]))

static const char *kind_name(enum weft_setting_kind kind)
{
    switch (kind) {
    case WEFT_SETTING_IS_CHOICE:
        return "choice";
    case WEFT_SETTING_IS_SIZE:
        return "size";
    case WEFT_SETTING_IS_TEXT:
        break;
    }
    return "text";
}

/* The value in force as it would be written in the environment. */
static void format_value(enum weft_setting setting, char *text, size_t size)
{
    const struct weft_setting_info *info = weft_setting_info(setting);
    uint64_t value = weft_setting(setting);
    const char *choice = info->choices;
    switch (info->kind) {
    case WEFT_SETTING_IS_SIZE:
        snprintf(text, size, "%" PRIu64, value);
        break;
    case WEFT_SETTING_IS_TEXT:
        snprintf(text, size, "%s", weft_setting_text(setting));
        break;
    case WEFT_SETTING_IS_CHOICE:
        for (; value; value--)
            choice += strcspn(choice, "|") + 1;
        snprintf(text, size, "%.*s", (int)strcspn(choice, "|"), choice);
        break;
    }
}

/* ---- For people --------------------------------------------------------------------------- */

static void print_setting(enum weft_setting setting)
{
    const struct weft_setting_info *info = weft_setting_info(setting);
    char value[PATH_MAX];
    format_value(setting, value, sizeof(value));
    printf("\n  %s=%s\n", info->name, value);
    printf("    %s: %s; default %s\n", kind_name(info->kind), info->choices,
           *info->fallback ? info->fallback : "empty");
    printf("    %s\n", info->help);
}

static void warn_unknown(const char *name, const char *meant)
{
    fprintf(stderr, "weft info: %s is set but means nothing to Weft%s%s%s\n", name,
            meant ? ": did you mean " : ": check its spelling", meant ? meant : "",
            meant ? "?" : "");
}

static void print_all(void)
{
    printf("version            %s\n", weft_version());
    printf("instruction set    %s\n", weft_type_kernels_name());
    printf("compiled for       ");
    for (size_t i = 0; i < INSTRUCTION_SETS; i++)
        printf("%s%s", i ? ", " : "", instruction_sets[i]);
    printf("\nblock kernels      ");
    for (uint8_t i = 0; i < WEFT_TYPE_KERNEL_COUNT; i++)
        printf("%s%s",
               i == 0  ? ""
               : i % 5 ? ", "
                       : ",\n                   ",
               weft_type_kernel_name(i));
    printf("\ndepth limit        %d levels of a normal form\n", WEFT_MAX_DEPTH);
    info_mpi_print();
    info_nic_print();
    info_ofi_print();
    printf("\nSettings, from the environment:\n");
    for (int i = 0; i < WEFT_SETTING_COUNT; i++)
        print_setting((enum weft_setting)i);
    fflush(stdout);
    weft_setting_unknown(warn_unknown);
}

/* ---- For programs ------------------------------------------------------------------------- */

static void json_setting(enum weft_setting setting)
{
    const struct weft_setting_info *info = weft_setting_info(setting);
    char value[PATH_MAX];
    format_value(setting, value, sizeof(value));
    weft_json_open(NULL, '{');
    weft_json_string("name", info->name);
    weft_json_string("type", kind_name(info->kind));
    weft_json_string("choices", info->choices);
    weft_json_string("default", info->fallback);
    weft_json_string("value", value);
    weft_json_string("help", info->help);
    weft_json_close('}');
}

static void json_unknown(const char *name, const char *meant)
{
    (void)meant;
    weft_json_string(NULL, name);
}

static void json_all(void)
{
    weft_json_open(NULL, '{');
    weft_json_string("version", weft_version());
    weft_json_string("instruction_set", weft_type_kernels_name());
    weft_json_open("compiled_for", '[');
    for (size_t i = 0; i < INSTRUCTION_SETS; i++)
        weft_json_string(NULL, instruction_sets[i]);
    weft_json_close(']');
    weft_json_open("block_kernels", '[');
    for (uint8_t i = 0; i < WEFT_TYPE_KERNEL_COUNT; i++)
        weft_json_string(NULL, weft_type_kernel_name(i));
    weft_json_close(']');
    weft_json_integer("max_depth", WEFT_MAX_DEPTH);
    info_mpi_json();
    info_nic_json();
    info_ofi_json();
    weft_json_open("settings", '[');
    for (int i = 0; i < WEFT_SETTING_COUNT; i++)
        json_setting((enum weft_setting)i);
    weft_json_close(']');
    weft_json_open("unknown_variables", '[');
    weft_setting_unknown(json_unknown);
    weft_json_close(']');
    weft_json_close('}');
}

int weft_command_info(int argc, char **argv)
{
    static const struct option options[] = {
        {"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    static const char usage[] = "usage: weft info [--json]\n"
                                "\n"
                                "Shows the version, the copy kernels in use, the MPI libraries, "
                                "the worlds in which packets\n"
                                "travel, what memory other processes take, the limits of Portals "
                                "interfaces, the providers of\n"
                                "libfabric and which one is chosen, and every setting.\n";
    bool json = false;
    for (int option; (option = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
        if (option != 'j')
            return option_end(option, usage, argv);
        json = true;
    }
    if (optind < argc) {
        fprintf(stderr, "weft info: '%s' is one argument too many\n%s", argv[optind], usage);
        return WEFT_EXIT_USAGE;
    }
    info_mpi_look();
    if (json)
        json_all();
    else
        print_all();
    return WEFT_EXIT_OK;
}
