#!/bin/bash
# Checks the headers that src/netbound.h includes, which are for users: they use
# only types of C's own library, include no internal header, mark every function
# as public or internal, and each compiles by itself and before and after every
# other, as C and as C++. No other header declares public functions.
set -u
cd src || exit 1
bad=0
cc=${CC:-cc} cxx=${CXX:-g++}
warn="-Wall -Wextra -Wpedantic -Wshadow -Werror"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

headers=$($cc -I. -MM netbound.h | tr ' \\' '\n\n' | grep '/')
foreign=$(sed -n 's/^#include <\(.*\/.*\)>/\1/p' $headers)
[ -z "$foreign" ] || { echo "netbound.h includes" $foreign && bad=1; }
private=$(echo "$headers" | grep -E '_work\.h$|^core/(try|memory)\.h$')
[ -z "$private" ] || { echo "netbound.h includes" $private && bad=1; }
for header in $headers; do
    sed -E '/^NB_(PUBLIC|INTERNAL)_BEGIN$/,/^NB_(PUBLIC|INTERNAL)_END$/d' "$header" |
        grep -vE '^typedef' | grep -qE '^[a-z].*\(|^extern' &&
        echo "$header: neither NB_PUBLIC_BEGIN nor NB_INTERNAL_BEGIN" && bad=1
done
hidden=$(grep -rl '^NB_PUBLIC_BEGIN$' --include='*.h' . | sed 's,^\./,,' |
    grep -vxFf <(echo "$headers"))
[ -z "$hidden" ] || { echo "netbound.h does not include" $hidden && bad=1; }

# All headers in one order and in reverse cover every pair in both orders.
include() { sed 's/.*/#include "&"/'; }
for header in $headers; do
    include <<<"$header" >"$scratch/$(tr / - <<<"$header")"
done
echo "$headers" | include >"$scratch/forward.h"
echo "$headers" | tac | include >"$scratch/backward.h"
for file in "$scratch"/*; do
    echo 'extern int nothing;' >>"$file" # C has no empty files
done
$cc -x c -std=c11 -I. $warn -fsyntax-only "$scratch"/* || bad=1
$cxx -x c++ -std=c++11 -I. $warn -fsyntax-only "$scratch"/* || bad=1
exit $bad
