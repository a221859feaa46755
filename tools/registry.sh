#!/bin/sh
# Writes a registry: tools/registry.sh HEADER TYPE PREFIX TABLE FILE...
# Each FILE name.c defines "const struct TYPE PREFIX_name".
set -eu
header=$1 type=$2 prefix=$3 table=$4
shift 4
printf '#include "%s"\n\n' "$header"
for file; do
    printf 'extern const struct %s %s_%s;\n' "$type" "$prefix" \
        "$(basename "$file" .c)"
done
printf '\nconst struct %s *const %s[] = {\n' "$type" "$table"
for file; do
    printf '    &%s_%s,\n' "$prefix" "$(basename "$file" .c)"
done
printf '    0,\n};\n'
