#!/bin/bash
# Runs test programs and the command-line transcripts:
# tools/check.sh NETBOUND [TEST...] Ends with the totals, exit 1 on a failure.
# VALGRIND=1 tools/check.sh build/netbound: the transcripts, under valgrind.
set -u
netbound=$1
shift
passed=0 failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
log=$scratch/log
NETBOUND=$(realpath "$netbound")
export NETBOUND
# Spinning threads would slow down what runs beside them.
export OMP_WAIT_POLICY=passive

for test; do
    # cmocka reports on stderr: "[  PASSED  ] N test(s)."
    if "$test" >"$log" 2>&1; then
        count=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log" | tail -1)
        if [ "${count:-0}" -eq 0 ] && ! grep -q '^skipped: ' "$log"; then
            echo "FAILED $test: it ran no test"
            failed=$((failed + 1))
        else
            passed=$((passed + ${count:-0}))
            grep '^skipped: ' "$log"
        fi
    else
        echo "FAILED $test (exit status $?)"
        cat "$log"
        count=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log" | tail -1)
        passed=$((passed + ${count:-0}))
        failed=$((failed + 1))
    fi
done

# The console examples of the README are a transcript, too.
awk '/^```console$/ { shown = 1; next }
     /^```$/ { if (command) print "? 0"; shown = command = 0 }
     shown && /^\$ build\/netbound / {
         if (command) print "? 0"
         command = 1
         sub(/build\/netbound /, "")
     }
     shown { print }' README.md >"$scratch/README.test"
transcripts="tests/cli/*.test $scratch/README.test"

# Transcripts do not depend on each other: one on each core. Those that pass
# leave a mark.
export scratch netbound
printf '%s\0' $transcripts | xargs -0 -P "$(nproc)" -I{} bash -c '
    mark=$scratch/$(basename "$1")
    if grep -q "^# Needs a pseudo-terminal" "$1" &&
        ! script -qec true /dev/null >"$mark.log" 2>&1; then
        echo "skipped: $1: no pseudo-terminal is to be had" >"$mark.log"
        touch "$mark.skipped"
    elif tools/transcript.sh "$netbound" "$1" >"$mark.log" 2>&1; then
        touch "$mark.passed"
    fi' - {}
for transcript in $transcripts; do
    mark=$scratch/$(basename "$transcript")
    cat "$mark.log"
    if [ -e "$mark.passed" ]; then
        passed=$((passed + 1))
    elif [ ! -e "$mark.skipped" ]; then
        echo "FAILED $transcript"
        failed=$((failed + 1))
    fi
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
