#!/bin/bash
# Runs the parts of test programs ("PROGRAM PART", or all of PROGRAM),
# transcripts (.test) and the console examples of texts (.md), one per core:
# tools/check.sh NETBOUND TEST... Prints each result as it comes, and at the end
# the ten that took most processor time and the totals. Exit 1 on a failure.
# VALGRIND=1 tools/check.sh build/netbound tests/cli/*.test: under valgrind.
set -u
netbound=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
NETBOUND=$(realpath "$netbound")
export NETBOUND netbound scratch
# Tests do not depend on the user's language. Texts are in UTF-8, but no test
# needs a UTF-8 locale, which some systems do not have.
export LC_ALL=C
[ "$(env LC_ALL=C.UTF-8 locale charmap 2>/dev/null)" != UTF-8 ] ||
    LC_ALL=C.UTF-8

# Prints the console examples of a text as a transcript.
examples() { # $1: text
    awk '/^```console$/ { shown = 1; next }
         /^```$/ { if (command) print "? 0"; shown = command = 0 }
         shown && /^\$ build\/netbound / {
             if (command) print "? 0"
             command = 1
             sub(/build\/netbound /, "")
         }
         shown { print }' "$1"
}

# Prints the number of tests passed, "failed" or "skipped".
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

# Texts show lines of 80 columns, as on a terminal; transcripts whole lines.
run_transcript() { # $1: as given, $2: the transcript
    if [[ $1 == *.md ]]; then
        COLUMNS=80 tools/transcript.py "$netbound" "$2"
    else
        env -u COLUMNS tools/transcript.py "$netbound" "$2"
    fi
}

# The processor time of the children in ms, from the output of times.
core_time() { # $1: file
    local lines
    mapfile -t lines <"$1"
    [[ ${lines[1]} =~ ^(.*)m(.*)\.(.*)s\ (.*)m(.*)\.(.*)s$ ]]
    echo $((60000 * (BASH_REMATCH[1] + BASH_REMATCH[4]) + 1000 * \
        (BASH_REMATCH[2] + BASH_REMATCH[5]) + 10#${BASH_REMATCH[3]} + \
        10#${BASH_REMATCH[6]}))
}

# The need in a line "# Needs ..." of a transcript that this machine lacks.
find_lack() { # $1: transcript
    if grep -qs '^# Needs a pseudo-terminal' "$1" &&
        ! script -qec true /dev/null >/dev/null 2>&1; then
        echo "there is no pseudo-terminal"
    elif grep -qs '^# Needs /dev/fd' "$1" && [ ! -e /dev/fd/ ]; then
        echo "there is no /dev/fd"
    elif grep -qs '^# Needs /proc' "$1" && [ ! -e /proc/self ]; then
        echo "there is no /proc"
    fi
}

run_one() { # $1: "PROGRAM PART", transcript or text
    local log transcript=$1 lack verdict took
    log=$scratch/${1//[\/ ]/-}.log
    case $1 in
    *.test | *.md)
        if [[ $1 == *.md ]]; then
            transcript=$scratch/$(basename "$1" .md).test
            examples "$1" >"$transcript"
        fi
        lack=$(find_lack "$transcript")
        if [ -n "$lack" ]; then
            echo "skipped: $1: $lack" >"$log"
            verdict=skipped
        elif run_transcript "$1" "$transcript" >"$log" 2>&1; then
            verdict=1
        else
            verdict=failed
        fi
        ;;
    *)
        "${1% *}" "${1#* }" >"$log" 2>&1
        verdict=$(judge_program "$1" $? "$log")
        ;;
    esac
    times >"$log.times" # not in a subshell, which has no children
    took=$(core_time "$log.times")
    echo "$verdict $took $1" >"${log%.log}.verdict"
    {
        flock 9
        printf '%7s %5d.%d s  %s\n' "$verdict" $((took / 1000)) \
            $((took / 100 % 10)) "$1"
        case $verdict in
        failed) echo "FAILED $1" && cat "$log" ;;
        *) grep '^skipped: ' "$log" ;;
        esac
    } 9>"$scratch/lock"
    return 0
}
export -f run_one find_lack run_transcript judge_program examples core_time

tests=()
for test; do
    case $test in
    *.test | *.md | *' '*) tests+=("$test") ;;
    *)
        parts=$("$test" --list) || exit 1
        while read -r part; do
            tests+=("$test $part")
        done <<<"$parts"
        ;;
    esac
done

echo " passed     core  test"
printf '%s\0' "${tests[@]}" |
    xargs -0 -P "$(nproc)" -I{} bash -c 'run_one "$1"' - {}

echo "the most processor time:"
cat "$scratch"/*.verdict | sort -k2nr | head -10 |
    awk '{ printf "%13.1f s  %s %s\n", $2 / 1e3, $3, $4 }'
cat "$scratch"/*.verdict | awk -v expected=${#tests[@]} '
    { core += $2 }
    /^[0-9]/ { passed += $1 }
    /^failed/ { failed++ }
    END {
        failed += expected - NR # a test without a verdict did not end
        printf "%.0f s of processor time\n", core / 1e3
        printf "%d passed, %d failed\n", passed, failed
        exit failed > 0
    }'
