#!/bin/bash
# Fuzzes targets, one on each core: tools/fuzz.sh FOLDER SECONDS TARGET...
# FOLDER/TARGET is a libFuzzer program; its findings, log and kept inputs stay
# next to it. Exit 1 if it finds anything.
# SECONDS = 0: the smallest set of kept inputs with full coverage becomes the
# corpus tests/fuzz/corpus/TARGET: for each a line with its length, then its
# bytes. Earlier findings are in tests/fuzz/found/TARGET, added by hand in the
# same form.
set -u
export folder=$1 seconds=$2 LC_ALL=C
shift 2

# The files that a target names after a word.
named() { # $1: target, $2: word
    printf '%s ' $(sed -n "s,^ \* $2:,,p" "tests/fuzz/test_$1.c")
}

# The quoted strings in the sources of a format, and the rows of dictionaries.
words() { # $1: target
    grep -rohE '"[^"\%]{1,30}"' $(named "$1" Words) /dev/null | sort -u
}

unpack() { # $1: target
    local file length number=0
    for file in $(named "$1" Seeds); do
        cp "$file" "$folder/$1.kept"
    done
    for file in tests/fuzz/corpus/"$1" tests/fuzz/found/"$1"; do
        [ -f "$file" ] || continue
        while read -r length; do
            head -c "$length" >"$folder/$1.kept/known-$number"
            read -r
            number=$((number + 1))
        done <"$file"
    done
}

pack() { # $1: target
    local input
    rm -rf "$folder/$1.least"
    mkdir "$folder/$1.least"
    "$folder/$1" -merge=1 -set_cover_merge=1 -use_counters=0 \
        -max_len=4096 "$folder/$1.least" "$folder/$1.kept" \
        >"$folder/$1.log" 2>&1 || return 1
    for input in "$folder/$1.least"/*; do
        stat -c %s "$input" && cat "$input" && echo
    done >"tests/fuzz/corpus/$1"
}

fuzz() { # $1: target
    { words "$1" && echo '"\x00"'; } >"$folder/$1.dict" # none may be empty
    "$folder/$1" "$folder/$1.kept" -dict="$folder/$1.dict" \
        -max_total_time="$seconds" -max_len=4096 -timeout=30 \
        -rss_limit_mb=2560 -artifact_prefix="$folder/$1.found-" \
        -print_final_stats=1 >"$folder/$1.log" 2>&1
}

one() { # $1: target
    local verdict=clean
    mkdir -p "$folder/$1.kept"
    unpack "$1"
    if [ "$seconds" -eq 0 ]; then
        pack "$1" || verdict=FAILED
    elif ! fuzz "$1"; then
        verdict=FOUND
        grep -aE '^(==[0-9]*==ERROR|SUMMARY|tests/|.*runtime error:)|written to' \
            "$folder/$1.log"
    fi
    printf '%-6s %10d inputs, %5d kept, %6d edges  %s\n' "$verdict" \
        "$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$1.log")" \
        "$(ls "$folder/$1.kept" | wc -l)" \
        "$(sed -n 's/.* cov: \([0-9]*\).*/\1/p' "$folder/$1.log" | tail -1)" "$1"
    [ "$verdict" = clean ]
}
export -f named words unpack pack fuzz one

printf '%s\0' "$@" | xargs -0 -P "$(nproc)" -I{} bash -c 'one {}'
