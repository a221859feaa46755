#!/bin/bash
# Runs test programs and the command-line transcripts:
# tools/check.sh NETBOUND TEST... Ends with the totals, exit 1 on a failure.
# VALGRIND=1 runs the transcripts under valgrind.
set -u
netbound=$1
shift
passed=0 failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

for test; do
    # cmocka reports on stderr: "[  PASSED  ] N test(s)."
    if "$test" >"$log" 2>&1; then
        count=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log" | tail -1)
        if [ -z "$count" ] || [ "$count" -eq 0 ]; then
            echo "FAILED $test: it ran no test"
            failed=$((failed + 1))
        else
            passed=$((passed + count))
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

for transcript in tests/cli/*.test; do
    if tools/transcript.sh "$netbound" "$transcript"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
