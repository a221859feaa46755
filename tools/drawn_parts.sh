#!/bin/sh
# Lists those parts of test programs that make check only samples, as
# arguments for tools/check.sh: tools/drawn_parts.sh FOLDER (of the programs).
set -eu
grep -rlF 'support/cases.h' tests --include='test_*.c' | sort |
    sed -E "s,^tests/([^/]*)/(.*/)?test_([^/]*)\.c$,'$1/test_\1 \2\3',"
