#!/bin/sh
# Writes the table of a test program's parts: tools/test_table.sh FOLDER FILE...
# Each FILE, tests/x/test_y.c, was compiled with its main as tests_x_test_y.
set -eu
folder=$1
shift
printf '#include "support/parts.h"\n\n'
for file; do
    printf 'int %s(void);\n' "$(echo "${file%.c}" | tr / _)"
done
printf '\nconst struct nb_test_part nb_test_parts[] = {\n'
for file; do
    name=${file#"$folder"/}
    printf '    { "%s", %s },\n' \
        "$(echo "${name%.c}" | sed 's,test_\([^/]*\)$,\1,')" \
        "$(echo "${file%.c}" | tr / _)"
done
printf '    { 0, 0 },\n};\n'
