/* SPDX-License-Identifier: BSD-3-Clause */
/* Random types against the naive type map; campaign.h has the arguments. */
#include "type/random/campaign.h"
#include "type/random/checks.h"

static const trial_check checks[] = {
    check_query,         check_commit_again,  check_rebuild,     check_parse_model,
    check_parse_printed, check_serialise,     check_pack_whole,  check_pack_ranges,
    check_pack_beyond,   check_image,         check_pieces,      check_locate,
    check_unpack_whole,  check_unpack_ranges, check_copy_ranges, check_copy_whole,
    NULL,
};

int main(int argc, char **argv)
{
    return campaign_run(argc, argv, checks);
}
