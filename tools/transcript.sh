#!/bin/bash
# Runs one transcript: tools/transcript.sh NETBOUND FILE
#
#   # comment
#   $ worst-case --topology torus:8x8     arguments of netbound
#   ! sed -i s/2/3/ report.xml            a shell command
#   expected line of standard output, then of standard error
#   ...                                   any lines
#   ? 0                                   exit status
#
# Commands run in an empty folder, with models/ and data/ linked into it; a
# shell command finds the program as "$netbound".
set -u
netbound=$(realpath "$1")
file=$(realpath "$2")
root=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$root/models" "$root/data" "$folder"
cd "$folder" || exit 1
export netbound
runner=("$netbound")
if [ "${VALGRIND:-0}" = 1 ]; then
    runner=(valgrind -q --error-exitcode=99 --leak-check=full
        --suppressions="$root/tools/valgrind.supp" "$netbound")
fi
bad=0

# The expected lines (with "..." for any lines) against what came.
compare() {
    awk -v expected="$1" '
        BEGIN {
            while ((getline line < expected) > 0) want[++n] = line
            close(expected)
            w = 1
        }
        {
            if (w <= n && want[w] == "...") {
                if (w < n && $0 == want[w + 1]) w += 2
                next
            }
            if (w > n || $0 != want[w]) {
                printf "  got:      %s\n  expected: %s\n", $0, (w > n ? "(end)" : want[w])
                bad = 1
                exit 1
            }
            w++
        }
        END {
            if (bad) exit 1
            if (w <= n && want[w] == "...") w++
            if (w <= n) { printf "  missing:  %s\n", want[w]; exit 1 }
        }' got
}

run_command() { # $1: line with its mark, $2: expected status
    local status=$2
    case $1 in
    '$ '*) eval "\"\${runner[@]}\" ${1#\$ }" >out 2>err </dev/null ;;
    '! '*) bash -c "${1#! }" >out 2>err </dev/null ;;
    esac
    local got=$?
    cat out err >got
    if [ "$got" -ne "$status" ] || ! compare expected; then
        echo "FAILED $file: $command"
        echo "  exit status $got, expected $status"
        sed 's/^/  | /' got | head -20
        bad=1
    fi
}

command=
: >expected
while IFS= read -r line || [ -n "$line" ]; do
    case $line in
    '#'*) ;;
    '$ '* | '! '*)
        command=$line
        : >expected
        ;;
    '? '*) run_command "$command" "${line#\? }" ;;
    '') ;;
    *) printf '%s\n' "$line" >>expected ;;
    esac
done <"$file"
exit $bad
