#!/bin/bash
# Layers, circles, references, phrases, format, cppcheck, and both compilers'
# warnings; exit 1 on a finding.
set -u
bad=0
clang=$(command -v clang-14 || command -v clang)
format=$(command -v clang-format-14 || command -v clang-format)
files=$(git ls-files 'src/*.[ch]' 'src/**/*.inc' 'tests/*.[ch]' 'tests/**/*.inc' 'bench/*.[ch]' | sort -u)

tools/check_layers.sh || bad=1
tools/check_circles.py || bad=1
tools/check_references.sh || bad=1
tools/check_headers.sh || bad=1
tools/check_phrases.sh || bad=1
tools/check_locale.sh || bad=1
# Their precision and range depend on the machine.
git grep -n '\blong double\b' -- src && bad=1
$format --dry-run -Werror $files || bad=1
# Its version 2.10 crashes on one file (selection by type in NB_ROW).
cppcheck --quiet --std=c11 --language=c --enable=warning,performance,portability \
    -j "$(nproc)" --inline-suppr --error-exitcode=1 -Isrc -Itests \
    --suppress=missingIncludeSystem \
    -i src/questions/worst_case/worst_case_tables.c \
    src || bad=1
# clang's warnings, without code generation.
git ls-files 'src/*.c' 'tests/*.c' 'bench/*.c' |
    xargs -P "$(nproc)" -n 40 "$clang" -fsyntax-only -std=c17 -D_GNU_SOURCE \
        -Isrc -Itests -Wall -Wextra -Wpedantic -Wconversion -Wshadow \
        -Wstrict-prototypes -Wmissing-prototypes -Werror \
        $(pkg-config --cflags libxml-2.0 nettle gsl jansson) || bad=1
[ "$bad" -eq 0 ] && echo "lint: clean"
exit $bad
