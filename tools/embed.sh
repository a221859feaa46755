#!/bin/sh
# Writes files as a table in C: tools/embed.sh SYMBOL FILE...
# The table is "const struct nb_embedded SYMBOL[]", one row per FILE in
# the given order, ended by a row of zeros.
set -eu
symbol=$1
shift
printf '#include "core/embedded.h"\n\n'
number=0
for file; do
    # A string literal may be too long for a compiler, an array never is. The
    # zero added lets text be read as a string.
    printf 'static const unsigned char %s_%d[] = {\n' "$symbol" "$number"
    od -An -v -tx1 "$file" | sed 's/ \(..\)/0x\1,/g'
    printf '0x00 };\n'
    number=$((number + 1))
done
printf '\nconst struct nb_embedded %s[] = {\n' "$symbol"
number=0
for file; do
    printf '    { "%s", (const char *)%s_%d, sizeof %s_%d - 1 },\n' \
        "$(basename "$file")" "$symbol" "$number" "$symbol" "$number"
    number=$((number + 1))
done
printf '    { 0, 0, 0 },\n};\n'
