#!/bin/sh
# Installs a header with those of the project that it includes:
# tools/install_headers.sh FOLDER HEADER FILE...
# HEADER, src/x.h, becomes FOLDER/x.h; each FILE src/LAYER/y.h becomes
# FOLDER/x/LAYER/y.h, and is included as "x/LAYER/y.h". What is internal is left
# out (src/core/public.h). Other words, such as those of a make rule, are ignored.
set -eu
folder=$1 header=$2
name=$(basename "$header" .h)
shift 2
install_one() { # FILE TARGET
    install -d "$(dirname "$2")"
    sed "/^NB_INTERNAL_BEGIN\$/,/^NB_INTERNAL_END\$/d
        s|^#include \"\\([a-z]*/\\)|#include \"$name/\\1|" "$1" | cat -s >"$2"
    chmod 644 "$2"
}
install_one "$header" "$folder/$name.h"
for file; do
    case $file in
    src/*/*.h) install_one "$file" "$folder/$name/${file#src/}" ;;
    esac
done
