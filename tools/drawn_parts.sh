#!/bin/sh
# The parts of test programs that make check tries only a share of, as arguments
# of tools/check.sh: tools/drawn_parts.sh FOLDER, that the programs are in.
set -eu
grep -rlF 'support/cases.h' tests --include='test_*.c' | sort |
    sed -E "s,^tests/([^/]*)/(.*/)?test_([^/]*)\.c$,'$1/test_\1 \2\3',"
