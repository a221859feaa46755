#!/bin/bash
# Runs test programs and the command-line transcripts, one on each core:
# tools/check.sh NETBOUND [TEST...] Says how each ended as it ends; closes with
# the totals, exit 1 on a failure.
# VALGRIND=1 tools/check.sh build/netbound: the transcripts, under valgrind.
set -u
netbound=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
NETBOUND=$(realpath "$netbound")
export NETBOUND netbound scratch

# The console examples of the README are a transcript, too.
awk '/^```console$/ { shown = 1; next }
     /^```$/ { if (command) print "? 0"; shown = command = 0 }
     shown && /^\$ build\/netbound / {
         if (command) print "? 0"
         command = 1
         sub(/build\/netbound /, "")
     }
     shown { print }' README.md >"$scratch/README.test"

# Prints a number of tests passed, or "failed", or "skipped".
judge_program() { # $1: program, $2: exit status, $3: its output
    local count
    # cmocka reports on stderr: "[  PASSED  ] N test(s)."
    count=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$3" | tail -1)
    if [ "$2" -ne 0 ]; then
        echo "exit status $2" >>"$3"
        echo failed
    elif [ "${count:-0}" -gt 0 ]; then
        echo "$count"
    elif grep -q '^skipped: ' "$3"; then
        echo skipped
    else
        echo "it ran no test" >>"$3"
        echo failed
    fi
}

run_one() { # $1: test program or transcript
    local log verdict begin=${EPOCHREALTIME/./} took
    log=$scratch/$(tr / - <<<"$1").log
    case $1 in
    *.test)
        if grep -q '^# Needs a pseudo-terminal' "$1" &&
            ! script -qec true /dev/null >"$log" 2>&1; then
            echo "skipped: $1: no pseudo-terminal is to be had" >"$log"
            verdict=skipped
        elif tools/transcript.sh "$netbound" "$1" >"$log" 2>&1; then
            verdict=1
        else
            verdict=failed
        fi
        ;;
    *)
        "$1" >"$log" 2>&1
        verdict=$(judge_program "$1" $? "$log")
        ;;
    esac
    took=$((${EPOCHREALTIME/./} - begin))
    echo "$verdict" >"${log%.log}.verdict"
    {
        flock 9
        printf '%7s %5d.%d s  %s\n' "$verdict" $((took / 1000000)) \
            $((took / 100000 % 10)) "${1#"$scratch/"}"
        case $verdict in
        failed) echo "FAILED $1" && cat "$log" ;;
        *) grep '^skipped: ' "$log" ;;
        esac
    } 9>"$scratch/lock"
    return 0
}
export -f run_one judge_program

echo " passed     time  test"
printf '%s\0' "$@" tests/cli/*.test "$scratch/README.test" |
    xargs -0 -P "$(nproc)" -I{} bash -c 'run_one "$1"' - {}

cat "$scratch"/*.verdict | awk -v expected=$(($# + $(ls tests/cli/*.test | wc -l) + 1)) '
    /^[0-9]/ { passed += $1 }
    /^failed/ { failed++ }
    END {
        failed += expected - NR # what left no verdict did not end
        printf "%d passed, %d failed\n", passed, failed
        exit failed > 0
    }'
