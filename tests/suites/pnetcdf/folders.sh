# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2034
#
# For scripts to source: the folders of PnetCDF's tests that are run. Each program takes the name of
# the file that it writes.
folders="C cdf_format header nonblocking testcases"
